//! Numbers that tell one thing from another: a slot is not a leaf, and neither is a request.
//!
//! Each kind is a row in a flat array; the number is its place there. Blocks have plain numbers
//! ([`crate::blocks::Block`]), which files, trees and lists reckon with.

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
    /// A client of the phase.
    ClientId;
    /// One outstanding request of a client: a thread of its own, with its stack and its holds.
    SlotId;
    /// A file of the dataset.
    FileId;
    /// A disk.
    LeafId;
    /// A read or write of the pool or a cache device, in as many parts as it has columns.
    RequestId;
    /// A part of a request on one disk.
    IoId;
}

/// A block of the intent log, counted from the first that was ever made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LogId(pub(crate) u32);

impl LogId {
    /// The block before it in the chain; none before the first that was ever made.
    pub(crate) fn before(self) -> Option<Self> {
        self.0.checked_sub(1).map(Self)
    }

    /// The block behind it in the chain.
    pub(crate) fn next(self) -> Self {
        Self(self.0 + 1)
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
