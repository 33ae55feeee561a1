//! Numbers that tell one thing from another: a slot is not a leaf, and neither is a block.
//!
//! Each kind is a row in a flat array; the number is its place there. Files and trees reckon with
//! blocks by what lies between them, a count ([`BlockId::plus`], [`BlockId::behind`]).

use std::num::NonZeroU32;

/// More blocks than this have no numbers: they share 32 bits with what links their lists.
pub(crate) const BLOCKS_MAX: u64 = u32::MAX as u64 - (1 << 24);

/// Makes a type for each kind of number.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) struct $name(pub(crate) u32);

        impl $name {
            /// The id of the row at `place`.
            pub(crate) fn at(place: usize) -> Self {
                Self(number(place))
            }

            /// The place of its row.
            #[inline]
            pub(crate) fn place(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A block of data or metadata, of a file or a tree.
    BlockId;
    /// A client of the phase.
    ClientId;
    /// One outstanding request of a client: a thread of its own, with its stack and its holds.
    SlotId;
    /// A file of the dataset.
    FileId;
    /// A disk.
    LeafId;
    /// A device, which one disk has to itself or several share.
    DeviceId;
    /// A read or write of the pool or a cache device, in as many parts as it has columns.
    RequestId;
    /// A part of a request on one disk.
    IoId;
    /// What its disk serves at once, made of one or several parts: the place of the batch there.
    BatchId;
    /// A top-level vdev, as it is counted by what owns it: the pool, the intent log, the cache devices.
    VdevId;
    /// One of the pool's allocators.
    AllocatorId;
}

impl AllocatorId {
    /// Places whatever waits for stable storage, and all blocks where a pool has one.
    pub(crate) const FIRST: Self = Self(0);
}

impl VdevId {
    /// The same vdev where it is counted behind `before` others.
    pub(crate) fn behind(self, before: usize) -> Self {
        Self(self.0 + number(before))
    }

    /// The same vdev where it is counted without the first so many; none when it is among them.
    pub(crate) fn without(self, before: usize) -> Option<Self> {
        self.0.checked_sub(number(before)).map(Self)
    }
}

impl BlockId {
    /// Stands in a table for no block; it is behind all that there are ([`BLOCKS_MAX`]).
    pub(crate) const NONE: Self = Self(u32::MAX);

    /// The block so many further on.
    #[inline]
    pub(crate) fn plus(self, count: u32) -> Self {
        Self(self.0 + count)
    }

    /// How many blocks it is behind `first`; none when it comes before it.
    #[inline]
    pub(crate) fn behind(self, first: Self) -> Option<u32> {
        self.0.checked_sub(first.0)
    }
}

/// Blocks that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockRun {
    pub(crate) first: BlockId,
    pub(crate) count: u32,
}

impl BlockRun {
    /// Returns the blocks from `first` up to `end`, which is not among them.
    pub(crate) fn between(first: BlockId, end: BlockId) -> Self {
        Self { first, count: end.0 - first.0 }
    }

    /// Returns its blocks, from the first on.
    #[inline]
    pub(crate) fn iter(self) -> impl ExactSizeIterator<Item = BlockId> {
        (self.first.0..self.first.0 + self.count).map(BlockId)
    }
}

/// A stream of a file's prefetcher; a file never has two of the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StreamId(NonZeroU32);

impl StreamId {
    /// The id of the stream that comes after `before` others.
    pub(crate) fn after(before: u32) -> Self {
        Self(NonZeroU32::MIN.saturating_add(before))
    }

    /// Which of the file's streams it is, from 1 on.
    #[cfg(test)]
    pub(crate) fn number(self) -> u32 {
        self.0.get()
    }
}

/// A dataset: the pool's own, then the others in the order of the scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DatasetId(pub(crate) u8);

impl DatasetId {
    /// The pool's own.
    pub(crate) const fn own() -> Self {
        Self(0)
    }

    pub(crate) fn place(self) -> usize {
        usize::from(self.0)
    }
}

/// A block of the intent log of a dataset, counted from the first that was ever made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LogId {
    pub(crate) dataset: DatasetId,
    pub(crate) number: u32,
}

impl LogId {
    /// The block before it in the chain; none before the first that was ever made.
    pub(crate) fn before(self) -> Option<Self> {
        Some(Self { number: self.number.checked_sub(1)?, ..self })
    }

    /// The block behind it in the chain.
    pub(crate) fn next(self) -> Self {
        Self { number: self.number + 1, ..self }
    }
}

/// Returns `count` as the 32 bits in which everything here is numbered; what would have more is
/// refused before a run begins ([`BLOCKS_MAX`]).
#[inline]
pub(crate) fn number(count: usize) -> u32 {
    number_of(count as u64)
}

/// The same of a figure in 64 bits.
#[inline]
pub(crate) fn number_of(count: u64) -> u32 {
    debug_assert!(u32::try_from(count).is_ok(), "{count} is no number of 32 bits");
    #[expect(clippy::cast_possible_truncation, reason = "checked at the door, asserted here")]
    let number = count as u32;
    number
}

/// Returns where in a table the row of this number stands; every number of a row is one of 32 bits, or a
/// count of what is in memory.
#[inline]
pub(crate) fn row(number: u64) -> usize {
    debug_assert!(usize::try_from(number).is_ok(), "{number} is no row of a table");
    #[expect(
        clippy::cast_possible_truncation,
        reason = "asserted: a table has less rows than memory"
    )]
    let row = number as usize;
    row
}
