//! Data and metadata: which blocks are which, and what metadata is before compression.
#![expect(clippy::indexing_slicing, reason = "indices are numbers of blocks whose length is kept")]

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
    /// The first block whose length before compression is kept: of metadata, or of all where data compress.
    pub(super) lengths_from: BlockId,
    /// Metadata blocks from here on are not indirect ones.
    pub(crate) indirect_until: BlockId,
    /// Bytes of blocks before compression, from there on.
    pub(super) lengths: Vec<u32>,
}

impl Kinds {
    /// Returns the bytes of a block before compression; none of one that takes what it holds.
    #[inline]
    pub(super) fn length(&self, block: BlockId) -> Option<u64> {
        let number = block.behind(self.lengths_from)?;
        Some(u64::from(self.lengths[number as usize]))
    }

    /// Says whether a block is an indirect one, which is kept for a while like a prefetch.
    pub(super) fn is_indirect(&self, block: BlockId) -> bool {
        self.metadata_from <= block && block < self.indirect_until
    }
}
