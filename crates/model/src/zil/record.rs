//! Records of the intent log: what a change leaves in memory until it is logged or on the disks.

use super::RECORD;
use crate::ids::{BlockId, SlotId};

/// How a record has its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteState {
    Copied,
    CopyLater,
    Indirect(BlockId),
}

/// A record, or the marker of a slot that waits.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Record {
    Write { txg: u64, bytes: u64, how: WriteState },
    Wait(SlotId),
}

impl Record {
    /// Returns its bytes with those of the data that it holds itself.
    pub(super) fn own_bytes(&self) -> u64 {
        match self {
            Self::Write { how: WriteState::Copied, .. } => self.whole_bytes(),
            Self::Write { .. } => RECORD,
            Self::Wait(_) => 0,
        }
    }

    /// Says whether whoever logs it looks up what points to its block.
    pub(super) fn needs_pointer(&self) -> bool {
        use WriteState::{CopyLater, Indirect};
        matches!(self, Self::Write { how: CopyLater | Indirect(_), .. })
    }

    /// Returns its bytes with those of its data.
    pub(super) fn whole_bytes(&self) -> u64 {
        match self {
            Self::Write { how: WriteState::Indirect(_), .. } => RECORD,
            Self::Write { bytes, .. } => RECORD + bytes.next_multiple_of(8),
            Self::Wait(_) => 0,
        }
    }
}
