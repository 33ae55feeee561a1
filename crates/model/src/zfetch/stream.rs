//! A stream of a prefetcher: which block it expects, and how far ahead it asks.

use std::ops::Range;

use arcwright_units::Nanos;

use crate::settings::Settings;

/// Ranges ahead of a stream that are remembered (`ZFETCH_RANGES`).
const RANGES_MAX: usize = 9;
/// Holes may make up one in `1 << HOLE_SHIFT` of a jump (`zfetch_hole_shift`).
const HOLE_SHIFT: u64 = 2;

/// One sequential reader, as the prefetcher sees it.
#[derive(Debug, Clone)]
pub(super) struct Stream {
    pub(super) id: u32,
    /// The block expected next.
    pub(super) next: u64,
    pub(super) ahead_from: u64,
    pub(super) ahead_to: u64,
    pub(super) distance: u64,
    pub(super) missed: bool,
    pub(super) more: bool,
    pub(super) access: Nanos,
    /// Prefetches under way; a stream with some is not given up.
    pub(super) flying: u32,
    pub(super) ranges: Vec<Range<u64>>,
}

impl Stream {
    pub(super) fn ask_doubling(&mut self, fresh: u64, end: u64, settings: Settings, block: u64) {
        let most = settings.zfetch_max_distance / block.max(1);
        let from = self.ahead_to.max(end);
        // `end - fresh` is where the access began.
        let wanted = from.saturating_sub(end - fresh) + fresh;
        let count = wanted.min(most.saturating_sub(from - end));
        self.ahead_from = from;
        self.ahead_to = from + count;
    }

    pub(super) fn ask_on_evidence(
        &mut self,
        (fresh, end): (u64, u64),
        settings: Settings,
        block: u64,
        crowded: bool,
    ) {
        let bytes = fresh * block;
        if self.distance < bytes {
            self.distance = bytes;
        } else if self.distance < settings.zfetch_min_distance
            && (self.distance < block || !crowded)
        {
            self.distance *= 2;
        } else if self.more {
            self.distance += self.distance / 8;
        }
        self.more = false;
        self.distance = self.distance.min(settings.zfetch_max_distance);
        self.ahead_from = self.ahead_from.max(end);
        self.ahead_to = self.ahead_to.max(end + self.distance / block.max(1));
    }

    pub(super) fn remember(&mut self, range: Range<u64>) {
        if let Some(touching) = self
            .ranges
            .iter_mut()
            .find(|other| other.start <= range.end && range.start <= other.end)
        {
            touching.start = touching.start.min(range.start);
            touching.end = touching.end.max(range.end);
        } else if self.ranges.len() < RANGES_MAX {
            self.ranges.push(range);
            self.ranges.sort_by_key(|range| range.start);
        }
    }

    /// Returns how far the stream may jump over holes: as long as they are a quarter at most.
    pub(super) fn jump(&self) -> u64 {
        let (mut holes, mut at, mut jump) = (0, self.next, 0);
        for range in &self.ranges {
            holes += range.start.saturating_sub(at);
            let end = range.end - self.next;
            if holes <= end >> HOLE_SHIFT {
                jump = end;
            }
            at = range.end;
        }
        jump
    }
}
