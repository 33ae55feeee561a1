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
mod stream;
#[cfg(test)]
mod vectors;

use std::ops::Range;

use arcwright_units::Nanos;

use crate::behaviour::Prefetcher;
use crate::divisor::Divisor;
use crate::settings::Settings;
use blocks::BlockStreams;
use stream::Stream;

/// A stream may be taken over after so long without a hit.
const IDLE: Nanos = Nanos::SECOND;
/// A stream is forgotten after so long without an access.
const FORGOTTEN: Nanos = Nanos::secs(2);
/// Bytes within which accesses out of order are still followed (`zfetch_max_reorder`).
const REORDER_MAX: u64 = 16 << 20;

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
pub(crate) struct Asked {
    /// Numbers of data blocks.
    pub(crate) data: Range<u64>,
    /// Numbers of indirect blocks.
    pub(crate) indirect: Range<u64>,
}

/// The prefetcher of one file.
#[derive(Debug)]
pub(crate) struct Zfetch {
    rules: Prefetcher,
    settings: Settings,
    /// Bytes of a block.
    block: Divisor,
    /// Number of the last block.
    last: u64,
    streams: Vec<Stream>,
    ids: u32,
    crowded: bool,
    /// The streams of the oldest rules.
    by_block: BlockStreams,
    pub(crate) counters: Counters,
}

impl Zfetch {
    pub(crate) fn new(
        rules: Prefetcher,
        settings: Settings,
        block_bytes: u64,
        blocks: u64,
    ) -> Self {
        Self {
            rules,
            settings,
            block: Divisor::of(block_bytes),
            last: blocks.saturating_sub(1),
            streams: Vec::new(),
            ids: 0,
            crowded: false,
            by_block: BlockStreams::default(),
            counters: Counters::default(),
        }
    }

    /// Takes note of an access to `count` blocks from `first`; returns the stream that it belongs to.
    /// `crowded` says that prefetches fill a sixteenth of the ARC, when no distance is doubled any
    /// more (2.1.10 and later).
    pub(crate) fn access(
        &mut self,
        (first, count): (u64, u64),
        now: Nanos,
        crowded: bool,
    ) -> Option<u32> {
        self.crowded = crowded;
        if self.rules == Prefetcher::ByBlock
            || self.settings.prefetch_disable
            || (self.rules != Prefetcher::Doubling && self.last < 2)
        {
            return None;
        }
        if self.rules == Prefetcher::Doubling && first == 0 {
            return None;
        }
        let end = first + count;
        let exact =
            self.streams.iter().position(|stream| stream.next == first || stream.next == first + 1);
        if let Some(index) = exact {
            let fresh = self.streams.get(index).map_or(0, |stream| end.saturating_sub(stream.next));
            return self.advance(index, end, fresh, now);
        }
        if self.rules == Prefetcher::Reordering
            && let Some(found) = self.reorder(first, end, now)
        {
            return found;
        }
        self.begin(end, now);
        None
    }

    /// Takes note of the read of one block, which is what the oldest rules are told; appends what they
    /// want fetched.
    pub(crate) fn block(
        &mut self,
        block: u64,
        prefetched: bool,
        now: Nanos,
        wanted: &mut Vec<Range<u64>>,
    ) {
        if self.rules == Prefetcher::ByBlock && !self.settings.prefetch_disable && self.last > 0 {
            self.by_block.access(block, prefetched, (self.last, now), wanted);
            self.counters.hits = self.by_block.hits;
            self.counters.misses = self.by_block.misses;
        }
    }

    /// Moves a stream on to `end`, of which `fresh` blocks are new.
    fn advance(&mut self, index: usize, end: u64, fresh: u64, now: Nanos) -> Option<u32> {
        if end >= self.last && self.rules == Prefetcher::OnEvidence {
            self.streams.remove(index);
            return None;
        }
        if fresh == 0 {
            return None;
        }
        self.counters.hits += 1;
        let (rules, crowded) = (self.rules, self.crowded);
        let (settings, block) = (&self.settings, self.block);
        let stream = self.streams.get_mut(index)?;
        stream.access = now;
        stream.next = end;
        while let Some(place) = stream.ranges.iter().position(|range| range.start <= stream.next) {
            let range = stream.ranges.remove(place);
            stream.next = stream.next.max(range.end);
        }
        let end = stream.next;
        if end >= self.last && rules == Prefetcher::Reordering {
            self.streams.remove(index);
            return None;
        }
        match rules {
            Prefetcher::Doubling => stream.ask_doubling(fresh, end, settings, block),
            _ => stream.ask_on_evidence((fresh, end), settings, block, crowded),
        }
        Some(stream.id)
    }

    /// Follows an access that does not fit exactly; the outer option says whether one was found.
    fn reorder(&mut self, first: u64, end: u64, now: Nanos) -> Option<Option<u32>> {
        let reach = (self.block.divide(REORDER_MAX) + 1).min(65_535);
        for index in 0..self.streams.len() {
            let stream = self.streams.get_mut(index)?;
            if first > stream.next && end <= stream.next + reach {
                stream.remember(first..end);
                let jump = stream.jump();
                stream.access = now;
                if jump == 0 {
                    self.counters.future += 1;
                    return Some(None);
                }
                let to = stream.next + jump;
                self.counters.stride += 1;
                return Some(self.advance(index, to, jump, now));
            }
            if first < stream.next && end > stream.next {
                let fresh = end - stream.next;
                return Some(self.advance(index, end, fresh, now));
            }
            let lately = now < stream.access + FORGOTTEN;
            if end <= stream.next && end + reach > stream.next && lately {
                stream.access = now;
                self.counters.past += 1;
                return Some(None);
            }
        }
        None
    }

    fn begin(&mut self, end: u64, now: Nanos) {
        if self.rules != Prefetcher::Doubling && end >= self.last {
            return;
        }
        self.counters.misses += 1;
        let size = self.last * self.block.value();
        let most = (size / self.settings.zfetch_max_distance.max(1))
            .clamp(1, self.settings.zfetch_max_streams.max(1));
        let place = self.forget(now);
        let place = match place {
            Some(place) => Some(place),
            None if (self.streams.len() as u64) < most => None,
            None => match self.idle(now) {
                Some(place) => Some(place),
                None => {
                    self.counters.max_streams += 1;
                    return;
                }
            },
        };
        self.ids += 1;
        // A new stream may be taken over at once, until its first hit.
        let access = match self.rules {
            Prefetcher::Doubling => now,
            _ => Nanos(now.0.saturating_sub(IDLE.0)),
        };
        let stream = Stream::new(self.ids, end, access);
        match place.and_then(|place| self.streams.get_mut(place)) {
            Some(old) => *old = stream,
            None => self.streams.insert(0, stream),
        }
    }

    /// Removes streams that nobody has used for two seconds; returns the place of one to use again.
    fn forget(&mut self, now: Nanos) -> Option<usize> {
        let over = |stream: &Stream| stream.flying == 0 && now >= stream.access + FORGOTTEN;
        let kept = self.streams.iter().position(over)?;
        let mut place = 0;
        self.streams.retain(|stream| {
            place += 1;
            place - 1 <= kept || !over(stream)
        });
        Some(kept)
    }

    /// Returns the place of the stream that was idle longest, for a second at least (2.1.6 and later).
    fn idle(&self, now: Nanos) -> Option<usize> {
        let idle = |stream: &Stream| stream.flying == 0 && now >= stream.access + IDLE;
        let streams = self.streams.iter().enumerate();
        let idle = streams.filter(|(_, stream)| self.rules != Prefetcher::Doubling && idle(stream));
        idle.min_by_key(|(_, stream)| stream.access).map(|(place, _)| place)
    }

    /// Returns what a stream asks for now; `missed` says whether its reads had to wait, and an indirect
    /// block has `pointers`.
    pub(crate) fn take(&mut self, id: u32, missed: bool, pointers: Divisor) -> Asked {
        let always = self.rules == Prefetcher::Doubling;
        let last = self.last;
        let Some(stream) = self.streams.iter_mut().find(|stream| stream.id == id) else {
            return Asked::default();
        };
        stream.missed |= missed;
        let mut asked = Asked::default();
        if stream.missed || always {
            asked.data = stream.ahead_from..stream.ahead_to.min(last + 1);
            stream.ahead_from = stream.ahead_to;
        }
        let above = |block: u64| pointers.divide_up(block);
        asked.indirect =
            above(stream.indirect_from)..above(stream.indirect_to).min(above(last + 1));
        stream.indirect_from = stream.indirect_to;
        asked
    }

    /// A prefetch of a stream was sent on its way.
    pub(crate) fn sent(&mut self, id: u32) {
        self.counters.io_issued += 1;
        if let Some(stream) = self.streams.iter_mut().find(|stream| stream.id == id) {
            stream.flying += 1;
        }
    }

    /// A prefetch that waited for its indirect block goes on.
    pub(crate) fn landed(&mut self, id: u32) {
        self.counters.io_issued = self.counters.io_issued.saturating_sub(1);
        if let Some(stream) = self.streams.iter_mut().find(|stream| stream.id == id) {
            stream.flying = stream.flying.saturating_sub(1);
        }
    }

    /// A prefetched block has arrived; when its reader has passed it, the distance was too short.
    pub(crate) fn arrived(&mut self, id: u32, block: u64) {
        if let Some(stream) = self.streams.iter_mut().find(|stream| stream.id == id) {
            stream.more |= block < stream.next;
            stream.flying = stream.flying.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::System;
    use arcwright_units::Nanos;

    use super::Zfetch;
    use crate::behaviour::Prefetcher;
    use crate::divisor::Divisor;
    use crate::settings::Settings;

    fn settings() -> Settings {
        let system: System = serde_free_system();
        Settings::of(&system, arcwright_tunables::Version::parse("2.1.11"), 1)
    }

    fn serde_free_system() -> System {
        let text = "title = 't'\nquestion = 'q'\n[system]\nzfs = '2.1.11'\nmemory = '1GiB'\n\
                    [system.pool]\ndata = [{ disk = 'hdd-nas-7200' }]\n\
                    [[file]]\nname = 'f'\nsize = '1GiB'\n[[phase]]\nname = 'p'\n\
                    clients = [{ read = 'f', io = '128KiB' }]\n";
        arcwright_scenario::Scenario::parse(text, "t.toml").unwrap().system
    }

    fn check(rules: Prefetcher, io_blocks: u64, expected: &[(u64, u64)]) {
        let mut zfetch = Zfetch::new(rules, settings(), 128 << 10, 8192);
        let mut asked = Vec::new();
        for access in 0..expected.len() as u64 + 2 {
            if let Some(id) = zfetch.access((access * io_blocks, io_blocks), Nanos::SECOND, false) {
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

    /// Blocks of 16 KiB, eight to a read, 1024 pointers to an indirect block: the distance doubles from
    /// 128 KiB with every access and is counted from where the data ahead ends.
    #[test]
    fn indirect_blocks_are_asked_for_ahead_of_the_data() {
        let mut zfetch = Zfetch::new(Prefetcher::OnEvidence, settings(), 16 << 10, 65_536);
        let mut asked = Vec::new();
        for access in 0..12 {
            if let Some(id) = zfetch.access((access * 8, 8), Nanos::SECOND, false) {
                let range = zfetch.take(id, true, Divisor::of(1024)).indirect;
                asked.extend((!range.is_empty()).then_some((access, range.start, range.end)));
            }
        }
        assert_eq!(asked, [(8, 1, 2), (9, 2, 3), (10, 3, 5)]);
    }
}
