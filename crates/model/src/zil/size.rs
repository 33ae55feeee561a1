//! How large the next log block is (zil.c 0.8 to 2.3).
//!
//! Up to 2.1: the smallest of a few sizes that holds what was logged since the last wait, and never less
//! than any of the last sixteen blocks. From 2.2 on blocks are planned from bursts, which end when
//! nobody waits any more: a burst that fits goes into one block, a large one into the largest, one
//! between into equal parts; and the last eight bursts say what the next one will be.
//!
//! A small case: writes of 16 KiB that wait one after the other. Up to 2.1: 16 768 bytes, so 36 KiB. From
//! 2.2 on the burst is 16 576 bytes, the block 20 KiB.

use super::{BLOCK_MAX, CHAIN, PIECE, RECORD};

/// Sizes up to 2.1: what has to fit, and the block for it.
const BUCKETS: [(u64, u64); 6] = [
    (4 << 10, 4 << 10),
    (12 << 10, 12 << 10),
    (36 << 10, 36 << 10),
    (68 << 10, 68 << 10),
    (128 << 10, 128 << 10),
    (132 << 10, 68 << 10),
];
/// Blocks that the next one is never smaller than (`ZIL_PREV_BLKS`), and bursts that are remembered.
const BLOCKS: usize = 16;
const BURSTS: usize = 8;

/// How sizes are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Planning {
    /// By what was logged, from a few sizes (up to 2.1).
    Buckets,
    /// By bursts (2.2 and later).
    Bursts,
}

/// What sizes are found from.
#[derive(Debug)]
pub(super) struct Sizes {
    pub(super) planning: Planning,
    /// Bytes of the burst so far, and those of it that are in no block yet.
    current: u64,
    left: u64,
    /// The largest record of the burst.
    largest: u64,
    blocks: [u64; BLOCKS],
    /// The best block for each of the last bursts, and the least for its first one.
    best: [u64; BURSTS],
    least: [u64; BURSTS],
    turn: usize,
    /// For how many bursts others are expected to add to a block.
    parallel: usize,
}

impl Sizes {
    pub(super) fn new(planning: Planning) -> Self {
        Self {
            planning,
            current: 0,
            left: 0,
            largest: 0,
            blocks: [0; BLOCKS],
            best: [PIECE - CHAIN; BURSTS],
            least: [PIECE - CHAIN; BURSTS],
            turn: 0,
            parallel: 0,
        }
    }

    /// New records wait to be put into blocks: their bytes with their data, and without what they fetch.
    pub(super) fn begin(&mut self, records: impl Iterator<Item = (u64, u64)>) {
        if self.planning == Planning::Buckets {
            return;
        }
        let before = self.left;
        let mut all = 0;
        for (whole, own) in records {
            all += whole;
            self.largest = self.largest.max(own);
        }
        self.current += all.saturating_sub(before);
        self.left = all;
    }

    /// A record is in a block.
    pub(super) fn leave(&mut self, bytes: u64) {
        self.left = self.left.saturating_sub(bytes);
    }

    /// Counts what a record takes in blocks (up to 2.1).
    pub(super) fn use_bytes(&mut self, bytes: u64) {
        if self.planning == Planning::Buckets {
            self.current += bytes;
        }
    }

    /// Takes note of whether somebody else waits as well.
    pub(super) fn note_parallel(&mut self, is_open: bool, is_quiet: bool) {
        if is_open {
            self.parallel = BURSTS;
        } else if !is_quiet {
            self.parallel = self.parallel.max(BURSTS / 2);
        }
    }

    /// Somebody else has begun a block that is being filled.
    pub(super) fn is_crowded(&mut self) {
        self.parallel = BURSTS;
    }

    pub(super) fn expects_others(&self) -> bool {
        self.parallel > 0
    }

    /// Returns how much room at the end of a block may be left rather than split a record.
    pub(super) fn waste_max(&self, most: u64) -> u64 {
        match self.planning {
            Planning::Buckets => most / 8,
            Planning::Bursts => most / 16,
        }
    }

    /// Nobody has anything more to add.
    pub(super) fn end_burst(&mut self) {
        if self.planning == Planning::Bursts && self.current > 0 {
            self.parallel = self.parallel.saturating_sub(1);
            self.turn = (self.turn + 1) % BURSTS;
            let (best, least) = self.plan(self.current);
            for (place, value) in [(&mut self.best, best), (&mut self.least, least)] {
                if let Some(place) = place.get_mut(self.turn) {
                    *place = value;
                }
            }
        }
        (self.current, self.largest, self.left) = (0, 0, 0);
    }

    /// Returns the size of the next block.
    pub(super) fn next(&mut self) -> u64 {
        match self.planning {
            Planning::Buckets => self.next_bucket(),
            Planning::Bursts => self.next_planned(),
        }
    }

    fn next_bucket(&mut self) -> u64 {
        let wanted = self.current + CHAIN;
        let fits = BUCKETS.iter().find(|(limit, _)| wanted <= *limit);
        let size = fits.map_or(BLOCK_MAX, |(_, size)| *size);
        if let Some(place) = self.blocks.get_mut(self.turn) {
            *place = size;
        }
        self.turn = (self.turn + 1) % BLOCKS;
        self.blocks.iter().copied().max().unwrap_or(size).max(size)
    }

    fn next_planned(&mut self) -> u64 {
        let plan = if self.left > 0 {
            let alone = self.plan(self.left).0;
            let together =
                if self.parallel > 0 { self.plan(self.left + self.predict()).0 } else { 0 };
            alone.max(together)
        } else {
            self.predict()
        };
        (plan + CHAIN).next_multiple_of(PIECE).min(BLOCK_MAX)
    }

    /// Returns the best block for a burst of `bytes`, and the least that its first one must have.
    fn plan(&self, bytes: u64) -> (u64, u64) {
        let most = BLOCK_MAX - CHAIN;
        if bytes <= most {
            return (bytes, bytes);
        }
        if bytes > 8 * most {
            return (most, 0);
        }
        let count = bytes.div_ceil(most - RECORD);
        let part = bytes.div_ceil(count);
        let waste = self.waste_max(most - RECORD).max(self.largest);
        if part <= most.saturating_sub(waste) {
            let others = most.saturating_sub(waste) * (count - 1);
            (part, bytes.saturating_sub(others).max(waste))
        } else {
            (most, 0)
        }
    }

    /// Returns what the next burst will need, going by the last ones.
    fn predict(&self) -> u64 {
        let (mut best, mut least) = (u64::MAX, 0);
        if self.current > 0 {
            (best, least) = self.plan(self.current);
        }
        let best = self.best.iter().copied().min().unwrap_or(best).min(best);
        let (mut first, mut second) = (least.max(best), best);
        for least in self.least {
            if least >= first {
                (first, second) = (least, first);
            } else if least > second {
                second = least;
            }
        }
        if first < second * 2 { first } else { second }
    }
}

#[cfg(test)]
mod vectors;
