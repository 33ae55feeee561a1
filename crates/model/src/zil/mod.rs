//! The intent log: what a write that waits waits for (docs/model/zil.md; zil.c 0.8 to 2.3).
//!
//! Each write leaves a record in memory. It holds a copy of the data (`Copied`), asks for one when the
//! log is written (`Copy later`), or points to the block, which is written to its place at once
//! (`Indirect`). Who waits appends a marker, takes the log's lock, and fills log blocks with all records and markers
//! that are there, its own and others', unless somebody did while it waited for the lock. Blocks are a chain:
//! the last block stays open for what others add, until it is full or who waits has waited a twentieth
//! (2.2 and later: a tenth) of what the last block took. A block that is written lets its vdevs flush;
//! it is done when they have and all blocks before it are done. Then those that wait in it go on. A
//! block's room is free again two groups after the one in which all its records are on the disks.
//!
//! Simplifications: the log's own transactions do not hold a group open; records of several datasets
//! are one.
//!
//! A small case: one client writes 4 KiB and waits, on 2.1. The record has 192 bytes and 4 KiB, the block
//! 192 bytes of its own: 4480, so its room is 12 KiB and 8 KiB are written. Without others it is written
//! at once while the last one took less than 100 µs, else after a twentieth of that.
#![expect(
    clippy::indexing_slicing,
    reason = "there is a list for every file, and a block from the log's creation on"
)]

mod block;
mod commit;
mod lock;
mod record;
mod size;
mod vdevs;

use std::collections::VecDeque;

use arcwright_units::Nanos;

use crate::ids::{DatasetId, FileId, LogId, number};
use crate::io::place::Place;
use crate::versions::rules::{LogPacking, LogPlanning};
pub(crate) use block::{Fetched, LogBlock, State};
pub(crate) use commit::LockHolder;
pub(crate) use lock::LogLock;
pub(crate) use record::{Record, WriteState};

use size::Sizes;
pub(crate) use vdevs::{LogRules, LogVdevs};

/// Bytes of a record without data, and of what a log block has of its own.
const RECORD: u64 = 192;
const CHAIN: u64 = 192;
/// Writes of less are a multiple of it (`ZIL_MIN_BLKSZ`).
const PIECE: u64 = 4096;
/// The largest log block (`zil_maxblocksize`).
const BLOCK_MAX: u64 = 128 << 10;
/// Latencies below are too short to wait for others (`zil_min_commit_timeout`, 2.1.10 to 2.2.3).
const WAIT_MIN: Nanos = Nanos(5000);

/// Rows of the kstat `zil`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    pub(crate) commits: u64,
    pub(crate) writers: u64,
    pub(crate) records: u64,
    pub(crate) indirect: Sum,
    pub(crate) copied: Sum,
    pub(crate) copied_later: Sum,
    /// Blocks, bytes used, bytes written, bytes taken: on the pool's own vdevs, and on log devices.
    pub(crate) normal: [u64; 4],
    pub(crate) slog: [u64; 4],
}

impl Counters {
    /// Returns what two logs have counted together.
    pub(crate) fn plus(self, other: Self) -> Self {
        let blocks = |one: [u64; 4], two: [u64; 4]| {
            let [a, b, c, d] = one;
            let [e, f, g, h] = two;
            [a + e, b + f, c + g, d + h]
        };
        Self {
            commits: self.commits + other.commits,
            writers: self.writers + other.writers,
            records: self.records + other.records,
            indirect: self.indirect.plus(other.indirect),
            copied: self.copied.plus(other.copied),
            copied_later: self.copied_later.plus(other.copied_later),
            normal: blocks(self.normal, other.normal),
            slog: blocks(self.slog, other.slog),
        }
    }
}

impl Sum {
    const fn plus(self, other: Self) -> Self {
        Self { count: self.count + other.count, bytes: self.bytes + other.bytes }
    }
}

/// How many records of a kind there were, and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) count: u64,
    pub(crate) bytes: u64,
}

/// A record that somebody waits for, from an instant on.
#[derive(Debug, Clone, Copy)]
struct Urgent {
    at: Nanos,
    record: Record,
}

/// Where a log block lay that is not needed any more, and its room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FreeBlock {
    pub(crate) place: Place,
    pub(crate) bytes: u64,
}

/// Records of a dataset, and the chain of blocks that they go into.
#[derive(Debug)]
pub(crate) struct Zil {
    dataset: DatasetId,
    sizes: Sizes,
    /// Records that nobody waits for yet, by file; and those that wait to be put into blocks.
    later: Vec<Vec<Record>>,
    /// Records of writes that wait themselves, and markers, each from an instant on: whoever commits next takes them.
    urgent: Vec<Urgent>,
    queue: VecDeque<Record>,
    chain: VecDeque<LogBlock>,
    /// The number of the first block of the chain.
    first: u32,
    /// What the last blocks took.
    latency: Nanos,
    timeout_percent: u64,
    pub(crate) counters: Counters,
}

impl Zil {
    /// Begins the log of `dataset` in a pool of so many files.
    pub(crate) fn new(
        dataset: DatasetId,
        files: usize,
        packing: LogPacking,
        timeout_percent: u64,
    ) -> Self {
        Self {
            dataset,
            sizes: Sizes::new(packing),
            later: vec![Vec::new(); files],
            urgent: Vec::new(),
            queue: VecDeque::new(),
            chain: VecDeque::new(),
            first: 0,
            latency: Nanos::ZERO,
            timeout_percent,
            counters: Counters::default(),
        }
    }

    /// Returns the most that a record holds a copy of.
    pub(crate) fn copied_max(&self) -> u64 {
        if self.sizes.packing.is_of_2_2 { 7680 } else { (BLOCK_MAX - CHAIN) / 2 - RECORD }
    }

    /// Adds a record of `file`; one of a write that waits itself is there for whoever commits, from `urgent` on.
    pub(crate) fn add(&mut self, file: FileId, record: Record, urgent: Option<Nanos>) {
        match urgent {
            Some(at) => self.urgent.push(Urgent { at, record }),
            None => self.later[file.place()].push(record),
        }
    }

    /// Forgets what is on the disks with its group.
    pub(crate) fn forget(&mut self, synced: u64) {
        let is_later = |record: &Record| match record {
            Record::Write { txg, .. } => *txg > synced,
            Record::Wait(_) => true,
        };
        self.later.iter_mut().for_each(|records| records.retain(is_later));
        self.urgent.retain(|urgent| is_later(&urgent.record));
    }

    /// Says whether there is no log yet, not even an empty one.
    pub(crate) fn is_absent(&self) -> bool {
        self.chain.is_empty()
    }

    /// Begins the chain with its smallest block, which is at `place`.
    pub(crate) fn create(&mut self, place: Place, txg: u64) {
        self.chain.push_back(LogBlock::new(PIECE, place, txg));
    }

    /// Returns a block of the chain; none once its room is free again.
    pub(crate) fn get(&mut self, id: LogId) -> Option<&mut LogBlock> {
        debug_assert_eq!(id.dataset, self.dataset, "a block of another log");
        self.chain.get_mut(id.number.checked_sub(self.first)? as usize)
    }

    /// Returns a block that is on its way to the disks, and so in the chain.
    pub(crate) fn under_way(&mut self, id: LogId) -> Option<&mut LogBlock> {
        let block = self.get(id);
        debug_assert!(block.is_some(), "{id:?} is under way and not in the chain");
        block
    }

    /// Returns the block that is being filled.
    fn tail(&mut self) -> &mut LogBlock {
        let last = self.chain.len() - 1;
        &mut self.chain[last]
    }

    /// Returns the last block.
    pub(crate) fn last(&self) -> LogId {
        LogId { dataset: self.dataset, number: self.first + number(self.chain.len()) - 1 }
    }

    /// Returns how long a slot waits for others to fill its block.
    pub(crate) fn company_span(&self) -> Nanos {
        Nanos(self.latency.0 * self.timeout_percent / 100)
    }

    /// Closes the last block although there is room in it, because somebody has waited long enough.
    pub(crate) fn close(&mut self, take: &mut dyn FnMut(u64) -> Place, full: &mut Vec<LogId>) {
        let is_burst_over = self.queue.is_empty();
        if self.sizes.packing.planning == LogPlanning::Bursts && is_burst_over {
            self.sizes.end_burst();
        }
        self.next(take, full);
        if self.sizes.packing.planning == LogPlanning::Buckets {
            self.sizes.end_burst();
        }
    }

    /// Hands over the last block and opens the next one.
    fn next(&mut self, take: &mut dyn FnMut(u64) -> Place, full: &mut Vec<LogId>) {
        full.push(self.last());
        let size = self.sizes.next();
        let txg = self.tail().txg;
        self.chain.push_back(LogBlock::new(size, take(size), txg));
    }

    /// Puts a record into the last block, and into as many more as it needs.
    fn assign(
        &mut self,
        record: Record,
        take: &mut dyn FnMut(u64) -> Place,
        full: &mut Vec<LogId>,
    ) {
        let tail = self.tail();
        if tail.state == State::New {
            tail.state = State::Opened;
        }
        let (txg, bytes, how) = match record {
            Record::Write { txg, bytes, how } => (txg, bytes, how),
            Record::Wait(slot) => {
                tail.waiting.push(slot);
                return;
            }
        };
        self.count(bytes, how);
        let own = if how == WriteState::Copied { RECORD + bytes } else { RECORD };
        let mut data = if how == WriteState::CopyLater { bytes.next_multiple_of(8) } else { 0 };
        self.sizes.use_bytes(own + data);
        loop {
            let room = self.tail().room();
            let part = match self.fitting(room, own, data) {
                Some(part) => part,
                None => {
                    self.next(take, full);
                    let tail = self.tail();
                    tail.state = State::Opened;
                    data.min(tail.room().saturating_sub(own))
                }
            };
            let tail = self.tail();
            tail.put(own, part, txg);
            if let WriteState::Indirect(block) = how {
                tail.blocks.push(block);
            }
            if part == data {
                return;
            }
            data -= part;
            // Each further part has a record of its own.
            self.sizes.use_bytes(RECORD);
        }
    }

    /// Returns how much of a record's `data` goes into `room`, beside the record itself; none if the rest of
    /// the block is left empty: because the record does not fit, or because little room is left and what
    /// is put there saves no block (docs/model/zil.md#log-block-layout).
    fn fitting(&self, room: u64, own: u64, data: u64) -> Option<u64> {
        const DATA_MAX: u64 = BLOCK_MAX - CHAIN - RECORD;
        let for_data = room.checked_sub(own)?;
        let beyond_full_blocks = data % DATA_MAX;
        let saves_a_block = (1..=for_data).contains(&beyond_full_blocks);
        let is_much = room >= self.sizes.waste_max(DATA_MAX);
        (data <= for_data || saves_a_block || is_much).then_some(data.min(for_data))
    }

    fn count(&mut self, bytes: u64, how: WriteState) {
        self.counters.records += 1;
        let sum = match how {
            WriteState::Copied => &mut self.counters.copied,
            WriteState::CopyLater => &mut self.counters.copied_later,
            WriteState::Indirect(_) => &mut self.counters.indirect,
        };
        sum.count += 1;
        sum.bytes += bytes;
    }

    /// A block is done: it took `span`.
    pub(crate) fn note_latency(&mut self, span: Nanos) {
        let old = if self.sizes.packing.is_of_2_2 { 7 } else { 3 };
        self.latency = Nanos((self.latency.0 * old + span.0) / (old + 1));
    }

    /// Takes the first block off the chain if it is done and all it holds is on the disks with its
    /// group; returns where it lies, and its room.
    pub(crate) fn free(&mut self, synced: u64) -> Option<FreeBlock> {
        let first = self.chain.front()?;
        if first.state != State::Done || first.txg > synced || self.chain.len() == 1 {
            return None;
        }
        self.first += 1;
        self.chain.pop_front().map(|block| FreeBlock { place: block.place, bytes: block.size })
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;
