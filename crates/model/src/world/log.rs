//! The intent log at work: its blocks on their way to the disks, flushes, and who goes on
//! (docs/model/zil.md; zil.c 0.8 to 2.3). What goes into which block is in `zil/`.
//!
//! Log blocks go to the log vdevs in turns, one each; in a pool without, to a part of the pool's own
//! vdevs that is kept for them (the embedded log class, 2.1 and later). What a record points to is
//! written by a synchronous write, in parallel, and is not written again with its group.
#![expect(clippy::indexing_slicing, reason = "indices are numbers of blocks, vdevs and lanes")]

use arcwright_scenario::{Logbias, SyncMode};
use arcwright_units::{Bytes, Nanos};

use super::{Purpose, World};
use crate::blocks::{Block, Place};
use crate::events::Event;
use crate::vdev::geometry::Shape;
use crate::vdev::queue::Class;
use crate::zil::{How, Record, State};

/// Groups after which room that was freed can be used again (`TXG_DEFER_SIZE`).
const DEFERRED: u64 = 2;
/// Lock operations of handing over a log block, besides those of the commit.
const STEPS_TO_ISSUE: u64 = 60;
/// Lock operations of a record that fetches its data.
const STEPS_PER_FETCH: u64 = 80;

/// Which writes wait, and how their data gets into the log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogRules {
    pub(crate) sync: SyncMode,
    pub(crate) logbias: Logbias,
    /// Writes of so much go to their place at once, in a pool without log devices
    /// (`zfs_immediate_write_sz`).
    pub(crate) immediate: u64,
}

/// Where the log lies.
#[derive(Debug)]
pub(crate) struct LogVdevs {
    shapes: Vec<Shape>,
    bases: Vec<u32>,
    sizes: Vec<u64>,
    hands: Vec<u64>,
    turn: usize,
    /// The group that makes the log known; before, nobody waits for it with success.
    begins: u64,
    /// Whether they are log devices, or a part of the pool's own vdevs.
    pub(crate) is_slog: bool,
    /// Bytes taken in groups that are not on the disks yet, by group.
    taken: Vec<(u64, u64)>,
    /// Bytes that come back with a group.
    freed: Vec<(u64, u64)>,
    held: u64,
    held_max: u64,
}

impl LogVdevs {
    /// Makes the log on vdevs of these shapes, first leaves and sizes; `hands` says where it begins.
    pub(crate) fn new(vdevs: Vec<(Shape, u32, u64)>, hands: Vec<u64>, is_slog: bool) -> Self {
        Self {
            shapes: vdevs.iter().map(|vdev| vdev.0).collect(),
            bases: vdevs.iter().map(|vdev| vdev.1).collect(),
            sizes: vdevs.iter().map(|vdev| vdev.2).collect(),
            hands,
            turn: 0,
            begins: 0,
            is_slog,
            taken: Vec::new(),
            freed: Vec::new(),
            held: 0,
            held_max: 0,
        }
    }

    /// Takes room for a log block.
    fn take(&mut self, bytes: u64, group: u64) -> Place {
        self.turn = (self.turn + 1) % self.shapes.len();
        let size = self.shapes[self.turn].allocated(bytes);
        if self.hands[self.turn] + size > self.sizes[self.turn] {
            self.hands[self.turn] = 0;
        }
        let offset = self.hands[self.turn];
        self.hands[self.turn] += size;
        add(&mut self.taken, group, size);
        Place { vdev: u32::try_from(self.turn).unwrap_or(0), offset }
    }

    /// A group is on the disks: what it took counts, and what was freed long enough ago does not.
    fn end_group(&mut self, group: u64) {
        self.held += collect(&mut self.taken, group);
        self.held = self.held.saturating_sub(collect(&mut self.freed, group));
        self.held_max = self.held_max.max(self.held);
    }

    /// Returns the most that was held since the last call.
    pub(crate) fn held_max(&mut self) -> Option<Bytes> {
        let most = std::mem::replace(&mut self.held_max, self.held);
        self.is_slog.then_some(Bytes(most))
    }
}

fn add(list: &mut Vec<(u64, u64)>, group: u64, bytes: u64) {
    match list.iter_mut().find(|entry| entry.0 == group) {
        Some(entry) => entry.1 += bytes,
        None => list.push((group, bytes)),
    }
}

fn collect(list: &mut Vec<(u64, u64)>, group: u64) -> u64 {
    let sum = list.iter().filter(|entry| entry.0 <= group).map(|entry| entry.1).sum();
    list.retain(|entry| entry.0 > group);
    sum
}

impl World {
    /// Leaves the records of a change of `bytes` at the blocks `first..=last` of `file` in memory;
    /// `waits` says whether somebody waits for this very write. Returns how long that takes.
    pub(crate) fn log_change(
        &mut self,
        file: u32,
        (first, last): (Block, Block),
        bytes: u64,
        waits: bool,
    ) -> Nanos {
        let rules = self.log_rules;
        if rules.sync == SyncMode::Disabled {
            return Nanos::ZERO;
        }
        let group = self.groups.open;
        let waits = waits || (self.behaviour.long_transactions && rules.sync == SyncMode::Always);
        if rules.logbias == Logbias::Throughput || (bytes >= rules.immediate && !self.log.is_slog) {
            let each = bytes / u64::from(last - first + 1);
            for block in first..=last {
                let how = How::Indirect(block);
                self.zil.add(file, Record::Write { group, bytes: each, how });
            }
            return Nanos::ZERO;
        }
        let is_copied = waits && bytes <= self.zil.copied_max();
        let how = if is_copied { How::Copied } else { How::CopyLater };
        self.zil.add(file, Record::Write { group, bytes, how });
        if is_copied { self.costs.copy(bytes) } else { Nanos::ZERO }
    }

    /// Lets `lane` wait until all of `file` is in the log. False when there is no log yet: the lane is
    /// called when the group that makes it is on the disks, and comes again.
    pub(crate) fn commit(&mut self, lane: u32, file: u32) -> bool {
        let (group, now) = (self.groups.open, self.now);
        if self.zil.is_absent() {
            let place = self.log.take(4096, group);
            self.zil.create(place, group);
            self.log.begins = group;
        }
        if self.groups.synced < self.log.begins {
            self.wait_for_group(lane, self.log.begins, now);
            return false;
        }
        // Whoever fetches data for the log looks up what points to it.
        let fetched = self.zil.pointers_of(file);
        let mut full = Vec::new();
        let (zil, log) = (&mut self.zil, &mut self.log);
        let mut take = |bytes: u64| log.take(bytes, group);
        let synced = self.groups.synced;
        let until = zil.commit((lane, file), (synced, now), &mut take, &mut full);
        let last = zil.last();
        self.arc.counters.count_hits(fetched);
        self.issue_all(&full);
        if self.zil.get(last).is_some_and(|block| block.waiting.contains(&lane)) {
            self.events.push(until, Event::LogTimeout(last));
        }
        true
    }

    /// Somebody has waited long enough for others to fill a log block.
    pub(super) fn log_timeout(&mut self, number: u32) {
        if self.zil.get(number).is_none_or(|block| block.state != State::Opened) {
            return;
        }
        let mut full = Vec::new();
        let (log, group) = (&mut self.log, self.groups.open);
        self.zil.close(&mut |bytes| log.take(bytes, group), &mut full);
        self.issue_all(&full);
    }

    /// Sends off log blocks one after the other: while the disk has one, records of the next fetch their
    /// data.
    fn issue_all(&mut self, full: &[u32]) {
        let mut at = self.now;
        for number in full {
            let Some(block) = self.zil.get(*number) else { continue };
            block.state = State::Issued;
            let (bytes, fetches) = block.fetched;
            let checksum = self.costs.checksum(block.written_bytes());
            let steps = self.steps(STEPS_TO_ISSUE + STEPS_PER_FETCH * fetches);
            at = self.cores.work(at, steps + self.costs.copy(bytes));
            let checked = self.cores.work(at, self.costs.switch + checksum);
            self.events.push(checked, Event::Log(*number));
        }
    }

    /// Sends a log block to its disks, and the blocks that its records point to to theirs.
    pub(super) fn write_log(&mut self, number: u32) {
        let now = self.now;
        let Some(block) = self.zil.get(number) else { return };
        let (place, bytes) = (block.place, block.written_bytes());
        let (used, size) = (block.used, block.size);
        let blocks = std::mem::take(&mut block.blocks);
        block.issued = now;
        block.flush |= 1 << (place.vdev + self.log.flush_shift());
        block.pending = 1;
        let counters = &mut self.zil.counters;
        let row = if self.log.is_slog { &mut counters.slog } else { &mut counters.normal };
        for (sum, more) in row.iter_mut().zip([1, used, bytes, size]) {
            *sum += more;
        }
        let request = self.new_request(Purpose::Log { number }, Class::SyncWrite);
        let mut columns = std::mem::take(&mut self.columns);
        columns.clear();
        self.log.shapes[place.vdev as usize].write_columns(place.offset, bytes, &mut columns);
        let base = self.log.bases[place.vdev as usize];
        for column in &columns {
            self.add_io(request, base + column.disk, (column.offset, column.size));
        }
        self.columns = columns;
        self.send(request);
        for block in blocks {
            self.write_at_once(block, number);
        }
    }

    /// Writes a changed block to its place now, for a record that points to it (`dmu_sync`).
    fn write_at_once(&mut self, block: Block, number: u32) {
        if !self.dirty.write_ahead(block, self.groups.open) {
            return;
        }
        if let Some(log) = self.zil.get(number) {
            log.pending += 1;
        }
        let checksum = self.costs.checksum(self.blocks.size(block));
        let checked = self.cores.work(self.now, self.costs.switch + checksum);
        self.events.push(checked, Event::WriteAhead { block, number });
    }

    /// The checksum of a block that is written at once is there.
    pub(super) fn write_ahead(&mut self, block: Block, number: u32) {
        let size = self.blocks.size(block);
        let place = self.blocks.allocator.take(size);
        self.blocks.put(block, place);
        let request = self.new_request(Purpose::Log { number }, Class::SyncWrite);
        self.add_columns(request, place, size);
        self.send(request);
        if let Some(log) = self.zil.get(number) {
            log.flush |= 1 << place.vdev;
        }
    }

    /// A part of a log block is written.
    pub(super) fn log_written(&mut self, number: u32) {
        let Some(block) = self.zil.get(number) else { return };
        block.pending -= 1;
        if block.pending == 0 {
            block.is_through = true;
            self.pass_on(number);
        }
    }

    /// Flushes for a block that is written, as soon as those before it are; then for those behind.
    fn pass_on(&mut self, mut number: u32) {
        loop {
            let before = number.checked_sub(1).and_then(|before| self.zil.get(before));
            if before.is_some_and(|before| {
                matches!(before.state, State::New | State::Opened | State::Issued)
            }) {
                return;
            }
            let next_is_issued =
                self.zil.get(number + 1).is_some_and(|next| next.state == State::Issued);
            let Some(block) = self.zil.get(number) else { return };
            if !block.is_through || block.state != State::Issued {
                return;
            }
            block.state = State::Written;
            if block.waiting.is_empty() && (next_is_issued || self.behaviour.flush_waits_for_next) {
                let flush = std::mem::take(&mut block.flush);
                if let Some(next) = self.zil.get(number + 1) {
                    next.flush |= flush;
                }
                self.finish_log(number);
            } else {
                self.flush_for(number);
            }
            number += 1;
        }
    }

    fn flush_for(&mut self, number: u32) {
        let shift = self.log.flush_shift();
        let Some(block) = self.zil.get(number) else { return };
        let mut flush = std::mem::take(&mut block.flush);
        block.pending = 1;
        let request = self.new_request(Purpose::LogFlush { number }, Class::SyncWrite);
        while flush != 0 {
            let vdev = flush.trailing_zeros();
            flush &= flush - 1;
            let (base, disks) = if self.log.is_slog && vdev >= shift {
                let vdev = (vdev - shift) as usize;
                (self.log.bases[vdev], self.log.shapes[vdev].disks)
            } else {
                (self.bases[vdev as usize], self.shapes[vdev as usize].disks)
            };
            for disk in 0..u32::try_from(disks).unwrap_or(1) {
                self.add_flush(request, base + disk);
            }
        }
    }

    /// The flushes for a log block are done.
    pub(super) fn log_flushed(&mut self, number: u32) {
        if let Some(block) = self.zil.get(number) {
            block.pending = 0;
        }
        self.finish_log(number);
    }

    /// Ends a log block whose own parts are done, as soon as those before it have ended; then those
    /// behind it.
    fn finish_log(&mut self, mut number: u32) {
        loop {
            let before = number.checked_sub(1).and_then(|before| self.zil.get(before));
            if before.is_some_and(|before| before.state != State::Done) {
                return;
            }
            let now = self.now;
            let Some(block) = self.zil.get(number) else { return };
            if block.state != State::Written || block.pending > 0 {
                return;
            }
            block.state = State::Done;
            let span = now - block.issued;
            let waiting = std::mem::take(&mut block.waiting);
            self.zil.note_latency(span);
            for lane in waiting {
                self.events.push(now + self.costs.switch, Event::Resume(lane));
            }
            number += 1;
        }
    }

    /// A group is on the disks: so are the records that it made unnecessary.
    pub(super) fn end_log_of(&mut self, group: u64) {
        self.zil.forget(group);
        while let Some(size) = self.zil.free(group) {
            add(&mut self.log.freed, group + DEFERRED, size);
        }
        self.log.end_group(group);
    }
}

impl LogVdevs {
    /// Bits of the pool's own vdevs come first.
    fn flush_shift(&self) -> u32 {
        if self.is_slog { 32 } else { 0 }
    }
}
