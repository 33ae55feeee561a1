//! The ways to do a thing that versions of OpenZFS have, one enum each; which version has which is said in
//! `behaviour.rs`.

use arcwright_units::{Bytes, Nanos};

/// In which order requests of a class go to the disk
/// (docs/model/vdev-queues.md#order-within-a-class, #deadline-queue).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QueueOrder {
    /// By offset, round and round (0.6.4 to 2.1).
    Elevator,
    /// The same within half a second of arrivals (2.2 and later).
    Buckets,
    /// No classes at all: by arrival in spans of `grain` plus a handicap, then by offset (FreeBSD before
    /// 10).
    Deadlines { grain: Nanos },
}

impl QueueOrder {
    /// Says whether all classes stand in one row.
    pub(crate) fn is_by_deadlines(self) -> bool {
        matches!(self, Self::Deadlines { .. })
    }
}

/// How records of the log come into blocks (docs/model/zil.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogPacking {
    pub(crate) planning: LogPlanning,
    pub(crate) company: LogCompany,
    /// Whether a write of 128 KiB is cut into two blocks of 68 KiB (up to 2.2.2).
    pub(crate) splits_large: bool,
    /// Whether the largest copy, the room that may be left, the weight of the last latency, and that a program stops
    /// when its own records are placed, are those of 2.2.
    pub(crate) is_of_2_2: bool,
}

/// How sizes of log blocks are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogPlanning {
    /// By what was logged, from a few sizes (up to 2.2.3).
    Buckets,
    /// By bursts (2.2.4 and later).
    Bursts,
}

/// When a program leaves its block open for others to fill (docs/model/zil.md#waiting-for-company).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogCompany {
    /// Always (0.8 to 2.1.9).
    Always,
    /// Unless the log was idle, and waiting takes too little time or the block is nearly full (2.1.10 to 2.2.3; and before 0.8,
    /// whose own rule is not modelled).
    UnlessIdle,
    /// Where another commit is expected (2.2.4 and later).
    IfExpected,
}

/// How many allocators a pool has (docs/model/allocation.md#allocators).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allocators {
    One,
    Four,
    /// One for four processors, at most four.
    ByProcessors,
}

impl Allocators {
    /// Says whether each task of writing a group has one, instead of each object by a hash.
    pub(crate) const fn is_by_task(self) -> bool {
        matches!(self, Self::ByProcessors)
    }

    /// Returns those of a version that is before 0.8, before 2.3, or neither.
    pub(super) const fn of(before: [bool; 2]) -> Self {
        match before {
            [true, _] => Self::One,
            [_, true] => Self::Four,
            _ => Self::ByProcessors,
        }
    }

    pub(crate) fn count(self, processors: u32) -> u32 {
        match self {
            Self::One => 1,
            Self::Four => 4,
            Self::ByProcessors => (processors / 4).clamp(1, 4),
        }
    }
}

/// How the ARC decides what stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArcRules {
    /// One target `p` between MRU and MFU, metadata under a limit (0.7 to 2.1).
    Target,
    /// Three fractions, moved by ghost hits (2.2 and later).
    Fractions,
}

/// What happens when metadata is over its limit (up to 2.1; see `cache/arc/limit.rs`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetaStrategy {
    /// Data and metadata go in turns; whether what is over is read anew after each (0.6 and 0.7).
    Balanced { reads_anew: bool },
    /// Only metadata goes (FreeBSD's own ZFS).
    Only,
}

/// How sequential readers are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prefetcher {
    /// Told of every block, stretches and strides (FreeBSD 8 to 10, 0.6).
    ByBlock,
    /// Distance doubles on every hit up to 8 MiB (0.7 to 2.1.5).
    Doubling,
    /// 4 MiB by itself, up to 64 MiB on evidence (2.1.6 to 2.2.3).
    OnEvidence,
    /// As before, and out-of-order accesses are followed (2.2.4 and later).
    Reordering,
}

/// Where the ARC's target begins (`arc_init`, arc.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// At its maximum (before 2.0).
    Full,
    /// At its minimum.
    AtMinimum,
    /// At half of the maximum that is the default on this memory, which is the minimum in user space.
    AtHalfOfDefault,
}

/// How much of a file that is written as fast as it goes is one transaction group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TxgSize {
    /// So many bytes: `zfs_dirty_data_sync` of 0.6.4 to 0.7, and the lab, which ends groups itself.
    Fixed(u64),
    /// A fifth of the dirty data that may be: `zfs_dirty_data_sync_percent` (0.8 and later) of a tenth
    /// of the memory, 4 GiB at most.
    FifthOfDirtyData,
    /// `zfs_write_limit_max`, before dirty data was counted (before FreeBSD 10).
    EighthOfMemory,
}

impl TxgSize {
    /// Returns the bytes of a group on a machine with `memory`.
    pub(crate) fn bytes(self, memory: Bytes) -> u64 {
        let bytes = match self {
            Self::Fixed(bytes) => bytes,
            Self::FifthOfDirtyData => (memory.0 / 10).min(Bytes::gib(4).0) / 5,
            Self::EighthOfMemory => memory.0 / 8,
        };
        bytes.max(1)
    }
}
