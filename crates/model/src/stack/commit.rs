//! Synchronous writes: records of the intent log, its blocks on their way to the disks, flushes, and the
//! slots that go on (docs/model/zil.md; zil.c 0.8 to 2.3). What goes into which block is in `zil/`.
//!
//! Log blocks go to the log vdevs in turns, one each; in a pool without, to a part of the pool's own
//! vdevs that is kept for them (the embedded log class, 2.1 and later). What a record points to is
//! written by a synchronous write, in parallel, and is not written again with its group.

use arcwright_scenario::{Logbias, SyncMode};
use arcwright_units::Nanos;

use super::{ReadPath, WritePath};
use crate::clock::{Clock, Event};
use crate::ids::{BlockId, BlockRun, FileId, LogId, SlotId, VdevId};
use crate::io::{Extent, Purpose};
use crate::pool::blocks::Blocks;
use crate::vdev::queue::Class;
use crate::versions::behaviour::LogBehaviour;
use crate::versions::work::Work;
use crate::zil::{
    Fetched, FreeBlock, LockHolder, LogLock, LogRules, LogVdevs, Record, State, WriteState, Zil,
};

/// The intent log of the pool: what is in it, where it lies, and which writes wait for it.
#[derive(Debug)]
pub(crate) struct LogPath {
    pub(crate) zil: Zil,
    pub(crate) vdevs: LogVdevs,
    pub(crate) rules: LogRules,
    pub(crate) lock: LogLock,
    pub(crate) behaviour: LogBehaviour,
    /// Whether disks are asked to empty their caches behind a block.
    pub(crate) flushes: bool,
}

/// A change of some blocks of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change {
    pub(crate) file: FileId,
    pub(crate) blocks: BlockRun,
    pub(crate) bytes: u64,
    /// Whether somebody waits for this very write.
    pub(crate) is_waited_for: bool,
}

impl LogPath {
    /// A group is being written: with it go the blocks whose records it makes unnecessary.
    pub(super) fn begin_txg(&mut self, txg: u64) {
        while let Some(FreeBlock { place, bytes }) = self.zil.free(txg) {
            self.vdevs.free(place.vdev, bytes, txg);
        }
    }

    /// A group is on the disks: so are the records that it made unnecessary.
    pub(super) fn end_txg(&mut self, txg: u64) {
        self.zil.forget(txg);
        self.vdevs.end_txg(txg);
    }

    /// Leaves the records of a change in memory, at `now`. Returns how long that takes.
    pub(crate) fn note(
        &mut self,
        change: Change,
        reads: &ReadPath,
        writes: &WritePath,
        now: Nanos,
    ) -> Nanos {
        let rules = self.rules;
        if rules.sync == SyncMode::Disabled {
            return Nanos::ZERO;
        }
        let txg = writes.txgs.open;
        let Change { file, bytes, is_waited_for, .. } = change;
        let waits = is_waited_for || (writes.long_transactions && rules.sync == SyncMode::Always);
        let change = Change { is_waited_for: waits, ..change };
        if rules.logbias == Logbias::Throughput || self.goes_to_its_place(change, &reads.blocks) {
            let each = bytes / u64::from(change.blocks.count);
            for block in change.blocks.iter() {
                let how = WriteState::Indirect(block);
                let record = Record::Write { txg, bytes: each, how };
                self.zil.add(file, record, waits.then_some(now));
            }
            return Nanos::ZERO;
        }
        let is_copied = waits && bytes <= self.zil.copied_max();
        let how = if is_copied { WriteState::Copied } else { WriteState::CopyLater };
        self.zil.add(file, Record::Write { txg, bytes, how }, waits.then_some(now));
        if is_copied { reads.clock.costs.copy(bytes) } else { Nanos::ZERO }
    }

    /// Says whether a long write goes to its place at once: without a log device, and from 2.4 on unless a special
    /// vdev takes the log, or somebody waits for less than half of a block, which may soon change again.
    fn goes_to_its_place(&self, change: Change, blocks: &Blocks) -> bool {
        let is_better_logged = || {
            let is_small = change.bytes < blocks.file(change.file).block_bytes / 2;
            blocks.allocator.has_special() || (change.is_waited_for && is_small)
        };
        change.bytes >= self.rules.immediate
            && !self.vdevs.has_devices()
            && !(self.behaviour.takes_small_parts && is_better_logged())
    }

    /// Lets `slot` wait until all of `file` is in the log. False when there is no log yet: the slot is
    /// called when the group that makes it is on the disks, and comes again.
    pub(crate) fn commit(
        &mut self,
        slot: SlotId,
        file: FileId,
        reads: &mut ReadPath,
        writes: &mut WritePath,
    ) -> bool {
        let txg = writes.txgs.open;
        if self.zil.is_absent() {
            let place = self.vdevs.take(4096);
            self.zil.create(place, txg);
            self.vdevs.begins = txg;
        }
        if writes.txgs.synced < self.vdevs.begins {
            writes.wait_for_txg(&mut reads.clock, slot, self.vdevs.begins);
            return false;
        }
        self.zil.arrive(slot, file, reads.clock.now);
        if self.lock.take(slot) {
            self.gather(slot, reads, writes.txgs.synced);
        }
        true
    }

    /// A slot has the log's lock: it puts what is there into blocks, unless somebody has done so for it.
    fn gather(&mut self, slot: SlotId, reads: &mut ReadPath, synced: u64) {
        let now = reads.clock.now;
        if !self.zil.is_to_be_placed(slot) {
            reads.clock.push(now, Event::LogUnlock);
            self.wait_for_company(slot, &mut reads.clock, now);
            return;
        }
        let mut full = Vec::new();
        let Self { zil, vdevs, .. } = self;
        let mut take = |bytes: u64| vdevs.take(bytes);
        let gathered = zil.gather(LockHolder { slot, now, synced }, &mut take, &mut full);
        // Whoever fetches data for the log looks up what points to it.
        reads.cache.arc.counters.count_hits(gathered.pointers);
        let clock = &mut reads.clock;
        let through = clock.cores.work(now, clock.work(Work::LwbFill));
        let issued = self.issue_all(&full, clock, through);
        // Up to 2.1 blocks are sent off under the lock.
        let unlocked = if self.behaviour.issues_under_lock { issued } else { through };
        clock.push(unlocked, Event::LogUnlock);
        for slot in gathered.done {
            clock.push(unlocked, Event::Resume(slot));
        }
        self.wait_for_company(slot, clock, unlocked);
    }

    /// Lets a slot wait from `at` on for others to fill the block that it waits in, if that is the last one.
    fn wait_for_company(&mut self, slot: SlotId, clock: &mut Clock, at: Nanos) {
        let last = self.zil.last();
        let span = self.zil.company_span();
        if self.zil.get(last).is_some_and(|block| block.waiting.contains(&slot)) {
            clock.push(at + span, Event::LogTimeout(last));
        }
    }

    /// The log's lock is let go: who waits for it next has it.
    pub(crate) fn unlock(&mut self, reads: &mut ReadPath, writes: &WritePath) {
        if let Some(next) = self.lock.release() {
            self.gather(next, reads, writes.txgs.synced);
        }
    }

    /// Somebody has waited long enough for others to fill a log block.
    pub(crate) fn timeout(&mut self, clock: &mut Clock, id: LogId) {
        if self.zil.get(id).is_none_or(|block| block.state != State::Opened) {
            return;
        }
        let mut full = Vec::new();
        let Self { zil, vdevs, .. } = self;
        zil.close(&mut |bytes| vdevs.take(bytes), &mut full);
        self.issue_all(&full, clock, clock.now);
    }

    /// Sends off log blocks one after the other from `at` on: while the disk has one, records of the next fetch
    /// their data. Returns when all are sent off.
    fn issue_all(&mut self, full: &[LogId], clock: &mut Clock, mut at: Nanos) -> Nanos {
        for id in full {
            let Some(block) = self.zil.under_way(*id) else { continue };
            block.state = State::Issued;
            let Fetched { bytes, goes } = block.fetched;
            let checksum = clock.costs.checksum(block.written_bytes());
            let took = clock.work(Work::LwbIssue)
                + clock.lock_ops(goes * clock.counts.count(Work::LogGetData));
            at = clock.cores.work(at, took + clock.costs.copy(bytes));
            let checked = clock.cores.work(at, clock.costs.switch + checksum);
            clock.push(checked, Event::Log(*id));
        }
        at
    }

    /// Sends a log block to its disks, and the blocks that its records point to to theirs.
    pub(crate) fn write(&mut self, id: LogId, reads: &mut ReadPath, writes: &mut WritePath) {
        let now = reads.clock.now;
        let Some(block) = self.zil.under_way(id) else { return };
        let (place, bytes) = (block.place, block.written_bytes());
        let (used, size) = (block.used, block.size);
        let blocks = std::mem::take(&mut block.blocks);
        block.issued = now;
        block.flush |= self.vdevs.flush_bit(place.vdev);
        block.pending = 1;
        let counters = &mut self.zil.counters;
        let is_device = self.vdevs.is_device(place.vdev);
        let row = if is_device { &mut counters.slog } else { &mut counters.normal };
        for (sum, more) in row.iter_mut().zip([1, used, bytes, size]) {
            *sum += more;
        }
        let request = reads.io.new_request(Purpose::Log { id }, Class::SyncWrite);
        let part = Extent { offset: place.offset, bytes };
        reads.io.add_write(now, request, self.vdevs.top(place.vdev), part);
        reads.io.send(now, request);
        for block in blocks {
            if writes.dirty.write_ahead(block, writes.txgs.open) {
                self.check_ahead(id, block, reads);
            }
        }
    }

    /// Lets the checksum be made of a changed block that is written to its place now, for a record that points
    /// to it (`dmu_sync`).
    fn check_ahead(&mut self, id: LogId, block: BlockId, reads: &mut ReadPath) {
        if let Some(log) = self.zil.under_way(id) {
            log.pending += 1;
        }
        let clock = &mut reads.clock;
        let checksum = clock.costs.checksum(reads.blocks.size(block));
        let checked = clock.cores.work(clock.now, clock.costs.switch + checksum);
        clock.push(checked, Event::WriteAhead { block, id });
    }

    /// The checksum of a block that is written at once is there.
    pub(crate) fn write_ahead(&mut self, id: LogId, block: BlockId, reads: &mut ReadPath) {
        let size = reads.blocks.size(block);
        let place = reads.blocks.allocator.take(size);
        reads.blocks.put(block, place);
        let request = reads.io.new_request(Purpose::Log { id }, Class::SyncWrite);
        reads.add_write(request, place, size);
        reads.io.send(reads.clock.now, request);
        if let Some(log) = self.zil.under_way(id) {
            log.flush |= 1 << place.vdev.0;
        }
    }

    /// A part of a log block is written.
    pub(crate) fn written(&mut self, id: LogId, reads: &mut ReadPath) {
        let Some(block) = self.zil.under_way(id) else { return };
        block.pending -= 1;
        if block.pending == 0 {
            block.is_through = true;
            self.pass_on(id, reads);
        }
    }

    /// Flushes for a block that is written, as soon as those before it are; then for those behind.
    fn pass_on(&mut self, mut id: LogId, reads: &mut ReadPath) {
        loop {
            let before = id.before().and_then(|before| self.zil.get(before));
            if before.is_some_and(|before| {
                matches!(before.state, State::New | State::Opened | State::Issued)
            }) {
                return;
            }
            let next_is_issued =
                self.zil.get(id.next()).is_some_and(|next| next.state == State::Issued);
            let Some(block) = self.zil.get(id) else { return };
            if !block.is_through || block.state != State::Issued {
                return;
            }
            block.state = State::Written;
            if block.waiting.is_empty() && (next_is_issued || self.behaviour.flush_waits_for_next) {
                let flush = std::mem::take(&mut block.flush);
                if let Some(next) = self.zil.get(id.next()) {
                    next.flush |= flush;
                }
                self.finish(id, &mut reads.clock);
            } else if self.flushes {
                self.flush_for(id, reads);
            } else {
                block.flush = 0;
                self.finish(id, &mut reads.clock);
            }
            id = id.next();
        }
    }

    fn flush_for(&mut self, id: LogId, reads: &mut ReadPath) {
        let ReadPath { clock, io, .. } = reads;
        let Some(block) = self.zil.under_way(id) else { return };
        let mut flush = std::mem::take(&mut block.flush);
        block.pending = 1;
        let request = io.new_request(Purpose::LogFlush { id }, Class::SyncWrite);
        while flush != 0 {
            let bit = flush.trailing_zeros();
            flush &= flush - 1;
            let top = self.vdevs.of_flush(bit).unwrap_or_else(|| io.top(VdevId(bit)));
            for leaf in top.leaves() {
                io.add_flush(clock.now, request, leaf);
            }
        }
    }

    /// The flushes for a log block are done.
    pub(crate) fn flushed(&mut self, id: LogId, clock: &mut Clock) {
        if let Some(block) = self.zil.under_way(id) {
            block.pending = 0;
        }
        self.finish(id, clock);
    }

    /// Ends a log block whose own parts are done, as soon as those before it have ended; then those
    /// behind it.
    fn finish(&mut self, mut id: LogId, clock: &mut Clock) {
        loop {
            let before = id.before().and_then(|before| self.zil.get(before));
            if before.is_some_and(|before| before.state != State::Done) {
                return;
            }
            let now = clock.now;
            let Some(block) = self.zil.get(id) else { return };
            if block.state != State::Written || block.pending > 0 {
                return;
            }
            block.state = State::Done;
            let span = now - block.issued;
            let waiting = std::mem::take(&mut block.waiting);
            self.zil.note_latency(span);
            for slot in waiting {
                clock.wake(now, Event::Resume(slot));
            }
            id = id.next();
        }
    }
}
