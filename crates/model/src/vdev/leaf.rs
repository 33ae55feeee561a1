//! A disk with its queue.
#![expect(clippy::indexing_slicing, reason = "the id of a batch is its place")]

use arcwright_device::{DeviceProfile, Io as Operation, Request};
use arcwright_scenario::{DeviceFacts, DeviceRun, Role};
use arcwright_units::{Bytes, Nanos};

use super::device::{DevicePart, PoolDevice};
use super::queue::{Batch, Class, Queue, Waiting};
use crate::ids::{BatchId, IoId};
use crate::versions::rules::QueueOrder;
use crate::versions::settings::QueueSettings;

/// A disk, its queue and what is under way.
#[derive(Debug)]
pub(crate) struct Leaf {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) profile: String,
    part_of: Option<String>,
    /// The link that it is behind.
    link: Option<String>,
    pub(crate) rotating: bool,
    pub(crate) size: Bytes,
    pub(crate) queue: Queue,
    /// Where it is.
    pub(crate) on: DevicePart,
    batches: Vec<Option<Batch>>,
    free: Vec<BatchId>,
}

/// What a disk is made from.
#[derive(Debug)]
pub(crate) struct LeafSpec<'a> {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) profile: &'a DeviceProfile,
    pub(crate) part_of: Option<String>,
    pub(crate) link: Option<String>,
    pub(crate) size: Bytes,
    pub(crate) on: DevicePart,
}

impl Leaf {
    pub(crate) fn new(spec: LeafSpec<'_>, settings: &QueueSettings, order: QueueOrder) -> Self {
        let LeafSpec { name, role, profile, part_of, link, size, on } = spec;
        let rotating = profile.is_rotational();
        Self {
            name,
            role,
            profile: profile.name().to_owned(),
            part_of,
            link,
            rotating,
            size,
            queue: Queue::new(settings, rotating, order),
            on,
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
    pub(crate) fn issue_next(&mut self, now: Nanos, device: &mut PoolDevice) -> Option<&[IoId]> {
        let batch = self.queue.pick()?;
        Some(&self.issue(now, batch, device).ios)
    }

    /// Hands a batch to the device.
    #[inline]
    fn issue(&mut self, now: Nanos, batch: Batch, device: &mut PoolDevice) -> &Batch {
        let io = match batch.class {
            _ if batch.is_flush => Operation::Flush,
            class if class.is_write() => Operation::Write,
            _ => Operation::Read,
        };
        let request = Request { io, offset: batch.offset, size: batch.size };
        let id = self.free.pop().unwrap_or_else(|| {
            self.batches.push(None);
            BatchId::at(self.batches.len() - 1)
        });
        device.submit(now, self.on.part, id, request);
        self.batches[id.place()].insert(batch)
    }

    /// Returns in how many parts a batch was asked for.
    pub(crate) fn parts(&self, id: BatchId) -> usize {
        self.batches[id.place()].as_ref().map_or(0, |batch| batch.ios.len())
    }

    /// Takes a finished batch; none if the device names one that is not under way.
    pub(crate) fn finish(&mut self, id: BatchId) -> Option<Batch> {
        let batch = self.batches[id.place()].take()?;
        self.free.push(id);
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
    pub(crate) fn flush(&mut self, now: Nanos, io: IoId, device: &mut PoolDevice) {
        let class = Class::SyncWrite;
        let ios = self.queue.list_of(io);
        self.issue(now, Batch { offset: 0, size: 0, class, ios, is_flush: true }, device);
    }

    /// Returns what it has done so far on its device.
    pub(crate) fn run(&self, device: &PoolDevice) -> DeviceRun {
        let counters = device.counters(self.on.part);
        let facts = DeviceFacts {
            name: &self.name,
            role: self.role,
            profile: &self.profile,
            part_of: self.part_of.as_deref(),
            link: self.link.as_deref(),
        };
        DeviceRun::of(facts, counters, device.link_counters())
    }
}
