//! A device, and the disks that are on it: one mostly, several where a device is in parts, or where devices are behind
//! one link and wait for each other.
#![expect(clippy::indexing_slicing, reason = "a ticket ends with the number of a part")]

use arcwright_device::{Completion, Counters, DeviceGroup, LinkCounters, Request};
use arcwright_units::Nanos;

use crate::ids::{BatchId, DeviceId, LeafId, number};

/// A device at work for its disks, or several behind a link.
#[derive(Debug)]
pub(crate) struct PoolDevice {
    device: DeviceGroup,
    /// The disk of each part.
    leaves: Vec<LeafId>,
    /// Bits of a ticket that tell the part; the others tell the disk's batch.
    part_bits: u32,
    /// When it wants to be asked next; never, while it is idle.
    pub(crate) due: Nanos,
}

/// Where a disk is: on which device, and on which part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DevicePart {
    pub(crate) device: DeviceId,
    pub(crate) part: u32,
}

impl PoolDevice {
    /// Returns a device for so many disks, which are added one by one.
    pub(crate) fn new(device: DeviceGroup, parts: usize) -> Self {
        let part_bits = parts.next_power_of_two().trailing_zeros();
        Self { device, leaves: Vec::new(), part_bits, due: Nanos::MAX }
    }

    /// Adds the disk of the next part; returns the part's number.
    pub(crate) fn add(&mut self, leaf: LeafId) -> u32 {
        self.leaves.push(leaf);
        number(self.leaves.len() - 1)
    }

    /// Hands over a batch of a part's disk.
    #[inline]
    pub(crate) fn submit(&mut self, now: Nanos, part: u32, batch: BatchId, request: Request) {
        debug_assert!(batch.0 << self.part_bits >> self.part_bits == batch.0, "{batch:?} is cut");
        let ticket = batch.0 << self.part_bits | part;
        self.device.submit(now, ticket, part as usize, request);
    }

    /// Returns whose batch is done, and which.
    #[inline]
    pub(crate) fn whose(&self, done: Completion) -> (LeafId, BatchId) {
        let part = done.ticket & ((1 << self.part_bits) - 1);
        (self.leaves[part as usize], BatchId(done.ticket >> self.part_bits))
    }

    /// Appends what is done by `now`.
    #[inline]
    pub(crate) fn advance(&mut self, now: Nanos, done: &mut Vec<Completion>) {
        self.device.advance(now, done);
    }

    /// Takes note of when it wants to be asked next.
    #[inline]
    pub(crate) fn look(&mut self) -> Nanos {
        self.due = self.device.next_event().unwrap_or(Nanos::MAX);
        self.due
    }

    /// Returns what its link has carried so far; none without one.
    pub(crate) fn link_counters(&self) -> Option<LinkCounters> {
        self.device.link_counters()
    }

    /// Returns what was asked of a part so far.
    pub(crate) fn counters(&self, part: u32) -> Counters {
        self.device.counters(part as usize)
    }
}
