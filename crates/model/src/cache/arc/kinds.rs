//! Data and metadata: which blocks are which, and what metadata is before compression.
#![expect(clippy::indexing_slicing, reason = "indices are numbers of metadata blocks")]

use crate::ids::BlockId;

/// Data or metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Data,
    Metadata,
}

impl Kind {
    pub(crate) const BOTH: [Self; 2] = [Self::Data, Self::Metadata];
}

/// Which blocks are metadata, and of what kind.
#[derive(Debug)]
pub(crate) struct Kinds {
    pub(super) metadata_from: BlockId,
    /// Metadata blocks from here on are not indirect ones.
    pub(crate) indirect_until: BlockId,
    /// Bytes of metadata blocks before compression.
    pub(super) lengths: Vec<u32>,
}

impl Kinds {
    /// Returns the bytes of a block of metadata before compression.
    #[inline]
    pub(super) fn length(&self, block: BlockId) -> u64 {
        u64::from(self.lengths[block.place() - self.metadata_from.place()])
    }

    /// Says whether a block is an indirect one, which is kept for a while like a prefetch.
    pub(super) fn is_indirect(&self, block: BlockId) -> bool {
        self.metadata_from <= block && block < self.indirect_until
    }
}
