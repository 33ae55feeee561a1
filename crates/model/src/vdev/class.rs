//! Requests to a disk: their classes, how they wait, and how they go together.

use arcwright_units::Nanos;

use crate::ids::IoId;

/// Classes of requests, by priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    SyncRead,
    SyncWrite,
    AsyncRead,
    AsyncWrite,
}

impl Class {
    pub(crate) fn is_write(self) -> bool {
        matches!(self, Self::SyncWrite | Self::AsyncWrite)
    }

    pub(super) fn is_sync(self) -> bool {
        matches!(self, Self::SyncRead | Self::SyncWrite)
    }

    /// Returns the class of the same kind that somebody waits for.
    pub(super) fn sync(self) -> Self {
        if self.is_write() { Self::SyncWrite } else { Self::SyncRead }
    }
}

/// All of them.
pub(super) const CLASSES: [Class; 4] =
    [Class::SyncRead, Class::SyncWrite, Class::AsyncRead, Class::AsyncWrite];

/// A waiting request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waiting {
    pub(crate) offset: u64,
    pub(crate) size: u32,
    pub(crate) class: Class,
    pub(crate) since: Nanos,
}

/// Several requests that go to the disk as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(crate) offset: u64,
    pub(crate) size: u32,
    pub(crate) class: Class,
    pub(crate) ios: Vec<IoId>,
    /// A flush, which no queue holds up.
    pub(crate) is_flush: bool,
}
