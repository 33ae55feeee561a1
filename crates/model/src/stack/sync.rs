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

use super::{LogPath, ReadPath, WritePath};
use crate::cache::arc::Kind;
use crate::clock::{Clock, Event};
use crate::ids::{AllocatorId, BlockId, IoId, RequestId, VdevId, row};
use crate::io::place::Place;
use crate::io::{Extent, PoolIo, Purpose};
use crate::vdev::queue::Class;
use crate::versions::behaviour::TxgBehaviour;
use crate::versions::work::Work;

/// Bytes of a label, of which a disk has two at its beginning and two at its end, and where in it the
/// uberblocks are.
const LABEL: u64 = 256 << 10;
const UBERBLOCK: u64 = 128 << 10;
/// Bytes of a small block of metadata.
const SMALL: u64 = 4096;
/// What the pool's own metadata counts as dirty from the end of a group's data on, until its passes are done.
const POOL_METADATA: u64 = 18 * (16 << 10);

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

/// A changed block, in the order in which blocks are written: by the last block below each, those above
/// it behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ToWrite {
    last: BlockId,
    is_above: bool,
    block: BlockId,
}

/// The group that is being written.
#[derive(Debug)]
pub(super) struct TxgSync {
    stage: Stage,
    /// Changed blocks.
    order: Vec<ToWrite>,
    next: usize,
    /// When the next of them has its checksum.
    ready: Nanos,
    /// An event for that instant is under way.
    is_expected: bool,
    /// Requests under way.
    pending: u32,
    /// Threads that compute checksums: three quarters of the cores (`zio_taskq_batch_pct`).
    threads: u64,
    rules: TxgBehaviour,
    /// Whether disks are asked to empty their caches at its end.
    flushes: bool,
}

impl TxgSync {
    pub(super) fn new(rules: TxgBehaviour, flushes: bool, cores: u32) -> Self {
        Self {
            stage: Stage::Idle,
            order: Vec::new(),
            next: 0,
            ready: Nanos::ZERO,
            is_expected: false,
            pending: 0,
            threads: u64::from(cores * 3 / 4).max(1),
            rules,
            flushes,
        }
    }
}

impl WritePath {
    /// Begins to write the open group, unless one is being written.
    pub(crate) fn begin_sync(&mut self, reads: &mut ReadPath, log: &mut LogPath) {
        if self.txgs.syncing.is_some() {
            return;
        }
        self.clear_timeout();
        let txg = self.txgs.begin(reads.clock.now);
        log.begin_txg(txg);
        if self.dirty.is_empty(txg) {
            self.end_sync(reads, log);
            return;
        }
        let changed = self.dirty.take(txg);
        self.sync.put_in_order(reads, &changed);
        self.dirty.give_back(changed, txg);
        reads.blocks.allocator.begin_txg();
        self.sync.stage = Stage::Data;
        self.sync.ready = reads.clock.now;
        self.write_on(reads, log);
    }

    /// Sends off the next blocks, as many as have their checksums and may be under way.
    pub(crate) fn write_on(&mut self, reads: &mut ReadPath, log: &mut LogPath) {
        let now = reads.clock.now;
        if now >= self.sync.ready {
            self.sync.is_expected = false;
        }
        while let Some(ToWrite { block, .. }) = self.sync.order.get(self.sync.next).copied() {
            let by = reads.blocks.allocator_of(block);
            if !reads.blocks.allocator.has_slot(by) {
                return;
            }
            let Self { sync, txgs, dirty, .. } = self;
            if sync.ready > now {
                if !sync.is_expected {
                    sync.is_expected = true;
                    reads.clock.push(sync.ready, Event::Write);
                }
                return;
            }
            sync.next += 1;
            if txgs.syncing.is_some_and(|txg| dirty.was_ahead(block, txg)) {
                self.block_done(reads, block);
                continue;
            }
            let sealing = reads.sealing(block);
            let handed_over = reads.clock.work(Work::TxgWrite);
            // The thread that hands over goes on when it has its core; another one is called for the checksum.
            reads.clock.cores.work(now, handed_over);
            sync.write_block(reads, block, by);
            reads.clock.cores.work(now, reads.clock.costs.switch + sealing);
            let share = Nanos(sealing.0 / sync.threads);
            sync.ready += share.max(handed_over);
        }
        if self.sync.stage == Stage::Data && self.sync.pending == 0 {
            self.next_stage(reads, log);
        }
    }

    /// A changed block is on the disks.
    pub(crate) fn write_done(
        &mut self,
        reads: &mut ReadPath,
        log: &mut LogPath,
        block: BlockId,
        vdev: VdevId,
    ) {
        reads.blocks.allocator.release(vdev, reads.blocks.allocator_of(block));
        reads.clock.cores.work(reads.clock.now, reads.clock.work(Work::WriteDone));
        self.block_done(reads, block);
        self.sync.pending -= 1;
        self.write_on(reads, log);
    }

    /// Counts a changed block as clean.
    fn block_done(&mut self, reads: &mut ReadPath, block: BlockId) {
        let ReadPath { clock, blocks, cache, io, .. } = reads;
        debug_assert!(self.txgs.syncing.is_some(), "{block:?} is written with no group");
        let Some(txg) = self.txgs.syncing else { return };
        self.dirty.clear(block, blocks.length(block), txg);
        io.allow_async_writes(self.dirty.active_writes());
        // What is dirty again stays new, unless only its group's writing changes it.
        if !blocks.is_content(block) || !self.dirty.is_dirty(block) {
            cache.written(clock, block);
        }
        cache.release_dbuf(blocks, block);
        let trimmed = cache.trim_dbufs(clock, blocks, clock.now);
        clock.cores.work(clock.now, trimmed);
        self.call_writers(clock);
    }

    /// A part of the pool's own metadata is done.
    pub(crate) fn part_done(&mut self, clock: &mut Clock) {
        let sync = &mut self.sync;
        sync.pending -= 1;
        if sync.pending == 0 {
            let took = match sync.stage {
                Stage::Passes(_) => clock.work(Work::SyncPass),
                _ => Nanos::ZERO,
            };
            clock.push(clock.now + took, Event::Stage);
        }
    }

    /// The next part of writing a group begins.
    pub(crate) fn next_stage(&mut self, reads: &mut ReadPath, log: &mut LogPath) {
        let sync = &mut self.sync;
        if sync.stage == Stage::Idle {
            return;
        }
        let was_data = sync.stage == Stage::Data;
        sync.stage = sync.stage_after();
        if let Some(txg) = self.txgs.syncing {
            match sync.stage {
                Stage::Passes(0) if was_data => self.dirty.set_structure(txg, POOL_METADATA),
                Stage::Flush | Stage::Labels => self.dirty.set_structure(txg, 0),
                _ => {}
            }
            self.call_writers(&mut reads.clock);
        }
        let sync = &mut self.sync;
        match sync.stage {
            Stage::Passes(pass) => sync.write_pass(reads, pass),
            Stage::Flush | Stage::FlushLabels => sync.flush_all(reads),
            Stage::Labels => sync.write_labels(reads),
            Stage::Idle => self.end_sync(reads, log),
            Stage::Data => {}
        }
    }

    fn end_sync(&mut self, reads: &mut ReadPath, log: &mut LogPath) {
        let is_asked_for = self.txgs.finish();
        log.end_txg(self.txgs.synced);
        let ReadPath { clock, cache, .. } = reads;
        while let Some(slot) = self.txgs.call() {
            clock.wake(clock.now, Event::Resume(slot));
        }
        let is_asked_for = is_asked_for | self.admit_held(clock, &cache.arc);
        if is_asked_for {
            clock.wake(clock.now, Event::Sync);
        } else if !self.dirty.is_empty(self.txgs.open) {
            let due = self.txgs.next(clock.now);
            self.set_timeout(clock, due);
        }
    }
}

impl TxgSync {
    /// Sorts changed blocks by their place in their files, each indirect block behind those below it.
    fn put_in_order(&mut self, reads: &mut ReadPath, changed: &[BlockId]) {
        let ReadPath { blocks, cache, .. } = reads;
        let order = &mut self.order;
        order.clear();
        order.extend(changed.iter().map(|block| match blocks.last_below(*block) {
            Some(last) => ToWrite { last, is_above: true, block: *block },
            None => ToWrite { last: *block, is_above: false, block: *block },
        }));
        order.sort_unstable();
        // Indirect blocks are changed only now.
        for above in order.iter().rev().filter(|to_write| to_write.is_above) {
            cache.arc.rewrite(above.block);
        }
        cache.arc.counters.count_hits(self.rules.hits);
        self.next = 0;
    }

    /// Lets the allocator `by` place a block, and sends it to its disks.
    fn write_block(&mut self, reads: &mut ReadPath, block: BlockId, by: AllocatorId) {
        let size = reads.blocks.size(block);
        let is_metadata = reads.cache.arc.cell(block).kind() == Kind::Metadata;
        let is_for_special = is_metadata || reads.blocks.is_for_special(block);
        let allocator = &mut reads.blocks.allocator;
        let special = is_for_special.then(|| allocator.take_special(size, by)).flatten();
        let place = special.unwrap_or_else(|| allocator.take_slot(size, by));
        reads.blocks.put(block, place);
        let purpose = Purpose::Write { block, vdev: place.vdev };
        let request = self.begin_write(&mut reads.io, purpose, Class::AsyncWrite);
        reads.add_write(request, place, size);
        if is_metadata {
            let copy = reads.blocks.allocator.take_copy(place, size, by);
            reads.add_write(request, copy, size);
        }
        reads.io.send(reads.clock.now, request);
    }

    /// Makes a request of the group that is being written, which is not over before it is done.
    fn begin_write(&mut self, io: &mut PoolIo, purpose: Purpose, class: Class) -> RequestId {
        self.pending += 1;
        io.new_request(purpose, class)
    }

    /// Returns what comes next in writing a group.
    fn stage_after(&self) -> Stage {
        match self.stage {
            Stage::Data => Stage::Passes(0),
            Stage::Passes(done) if done + 1 < self.rules.sync_passes => Stage::Passes(done + 1),
            Stage::Passes(_) if self.flushes => Stage::Flush,
            Stage::Passes(_) | Stage::Flush => Stage::Labels,
            Stage::Labels if self.flushes => Stage::FlushLabels,
            Stage::Labels | Stage::FlushLabels | Stage::Idle => Stage::Idle,
        }
    }

    /// Writes the metadata of a sync pass, in two copies: OpenZFS writes three of most of it, of smaller blocks,
    /// and the passes have the size with which a group writes about as many bytes as in the lab.
    fn write_pass(&mut self, reads: &mut ReadPath, pass: u64) {
        // They compress to the least that a block can be.
        let unit = reads.blocks.allocator.unit().max(SMALL);
        let bytes = self.rules.sync_pass_bytes / SMALL * unit;
        let request = self.begin_write(&mut reads.io, Purpose::Txg, Class::AsyncWrite);
        // Every pass is of another object.
        let by = AllocatorId::at(row(pass % u64::from(reads.blocks.allocator.count())));
        let first = reads.blocks.allocator.take_metadata(bytes, by);
        reads.add_write(request, first, bytes);
        let second = reads.blocks.allocator.take_copy(first, bytes, by);
        reads.add_write(request, second, bytes);
        reads.io.send(reads.clock.now, request);
    }

    fn flush_all(&mut self, reads: &mut ReadPath) {
        let request = self.begin_write(&mut reads.io, Purpose::Txg, Class::SyncWrite);
        for leaf in reads.io.pool_leaves() {
            reads.io.add_flush(reads.clock.now, request, leaf);
        }
    }

    /// Writes the uberblock to all labels of all disks; OpenZFS writes those of up to three vdevs.
    fn write_labels(&mut self, reads: &mut ReadPath) {
        let ReadPath { clock, io, .. } = reads;
        let request = self.begin_write(io, Purpose::Txg, Class::SyncWrite);
        for leaf in io.pool_leaves() {
            let size = io.leaves[leaf.place()].size.0;
            let behind = [0, LABEL, size.saturating_sub(2 * LABEL), size.saturating_sub(LABEL)];
            for label in behind {
                let part = Extent { offset: label + UBERBLOCK, bytes: SMALL };
                io.add_part(clock.now, request, leaf, part);
            }
        }
        io.send(clock.now, request);
    }
}

impl ReadPath {
    /// A disk is through with a part of a request: with each of a block that a group writes, a thread has work.
    pub(crate) fn part_written(&mut self, io: IoId) {
        if matches!(self.io.purpose_of(io), Purpose::Write { .. }) {
            self.clock.cores.work(self.clock.now, self.clock.work(Work::WriteColumn));
        }
    }

    /// Adds the parts of a write at `place`, on every disk that it touches.
    pub(super) fn add_write(&mut self, request: RequestId, place: Place, bytes: u64) {
        let top = self.io.top(place.vdev);
        let part = Extent { offset: place.offset, bytes };
        self.io.add_write(self.clock.now, request, top, part);
    }
}
