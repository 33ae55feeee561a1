//! The pool's I/O: requests in as many parts as they have columns, queues in front of disks, the disks.
//!
//! ```text
//!   new_request ─> add_read / add_write / add_flush ─> queue of each disk ─ send ─> device
//!   device_event ─> Event::Done ─> finish ─> part_done ─> the request, back to whoever made it
//! ```
//!
//! Nothing here knows what a request is for: its [`Purpose`] is handed back with it.
#![expect(clippy::indexing_slicing, reason = "indices are ids made here: leaves, requests, parts")]

pub(crate) mod disks;
pub(crate) mod place;
mod requests;

use arcwright_device::Completion;
use arcwright_scenario::{Role, VdevLayout};
use arcwright_units::Nanos;

use crate::clock::{Clock, Event};
use crate::ids::{BlockId, IoId, LeafId, RequestId, number_of};
use crate::vdev::geometry::{Column, Shape};
use crate::vdev::leaf::Leaf;
use crate::vdev::queue::Batch;
use crate::versions::behaviour::QueueBehaviour;
use crate::versions::settings::QueueSettings;
use place::Place;
pub(crate) use requests::{Finished, Prefetch, Purpose, REQUEST_BYTES};
use requests::{IoState, RequestState};

/// A top-level vdev: what becomes of a block on it, and the first of its disks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Top {
    pub(crate) shape: Shape,
    pub(crate) base: LeafId,
}

impl Top {
    /// Returns its disks.
    pub(crate) fn leaves(self) -> impl Iterator<Item = LeafId> {
        let disks = number_of(self.shape.disks);
        (self.base.0..self.base.0 + disks).map(LeafId)
    }

    /// Returns one of its disks.
    fn leaf(self, disk: u32) -> LeafId {
        LeafId(self.base.0 + disk)
    }
}

/// A stretch of a disk or of a top-level vdev.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

impl Extent {
    fn of(column: &Column) -> Self {
        Self { offset: column.offset, bytes: u64::from(column.size) }
    }
}

/// The disks of the machine, and what is under way to them.
#[derive(Debug)]
pub(crate) struct PoolIo {
    pub(crate) leaves: Vec<Leaf>,
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
    /// Which disk wants to be asked first, and when.
    first_due: (LeafId, Nanos),
    /// How many asynchronous writes a disk may have active: one of the pool, and any other.
    async_writes: [u64; 2],
    mirrors_take_turns: bool,
    upgrades_prefetches: bool,
}

impl PoolIo {
    /// Makes the I/O of a pool with so many blocks.
    pub(crate) fn new(
        mut leaves: Vec<Leaf>,
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
            tops,
            requests: Vec::new(),
            free_requests: Vec::new(),
            ios: Vec::new(),
            free_ios: Vec::new(),
            reads: vec![0; blocks],
            columns: Vec::new(),
            done: Vec::new(),
            first_due: (LeafId(0), Nanos::MAX),
            async_writes: [settings.max_active[3]; 2],
            mirrors_take_turns: behaviour.mirrors_take_turns,
            upgrades_prefetches: behaviour.upgrades_prefetches,
        }
    }

    /// Returns a top-level vdev of the pool.
    pub(crate) fn top(&self, vdev: u32) -> Top {
        self.tops[vdev as usize]
    }

    /// Returns the disks that hold the pool.
    pub(crate) fn pool_leaves(&self) -> Vec<LeafId> {
        let leaves = self.leaves.iter().zip(0..);
        leaves.filter(|(leaf, _)| leaf.role.holds_pool()).map(|(_, id)| LeafId(id)).collect()
    }

    /// Says how many asynchronous writes a disk of the pool may have active from now on
    /// (docs/model/vdev-queues.md#async-write-scaling).
    pub(crate) fn allow_async_writes(&mut self, count: u64) {
        self.async_writes[0] = count;
    }

    /// Returns when a disk wants to be asked next.
    pub(crate) fn next_due(&self) -> Nanos {
        self.first_due.1
    }

    /// Returns how many disks take part in a read of `bytes` at `place`.
    pub(crate) fn columns_of(&self, place: Place, bytes: u64) -> u64 {
        let shape = self.top(place.vdev).shape;
        match shape.layout {
            VdevLayout::Mirror => 1,
            _ => shape.data_disks().min(bytes >> 12).max(1),
        }
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

    /// Returns the side of a mirror that takes a read (docs/model/mirror-raidz.md#mirror-read-selection;
    /// vdev_mirror.c 0.7+).
    fn lightest(&self, top: Top, offset: u64) -> u32 {
        let load = |disk: u32| {
            let leaf = &self.leaves[top.leaf(disk).place()];
            let near = leaf.queue.last_end().abs_diff(offset);
            let more = match (leaf.rotating, near) {
                (_, 0) => 0,
                (true, near) if near < 1 << 20 => 2,
                (true, _) => 5,
                (false, _) => 1,
            };
            leaf.queue.load() + more
        };
        let disks = number_of(top.shape.disks);
        let all = self.mirrors_take_turns;
        let lightest = (0..disks).map(load).fold(u64::MAX, u64::min);
        let ties = (0..disks).filter(|disk| all || load(*disk) == lightest);
        let turn = (offset >> 21) as usize % ties.clone().count();
        // The last of the first so many, of which there is at least one.
        ties.take(turn + 1).fold(0, |_, side| side)
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
        let Self { leaves, ios, .. } = self;
        let leaf = &mut leaves[id.place()];
        if leaf.queue.is_empty() {
            return;
        }
        let [of_pool, of_others] = self.async_writes;
        leaf.queue.look(is_done);
        leaf.queue.allow_writes(if leaf.role.holds_pool() { of_pool } else { of_others });
        let mut is_busier = false;
        while let Some(batch) = leaf.queue.pick() {
            is_busier = true;
            for io in &batch.ios {
                ios[io.place()].is_queued = false;
            }
            leaf.issue(now, batch);
        }
        if is_busier {
            self.expect_device(id);
        }
    }

    /// Takes note of when a disk wants to be asked next, after something was done to it.
    fn expect_device(&mut self, id: LeafId) {
        let leaf = &mut self.leaves[id.place()];
        leaf.due = leaf.next_event().unwrap_or(Nanos::MAX);
        let (first, due) = self.first_due;
        if leaf.due < due {
            self.first_due = (id, leaf.due);
            return;
        }
        if id > first || (id < first && leaf.due > due) {
            // Another disk is the first, as before.
            return;
        }
        self.first_due = (LeafId(0), Nanos::MAX);
        for (leaf, number) in self.leaves.iter().zip(0..) {
            if leaf.due < self.first_due.1 {
                self.first_due = (LeafId(number), leaf.due);
            }
        }
    }

    /// Asks the disk that is due: what it has finished goes through the processor.
    pub(crate) fn device_event(&mut self, clock: &mut Clock) {
        let id = self.first_due.0;
        let Self { leaves, done, .. } = self;
        let leaf = &mut leaves[id.place()];
        done.clear();
        leaf.advance(clock.now, done);
        for completion in done {
            let slot = completion.ticket;
            let checksum = clock.costs.checksum(leaf.checked_bytes(slot));
            let checked = clock.cores.work(completion.at, clock.costs.switch + checksum);
            clock.push(checked, Event::Done { leaf: id, slot });
        }
        self.expect_device(id);
    }

    /// Takes what a disk has done out of its slot.
    pub(crate) fn finish(&mut self, leaf: LeafId, slot: u32) -> Option<Batch> {
        self.leaves[leaf.place()].finish(slot)
    }

    /// Takes back the list of a batch whose parts are done, and lets the disk have what waits.
    pub(crate) fn go_on(&mut self, now: Nanos, leaf: LeafId, batch: Batch) {
        self.leaves[leaf.place()].queue.take_back(batch.ios);
        self.pump(now, leaf, true);
    }

    /// Counts a part as done; returns its request when that was the last one.
    pub(crate) fn part_done(&mut self, io: IoId) -> Option<RequestId> {
        let request = self.ios[io.place()].request;
        self.free_ios.push(io);
        let state = &mut self.requests[request.place()];
        state.pending -= 1;
        (state.pending == 0).then_some(request)
    }

    /// Returns the request that reads a block, if one does.
    pub(crate) fn read_of(&self, block: BlockId) -> Option<RequestId> {
        let number = !self.reads[block.place()];
        (number != u32::MAX).then_some(RequestId(number))
    }

    /// Checks that nothing is under way that nobody knows of; for debug runs.
    pub(crate) fn check(&self) {
        let under_way = self.requests.len() - self.free_requests.len();
        let reads = self.reads.iter().filter(|read| **read != 0).count();
        assert!(reads <= under_way, "{reads} blocks are being read by {under_way} requests");
        let parts: u32 = self.requests.iter().map(|request| request.pending).sum();
        let there = self.ios.len() - self.free_ios.len();
        assert_eq!(parts as usize, there, "parts under way, and parts that requests wait for");
    }
}
