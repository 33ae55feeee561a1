//! The prefetcher of FreeBSD 7 to 10 and ZFS on Linux 0.6, told of every block (docs/model/prefetch.md#prefetch-by-block;
//! dmu_zfetch.c 2006 to 2013).
//!
//! A *stretch* is a row of blocks that somebody read, and the period after which as many are expected
//! to be read again. An access that carries it on fetches the rows of the periods to come, as many
//! as its window allows; the window doubles with every such access, up to 256. A block that had to
//! be waited for although it carries a row of several on ends its stretch. Two stretches without a
//! period become one when the access is as far from the second as that is from the first.
//!
//! A small case, single blocks in a row that are always there in time: 0 makes the stretch; 1 fetches
//! [2,4), 2 [4,7), 3 [7,15), 4 [15,25), 5 [25,43), 6 [43,71), 7 [71,143), 8 [143,269), 9 to 12 none,
//! 13 [269,283).

use std::ops::Range;

use arcwright_units::Nanos;

/// Stretches of a file at most (`zfetch_max_streams`), if it is long enough for them.
const STRETCHES_MAX: u64 = 8;
/// Blocks of a row and of a window at most (`zfetch_block_cap`).
const BLOCKS_MAX: i64 = 256;
/// A stretch may be taken over after so long without an access (`zfetch_min_sec_reap`).
const IDLE: Nanos = Nanos::secs(2);

/// Which way a stretch was carried on last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Up = 1,
    Down = -1,
}

/// How an access fits a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// It is a block of the row.
    Within,
    /// It is the block behind the row, or the one before it.
    Adjoins(Way),
    /// It is in the row one period on, or one back.
    OnePeriod(Way),
}

/// What one reader reads, as far as the prefetcher can tell.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    /// The row: its first block, and how many there are.
    first: i64,
    length: i64,
    /// Blocks from the start of a row to that of the next one.
    period: i64,
    /// How far from the first block rows have been fetched, the way that it goes.
    reach: i64,
    window: i64,
    way: Way,
    used: Nanos,
}

/// The stretches of one file.
#[derive(Debug, Default)]
pub(super) struct BlockStreams {
    stretches: Vec<Stretch>,
    pub(super) hits: u64,
    pub(super) misses: u64,
}

/// A read of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockRead {
    pub(super) block: u64,
    /// Whether it was there or on its way.
    pub(super) is_there: bool,
    /// The last block of its file.
    pub(super) last: u64,
}

impl BlockStreams {
    /// Takes note of a read of a block. Appends what is to be fetched.
    pub(super) fn access(&mut self, read: BlockRead, now: Nanos, wanted: &mut Vec<Range<u64>>) {
        let (block, last) = (read.block.cast_signed(), read.last);
        let mut fits = self.stretches.iter_mut().enumerate();
        let fitting = fits.find_map(|(index, stretch)| Some((index, stretch.fit(block)?, stretch)));
        let Some((index, fit, stretch)) = fitting else {
            self.misses += 1;
            if !self.join(block) {
                self.begin(block, last, now);
            }
            return;
        };
        let is_late = !read.is_there && stretch.length > 1 && matches!(fit, Fit::Adjoins(_));
        if is_late {
            self.stretches.remove(index);
            return;
        }
        self.hits += 1;
        if fit != Fit::Within {
            stretch.carry_on(fit);
            stretch.used = now;
            wanted.extend(stretch.fetch().filter_map(|row| inside(row, last)));
        }
    }

    /// Makes one of two stretches that lie in line with a block: the second is half-way from the first to
    /// the block.
    fn join(&mut self, block: i64) -> bool {
        let half_way = |one: &Stretch| {
            let apart = block - one.first;
            (one.is_plain() && apart != 0 && apart % 2 == 0).then_some(one.first + apart / 2)
        };
        let pair = self.stretches.iter().enumerate().find_map(|(first, one)| {
            let middle = half_way(one)?;
            let is_second = |other: &Stretch| other.is_plain() && other.first == middle;
            Some((first, self.stretches.iter().position(is_second)?))
        });
        let Some((first, second)) = pair else { return false };
        let middle = self.stretches.remove(second).first;
        let Some(stretch) = self.stretches.get_mut(first - usize::from(second < first)) else {
            return false;
        };
        let period = (block - middle).abs();
        let way = if block > middle { Way::Up } else { Way::Down };
        *stretch = Stretch { first: block, period, reach: period, way, ..*stretch };
        true
    }

    /// Makes a stretch of one block, in the place of an idle one or in a free place.
    fn begin(&mut self, block: i64, last: u64, now: Nanos) {
        let stretch = Stretch {
            first: block,
            length: 1,
            period: 1,
            reach: 1,
            window: 1,
            way: Way::Up,
            used: now,
        };
        let places = (last / BLOCKS_MAX.unsigned_abs()).clamp(1, STRETCHES_MAX);
        if let Some(idle) = self.stretches.iter_mut().find(|other| now > other.used + IDLE) {
            *idle = stretch;
        } else if (self.stretches.len() as u64) < places {
            self.stretches.push(stretch);
        }
    }
}

impl Stretch {
    /// Says whether rows follow each other without a gap.
    fn is_plain(&self) -> bool {
        self.length == self.period
    }

    fn fit(&self, block: i64) -> Option<Fit> {
        let row = 0..self.length;
        let place = block - self.first;
        match place {
            _ if row.contains(&place) => Some(Fit::Within),
            _ if place == self.length => Some(Fit::Adjoins(Way::Up)),
            -1 => Some(Fit::Adjoins(Way::Down)),
            _ if self.is_plain() => None,
            _ if row.contains(&(place - self.period)) => Some(Fit::OnePeriod(Way::Up)),
            _ if row.contains(&(place + self.period)) => Some(Fit::OnePeriod(Way::Down)),
            _ => None,
        }
    }

    /// Takes the block of an access in. What was fetched stays where it is, unless the row grows at its
    /// front.
    fn carry_on(&mut self, fit: Fit) {
        let (grown, moved) = match fit {
            Fit::Within => return,
            Fit::Adjoins(Way::Up) => (1, (self.length + 1 - BLOCKS_MAX).max(0)),
            Fit::Adjoins(Way::Down) => (1, -1),
            Fit::OnePeriod(way) => (0, way as i64 * self.period),
        };
        self.length = (self.length + grown).min(BLOCKS_MAX);
        self.first += moved;
        if fit != Fit::Adjoins(Way::Down) {
            self.reach -= moved;
        }
        let (Fit::Adjoins(way) | Fit::OnePeriod(way)) = fit else { return };
        self.way = way;
    }

    /// Returns the rows to fetch now: those of the periods from its reach to the end of its window.
    fn fetch(&mut self) -> impl Iterator<Item = Range<i64>> + use<> {
        let Self { first, length, way, .. } = *self;
        let period = self.period.max(length);
        self.period = period;
        self.window = BLOCKS_MAX.min(2 * self.window);
        let near = self.reach.max(period);
        let far = length + self.window * period / length;
        let rows = (far - near).max(0).unsigned_abs().div_ceil(period.unsigned_abs()).cast_signed();
        self.reach = near + rows * period;
        (0..rows).map(move |row| {
            let from = first + way as i64 * (near + row * period);
            from..from + length
        })
    }
}

/// Returns what of a row is in a file of blocks up to `last`.
fn inside(row: Range<i64>, last: u64) -> Option<Range<u64>> {
    let bound = |block: i64| block.max(0).cast_unsigned().min(last + 1);
    let row = bound(row.start)..bound(row.end);
    (!row.is_empty()).then_some(row)
}

#[cfg(test)]
mod vectors;

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::{BlockRead, BlockStreams};

    fn asked(streams: &mut BlockStreams, block: u64, prefetched: bool) -> Vec<(u64, u64)> {
        let mut wanted = Vec::new();
        let read = BlockRead { block, is_there: prefetched, last: 8191 };
        streams.access(read, Nanos::SECOND, &mut wanted);
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for range in wanted {
            match joined.last_mut() {
                Some(before) if before.1 == range.start => before.1 = range.end,
                _ => joined.push((range.start, range.end)),
            }
        }
        joined
    }

    /// The vector of docs/model/prefetch.md#worked-cases.
    #[test]
    fn a_row_of_blocks_is_fetched_as_the_old_code_did() {
        let mut streams = BlockStreams::default();
        let expected: [&[(u64, u64)]; 14] = [
            &[],
            &[(2, 4)],
            &[(4, 7)],
            &[(7, 15)],
            &[(15, 25)],
            &[(25, 43)],
            &[(43, 71)],
            &[(71, 143)],
            &[(143, 269)],
            &[],
            &[],
            &[],
            &[],
            &[(269, 283)],
        ];
        for (block, expected) in (0..).zip(expected) {
            assert_eq!(asked(&mut streams, block, true), expected, "block {block}");
        }
    }

    #[test]
    fn a_block_that_was_not_there_in_time_ends_its_stream() {
        let mut streams = BlockStreams::default();
        assert_eq!(asked(&mut streams, 0, false), []);
        assert_eq!(asked(&mut streams, 1, false), [(2, 4)]);
        assert_eq!(asked(&mut streams, 2, false), []);
        assert!(streams.stretches.is_empty());
    }

    #[test]
    fn every_fourth_block_becomes_a_stride() {
        let mut streams = BlockStreams::default();
        for block in [0, 4, 8] {
            assert_eq!(asked(&mut streams, block, false), []);
        }
        assert_eq!(asked(&mut streams, 12, false), [(16, 17), (20, 21)]);
    }
}
