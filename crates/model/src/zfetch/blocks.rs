//! The prefetcher of FreeBSD 7 to 10 and ZFS on Linux 0.6, told of every block (docs/model/prefetch.md#prefetch-by-block;
//! dmu_zfetch.c 2006 to 2013).
//!
//! A stream is a stretch of blocks that were read in a row, or every so many. An access that carries it
//! on fetches as many blocks as the stretch is long, again and again up to `cap` ahead, which doubles
//! with every access up to 256. A block that had to be waited for although its stream was fetching
//! ends the stream. Two streams one of which is as far behind the other as the access is ahead become
//! one with that stride.
//!
//! A small case, single blocks in a row that are always there in time: 0 makes the stream; 1 fetches
//! [2,4), 2 [4,7), 3 [7,15), 4 [15,25), 5 [25,43), 6 [43,71), 7 [71,143), 8 [143,269), 9 to 12 none,
//! 13 [269,283).

use std::ops::Range;

use arcwright_units::Nanos;

/// Streams of a file at most (`zfetch_max_streams`), if it is long enough for them.
const STREAMS_MAX: u64 = 8;
/// Blocks fetched ahead at most (`zfetch_block_cap`).
const CAP: i64 = 256;
/// A stream may be taken over after so long without an access (`zfetch_min_sec_reap`).
const IDLE: Nanos = Nanos::secs(2);

#[derive(Debug, Clone, Copy)]
struct Stream {
    offset: i64,
    len: i64,
    stride: i64,
    /// Fetched up to here, counted as if the stream went forward.
    ahead: i64,
    cap: i64,
    direction: i64,
    last: Nanos,
}

/// The streams of one file.
#[derive(Debug, Default)]
pub(super) struct BlockStreams {
    streams: Vec<Stream>,
    pub(super) hits: u64,
    pub(super) misses: u64,
}

impl BlockStreams {
    /// Takes note of a read of `block` of a file with blocks up to `last`; `prefetched` says that it
    /// was there or on its way. Appends what is to be fetched.
    pub(super) fn access(
        &mut self,
        block: u64,
        prefetched: bool,
        (last, now): (u64, Nanos),
        wanted: &mut Vec<Range<u64>>,
    ) {
        let at = i64::try_from(block).unwrap_or(i64::MAX);
        for index in 0..self.streams.len() {
            let Some(stream) = self.streams.get_mut(index) else { break };
            match stream.step(at) {
                Step::Not => continue,
                Step::Known => self.hits += 1,
                Step::On { broken } if broken && !prefetched => {
                    self.streams.remove(index);
                }
                Step::On { .. } => {
                    self.hits += 1;
                    stream.last = now;
                    stream.fetch(last, wanted);
                }
            }
            return;
        }
        self.misses += 1;
        if !self.merge(at) {
            self.begin(at, last, now);
        }
    }

    /// Makes two streams one that lie in a line with the access.
    fn merge(&mut self, at: i64) -> bool {
        for one in 0..self.streams.len() {
            for other in 0..self.streams.len() {
                let (Some(a), Some(b)) = (self.streams.get(one), self.streams.get(other)) else {
                    continue;
                };
                let apart = b.offset - a.offset;
                let plain = a.len == a.stride && b.len == b.stride && one != other;
                if !plain || apart == 0 || b.offset + apart != at {
                    continue;
                }
                if let Some(stream) = self.streams.get_mut(one) {
                    stream.offset = at;
                    stream.direction = apart.signum();
                    stream.stride = apart.abs();
                    stream.ahead = at + stream.stride;
                }
                self.streams.remove(other);
                return true;
            }
        }
        false
    }

    fn begin(&mut self, at: i64, last: u64, now: Nanos) {
        let stream = Stream {
            offset: at,
            len: 1,
            stride: 1,
            ahead: at + 1,
            cap: 1,
            direction: 1,
            last: now,
        };
        let most = (last / CAP.unsigned_abs()).clamp(1, STREAMS_MAX);
        if let Some(idle) = self.streams.iter_mut().find(|other| now > other.last + IDLE) {
            *idle = stream;
        } else if (self.streams.len() as u64) < most {
            self.streams.push(stream);
        }
    }
}

/// What an access is to a stream.
enum Step {
    /// Nothing.
    Not,
    /// Inside of what it has.
    Known,
    /// It carries it on; `broken` says that it breaks the stream unless it was prefetched.
    On { broken: bool },
}

impl Stream {
    fn step(&mut self, at: i64) -> Step {
        let grows = self.len > 1;
        if at >= self.offset && at < self.offset + self.len {
            return Step::Known;
        }
        if at == self.offset + self.len {
            self.len += 1;
            if self.len > CAP {
                self.offset += self.len - CAP;
                self.len = CAP;
            }
            self.direction = 1;
            return Step::On { broken: grows };
        }
        if at == self.offset - 1 {
            self.offset -= 1;
            self.ahead -= 1;
            self.len = (self.len + 1).min(CAP);
            self.direction = -1;
            return Step::On { broken: grows };
        }
        if self.len == self.stride {
            return Step::Not;
        }
        for direction in [1, -1] {
            let from = self.offset + direction * self.stride;
            if at >= from && at < from + self.len {
                self.offset = from;
                self.direction = direction;
                return Step::On { broken: false };
            }
        }
        Step::Not
    }

    fn fetch(&mut self, last: u64, wanted: &mut Vec<Range<u64>>) {
        self.stride = self.stride.max(self.len);
        self.cap = CAP.min(2 * self.cap);
        let limit = self.offset + self.len + self.cap * self.stride / self.len.max(1);
        let mut tail = self.ahead.max(self.offset + self.stride);
        while tail < limit {
            let from = self.offset + self.direction * (tail - self.offset);
            let inside = |block: i64| u64::try_from(block).unwrap_or(0).min(last + 1);
            let range = inside(from)..inside(from + self.len);
            if !range.is_empty() {
                wanted.push(range);
            }
            tail += self.stride;
        }
        self.ahead = tail;
    }
}

#[cfg(test)]
mod vectors;

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::BlockStreams;

    fn asked(streams: &mut BlockStreams, block: u64, prefetched: bool) -> Vec<(u64, u64)> {
        let mut wanted = Vec::new();
        streams.access(block, prefetched, (8191, Nanos::SECOND), &mut wanted);
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
        assert!(streams.streams.is_empty());
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
