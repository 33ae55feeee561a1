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
mod tests;
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

/// What of an access decides what is fetched for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AccessKind {
    /// Whether data is: for a write only indirect blocks are.
    pub(crate) fetches_data: bool,
    /// Whether prefetches fill a sixteenth of the ARC, when no distance is doubled any more (2.1.10 and later).
    pub(crate) crowded: bool,
}

/// What a stream made of an access that fits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WentOn {
    /// It does not count as one.
    Ignored,
    /// It asks for nothing more.
    Nowhere,
    To(StreamId),
}

impl WentOn {
    const fn stream(self) -> Option<StreamId> {
        match self {
            Self::Ignored | Self::Nowhere => None,
            Self::To(stream) => Some(stream),
        }
    }
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
    pub(crate) fn access(
        &mut self,
        access: Range<u64>,
        now: Nanos,
        kind: AccessKind,
    ) -> Option<StreamId> {
        if self.ignores(access.start) {
            return None;
        }
        let reordering = self.rules == Prefetcher::Reordering;
        let reach =
            reordering.then(|| (self.block.divide(REORDER_MAX) + 1).min(REORDER_BLOCKS_MAX));
        // Its clock has whole seconds.
        let now = if reordering { Nanos(now.0 - now.0 % Nanos::SECOND.0) } else { now };
        let Some(Found { index, fit }) = self.streams.find(&access, reach, now) else {
            self.begin(access.end, now);
            return None;
        };
        match fit {
            Fit::On => {
                let goes_on = self.go_on(index, access.end, now, kind);
                self.counters.hits += u64::from(goes_on != WentOn::Ignored);
                goes_on.stream()
            }
            Fit::Ahead => self.jump(index, access, now, kind),
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
    fn go_on(&mut self, index: usize, end: u64, now: Nanos, kind: AccessKind) -> WentOn {
        if self.rules == Prefetcher::OnEvidence && end >= self.last {
            self.streams.remove(index);
            return WentOn::Ignored;
        }
        let Some(stream) = self.streams.get(index) else { return WentOn::Ignored };
        let was = stream.next;
        if end <= was {
            // Only 2.2.4 and later count a repetition.
            let is_counted = self.rules == Prefetcher::Reordering;
            if is_counted {
                stream.used = now;
            }
            return if is_counted { WentOn::Nowhere } else { WentOn::Ignored };
        }
        stream.go_on(end, now);
        let fresh = stream.next - was;
        match self.rules {
            Prefetcher::Doubling => stream.ask_doubling(fresh, &self.settings, self.block, kind),
            Prefetcher::Reordering if stream.next >= self.last => {
                self.streams.remove(index);
                return WentOn::Nowhere;
            }
            _ => stream.ask_on_evidence(fresh, &self.settings, self.block, kind),
        }
        WentOn::To(stream.id)
    }

    /// Lets a stream jump to an access ahead of it: of a write, of whose data nothing is fetched, at once; of a read
    /// when it has read most of what lies between, and until then remembers it.
    fn jump(
        &mut self,
        index: usize,
        access: Range<u64>,
        now: Nanos,
        kind: AccessKind,
    ) -> Option<StreamId> {
        let stream = self.streams.get(index)?;
        stream.used = now;
        let end = if kind.fetches_data {
            stream.ahead.add(access);
            stream.ahead.jump(stream.next).map(|jump| stream.next + jump)
        } else {
            Some(access.end)
        };
        let Some(end) = end else {
            self.counters.future += 1;
            return None;
        };
        self.counters.stride += 1;
        self.go_on(index, end, now, kind).stream()
    }

    /// Makes a stream that expects `end`, if there is a place for one.
    fn begin(&mut self, end: u64, now: Nanos) {
        let (is_old, is_at_end) = (self.rules == Prefetcher::Doubling, end >= self.last);
        self.counters.misses += u64::from(!is_at_end || self.rules != Prefetcher::OnEvidence);
        if !is_old && is_at_end {
            return;
        }
        let size = self.last * self.block.value();
        let streams_max =
            (size / self.settings.max_distance.max(1)).clamp(1, self.settings.max_streams.max(1));
        let spare = match self.rules {
            Prefetcher::ByBlock | Prefetcher::Doubling => Spare::Forgotten,
            Prefetcher::OnEvidence => Spare::Idle,
            Prefetcher::Reordering => Spare::IdleToFront,
        };
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
