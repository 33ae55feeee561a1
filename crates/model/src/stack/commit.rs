//! Synchronous writes: records of the intent log, its blocks on their way to the disks, flushes, and the
//! slots that go on (docs/model/zil.md; zil.c 0.8 to 2.3). What goes into which block is in `zil/`.
//!
//! Log blocks go to the log vdevs in turns, one each; in a pool without, to a part of the pool's own
//! vdevs that is kept for them (the embedded log class, 2.1 and later). What a record points to is
//! written by a synchronous write, in parallel, and is not written again with its group.

use arcwright_scenario::{Logbias, SyncMode};
use arcwright_units::Nanos;

use super::Stack;
use crate::clock::Event;
use crate::ids::{BlockId, BlockRun, FileId, LogId, SlotId};
use crate::io::{Extent, Purpose};
use crate::vdev::queue::Class;
use crate::versions::work::Work;
use crate::zil::{IntentLog, Record, State, WriteState};

impl Stack {
    /// Leaves the records of a change of `bytes` in some blocks of `file` in memory, at `now`;
    /// `waits` says whether somebody waits for this very write. Returns how long that takes.
    pub(crate) fn log_change(
        &mut self,
        (file, changed): (FileId, BlockRun),
        bytes: u64,
        waits: bool,
        now: Nanos,
    ) -> Nanos {
        let rules = self.log.rules;
        if rules.sync == SyncMode::Disabled {
            return Nanos::ZERO;
        }
        let txg = self.writes.txgs.open;
        let waits = waits || (self.behaviour.long_transactions && rules.sync == SyncMode::Always);
        if rules.logbias == Logbias::Throughput || self.goes_to_its_place(file, bytes, waits) {
            let each = bytes / u64::from(changed.count);
            for block in changed.iter() {
                let how = WriteState::Indirect(block);
                let record = Record::Write { txg, bytes: each, how };
                self.log.zil.add(file, record, waits.then_some(now));
            }
            return Nanos::ZERO;
        }
        let is_copied = waits && bytes <= self.log.zil.copied_max();
        let how = if is_copied { WriteState::Copied } else { WriteState::CopyLater };
        self.log.zil.add(file, Record::Write { txg, bytes, how }, waits.then_some(now));
        if is_copied { self.clock.costs.copy(bytes) } else { Nanos::ZERO }
    }

    /// Says whether a long write goes to its place at once: without a log device, and from 2.4 on unless a special
    /// vdev takes the log, or somebody waits for less than half of a block, which may soon change again.
    fn goes_to_its_place(&self, file: FileId, bytes: u64, waits: bool) -> bool {
        let is_better_logged = || {
            let is_small = bytes < self.blocks.file(file).block_bytes / 2;
            self.blocks.allocator.has_special() || (waits && is_small)
        };
        bytes >= self.log.rules.immediate
            && !self.log.vdevs.has_devices()
            && !(self.behaviour.log.takes_small_parts && is_better_logged())
    }

    /// Lets `slot` wait until all of `file` is in the log. False when there is no log yet: the slot is
    /// called when the group that makes it is on the disks, and comes again.
    pub(crate) fn commit(&mut self, slot: SlotId, file: FileId) -> bool {
        let (txg, now) = (self.writes.txgs.open, self.clock.now);
        if self.log.zil.is_absent() {
            let place = self.log.vdevs.take(4096);
            self.log.zil.create(place, txg);
            self.log.vdevs.begins = txg;
        }
        if self.writes.txgs.synced < self.log.vdevs.begins {
            self.wait_for_txg(slot, self.log.vdevs.begins, now);
            return false;
        }
        self.log.zil.arrive(slot, file, now);
        if self.log.lock.take(slot) {
            self.gather(slot);
        }
        true
    }

    /// A slot has the log's lock: it puts what is there into blocks, unless somebody has done so for it.
    pub(super) fn gather(&mut self, slot: SlotId) {
        let now = self.clock.now;
        if !self.log.zil.is_to_be_placed(slot) {
            self.clock.push(now, Event::LogUnlock);
            self.wait_for_company(slot, now);
            return;
        }
        let mut full = Vec::new();
        let IntentLog { zil, vdevs, .. } = &mut self.log;
        let mut take = |bytes: u64| vdevs.take(bytes);
        let gathered = zil.gather((slot, now), self.writes.txgs.synced, &mut take, &mut full);
        // Whoever fetches data for the log looks up what points to it.
        self.cache.arc.counters.count_hits(gathered.pointers);
        let through = self.clock.cores.work(now, self.clock.work(Work::LwbFill));
        let issued = self.issue_all(&full, through);
        // Up to 2.1 blocks are sent off under the lock.
        let unlocked = if self.behaviour.log.issues_under_lock { issued } else { through };
        self.clock.push(unlocked, Event::LogUnlock);
        for slot in gathered.done {
            self.clock.push(unlocked, Event::Resume(slot));
        }
        self.wait_for_company(slot, unlocked);
    }

    /// Lets a slot wait from `at` on for others to fill the block that it waits in, if that is the last one.
    fn wait_for_company(&mut self, slot: SlotId, at: Nanos) {
        let last = self.log.zil.last();
        let span = self.log.zil.company_span();
        if self.log.zil.get(last).is_some_and(|block| block.waiting.contains(&slot)) {
            self.clock.push(at + span, Event::LogTimeout(last));
        }
    }

    /// The log's lock is let go: who waits for it next has it.
    pub(super) fn unlock_log(&mut self) {
        if let Some(next) = self.log.lock.release() {
            self.gather(next);
        }
    }

    /// Somebody has waited long enough for others to fill a log block.
    pub(super) fn log_timeout(&mut self, id: LogId) {
        if self.log.zil.get(id).is_none_or(|block| block.state != State::Opened) {
            return;
        }
        let mut full = Vec::new();
        let IntentLog { zil, vdevs, .. } = &mut self.log;
        zil.close(&mut |bytes| vdevs.take(bytes), &mut full);
        self.issue_all(&full, self.clock.now);
    }

    /// Sends off log blocks one after the other from `at` on: while the disk has one, records of the next fetch
    /// their data. Returns when all are sent off.
    fn issue_all(&mut self, full: &[LogId], mut at: Nanos) -> Nanos {
        let clock = &mut self.clock;
        for id in full {
            let Some(block) = self.log.zil.under_way(*id) else { continue };
            block.state = State::Issued;
            let (bytes, fetches) = block.fetched;
            let checksum = clock.costs.checksum(block.written_bytes());
            let took = clock.work(Work::LwbIssue)
                + clock.lock_ops(fetches * clock.counts.count(Work::LogGetData));
            at = clock.cores.work(at, took + clock.costs.copy(bytes));
            let checked = clock.cores.work(at, clock.costs.switch + checksum);
            clock.push(checked, Event::Log(*id));
        }
        at
    }

    /// Sends a log block to its disks, and the blocks that its records point to to theirs.
    pub(super) fn write_log(&mut self, id: LogId) {
        let now = self.clock.now;
        let Some(block) = self.log.zil.under_way(id) else { return };
        let (place, bytes) = (block.place, block.written_bytes());
        let (used, size) = (block.used, block.size);
        let blocks = std::mem::take(&mut block.blocks);
        block.issued = now;
        block.flush |= self.log.vdevs.flush_bit(place.vdev);
        block.pending = 1;
        let counters = &mut self.log.zil.counters;
        let is_device = self.log.vdevs.is_device(place.vdev);
        let row = if is_device { &mut counters.slog } else { &mut counters.normal };
        for (sum, more) in row.iter_mut().zip([1, used, bytes, size]) {
            *sum += more;
        }
        let request = self.io.new_request(Purpose::Log { id }, Class::SyncWrite);
        let part = Extent { offset: place.offset, bytes };
        self.io.add_write(now, request, self.log.vdevs.top(place.vdev), part);
        self.io.send(now, request);
        for block in blocks {
            self.write_at_once(block, id);
        }
    }

    /// Writes a changed block to its place now, for a record that points to it (`dmu_sync`).
    fn write_at_once(&mut self, block: BlockId, id: LogId) {
        if !self.writes.dirty.write_ahead(block, self.writes.txgs.open) {
            return;
        }
        if let Some(log) = self.log.zil.under_way(id) {
            log.pending += 1;
        }
        let clock = &mut self.clock;
        let checksum = clock.costs.checksum(self.blocks.size(block));
        let checked = clock.cores.work(clock.now, clock.costs.switch + checksum);
        clock.push(checked, Event::WriteAhead { block, id });
    }

    /// The checksum of a block that is written at once is there.
    pub(super) fn write_ahead(&mut self, block: BlockId, id: LogId) {
        let size = self.blocks.size(block);
        let place = self.blocks.allocator.take(size);
        self.blocks.put(block, place);
        let request = self.io.new_request(Purpose::Log { id }, Class::SyncWrite);
        self.add_write(request, place, size);
        self.io.send(self.clock.now, request);
        if let Some(log) = self.log.zil.under_way(id) {
            log.flush |= 1 << place.vdev;
        }
    }

    /// A part of a log block is written.
    pub(super) fn log_written(&mut self, id: LogId) {
        let Some(block) = self.log.zil.under_way(id) else { return };
        block.pending -= 1;
        if block.pending == 0 {
            block.is_through = true;
            self.pass_on(id);
        }
    }

    /// Flushes for a block that is written, as soon as those before it are; then for those behind.
    fn pass_on(&mut self, mut id: LogId) {
        loop {
            let before = id.before().and_then(|before| self.log.zil.get(before));
            if before.is_some_and(|before| {
                matches!(before.state, State::New | State::Opened | State::Issued)
            }) {
                return;
            }
            let next_is_issued =
                self.log.zil.get(id.next()).is_some_and(|next| next.state == State::Issued);
            let Some(block) = self.log.zil.get(id) else { return };
            if !block.is_through || block.state != State::Issued {
                return;
            }
            block.state = State::Written;
            if block.waiting.is_empty()
                && (next_is_issued || self.behaviour.log.flush_waits_for_next)
            {
                let flush = std::mem::take(&mut block.flush);
                if let Some(next) = self.log.zil.get(id.next()) {
                    next.flush |= flush;
                }
                self.finish_log(id);
            } else if self.settings.log.flushes {
                self.flush_for(id);
            } else {
                block.flush = 0;
                self.finish_log(id);
            }
            id = id.next();
        }
    }

    fn flush_for(&mut self, id: LogId) {
        let Some(block) = self.log.zil.under_way(id) else { return };
        let mut flush = std::mem::take(&mut block.flush);
        block.pending = 1;
        let request = self.io.new_request(Purpose::LogFlush { id }, Class::SyncWrite);
        while flush != 0 {
            let vdev = flush.trailing_zeros();
            flush &= flush - 1;
            let top = self.log.vdevs.of_flush(vdev).unwrap_or_else(|| self.io.top(vdev));
            for leaf in top.leaves() {
                self.io.add_flush(self.clock.now, request, leaf);
            }
        }
    }

    /// The flushes for a log block are done.
    pub(super) fn log_flushed(&mut self, id: LogId) {
        if let Some(block) = self.log.zil.under_way(id) {
            block.pending = 0;
        }
        self.finish_log(id);
    }

    /// Ends a log block whose own parts are done, as soon as those before it have ended; then those
    /// behind it.
    fn finish_log(&mut self, mut id: LogId) {
        loop {
            let before = id.before().and_then(|before| self.log.zil.get(before));
            if before.is_some_and(|before| before.state != State::Done) {
                return;
            }
            let now = self.clock.now;
            let Some(block) = self.log.zil.get(id) else { return };
            if block.state != State::Written || block.pending > 0 {
                return;
            }
            block.state = State::Done;
            let span = now - block.issued;
            let waiting = std::mem::take(&mut block.waiting);
            self.log.zil.note_latency(span);
            for slot in waiting {
                self.clock.wake(now, Event::Resume(slot));
            }
            id = id.next();
        }
    }
}
