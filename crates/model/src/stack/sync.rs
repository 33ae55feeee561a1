//! A transaction group on its way to the disks (docs/model/txg.md#order-of-a-sync; spa.c, dsl_pool.c, dnode_sync.c,
//! zio.c 0.7 to 2.3).
//!
//! One thread hands over the changed blocks in order of their place in their files; other threads
//! compute checksums; blocks are placed as the allocator lets them and go to the queues of their disks,
//! all columns and all sides of a mirror. An indirect block goes when all blocks below it have their
//! places, twice. When everything is done the pool's own metadata follows, in sync passes of a few blocks,
//! each of which waits for the one before; then all disks are flushed, four labels of each get the new
//! uberblock, and they are flushed again.
//!
//! Simplifications: what is above the indirect blocks, and the pool's own metadata, are so many passes of
//! so many bytes, the same in every group; the lab's groups differ by a few blocks.
//!
//! A small case: one record of 128 KiB changes in a pool of two disks. Its 128 KiB go to one disk, two
//! copies of its indirect block to both, then 28 passes of 8 KiB in two copies (2.3), two flushes, four labels on
//! each disk, two flushes.
#![expect(clippy::indexing_slicing, reason = "indices are leaves of the pool")]

use arcwright_units::Nanos;

use super::{Stack, WritePath};
use crate::cache::arc::Kind;
use crate::clock::Event;
use crate::ids::{BlockId, RequestId, number_of};
use crate::io::place::Place;
use crate::io::{Extent, Purpose};
use crate::vdev::queue::Class;
use crate::versions::work::Work;

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
    /// The pool's metadata: so many sync passes are done.
    Passes(u64),
    Flush,
    Labels,
    FlushLabels,
}

/// The group that is being written.
#[derive(Debug)]
pub(super) struct TxgSync {
    stage: Stage,
    /// Changed blocks, in the order in which they are written: by the last block below each, those
    /// above it behind it.
    order: Vec<(BlockId, bool, BlockId)>,
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

impl TxgSync {
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

impl Stack {
    /// Begins to write the open group, unless one is being written.
    pub(super) fn begin_sync(&mut self) {
        let writes = &mut self.writes;
        if writes.txgs.syncing.is_some() {
            return;
        }
        writes.clear_timeout();
        let txg = writes.txgs.begin(self.clock.now);
        self.log.begin_txg(txg);
        if writes.dirty.is_empty(txg) {
            self.end_sync();
            return;
        }
        let changed = writes.dirty.take(txg);
        self.put_in_order(&changed);
        self.writes.dirty.give_back(changed, txg);
        self.blocks.allocator.begin_txg();
        self.writes.sync.stage = Stage::Data;
        self.writes.sync.ready = self.clock.now;
        self.write_on();
    }

    /// Sorts changed blocks by their place in their files, each indirect block behind those below it.
    fn put_in_order(&mut self, changed: &[BlockId]) {
        let Self { blocks, cache, writes, .. } = self;
        let order = &mut writes.sync.order;
        order.clear();
        order.extend(changed.iter().map(|block| match blocks.last_below(*block) {
            Some(last) => (last, true, *block),
            None => (*block, false, *block),
        }));
        order.sort_unstable();
        // Indirect blocks are changed only now.
        for (_, _, block) in order.iter().rev().filter(|(_, is_above, _)| *is_above) {
            cache.arc.rewrite(*block);
        }
        cache.arc.counters.count_hits(self.behaviour.txg.hits);
        writes.sync.next = 0;
    }

    /// Sends off the next blocks, as many as have their checksums and may be under way.
    pub(super) fn write_on(&mut self) {
        let now = self.clock.now;
        if now >= self.writes.sync.ready {
            self.writes.sync.is_expected = false;
        }
        while let Some((_, _, block)) = self.writes.sync.order.get(self.writes.sync.next).copied() {
            let by = self.blocks.allocator_of(block);
            if !self.blocks.allocator.has_slot(by) {
                return;
            }
            let WritePath { sync, txgs, dirty, .. } = &mut self.writes;
            if sync.ready > now {
                if !sync.is_expected {
                    sync.is_expected = true;
                    self.clock.push(sync.ready, Event::Write);
                }
                return;
            }
            sync.next += 1;
            if txgs.syncing.is_some_and(|txg| dirty.was_ahead(block, txg)) {
                self.block_done(block);
                continue;
            }
            let checksum = self.clock.costs.checksum(self.blocks.size(block));
            let handed_over = self.clock.work(Work::TxgWrite);
            // The thread that hands over goes on when it has its core; another one is called for the checksum.
            let through = self.clock.cores.work(now, handed_over);
            self.clock.cores.work(now, self.clock.costs.switch + checksum);
            let share = Nanos(checksum.0 / sync.threads);
            sync.ready = (sync.ready + share.max(handed_over)).max(through);
            self.write_block(block, by);
        }
        if self.writes.sync.stage == Stage::Data && self.writes.sync.pending == 0 {
            self.next_stage();
        }
    }

    /// Lets the allocator `by` place a block, and sends it to its disks.
    fn write_block(&mut self, block: BlockId, by: u32) {
        let size = self.blocks.size(block);
        let is_metadata = self.cache.arc.cell(block).kind() == Kind::Metadata;
        let allocator = &mut self.blocks.allocator;
        let special = is_metadata.then(|| allocator.take_special(size, by)).flatten();
        let place = special.unwrap_or_else(|| allocator.take_slot(size, by));
        self.blocks.put(block, place);
        let purpose = Purpose::Write { block, vdev: place.vdev };
        let request = self.begin_write(purpose, Class::AsyncWrite);
        self.add_write(request, place, size);
        if is_metadata {
            let copy = self.blocks.allocator.take_copy(place, size, by);
            self.add_write(request, copy, size);
        }
        self.io.send(self.clock.now, request);
    }

    /// Makes a request of the group that is being written, which is not over before it is done.
    fn begin_write(&mut self, purpose: Purpose, class: Class) -> RequestId {
        self.writes.sync.pending += 1;
        self.io.new_request(purpose, class)
    }

    /// Adds the parts of a write at `place`, on every disk that it touches.
    pub(super) fn add_write(&mut self, request: RequestId, place: Place, bytes: u64) {
        let top = self.io.top(place.vdev);
        let part = Extent { offset: place.offset, bytes };
        self.io.add_write(self.clock.now, request, top, part);
    }

    /// A changed block is on the disks.
    pub(super) fn write_done(&mut self, block: BlockId, vdev: u32) {
        self.blocks.allocator.release(vdev, self.blocks.allocator_of(block));
        self.block_done(block);
        self.writes.sync.pending -= 1;
        self.write_on();
    }

    /// Counts a changed block as clean.
    fn block_done(&mut self, block: BlockId) {
        let Self { clock, blocks, cache, writes, io, .. } = self;
        debug_assert!(writes.txgs.syncing.is_some(), "{block:?} is written with no group");
        let Some(txg) = writes.txgs.syncing else { return };
        writes.dirty.clear(block, blocks.length(block), txg);
        io.allow_async_writes(writes.dirty.active_writes());
        // What is dirty again stays new, unless only its group's writing changes it.
        if !blocks.is_content(block) || !writes.dirty.is_dirty(block) {
            cache.written(clock, block);
        }
        cache.release_dbuf(blocks, block);
        cache.trim_dbufs(blocks);
        writes.call_writers(clock);
    }

    /// A part of the pool's own metadata is done.
    pub(super) fn part_done(&mut self) {
        let sync = &mut self.writes.sync;
        sync.pending -= 1;
        if sync.pending == 0 {
            let took = match sync.stage {
                Stage::Passes(_) => self.clock.work(Work::SyncPass),
                _ => Nanos::ZERO,
            };
            self.clock.push(self.clock.now + took, Event::Stage);
        }
    }

    /// The next part of writing a group begins.
    pub(super) fn next_stage(&mut self) {
        let passes = self.behaviour.txg.sync_passes;
        let next = match self.writes.sync.stage {
            Stage::Idle => return,
            Stage::Data => Stage::Passes(0),
            Stage::Passes(done) if done + 1 < passes => Stage::Passes(done + 1),
            Stage::Passes(_) if self.settings.txg.flushes => Stage::Flush,
            Stage::Passes(_) | Stage::Flush => Stage::Labels,
            Stage::Labels if self.settings.txg.flushes => Stage::FlushLabels,
            Stage::Labels | Stage::FlushLabels => Stage::Idle,
        };
        self.writes.sync.stage = next;
        match next {
            Stage::Passes(_) => self.write_pass(),
            Stage::Flush | Stage::FlushLabels => self.flush_all(),
            Stage::Labels => self.write_labels(),
            Stage::Idle => self.end_sync(),
            Stage::Data => {}
        }
    }

    /// Writes the metadata of a sync pass, in two copies: OpenZFS writes three of most of it, of smaller blocks,
    /// and the passes have the size with which a group writes about as many bytes as in the lab.
    fn write_pass(&mut self) {
        let bytes = self.behaviour.txg.sync_pass_bytes / SMALL * SMALL;
        let request = self.begin_write(Purpose::Txg, Class::AsyncWrite);
        // Every pass is of another object.
        let pass = match self.writes.sync.stage {
            Stage::Passes(done) => number_of(done % u64::from(self.blocks.allocator.count())),
            _ => 0,
        };
        let first = self.blocks.allocator.take_metadata(bytes, pass);
        self.add_write(request, first, bytes);
        let second = self.blocks.allocator.take_copy(first, bytes, pass);
        self.add_write(request, second, bytes);
        self.io.send(self.clock.now, request);
    }

    fn flush_all(&mut self) {
        let request = self.begin_write(Purpose::Txg, Class::SyncWrite);
        for leaf in self.io.pool_leaves() {
            self.io.add_flush(self.clock.now, request, leaf);
        }
    }

    /// Writes the uberblock to all labels of all disks; OpenZFS writes those of up to three vdevs.
    fn write_labels(&mut self) {
        let request = self.begin_write(Purpose::Txg, Class::SyncWrite);
        for leaf in self.io.pool_leaves() {
            let size = self.io.leaves[leaf.place()].size.0;
            let behind = [0, LABEL, size.saturating_sub(2 * LABEL), size.saturating_sub(LABEL)];
            for label in behind {
                let part = Extent { offset: label + UBERBLOCK, bytes: SMALL };
                self.io.add_part(self.clock.now, request, leaf, part);
            }
        }
        self.io.send(self.clock.now, request);
    }

    fn end_sync(&mut self) {
        let is_asked_for = self.writes.txgs.finish();
        self.log.end_txg(self.writes.txgs.synced);
        let (clock, writes) = (&mut self.clock, &mut self.writes);
        while let Some(slot) = writes.txgs.call() {
            clock.wake(clock.now, Event::Resume(slot));
        }
        if is_asked_for {
            clock.wake(clock.now, Event::Sync);
        } else if !writes.dirty.is_empty(writes.txgs.open) {
            let due = writes.txgs.next(clock.now);
            writes.set_timeout(clock, due);
        }
    }
}
