//! The pool's I/O: requests in as many parts as they have columns, queues in front of disks, the disks.
//!
//! ```text
//!   new_read, new_request ─> add_read, add_write, add_flush ─ send ─> pump ─> the queue of each disk
//!   whoever made it <─ Purpose ─ part_done, finished <─ finish <─ Event::Done ─ device_event <─ the disk
//! ```
//!
//! Nothing here knows what a request is for: its [`Purpose`] is handed back with it.
#![expect(clippy::indexing_slicing, reason = "indices are ids made here: leaves, requests, parts")]

pub(crate) mod disks;
pub(crate) mod place;
mod requests;
mod top;

use arcwright_device::Completion;
use arcwright_scenario::{DeviceRun, Role, VdevLayout};
use arcwright_units::Nanos;

use crate::clock::{Clock, Event};
use crate::ids::{BatchId, BlockId, DeviceId, IoId, LeafId, RequestId, number_of};
use crate::vdev::device::PoolDevice;
use crate::vdev::geometry::Column;
use crate::vdev::leaf::Leaf;
use crate::vdev::queue::{Batch, Class, Waiting};
use crate::versions::behaviour::QueueBehaviour;
use crate::versions::settings::QueueSettings;
use disks::Disks;
use place::Place;
pub(crate) use requests::{Finished, Prefetch, Purpose, REQUEST_BYTES};
use requests::{IoState, RequestState};
pub(crate) use top::{Extent, Top};

/// The disks of the machine, and what is under way to them.
#[derive(Debug)]
pub(crate) struct PoolIo {
    pub(crate) leaves: Vec<Leaf>,
    devices: Vec<PoolDevice>,
    /// The pool's top-level vdevs; those of a log are the log's.
    tops: Vec<Top>,
    requests: Vec<RequestState>,
    free_requests: Vec<RequestId>,
    ios: Vec<IoState>,
    free_ios: Vec<IoId>,
    /// The complement of the request that reads a block: zero, which is free to have, where there is
    /// none.
    reads: Vec<u32>,
    columns: Vec<Column>,
    done: Vec<Completion>,
    /// Which device wants to be asked first, and when.
    first_due: Due,
    /// How many asynchronous writes a disk may have active: one of the pool, and any other.
    async_writes: [u64; 2],
    mirrors_take_turns: bool,
    upgrades_prefetches: bool,
}

/// A device that wants to be asked, and when.
#[derive(Debug, Clone, Copy)]
struct Due {
    device: DeviceId,
    at: Nanos,
}

impl Due {
    /// All devices are idle.
    const fn never() -> Self {
        Self { device: DeviceId(0), at: Nanos::MAX }
    }
}

impl PoolIo {
    /// Makes the I/O of a pool with so many blocks.
    pub(crate) fn new(
        Disks { mut leaves, devices, .. }: Disks<'_>,
        tops: Vec<Top>,
        blocks: usize,
        behaviour: QueueBehaviour,
        settings: &QueueSettings,
    ) -> Self {
        for leaf in leaves.iter_mut().filter(|leaf| leaf.role != Role::Cache) {
            leaf.queue.keep_min_active();
        }
        for leaf in tops.iter().filter(|top| top.shape.parity() > 0).flat_map(|top| top.leaves()) {
            // A block that is not a multiple of what the geometry hands out leaves a sector between.
            leaves[leaf.place()].queue.fill_gaps(settings.write_gap);
        }
        Self {
            leaves,
            devices,
            tops,
            requests: Vec::new(),
            free_requests: Vec::new(),
            ios: Vec::new(),
            free_ios: Vec::new(),
            reads: vec![0; blocks],
            columns: Vec::new(),
            done: Vec::new(),
            first_due: Due::never(),
            async_writes: [settings.max_active[3]; 2],
            mirrors_take_turns: behaviour.mirrors_take_turns,
            upgrades_prefetches: behaviour.upgrades_prefetches,
        }
    }

    /// Returns what each disk has done so far.
    pub(crate) fn runs(&self) -> Vec<DeviceRun> {
        let run = |leaf: &Leaf| leaf.run(&self.devices[leaf.on.device.place()]);
        self.leaves.iter().map(run).collect()
    }

    /// Says how many asynchronous writes a disk of the pool may have active from now on
    /// (docs/model/vdev-queues.md#async-write-scaling).
    pub(crate) fn allow_async_writes(&mut self, count: u64) {
        self.async_writes[0] = count;
    }
}

/// The way of a request.
impl PoolIo {
    /// Makes the request that reads a block; a thread may wait for it already.
    pub(crate) fn new_read(
        &mut self,
        block: BlockId,
        from_l2: bool,
        is_demanded: bool,
    ) -> RequestId {
        let class = if is_demanded { Class::SyncRead } else { Class::AsyncRead };
        let id = self.new_request(Purpose::Read { block, from_l2 }, class);
        self.requests[id.place()].is_demanded = is_demanded;
        self.reads[block.place()] = !id.0;
        id
    }

    /// Makes a request without parts.
    pub(crate) fn new_request(&mut self, purpose: Purpose, class: Class) -> RequestId {
        if let Some(id) = self.free_requests.pop() {
            let state = &mut self.requests[id.place()];
            // The lists were emptied when the request was done.
            state.purpose = purpose;
            state.class = class;
            state.pending = 0;
            state.is_demanded = false;
            state.prefetch = None;
            return id;
        }
        self.requests.push(RequestState {
            purpose,
            class,
            pending: 0,
            is_demanded: false,
            waiting: Vec::new(),
            prefetch: None,
            ios: Vec::new(),
        });
        RequestId::at(self.requests.len() - 1)
    }

    /// Adds the parts of a read at `place`: of a mirror, one side's.
    pub(crate) fn add_read(&mut self, now: Nanos, request: RequestId, place: Place, bytes: u64) {
        let top = self.top(place.vdev);
        let mut columns = std::mem::take(&mut self.columns);
        columns.clear();
        top.shape.read_columns(place.offset, bytes, &mut columns);
        let is_mirror = top.shape.layout == VdevLayout::Mirror;
        for column in &columns {
            let disk = if is_mirror { self.lightest(top, place.offset) } else { column.disk };
            self.add_part(now, request, top.leaf(disk), Extent::of(column));
        }
        self.columns = columns;
    }

    /// Adds the parts of a write to a top-level vdev, on every disk that it touches.
    pub(crate) fn add_write(&mut self, now: Nanos, request: RequestId, top: Top, part: Extent) {
        let mut columns = std::mem::take(&mut self.columns);
        columns.clear();
        top.shape.write_columns(part.offset, part.bytes, &mut columns);
        for column in &columns {
            self.add_part(now, request, top.leaf(column.disk), Extent::of(column));
        }
        self.columns = columns;
    }

    /// Adds the flush of a disk to a request.
    pub(crate) fn add_flush(&mut self, now: Nanos, request: RequestId, leaf: LeafId) {
        let waiting = Waiting { offset: 0, size: 0, class: Class::SyncWrite, since: now };
        let io = self.new_io(IoState { request, leaf, waiting, is_queued: false });
        let leaf = &mut self.leaves[leaf.place()];
        let id = leaf.on.device;
        leaf.flush(now, io, &mut self.devices[id.place()]);
        self.expect_device(id);
    }

    /// Adds a part to a request, and puts it into the queue of its disk.
    pub(crate) fn add_part(&mut self, now: Nanos, request: RequestId, leaf: LeafId, part: Extent) {
        let class = self.requests[request.place()].class;
        let waiting =
            Waiting { offset: part.offset, size: number_of(part.bytes), class, since: now };
        let io = self.new_io(IoState { request, leaf, waiting, is_queued: true });
        self.leaves[leaf.place()].take(io, waiting);
    }

    /// Gives a part a number, and counts it in its request.
    fn new_io(&mut self, state: IoState) -> IoId {
        let io = match self.free_ios.pop() {
            Some(io) => {
                self.ios[io.place()] = state;
                io
            }
            None => {
                self.ios.push(state);
                IoId::at(self.ios.len() - 1)
            }
        };
        let request = &mut self.requests[state.request.place()];
        request.pending += 1;
        request.ios.push(io);
        io
    }

    /// Lets the disks of a request take it.
    pub(crate) fn send(&mut self, now: Nanos, request: RequestId) {
        for index in 0..self.requests[request.place()].ios.len() {
            let io = self.requests[request.place()].ios[index];
            self.pump(now, self.ios[io.place()].leaf, false);
        }
    }

    /// Hands to a disk what its queue lets go.
    pub(crate) fn pump(&mut self, now: Nanos, id: LeafId, is_done: bool) {
        let Self { leaves, devices, ios, .. } = self;
        let leaf = &mut leaves[id.place()];
        let on = leaf.on.device;
        let device = &mut devices[on.place()];
        let [of_pool, of_others] = self.async_writes;
        let writes_max = if leaf.role.holds_pool() { of_pool } else { of_others };
        if !leaf.look(is_done, writes_max) {
            return;
        }
        let mut is_busier = false;
        while let Some(parts) = leaf.issue_next(now, device) {
            is_busier = true;
            for io in parts {
                ios[io.place()].is_queued = false;
            }
        }
        if is_busier {
            self.expect_device(on);
        }
    }

    /// Takes note of when a device wants to be asked next, after something was done to it.
    fn expect_device(&mut self, id: DeviceId) {
        let due = self.devices[id.place()].look();
        let first = self.first_due;
        if due < first.at {
            self.first_due = Due { device: id, at: due };
            return;
        }
        if id > first.device || (id < first.device && due > first.at) {
            // Another device is the first, as before.
            return;
        }
        self.first_due = Due::never();
        for (device, number) in self.devices.iter().zip(0..) {
            if device.due < self.first_due.at {
                self.first_due = Due { device: DeviceId(number), at: device.due };
            }
        }
    }

    /// Returns when a device wants to be asked next.
    pub(crate) fn next_due(&self) -> Nanos {
        self.first_due.at
    }

    /// Asks the device that is due: for what it has finished a thread is called.
    pub(crate) fn device_event(&mut self, clock: &mut Clock) {
        let id = self.first_due.device;
        let Self { leaves, devices, done, .. } = self;
        let device = &mut devices[id.place()];
        done.clear();
        device.advance(clock.now, done);
        for completion in done {
            let (leaf, batch) = device.whose(*completion);
            let called = clock.cores.work(completion.at, clock.costs.switch);
            // Of the requests that one to the disk stands for, the first is done by the thread that takes it; each of the
            // others calls one of its own.
            for _ in 1..leaves[leaf.place()].parts(batch) {
                clock.cores.work(called, clock.costs.switch);
            }
            clock.push(called, Event::Done { leaf, batch });
        }
        self.expect_device(id);
    }

    /// Takes what a disk has done.
    pub(crate) fn finish(&mut self, leaf: LeafId, batch: BatchId) -> Option<Batch> {
        self.leaves[leaf.place()].finish(batch)
    }

    /// Counts a part as done; returns its request when that was the last one.
    pub(crate) fn part_done(&mut self, io: IoId) -> Option<RequestId> {
        let request = self.ios[io.place()].request;
        self.free_ios.push(io);
        let state = &mut self.requests[request.place()];
        state.pending -= 1;
        (state.pending == 0).then_some(request)
    }

    /// Returns what a request was for whose parts are all done.
    pub(crate) fn finished(&mut self, id: RequestId) -> Finished {
        let state = &mut self.requests[id.place()];
        state.ios.clear();
        let finished = Finished {
            purpose: state.purpose,
            is_demanded: state.is_demanded,
            prefetch: state.prefetch,
        };
        if let Purpose::Read { block, .. } = finished.purpose {
            self.reads[block.place()] = 0;
        }
        finished
    }

    /// Makes the number of a request free.
    pub(crate) fn free(&mut self, id: RequestId) {
        self.free_requests.push(id);
    }

    /// Takes back the list of a batch whose parts are done, and lets the disk have what waits.
    pub(crate) fn go_on(&mut self, now: Nanos, leaf: LeafId, batch: Batch) {
        self.leaves[leaf.place()].take_back(batch);
        self.pump(now, leaf, true);
    }
}
