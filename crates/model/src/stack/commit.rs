//! Synchronous writes: records of the intent log, its blocks on their way to the disks, flushes, and the
//! slots that go on (docs/model/zil.md; zil.c 0.8 to 2.3). What goes into which block is in `zil/`.
//!
//! Log blocks go to the log vdevs in turns, one each; in a pool without, to a part of the pool's own
//! vdevs that is kept for them (the embedded log class, 2.1 and later). What a record points to is
//! written by a synchronous write, in parallel, and is not written again with its group. Each dataset has a log of
//! its own, with its own lock; all lie on the same vdevs.
#![expect(clippy::indexing_slicing, reason = "every dataset has a log")]

mod flushes;

use arcwright_scenario::{Logbias, SyncMode};
use arcwright_units::Nanos;

use super::{ReadPath, WritePath};
use crate::clock::{Clock, Event};
use crate::ids::{BlockId, BlockRun, DatasetId, FileId, LogId, SlotId};
use crate::io::{Extent, Purpose};
use crate::pool::blocks::Blocks;
use crate::vdev::queue::Class;
use crate::versions::behaviour::LogBehaviour;
use crate::versions::work::Work;
use crate::zil::{
    Counters, Fetched, FreeBlock, LockHolder, LogLock, LogRules, LogVdevs, Record, State,
    WriteState, Zil,
};

/// The intent logs of the pool's datasets, and where they lie.
#[derive(Debug)]
pub(crate) struct LogPath {
    /// Of the pool's own dataset, then of the others.
    pub(crate) logs: Vec<DatasetLog>,
    /// Which dataset holds a file of the scenario; files of trees are in the pool's own.
    pub(crate) dataset_of: Vec<DatasetId>,
    pub(crate) vdevs: LogVdevs,
    pub(crate) behaviour: LogBehaviour,
    /// Whether disks are asked to empty their caches behind a block.
    pub(crate) flushes: bool,
}

/// The intent log of a dataset: what is in it, and which writes wait for it.
#[derive(Debug)]
pub(crate) struct DatasetLog {
    pub(crate) zil: Zil,
    pub(crate) lock: LogLock,
    pub(crate) rules: LogRules,
    /// Whether its blocks are encrypted.
    pub(crate) is_encrypted: bool,
    /// The group that makes the log known; before, nobody waits for it with success.
    pub(crate) begins: u64,
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
        for log in &mut self.logs {
            while let Some(FreeBlock { place, bytes }) = log.zil.free(txg) {
                self.vdevs.free(place.vdev, bytes, txg);
            }
        }
    }

    /// A group is on the disks: so are the records that it made unnecessary.
    pub(super) fn end_txg(&mut self, txg: u64) {
        self.logs.iter_mut().for_each(|log| log.zil.forget(txg));
        self.vdevs.end_txg(txg);
    }

    /// Returns which dataset holds a file.
    fn dataset_of(&self, file: FileId) -> DatasetId {
        self.dataset_of.get(file.place()).copied().unwrap_or(DatasetId::own())
    }

    /// Returns what the properties say of the dataset that holds a file.
    pub(crate) fn rules_of(&self, file: FileId) -> LogRules {
        self.logs[self.dataset_of(file).place()].rules
    }

    /// Returns what all logs have counted.
    pub(crate) fn counters(&self) -> Counters {
        self.logs.iter().map(|log| log.zil.counters).fold(Counters::default(), Counters::plus)
    }

    fn zil(&mut self, id: LogId) -> &mut Zil {
        &mut self.logs[id.dataset.place()].zil
    }

    /// Leaves the records of a change in memory, at `now`. Returns how long that takes.
    pub(crate) fn note(
        &mut self,
        change: Change,
        reads: &ReadPath,
        writes: &WritePath,
        now: Nanos,
    ) -> Nanos {
        let rules = self.rules_of(change.file);
        if rules.sync == SyncMode::Disabled {
            return Nanos::ZERO;
        }
        let txg = writes.txgs.open;
        let Change { file, bytes, is_waited_for, .. } = change;
        let waits = is_waited_for || rules.always_waits(writes.long_transactions);
        let change = Change { is_waited_for: waits, ..change };
        let is_to_its_place = rules.logbias == Logbias::Throughput
            || self.goes_to_its_place(change, rules, &reads.blocks);
        let dataset = self.dataset_of(file);
        let zil = &mut self.logs[dataset.place()].zil;
        if is_to_its_place {
            let each = bytes / u64::from(change.blocks.count);
            for block in change.blocks.iter() {
                let how = WriteState::Indirect(block);
                let record = Record::Write { txg, bytes: each, how };
                zil.add(file, record, waits.then_some(now));
            }
            return Nanos::ZERO;
        }
        let is_copied = waits && bytes <= zil.copied_max();
        let how = if is_copied { WriteState::Copied } else { WriteState::CopyLater };
        zil.add(file, Record::Write { txg, bytes, how }, waits.then_some(now));
        if is_copied { reads.clock.costs.copy(bytes) } else { Nanos::ZERO }
    }

    /// Says whether a long write goes to its place at once: without a log device, and from 2.4 on, where files and
    /// volumes are alike, unless a special vdev takes the log and not the block, or somebody waits for less than
    /// half of a block, which may soon change again.
    fn goes_to_its_place(&self, change: Change, rules: LogRules, blocks: &Blocks) -> bool {
        let block = blocks.file(change.file).block_bytes;
        let is_long = match self.behaviour.takes_small_parts {
            false => rules.is_long(change.bytes, block),
            true => {
                let is_part = change.is_waited_for && change.bytes < block / 2;
                let goes_to_log =
                    blocks.allocator.has_special() && !blocks.is_for_special(change.blocks.first);
                change.bytes >= rules.immediate && !goes_to_log && !is_part
            }
        };
        is_long && !self.vdevs.has_devices()
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
        let dataset = self.dataset_of(file);
        let log = &mut self.logs[dataset.place()];
        if log.zil.is_absent() {
            log.zil.create(self.vdevs.take(4096), txg);
            log.begins = txg;
        }
        if writes.txgs.synced < log.begins {
            writes.wait_for_txg(&mut reads.clock, slot, log.begins);
            return false;
        }
        log.zil.arrive(slot, file, reads.clock.now);
        if log.lock.take(slot) {
            self.gather(dataset, slot, reads, writes.txgs.synced);
        }
        true
    }

    /// A slot has the log's lock: it puts what is there into blocks, unless somebody has done so for it.
    fn gather(&mut self, dataset: DatasetId, slot: SlotId, reads: &mut ReadPath, synced: u64) {
        let now = reads.clock.now;
        let Self { logs, vdevs, .. } = self;
        let DatasetLog { zil, .. } = &mut logs[dataset.place()];
        if !zil.is_to_be_placed(slot) {
            reads.clock.push(now, Event::LogUnlock(dataset));
            wait_for_company(zil, slot, &mut reads.clock, now);
            return;
        }
        let mut full = Vec::new();
        let mut take = |bytes: u64| vdevs.take(bytes);
        let gathered = zil.gather(LockHolder { slot, now, synced }, &mut take, &mut full);
        // Whoever fetches data for the log looks up what points to it.
        reads.cache.arc.counters.count_hits(gathered.pointers);
        let clock = &mut reads.clock;
        let through = clock.cores.work(now, clock.work(Work::LwbFill));
        let issued = self.issue_all(&full, clock, through);
        // Up to 2.1 blocks are sent off under the lock.
        let unlocked = if self.behaviour.issues_under_lock { issued } else { through };
        clock.push(unlocked, Event::LogUnlock(dataset));
        for slot in gathered.done {
            clock.push(unlocked, Event::Resume(slot));
        }
        wait_for_company(&mut self.logs[dataset.place()].zil, slot, clock, unlocked);
    }

    /// The lock of a dataset's log is let go: who waits for it next has it.
    pub(crate) fn unlock(&mut self, dataset: DatasetId, reads: &mut ReadPath, writes: &WritePath) {
        if let Some(next) = self.logs[dataset.place()].lock.release() {
            self.gather(dataset, next, reads, writes.txgs.synced);
        }
    }

    /// Somebody has waited long enough for others to fill a log block.
    pub(crate) fn timeout(&mut self, clock: &mut Clock, id: LogId) {
        let Self { logs, vdevs, .. } = self;
        let DatasetLog { zil, .. } = &mut logs[id.dataset.place()];
        if zil.get(id).is_none_or(|block| block.state != State::Opened) {
            return;
        }
        let mut full = Vec::new();
        zil.close(&mut |bytes| vdevs.take(bytes), &mut full);
        self.issue_all(&full, clock, clock.now);
    }

    /// Sends off log blocks one after the other from `at` on: while the disk has one, records of the next fetch
    /// their data. Returns when all are sent off.
    fn issue_all(&mut self, full: &[LogId], clock: &mut Clock, mut at: Nanos) -> Nanos {
        for id in full {
            let DatasetLog { zil, is_encrypted, .. } = &mut self.logs[id.dataset.place()];
            let Some(block) = zil.under_way(*id) else { continue };
            block.state = State::Issued;
            let Fetched { bytes, goes } = block.fetched;
            let mut sealing = clock.costs.checksum(block.written_bytes());
            if *is_encrypted {
                sealing += clock.costs.cipher(block.used);
            }
            let took = clock.work(Work::LwbIssue)
                + clock.lock_ops(goes * clock.counts.count(Work::LogGetData));
            at = clock.cores.work(at, took + clock.costs.copy(bytes));
            block.issued = at;
            let checked = clock.cores.work(at, clock.costs.switch + sealing);
            clock.push(checked, Event::Log(*id));
        }
        at
    }

    /// Sends a log block to its disks, and the blocks that its records point to to theirs.
    pub(crate) fn write(&mut self, id: LogId, reads: &mut ReadPath, writes: &mut WritePath) {
        let now = reads.clock.now;
        let Self { logs, vdevs, .. } = self;
        let DatasetLog { zil, .. } = &mut logs[id.dataset.place()];
        let Some(block) = zil.under_way(id) else { return };
        let (place, bytes) = (block.place, block.written_bytes());
        let (used, size) = (block.used, block.size);
        let blocks = std::mem::take(&mut block.blocks);
        block.flush |= vdevs.flush_bit(place.vdev);
        block.pending = 1;
        let counters = &mut zil.counters;
        let is_device = vdevs.is_device(place.vdev);
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
        if let Some(log) = self.zil(id).under_way(id) {
            log.pending += 1;
        }
        let sealing = reads.sealing(block);
        let clock = &mut reads.clock;
        let checked = clock.cores.work(clock.now, clock.costs.switch + sealing);
        clock.push(checked, Event::WriteAhead { block, id });
    }

    /// The checksum of a block that is written at once is there.
    pub(crate) fn write_ahead(&mut self, id: LogId, block: BlockId, reads: &mut ReadPath) {
        let size = reads.blocks.size(block);
        reads.blocks.place_anew(block);
        let place = reads.blocks.place(block);
        let request = reads.io.new_request(Purpose::Log { id }, Class::SyncWrite);
        reads.add_write(request, place, size);
        reads.io.send(reads.clock.now, request);
        if let Some(log) = self.zil(id).under_way(id) {
            log.flush |= 1 << place.vdev.0;
        }
    }
}

/// Lets a slot wait from `at` on for others to fill the block that it waits in, if that is the last one.
fn wait_for_company(zil: &mut Zil, slot: SlotId, clock: &mut Clock, at: Nanos) {
    let (last, span) = (zil.last(), zil.company_span());
    if zil.get(last).is_some_and(|block| block.waiting.contains(&slot)) {
        clock.push(at + span, Event::LogTimeout(last));
    }
}
