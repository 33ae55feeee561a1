//! The file prefetcher (docs/model/prefetch.md; module/zfs/dmu_zfetch.c).
//!
//! A stream remembers which block it expects next. An access that fits moves it on and asks for
//! blocks ahead. Up to 2.1.5 the distance doubles with every access up to 8 MiB. Later it doubles up
//! to 4 MiB, grows by an eighth when a prefetch came too late, and only streams that ever missed
//! prefetch at all. From 2.2.4 on accesses out of order are collected as ranges ahead. Indirect blocks
//! are asked for further ahead than data, with the same priority: in the queue of a disk, which goes by
//! place, they wait behind the data in front of them.
//!
//! A small case (2.1.6 and later), blocks of 128 KiB read one by one: access 0 makes the stream; then
//! [2,3), [3,5), [5,8), [8,13), [13,22), [22,39) are asked for, then one block per access, 4 MiB ahead.

mod blocks;
mod ranges;
mod stream;
mod streams;
#[cfg(test)]
mod vectors;

use std::ops::Range;

use arcwright_units::Nanos;

use crate::divisor::Divisor;
use crate::ids::StreamId;
use crate::versions::rules::Prefetcher;
use crate::versions::settings::PrefetchSettings;
use blocks::{BlockRead, BlockStreams};
use stream::{Fit, Stream};
use streams::{Found, Room, Spare, Streams};

/// Bytes within which accesses out of order are still followed (`zfetch_max_reorder`), and most blocks.
const REORDER_MAX: u64 = 16 << 20;
const REORDER_BLOCKS_MAX: u64 = u16::MAX as u64;

/// What the prefetcher counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    pub(crate) hits: u64,
    pub(crate) misses: u64,
    pub(crate) max_streams: u64,
    pub(crate) io_issued: u64,
    pub(crate) future: u64,
    pub(crate) stride: u64,
    pub(crate) past: u64,
}

/// What a stream asks for.
#[derive(Debug, Default)]
pub(crate) struct ToFetch {
    /// Numbers of data blocks.
    pub(crate) data: Range<u64>,
    /// Numbers of indirect blocks.
    pub(crate) indirect: Range<u64>,
}

/// The prefetcher of one file.
#[derive(Debug)]
pub(crate) struct Zfetch {
    rules: Prefetcher,
    settings: PrefetchSettings,
    /// Bytes of a block.
    block: Divisor,
    /// Number of the last block.
    last: u64,
    streams: Streams,
    /// The streams of the oldest rules.
    by_block: BlockStreams,
    pub(crate) counters: Counters,
}

impl Zfetch {
    pub(crate) fn new(
        rules: Prefetcher,
        settings: PrefetchSettings,
        block_bytes: u64,
        blocks: u64,
    ) -> Self {
        Self {
            rules,
            settings,
            block: Divisor::of(block_bytes),
            last: blocks.saturating_sub(1),
            streams: Streams::default(),
            by_block: BlockStreams::default(),
            counters: Counters::default(),
        }
    }

    /// Forgets every stream: it is the prefetcher of another file from now on, and counts on.
    pub(crate) fn begin_anew(&mut self, block_bytes: u64, blocks: u64) {
        let counters = self.counters;
        *self = Self { counters, ..Self::new(self.rules, self.settings, block_bytes, blocks) };
    }

    /// Takes note of an access to some blocks; returns the stream that it belongs to.
    /// `crowded` says that prefetches fill a sixteenth of the ARC, when no distance is doubled any
    /// more (2.1.10 and later).
    pub(crate) fn access(
        &mut self,
        access: Range<u64>,
        now: Nanos,
        crowded: bool,
    ) -> Option<StreamId> {
        if self.ignores(access.start) {
            return None;
        }
        let reordering = self.rules == Prefetcher::Reordering;
        let reach =
            reordering.then(|| (self.block.divide(REORDER_MAX) + 1).min(REORDER_BLOCKS_MAX));
        let Some(Found { index, fit }) = self.streams.find(&access, reach, now) else {
            self.begin(access.end, now);
            return None;
        };
        match fit {
            Fit::On => self.go_on(index, access.end, now, crowded),
            Fit::Ahead => self.jump(index, access, now, crowded),
            Fit::Passed => {
                self.counters.past += 1;
                self.streams.get(index)?.used = now;
                None
            }
        }
    }

    /// Says whether nothing is made of an access: by default, in a small file, at the first block.
    fn ignores(&self, first: u64) -> bool {
        let by_rules = match self.rules {
            Prefetcher::ByBlock => true,
            Prefetcher::Doubling => first == 0,
            Prefetcher::OnEvidence | Prefetcher::Reordering => self.last < 2,
        };
        by_rules || self.settings.disable
    }

    /// Takes note of the read of one block, which is all that the oldest rules see; appends what they
    /// want fetched.
    pub(crate) fn block(
        &mut self,
        block: u64,
        prefetched: bool,
        now: Nanos,
        wanted: &mut Vec<Range<u64>>,
    ) {
        if self.rules == Prefetcher::ByBlock && !self.settings.disable && self.last > 0 {
            let read = BlockRead { block, is_there: prefetched, last: self.last };
            self.by_block.access(read, now, wanted);
            self.counters.hits = self.by_block.hits;
            self.counters.misses = self.by_block.misses;
        }
    }

    /// Lets a stream go on to `end` and ask for more. From 2.1.6 on it ends with the file.
    fn go_on(&mut self, index: usize, end: u64, now: Nanos, crowded: bool) -> Option<StreamId> {
        if self.rules == Prefetcher::OnEvidence && end >= self.last {
            self.streams.remove(index);
            return None;
        }
        let stream = self.streams.get(index)?;
        let fresh = end.checked_sub(stream.next).filter(|fresh| *fresh > 0)?;
        self.counters.hits += 1;
        stream.go_on(end, now);
        match self.rules {
            Prefetcher::Doubling => stream.ask_doubling(fresh, &self.settings, self.block),
            Prefetcher::Reordering if stream.next >= self.last => {
                self.streams.remove(index);
                return None;
            }
            _ => stream.ask_on_evidence(fresh, &self.settings, self.block, crowded),
        }
        Some(stream.id)
    }

    /// Remembers an access ahead of a stream, and lets the stream jump if it has read most of what lies
    /// between.
    fn jump(
        &mut self,
        index: usize,
        access: Range<u64>,
        now: Nanos,
        crowded: bool,
    ) -> Option<StreamId> {
        let stream = self.streams.get(index)?;
        stream.used = now;
        stream.ahead.add(access);
        let Some(jump) = stream.ahead.jump(stream.next) else {
            self.counters.future += 1;
            return None;
        };
        self.counters.stride += 1;
        let end = stream.next + jump;
        self.go_on(index, end, now, crowded)
    }

    /// Makes a stream that expects `end`, if there is a place for one.
    fn begin(&mut self, end: u64, now: Nanos) {
        let is_old = self.rules == Prefetcher::Doubling;
        if !is_old && end >= self.last {
            return;
        }
        self.counters.misses += 1;
        let size = self.last * self.block.value();
        let streams_max =
            (size / self.settings.max_distance.max(1)).clamp(1, self.settings.max_streams.max(1));
        let spare = if is_old { Spare::Forgotten } else { Spare::Idle };
        if !self.streams.begin(end, now, Room { streams_max, spare }) {
            self.counters.max_streams += 1;
        }
    }

    /// Returns what a stream asks for now; `missed` says whether its reads had to wait, and an indirect
    /// block has `pointers`.
    pub(crate) fn take(&mut self, id: StreamId, missed: bool, pointers: Divisor) -> ToFetch {
        let asks_always = self.rules == Prefetcher::Doubling;
        let Some(stream) = self.streams.by_id(id) else { return ToFetch::default() };
        stream.has_missed |= missed;
        let blocks = self.last + 1;
        let mut asked = ToFetch::default();
        if stream.has_missed || asks_always {
            let data = stream.data.take();
            asked.data = data.start..data.end.min(blocks);
        }
        let above = stream.indirect.take();
        asked.indirect = pointers.divide_up(above.start)
            ..pointers.divide_up(above.end).min(pointers.divide_up(blocks));
        asked
    }

    /// A prefetch was sent on its way, of a stream if one asked for it.
    pub(crate) fn sent(&mut self, id: Option<StreamId>) {
        self.counters.io_issued += 1;
        if let Some(stream) = self.asker(id) {
            stream.in_flight += 1;
        }
    }

    /// A prefetch that waited for its indirect block goes on.
    pub(crate) fn landed(&mut self, id: Option<StreamId>) {
        self.counters.io_issued = self.counters.io_issued.saturating_sub(1);
        if let Some(stream) = self.asker(id) {
            stream.in_flight = stream.in_flight.saturating_sub(1);
        }
    }

    /// A prefetched block has arrived; when its reader has passed it, the distance was too short. No reader
    /// passes an indirect block, which has no number here.
    pub(crate) fn arrived(&mut self, id: Option<StreamId>, block: Option<u64>) {
        if let Some(stream) = self.asker(id) {
            stream.is_late |= block.is_some_and(|block| block < stream.next);
            stream.in_flight = stream.in_flight.saturating_sub(1);
        }
    }

    /// Returns the stream that asked for a prefetch, if there was one and it goes on still.
    fn asker(&mut self, id: Option<StreamId>) -> Option<&mut Stream> {
        id.and_then(|id| self.streams.by_id(id))
    }
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::System;
    use arcwright_units::Nanos;

    use super::{Counters, Zfetch};
    use crate::divisor::Divisor;
    use crate::versions::rules::Prefetcher;
    use crate::versions::settings::{PrefetchSettings, Settings};

    fn settings() -> PrefetchSettings {
        settings_of("2.1.11")
    }

    fn settings_of(version: &str) -> PrefetchSettings {
        let system: System = serde_free_system();
        Settings::of(&system, arcwright_tunables::Version::parse(version), 1).prefetch
    }

    fn serde_free_system() -> System {
        let text = "title = 't'\nquestion = 'q'\n[system]\nzfs = '2.1.11'\nmemory = '1GiB'\n\
                    [system.pool]\ndata = [{ disk = 'hdd-nas-7200' }]\n\
                    [[file]]\nname = 'f'\nsize = '1GiB'\n[[phase]]\nname = 'p'\n\
                    clients = [{ read = 'f', io = '128KiB' }]\n";
        arcwright_scenario::Scenario::parse(text, "t.toml").unwrap().system
    }

    fn check(rules: Prefetcher, io_blocks: u64, expected: &[(u64, u64)]) {
        let version = if rules == Prefetcher::Doubling { "2.0.7" } else { "2.1.11" };
        let mut zfetch = Zfetch::new(rules, settings_of(version), 128 << 10, 8192);
        let mut asked = Vec::new();
        let blocks_of = |access: u64| access * io_blocks..(access + 1) * io_blocks;
        for access in 0..expected.len() as u64 + 2 {
            if let Some(id) = zfetch.access(blocks_of(access), Nanos::SECOND, false) {
                let range = zfetch.take(id, true, Divisor::of(1024)).data;
                if !range.is_empty() {
                    asked.push((range.start, range.end));
                }
            }
        }
        let count = expected.len().min(asked.len());
        assert_eq!(asked[..count], expected[..count]);
        assert!(count + 1 >= expected.len(), "{asked:?}");
    }

    /// The vectors of docs/model/prefetch.md#worked-cases.
    #[test]
    fn streams_ask_for_what_the_kernel_asks_for() {
        let early = [(2, 3), (3, 5), (5, 8), (8, 13), (13, 22), (22, 39), (39, 40), (40, 41)];
        check(Prefetcher::OnEvidence, 1, &early);
        check(Prefetcher::OnEvidence, 8, &[(16, 24), (24, 40), (40, 64), (64, 72)]);
        check(Prefetcher::Reordering, 1, &early);
    }

    /// docs/model/prefetch.md#worked-cases: accesses ahead of a stream that stands at block 10.
    #[test]
    fn accesses_out_of_order_belong_to_a_stream_from_2_2_4_on() {
        let counts = |rules: Prefetcher| {
            let mut zfetch = Zfetch::new(rules, settings(), 128 << 10, 8192);
            let mut seen = Vec::new();
            for (first, count) in [(0, 10), (11, 1), (12, 2), (10, 1)] {
                let was = zfetch.counters;
                let id = zfetch.access(first..first + count, Nanos::SECOND, false);
                let asked = id.map(|id| zfetch.take(id, true, Divisor::of(1024)).data);
                let Counters { misses, future, stride, past, .. } = zfetch.counters;
                let rows = [
                    misses - was.misses,
                    future - was.future,
                    stride - was.stride,
                    past - was.past,
                ];
                seen.push((rows, asked.is_some_and(|range| !range.is_empty())));
            }
            seen
        };
        let [miss, future, stride, past] = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]];
        let expected = [(miss, false), (future, false), (stride, true), (past, false)];
        assert_eq!(counts(Prefetcher::Reordering), expected);
        // Before, what a stream does not expect makes one of its own.
        let missed = counts(Prefetcher::OnEvidence);
        assert_eq!(
            missed.iter().map(|(rows, _)| *rows).collect::<Vec<_>>(),
            [miss, miss, [0; 4], [0; 4]]
        );
    }

    /// docs/model/prefetch.md#worked-cases, as the model simplifies it: one hit ahead of the kernel.
    #[test]
    fn the_distance_doubles_up_to_8_mib_before_2_1_6() {
        let asked = [(3, 5), (5, 8), (8, 13), (13, 22), (22, 39), (39, 72), (72, 73), (73, 74)];
        check(Prefetcher::Doubling, 1, &asked);
    }

    /// Blocks of 16 KiB, eight to a read, 1024 pointers to an indirect block: the distance doubles from
    /// 128 KiB with every access and is counted from where the data ahead ends.
    #[test]
    fn indirect_blocks_are_asked_for_ahead_of_the_data() {
        let mut zfetch = Zfetch::new(Prefetcher::OnEvidence, settings(), 16 << 10, 65_536);
        let mut asked = Vec::new();
        for access in 0..12 {
            if let Some(id) = zfetch.access(access * 8..access * 8 + 8, Nanos::SECOND, false) {
                let range = zfetch.take(id, true, Divisor::of(1024)).indirect;
                asked.extend((!range.is_empty()).then_some((access, range.start, range.end)));
            }
        }
        assert_eq!(asked, [(8, 1, 2), (9, 2, 3), (10, 3, 5)]);
    }
}
