//! How large the next log block is (docs/model/zil.md#log-block-size-by-buckets,
//! #log-block-size-by-bursts; zil.c 0.8 to 2.3).
//!
//! Up to 2.2.3: the smallest of a few sizes that holds what was logged since the last wait, and never less
//! than any of the last sixteen blocks. From 2.2.4 on blocks are planned from bursts, which end when
//! nobody waits any more: a burst that fits goes into one block, a large one into the largest, one
//! between into equal parts; and the last eight bursts say what the next one will be.
//!
//! A small case: writes of 16 KiB that wait one after the other. Up to 2.1: 16 768 bytes, so 36 KiB. From
//! 2.2.4 on the burst is 16 576 bytes, the block 20 KiB.

use super::{BLOCK_MAX, CHAIN, PIECE, RECORD};
use crate::versions::rules::{LogPacking, LogPlanning};

/// Sizes up to 2.2.3: what has to fit, and the block for it.
const BUCKETS: [(u64, u64); 4] =
    [(4 << 10, 4 << 10), (12 << 10, 12 << 10), (36 << 10, 36 << 10), (68 << 10, 68 << 10)];
/// Between these, two blocks of this size hold a write of 128 KiB (up to 2.2.2).
const SPLIT: (u64, u64, u64) = (128 << 10, 132 << 10, 68 << 10);
/// Blocks that the next one is never smaller than (`ZIL_PREV_BLKS`), and bursts that are remembered.
const BLOCKS: usize = 16;
const BURSTS: usize = 8;
/// What records can take of a block, and what the data of one can.
const ROOM: u64 = BLOCK_MAX - CHAIN;
const DATA_MAX: u64 = ROOM - RECORD;
/// A burst of more blocks than this is not cut into equal parts.
const PARTS_MAX: u64 = 8;

/// What sizes are found from.
#[derive(Debug)]
pub(super) struct Sizes {
    pub(super) packing: LogPacking,
    burst: Burst,
    /// The last blocks (up to 2.2.3), and what the last bursts needed (2.2.4 and later).
    blocks: Last<u64, BLOCKS>,
    needs: Last<Need, BURSTS>,
    /// For how many bursts others are expected to add to a block.
    company: usize,
}

/// Bytes of a record: with its data, and without what it fetches.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordBytes {
    pub(super) whole: u64,
    pub(super) own: u64,
}

impl Sizes {
    pub(super) fn new(packing: LogPacking) -> Self {
        let smallest = Need { block: PIECE - CHAIN, first: PIECE - CHAIN };
        Self {
            packing,
            burst: Burst::default(),
            blocks: Last::filled_with(0),
            needs: Last::filled_with(smallest),
            company: 0,
        }
    }

    /// New records wait to be put into blocks. Those that waited before are among them.
    pub(super) fn begin(&mut self, records: impl Iterator<Item = RecordBytes>) {
        if self.packing.planning == LogPlanning::Bursts {
            let waited = std::mem::take(&mut self.burst.waiting);
            for record in records {
                self.burst.waiting += record.whole;
                self.burst.largest = self.burst.largest.max(record.own);
            }
            self.burst.bytes += self.burst.waiting.saturating_sub(waited);
        }
    }

    /// A record is in a block.
    pub(super) fn leave(&mut self, bytes: u64) {
        self.burst.waiting = self.burst.waiting.saturating_sub(bytes);
    }

    /// Counts what a record takes in blocks (up to 2.2.3).
    pub(super) fn use_bytes(&mut self, bytes: u64) {
        if self.packing.planning == LogPlanning::Buckets {
            self.burst.bytes += bytes;
        }
    }

    /// Takes note of whether somebody else waits as well.
    pub(super) fn note_other_writers(&mut self, is_open: bool, is_quiet: bool) {
        let expected = match (is_open, is_quiet) {
            (true, _) => BURSTS,
            (false, false) => BURSTS / 2,
            (false, true) => 0,
        };
        self.company = self.company.max(expected);
    }

    /// Somebody else has begun a block that is being filled.
    pub(super) fn expect_company(&mut self) {
        self.company = BURSTS;
    }

    pub(super) fn expects_others(&self) -> bool {
        self.company > 0
    }

    /// Returns how much room at the end of a block may be left rather than split a record.
    pub(super) fn waste_max(&self, block_max: u64) -> u64 {
        if self.packing.is_of_2_2 { block_max / 16 } else { block_max / 8 }
    }

    /// Nobody has anything more to add.
    pub(super) fn end_burst(&mut self) {
        let burst = std::mem::take(&mut self.burst);
        if self.packing.planning == LogPlanning::Bursts && burst.bytes > 0 {
            self.company = self.company.saturating_sub(1);
            self.needs.push(self.need(burst.bytes, burst.largest));
        }
    }

    /// Returns the size of the next block.
    pub(super) fn next(&mut self) -> u64 {
        match self.packing.planning {
            LogPlanning::Buckets => {
                self.blocks.push(bucket(self.burst.bytes + CHAIN, self.packing.splits_large));
                self.blocks.entries.into_iter().fold(0, u64::max)
            }
            LogPlanning::Bursts => {
                let bytes = self.planned_bytes();
                (bytes + CHAIN).next_multiple_of(PIECE).min(BLOCK_MAX)
            }
        }
    }

    /// Returns what the next block is to hold: what waits, with the burst that is expected if others
    /// are; or that burst, if nothing waits.
    fn planned_bytes(&self) -> u64 {
        let Burst { waiting, largest, .. } = self.burst;
        let block = |bytes: u64| self.need(bytes, largest).block;
        match waiting {
            0 => self.expected_bytes(),
            _ if self.expects_others() => {
                block(waiting).max(block(waiting + self.expected_bytes()))
            }
            _ => block(waiting),
        }
    }

    /// Returns what the next burst will need for its first block, going by the last ones and the one that
    /// goes on: the most that one of them needed, or the second most if one alone needed far more. It
    /// is not less than the smallest block that was right for one of them.
    fn expected_bytes(&self) -> u64 {
        let Burst { bytes, largest, .. } = self.burst;
        let current = (bytes > 0).then(|| self.need(bytes, largest));
        let needs = || self.needs.entries.iter().chain(&current);
        let smallest = needs().map(|need| need.block).fold(u64::MAX, u64::min);
        // Two more than are remembered: the burst that goes on, and the bound.
        let mut firsts = [smallest; BURSTS + 2];
        for (first, need) in firsts.iter_mut().zip(needs()) {
            *first = need.first.max(smallest);
        }
        firsts.sort_unstable();
        let [.., second, largest] = firsts;
        if largest < 2 * second { largest } else { second }
    }

    /// Returns what a burst needs whose largest record has `largest` bytes.
    fn need(&self, bytes: u64, largest: u64) -> Need {
        if bytes <= ROOM {
            return Need { block: bytes, first: bytes };
        }
        let parts = bytes.div_ceil(DATA_MAX);
        let part = bytes.div_ceil(parts);
        // What may stay empty at the end of a block, because the next record does not fit.
        let empty = self.waste_max(DATA_MAX).max(largest);
        let filled = ROOM.saturating_sub(empty);
        if bytes > PARTS_MAX * ROOM || part > filled {
            return Need { block: ROOM, first: 0 };
        }
        Need { block: part, first: bytes.saturating_sub(filled * (parts - 1)) }
    }
}

/// Returns the block for `bytes` up to 2.1.
fn bucket(bytes: u64, splits_large: bool) -> u64 {
    let (above, up_to, half) = SPLIT;
    if splits_large && bytes > above && bytes <= up_to {
        return half;
    }
    let fitting = BUCKETS.iter().find(|(limit, _)| bytes <= *limit);
    fitting.map_or(BLOCK_MAX, |(_, size)| *size)
}

/// What is logged until nobody has more to add.
#[derive(Debug, Clone, Copy, Default)]
struct Burst {
    /// Bytes of it so far, and those of them that are in no block yet.
    bytes: u64,
    waiting: u64,
    /// Its largest record, without what is fetched later.
    largest: u64,
}

/// What a burst needs: the size that is right for its blocks, and the least that its first one must have
/// if the others are as large as can be; none if those hold all of it.
#[derive(Debug, Clone, Copy)]
struct Need {
    block: u64,
    first: u64,
}

/// The last so many of something.
#[derive(Debug, Clone, Copy)]
struct Last<T, const COUNT: usize> {
    entries: [T; COUNT],
    oldest: usize,
}

impl<T: Copy, const COUNT: usize> Last<T, COUNT> {
    fn filled_with(entry: T) -> Self {
        Self { entries: [entry; COUNT], oldest: 0 }
    }

    fn push(&mut self, entry: T) {
        if let Some(oldest) = self.entries.get_mut(self.oldest) {
            *oldest = entry;
        }
        self.oldest = (self.oldest + 1) % COUNT;
    }
}

#[cfg(test)]
mod vectors;
