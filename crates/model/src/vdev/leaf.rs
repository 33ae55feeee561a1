//! A disk with its queue.
#![expect(clippy::indexing_slicing, reason = "a slot of a disk is the place of a batch")]

use arcwright_device::{Completion, Device, DeviceProfile, Io as Operation, Request};
use arcwright_scenario::{DeviceRun, Role};
use arcwright_units::{Bytes, Nanos};

use super::queue::{Batch, Class, Queue, Waiting};
use crate::ids::{IoId, number};
use crate::versions::rules::QueueOrder;
use crate::versions::settings::QueueSettings;

/// A disk, its queue and what is under way.
#[derive(Debug)]
pub(crate) struct Leaf {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) profile: String,
    pub(crate) rotating: bool,
    pub(crate) size: Bytes,
    pub(crate) queue: Queue,
    /// When the device wants to be asked next; never, while it is idle.
    pub(crate) due: Nanos,
    device: Device,
    batches: Vec<Option<Batch>>,
    free: Vec<u32>,
}

/// What a disk is made from.
#[derive(Debug)]
pub(crate) struct LeafSpec<'a> {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) profile: &'a DeviceProfile,
    pub(crate) size: Bytes,
    pub(crate) seed: u64,
}

impl Leaf {
    pub(crate) fn new(spec: LeafSpec<'_>, settings: &QueueSettings, order: QueueOrder) -> Self {
        let LeafSpec { name, role, profile, size, seed } = spec;
        let rotating = profile.is_rotational();
        Self {
            name,
            role,
            profile: profile.name().to_owned(),
            rotating,
            size,
            queue: Queue::new(settings, rotating, order),
            due: Nanos::MAX,
            device: Device::new(profile, size, seed),
            batches: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Lets a part of a request wait in the queue.
    #[inline]
    pub(crate) fn take(&mut self, io: IoId, waiting: Waiting) {
        self.queue.push(io, waiting);
    }

    /// Looks at the queue because something arrived, or `is_done`; says whether anything waits. So many asynchronous
    /// writes may be active now.
    #[inline]
    pub(crate) fn look(&mut self, is_done: bool, writes_max: u64) -> bool {
        if self.queue.is_empty() {
            return false;
        }
        self.queue.look(is_done);
        self.queue.allow_writes(writes_max);
        true
    }

    /// Hands to the device what comes next in the queue, if anything may go; returns the parts of that.
    #[inline]
    pub(crate) fn issue_next(&mut self, now: Nanos) -> Option<&[IoId]> {
        let batch = self.queue.pick()?;
        Some(&self.issue(now, batch).ios)
    }

    /// Hands a batch to the device.
    #[inline]
    fn issue(&mut self, now: Nanos, batch: Batch) -> &Batch {
        let io = match batch.class {
            _ if batch.is_flush => Operation::Flush,
            class if class.is_write() => Operation::Write,
            _ => Operation::Read,
        };
        let request = Request { io, offset: batch.offset, size: batch.size };
        let slot = self.free.pop().unwrap_or_else(|| {
            self.batches.push(None);
            number(self.batches.len() - 1)
        });
        self.device.submit(now, slot, request);
        self.batches[slot as usize].insert(batch)
    }

    /// Appends what the device has finished by `now`.
    pub(crate) fn advance(&mut self, now: Nanos, done: &mut Vec<Completion>) {
        self.device.advance(now, done);
    }

    pub(crate) fn next_event(&self) -> Option<Nanos> {
        self.device.next_event()
    }

    /// Takes the finished batch out of its slot; none if the device names one that is not under way.
    pub(crate) fn finish(&mut self, slot: u32) -> Option<Batch> {
        let batch = self.batches[slot as usize].take()?;
        self.free.push(slot);
        if !batch.is_flush {
            self.queue.finish(batch.class);
        }
        Some(batch)
    }

    /// Takes back the list of a batch whose parts are done.
    pub(crate) fn take_back(&mut self, batch: Batch) {
        self.queue.take_back(batch.ios);
    }

    /// Asks the device to make stable what it has.
    pub(crate) fn flush(&mut self, now: Nanos, io: IoId) {
        let class = Class::SyncWrite;
        let ios = self.queue.list_of(io);
        self.issue(now, Batch { offset: 0, size: 0, class, ios, is_flush: true });
    }

    /// Returns what the device has done so far.
    pub(crate) fn run(&self) -> DeviceRun {
        DeviceRun::of(&self.name, self.role, &self.profile, self.device.counters())
    }
}
