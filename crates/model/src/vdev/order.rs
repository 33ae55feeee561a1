//! In which order a queue lets requests go (docs/model/vdev-queues.md#order-within-a-class, #deadline-queue).

use arcwright_units::Nanos;

/// In which order requests of a class go to the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// By offset, round and round (0.6.4 to 2.1).
    Elevator,
    /// The same within half a second of arrivals (2.2 and later).
    Buckets,
    /// No classes at all: by arrival in spans of `grain` plus a handicap, then by offset (FreeBSD before
    /// 10; §6.2).
    Deadlines { grain: Nanos },
}

impl Order {
    /// Says whether all classes stand in one row.
    pub(super) fn is_by_deadlines(self) -> bool {
        matches!(self, Self::Deadlines { .. })
    }
}
