//! A stream of a prefetcher: which block it expects, and how far ahead it asks.

use std::ops::Range;

use arcwright_units::Nanos;

use crate::divisor::Divisor;
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
    /// The blocks whose indirect blocks are asked for ahead of the data.
    pub(super) indirect_from: u64,
    pub(super) indirect_to: u64,
    indirect_distance: u64,
    pub(super) missed: bool,
    pub(super) more: bool,
    pub(super) access: Nanos,
    /// Prefetches under way; a stream with some is not given up.
    pub(super) flying: u32,
    pub(super) ranges: Vec<Range<u64>>,
}

impl Stream {
    /// Returns a stream that expects `next`.
    pub(super) fn new(id: u32, next: u64, access: Nanos) -> Self {
        Self {
            id,
            next,
            ahead_from: next,
            ahead_to: next,
            distance: 0,
            indirect_from: next,
            indirect_to: next,
            indirect_distance: 0,
            missed: false,
            more: false,
            access,
            flying: 0,
            ranges: Vec::new(),
        }
    }

    pub(super) fn ask_doubling(
        &mut self,
        fresh: u64,
        end: u64,
        settings: &Settings,
        block: Divisor,
    ) {
        let most = block.divide(settings.zfetch_max_distance);
        let from = self.ahead_to.max(end);
        // `end - fresh` is where the access began.
        let wanted = from.saturating_sub(end - fresh) + fresh;
        let count = wanted.min(most.saturating_sub(from - end));
        self.ahead_from = from;
        self.ahead_to = from + count;
        let most = block.divide(settings.zfetch_max_idistance);
        let from = self.indirect_to.max(self.ahead_to);
        let wanted = self.indirect_to.saturating_sub(end - fresh) + fresh + count;
        self.indirect_from = self.indirect_to.max(self.ahead_from);
        self.indirect_to = from + wanted.min(most.saturating_sub(from - self.ahead_to));
    }

    pub(super) fn ask_on_evidence(
        &mut self,
        (fresh, end): (u64, u64),
        settings: &Settings,
        block: Divisor,
        crowded: bool,
    ) {
        let bytes = fresh * block.value();
        if self.distance < bytes {
            self.distance = bytes;
        } else if self.distance < settings.zfetch_min_distance
            && (self.distance < block.value() || !crowded)
        {
            self.distance *= 2;
        } else if self.more {
            self.distance += self.distance / 8;
        }
        self.more = false;
        self.distance = self.distance.min(settings.zfetch_max_distance);
        self.ahead_from = self.ahead_from.max(end);
        self.ahead_to = self.ahead_to.max(end + block.divide(self.distance));
        self.indirect_distance = if self.indirect_distance < bytes {
            bytes
        } else {
            (self.indirect_distance * 2).min(settings.zfetch_max_idistance)
        };
        self.indirect_from = self.indirect_from.max(self.ahead_to);
        self.indirect_to =
            self.indirect_to.max(self.ahead_to + block.divide(self.indirect_distance));
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
