//! Blocks of files that are held: why, and what came of it.

use arcwright_units::Nanos;

use crate::ids::FileId;

/// Why a block of a file is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HoldReason {
    Access,
    /// Part of it is to be written, and it is looked whether the rest can be read.
    PartOfWrite,
}

/// What came of holding a block of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HoldOutcome {
    /// It is there.
    There,
    /// It was there as it is encrypted on the disks, and was decrypted, which took so long.
    Opened(Nanos),
    /// It is held and on its way, because of an earlier request.
    OnItsWay,
    /// It is held, and a read was sent, which took so many lock operations.
    Sent { lock_ops: u64 },
    /// What points to it has to come first: ask again.
    Later,
}

impl HoldOutcome {
    /// Says whether the block was in memory.
    pub(crate) fn is_there(self) -> bool {
        matches!(self, Self::There | Self::Opened(_))
    }

    /// Returns how long decrypting it took whoever holds it.
    pub(crate) fn took(self) -> Nanos {
        match self {
            Self::Opened(took) => took,
            _ => Nanos::ZERO,
        }
    }
}

/// A block of a file, and what came of holding it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeldBlock {
    pub(crate) file: FileId,
    pub(crate) index: u32,
    pub(crate) outcome: HoldOutcome,
}
