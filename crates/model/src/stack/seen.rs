//! What reports say of reads, counted on the way; nothing that happens depends on it.

use arcwright_scenario::{ReadClasses, ReadsByClass};
use arcwright_units::Bytes;

use crate::cache::arc::Kind;

/// What was read since the start.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ReadsSeen {
    /// What was read from devices.
    pub(crate) by_class: ReadsByClass,
    /// Blocks of data that requests found in memory.
    hits: Bytes,
    /// Those that were on their way.
    joined: Bytes,
}

/// A read that is sent to a device.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SentRead {
    pub(crate) from_l2: bool,
    pub(crate) is_demanded: bool,
    pub(crate) kind: Kind,
    pub(crate) bytes: Bytes,
}

impl ReadsSeen {
    pub(crate) fn sent(&mut self, read: SentRead) {
        let ReadsByClass { l2arc, disks } = &mut self.by_class;
        let classes = if read.from_l2 { l2arc } else { disks };
        let ReadClasses { demand_data, demand_metadata, prefetch_data, prefetch_metadata } =
            classes;
        *match (read.is_demanded, read.kind) {
            (true, Kind::Data) => demand_data,
            (true, Kind::Metadata) => demand_metadata,
            (false, Kind::Data) => prefetch_data,
            (false, Kind::Metadata) => prefetch_metadata,
        } += read.bytes;
    }

    /// A request found a block of data in memory.
    pub(crate) fn hit(&mut self, bytes: u64) {
        self.hits += Bytes(bytes);
    }

    /// A request found a block of data on its way.
    pub(crate) fn joined(&mut self, bytes: u64) {
        self.joined += Bytes(bytes);
    }

    /// Returns the bytes of data that requests asked for: hit, joined and missed.
    pub(crate) fn demand(&self) -> [Bytes; 3] {
        let ReadsByClass { l2arc, disks } = self.by_class;
        [self.hits, self.joined, l2arc.demand_data + disks.demand_data]
    }
}
