//! A transaction group on its way to the disks (docs/model/txg.md#order-of-a-sync; spa.c, dsl_pool.c, dnode_sync.c,
//! zio.c 0.7 to 2.3).
//!
//! One thread hands over the changed blocks in order of their place in their files; other threads
//! compute checksums; blocks are placed as the allocator lets them and go to the queues of their disks,
//! all columns and all sides of a mirror. An indirect block goes when all blocks below it have their
//! places, twice. When everything is done the pool's own metadata follows, in rounds of a few blocks of
//! which each waits for the one before; then all disks are flushed, four labels of each get the new
//! uberblock, and they are flushed again.
//!
//! Simplifications: what is above the indirect blocks, and the pool's own metadata, are so many rounds of
//! so many bytes, the same in every group; the lab's groups differ by a few blocks.
//!
//! A small case: one record of 128 KiB changes in a pool of two disks. Its 128 KiB go to one disk, two
//! copies of its indirect block to both, then 28 rounds of 8 KiB in two copies (2.3), two flushes, four labels on
//! each disk, two flushes.
#![expect(
    clippy::indexing_slicing,
    reason = "indices are numbers made here: blocks, leaves, requests"
)]

use arcwright_units::Nanos;

use super::{Purpose, World};
use crate::arc::Kind;
use crate::blocks::{Block, Place};
use crate::events::Event;
use crate::vdev::queue::Class;

/// Lock operations of handing over a block.
const STEPS_TO_WRITE: u64 = 150;
/// Bytes of a label, of which a disk has two at its beginning and two at its end, and where in it the
/// uberblocks are.
const LABEL: u64 = 256 << 10;
const UBERBLOCK: u64 = 128 << 10;
/// Bytes of a small block of metadata.
const SMALL: u64 = 4096;

/// How far the group is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Idle,
    Data,
    /// The pool's metadata: so many rounds are done.
    Rounds(u64),
    Flush,
    Labels,
    FlushLabels,
}

/// The group that is being written.
#[derive(Debug)]
pub(super) struct Sync {
    stage: Stage,
    /// Changed blocks, in the order in which they are written: by the last block below each, those
    /// above it behind it.
    order: Vec<(Block, bool, Block)>,
    next: usize,
    /// When the next of them has its checksum.
    ready: Nanos,
    /// An event for that instant is under way.
    is_expected: bool,
    /// Requests under way.
    pending: u32,
    /// Threads that compute checksums: three quarters of the cores (`zio_taskq_batch_pct`).
    threads: u64,
}

impl Sync {
    pub(super) fn new(cores: u32) -> Self {
        Self {
            stage: Stage::Idle,
            order: Vec::new(),
            next: 0,
            ready: Nanos::ZERO,
            is_expected: false,
            pending: 0,
            threads: u64::from(cores * 3 / 4).max(1),
        }
    }
}

impl World {
    /// Begins to write the open group, unless one is being written.
    pub(super) fn begin_sync(&mut self) {
        if self.groups.syncing.is_some() {
            return;
        }
        self.timeout = Nanos::MAX;
        let group = self.groups.begin(self.now);
        if self.dirty.is_empty(group) {
            self.end_sync();
            return;
        }
        let changed = self.dirty.take(group);
        self.put_in_order(&changed);
        self.dirty.give_back(changed, group);
        self.blocks.allocator.begin_group();
        self.sync.stage = Stage::Data;
        self.sync.ready = self.now;
        self.write_on();
    }

    /// Sorts changed blocks by their place in their files, each indirect block behind those below it.
    fn put_in_order(&mut self, changed: &[Block]) {
        let mut order = std::mem::take(&mut self.sync.order);
        order.clear();
        order.extend(changed.iter().map(|block| match self.blocks.last_below(*block) {
            Some(last) => (last, true, *block),
            None => (*block, false, *block),
        }));
        order.sort_unstable();
        // Indirect blocks are changed only now.
        for (_, _, block) in order.iter().rev().filter(|(_, is_above, _)| *is_above) {
            self.arc.rewrite(*block);
        }
        self.arc.counters.count_hits(self.behaviour.group_hits);
        self.sync.order = order;
        self.sync.next = 0;
    }

    /// Sends off the next blocks, as many as have their checksums and may be under way.
    pub(super) fn write_on(&mut self) {
        if self.now >= self.sync.ready {
            self.sync.is_expected = false;
        }
        while let Some((_, _, block)) = self.sync.order.get(self.sync.next).copied() {
            if !self.blocks.allocator.has_slot() {
                return;
            }
            if self.sync.ready > self.now {
                if !self.sync.is_expected {
                    self.sync.is_expected = true;
                    self.events.push(self.sync.ready, Event::Write);
                }
                return;
            }
            self.sync.next += 1;
            if self.groups.syncing.is_some_and(|group| self.dirty.was_ahead(block, group)) {
                self.block_done(block);
                continue;
            }
            let checksum = self.costs.checksum(self.blocks.size(block));
            self.cores.work(self.now, checksum);
            let share = Nanos(checksum.0 / self.sync.threads);
            self.sync.ready += share.max(self.steps(STEPS_TO_WRITE));
            self.write_block(block);
        }
        if self.sync.stage == Stage::Data && self.sync.pending == 0 {
            self.next_stage();
        }
    }

    fn write_block(&mut self, block: Block) {
        let size = self.blocks.size(block);
        let is_metadata = self.arc.cell(block).kind() == Kind::Metadata;
        let special = is_metadata.then(|| self.blocks.allocator.take_special(size)).flatten();
        let place = special.unwrap_or_else(|| self.blocks.allocator.take_slot(size));
        self.blocks.put(block, place);
        let request =
            self.new_request(Purpose::Write { block, vdev: place.vdev }, Class::AsyncWrite);
        self.sync.pending += 1;
        self.add_columns(request, place, size);
        if is_metadata {
            let copy = self.blocks.allocator.take_copy(place, size);
            self.add_columns(request, copy, size);
        }
        self.send(request);
    }

    /// Adds the parts of a write at `place`, on every disk that it touches.
    pub(super) fn add_columns(&mut self, request: u32, place: Place, bytes: u64) {
        let mut columns = std::mem::take(&mut self.columns);
        columns.clear();
        self.shapes[place.vdev as usize].write_columns(place.offset, bytes, &mut columns);
        let base = self.bases[place.vdev as usize];
        for column in &columns {
            self.add_io(request, base + column.disk, (column.offset, column.size));
        }
        self.columns = columns;
    }

    /// Lets the disks of a request take it.
    pub(super) fn send(&mut self, request: u32) {
        for index in 0..self.requests[request as usize].ios.len() {
            let io = self.requests[request as usize].ios[index];
            self.pump(self.ios[io as usize].leaf, false);
        }
    }

    /// A changed block is on the disks.
    pub(super) fn write_done(&mut self, block: Block, vdev: u32) {
        self.blocks.allocator.release(vdev);
        self.block_done(block);
        self.sync.pending -= 1;
        self.write_on();
    }

    /// Counts a changed block as clean.
    fn block_done(&mut self, block: Block) {
        let Some(group) = self.groups.syncing else { return };
        let bytes = self.blocks.length(block);
        self.dirty.clear(block, bytes, group);
        // What is dirty again stays new, unless only its group's writing changes it.
        if !self.blocks.is_content(block) || !self.dirty.is_dirty(block) {
            self.arc.written(block, self.now);
            if std::mem::take(&mut self.filled[block as usize]) {
                self.add_copy(block, self.now);
            }
        }
        self.release_dbuf(block);
        self.trim_dbufs();
        self.call_writers();
    }

    /// A part of the pool's own metadata is done.
    pub(super) fn part_done(&mut self) {
        self.sync.pending -= 1;
        if self.sync.pending == 0 {
            let took = match self.sync.stage {
                Stage::Rounds(_) => self.steps(self.behaviour.group_rounds.2),
                _ => Nanos::ZERO,
            };
            self.events.push(self.now + took, Event::Stage);
        }
    }

    /// The next part of writing a group begins.
    pub(super) fn next_stage(&mut self) {
        let rounds = self.behaviour.group_rounds.0;
        self.sync.stage = match self.sync.stage {
            Stage::Idle => return,
            Stage::Data => Stage::Rounds(0),
            Stage::Rounds(done) if done + 1 < rounds => Stage::Rounds(done + 1),
            Stage::Rounds(_) => Stage::Flush,
            Stage::Flush => Stage::Labels,
            Stage::Labels => Stage::FlushLabels,
            Stage::FlushLabels => {
                self.sync.stage = Stage::Idle;
                self.end_sync();
                return;
            }
        };
        match self.sync.stage {
            Stage::Rounds(_) => self.write_round(),
            Stage::Flush | Stage::FlushLabels => self.flush_all(),
            Stage::Labels => self.write_labels(),
            Stage::Idle | Stage::Data => {}
        }
    }

    /// Writes a round of metadata, in two copies: OpenZFS writes three of most of it, of smaller blocks, and the
    /// rounds have the size with which a group writes about as many bytes as in the lab.
    fn write_round(&mut self) {
        let bytes = self.behaviour.group_rounds.1 / SMALL * SMALL;
        let request = self.new_request(Purpose::Group, Class::AsyncWrite);
        self.sync.pending += 1;
        let first = self.blocks.allocator.take_metadata(bytes);
        self.add_columns(request, first, bytes);
        let second = self.blocks.allocator.take_copy(first, bytes);
        self.add_columns(request, second, bytes);
        self.send(request);
    }

    fn flush_all(&mut self) {
        let request = self.new_request(Purpose::Group, Class::SyncWrite);
        self.sync.pending += 1;
        for leaf in self.data_leaves() {
            self.add_flush(request, leaf);
        }
    }

    /// Writes the uberblock to all labels of all disks; OpenZFS writes those of up to three vdevs.
    fn write_labels(&mut self) {
        let request = self.new_request(Purpose::Group, Class::SyncWrite);
        self.sync.pending += 1;
        for leaf in self.data_leaves() {
            let size = self.leaves[leaf as usize].size.0;
            let behind = [0, LABEL, size.saturating_sub(2 * LABEL), size.saturating_sub(LABEL)];
            for label in behind {
                self.add_io(request, leaf, (label + UBERBLOCK, 4096));
            }
        }
        self.send(request);
    }

    fn data_leaves(&self) -> Vec<u32> {
        let leaves = self.leaves.iter().zip(0..);
        leaves.filter(|(leaf, _)| leaf.role.holds_pool()).map(|(_, number)| number).collect()
    }

    fn end_sync(&mut self) {
        let asked = self.groups.finish();
        self.end_log_of(self.groups.synced);
        while let Some(lane) = self.groups.call() {
            self.events.push(self.now + self.costs.switch, Event::Resume(lane));
        }
        if asked {
            self.events.push(self.now + self.costs.switch, Event::Sync);
        } else if !self.dirty.is_empty(self.groups.open) {
            self.timeout = self.groups.next(self.now);
            self.events.push(self.timeout, Event::Timeout);
        }
    }
}
