//! A stream of a prefetcher: which block it expects, and how far ahead it asks
//! (docs/model/prefetch.md#doubling-distance, #distance-on-evidence, #indirect-blocks-ahead).

use std::ops::Range;

use arcwright_units::Nanos;

use super::AccessKind;
use super::ranges::RangesAhead;
use crate::divisor::Divisor;
use crate::ids::StreamId;
use crate::versions::settings::PrefetchSettings;

/// One sequential reader, as the prefetcher sees it.
#[derive(Debug, Clone)]
pub(super) struct Stream {
    pub(super) id: StreamId,
    /// The block expected next.
    pub(super) next: u64,
    pub(super) data: Window,
    /// The blocks whose indirect blocks are asked for ahead of the data.
    pub(super) indirect: Window,
    /// Bytes that it asks ahead, of data and of what indirect blocks stand for.
    distance: u64,
    indirect_distance: u64,
    /// Whether a read ever had to wait.
    pub(super) has_missed: bool,
    /// Whether a prefetch arrived when its reader had passed.
    pub(super) is_late: bool,
    pub(super) used: Nanos,
    /// Prefetches under way; a stream with some is not given up.
    pub(super) in_flight: u32,
    /// What was read beyond `next` already.
    pub(super) ahead: RangesAhead,
}

/// Blocks that are to be asked for; those before it were.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    from: u64,
    to: u64,
}

/// How an access out of order fits a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// It carries the stream on.
    On,
    /// It is some way ahead.
    Ahead,
    /// The stream has passed there a moment ago.
    Passed,
}

impl Window {
    fn at(block: u64) -> Self {
        Self { from: block, to: block }
    }

    /// Takes all that is to be asked for.
    pub(super) fn take(&mut self) -> Range<u64> {
        let from = std::mem::replace(&mut self.from, self.to);
        from..self.to
    }

    /// Moves on to `blocks` from `start`; neither end goes back.
    fn advance(&mut self, start: u64, blocks: u64) {
        *self = Self { from: self.from.max(start), to: self.to.max(start + blocks) };
    }
}

impl Stream {
    /// Returns a stream that expects `next`.
    pub(super) fn new(id: StreamId, next: u64, used: Nanos) -> Self {
        Self {
            id,
            next,
            data: Window::at(next),
            indirect: Window::at(next),
            distance: 0,
            indirect_distance: 0,
            has_missed: false,
            is_late: false,
            used,
            in_flight: 0,
            ahead: RangesAhead::default(),
        }
    }

    /// Says whether nobody has used it for more than a `span`, and nothing is under way for it.
    pub(super) fn is_idle(&self, span: Nanos, now: Nanos) -> bool {
        self.in_flight == 0 && now > self.used + span
    }

    /// Says whether an access from `first` carries it on exactly. Requests that begin within a block
    /// repeat the last one.
    pub(super) fn expects(&self, first: u64) -> bool {
        (first..=first + 1).contains(&self.next)
    }

    /// Says how an access that it does not expect fits, with up to `reach` blocks between.
    pub(super) fn fit(
        &self,
        access: &Range<u64>,
        reach: u64,
        was_used_lately: bool,
    ) -> Option<Fit> {
        if access.start <= self.next && self.next <= access.end {
            Some(Fit::On)
        } else if access.start > self.next {
            (access.end <= self.next + reach).then_some(Fit::Ahead)
        } else {
            (access.end + reach > self.next && was_used_lately).then_some(Fit::Passed)
        }
    }

    /// Goes on to `end`, and over what was read from there on.
    pub(super) fn go_on(&mut self, end: u64, now: Nanos) {
        self.used = now;
        self.next = self.ahead.absorb(end);
    }

    /// Asks for as much again as lies between the access's beginning and the end of what was asked for, and as it
    /// reads, up to the largest distance from its end.
    pub(super) fn ask_doubling(
        &mut self,
        fresh: u64,
        settings: &PrefetchSettings,
        block: Divisor,
        kind: AccessKind,
    ) {
        let (begin, end) = (self.next - fresh, self.next);
        let extended = |front: u64, by: u64, limit: u64| (front + by).min(limit.max(front));
        let from = self.data.to.max(end);
        let by = if kind.fetches_data { self.data.to.saturating_sub(begin) + fresh } else { 0 };
        let to = extended(from, by, end + block.divide(settings.max_distance));
        // The same for indirect blocks, counted from the end of the data.
        let asked = self.indirect.to;
        let by = asked.saturating_sub(begin) + fresh + (to - from);
        let limit = to + block.divide(settings.max_idistance);
        let above = asked.max(to);
        self.data = Window { from, to };
        self.indirect = Window { from: above, to: extended(above, by, limit) };
    }

    /// Asks for a distance that grows as long as there is reason to.
    pub(super) fn ask_on_evidence(
        &mut self,
        fresh: u64,
        settings: &PrefetchSettings,
        block: Divisor,
        AccessKind { fetches_data, crowded }: AccessKind,
    ) {
        let bytes = fresh * block.value();
        if fetches_data {
            self.distance = match self.distance {
                distance if distance < bytes => bytes,
                // When prefetches crowd the ARC, only a distance of less than a block still doubles.
                distance
                    if distance < settings.min_distance
                        && !(crowded && distance >= block.value()) =>
                {
                    distance * 2
                }
                distance if self.is_late => distance + distance / 8,
                distance => distance,
            }
            .min(settings.max_distance);
            self.is_late = false;
        }
        let ahead = if fetches_data { block.divide(self.distance) } else { 0 };
        self.indirect_distance = match self.indirect_distance {
            distance if distance < bytes => bytes,
            distance => (distance * 2).min(settings.max_idistance),
        };
        self.data.advance(self.next, ahead);
        self.indirect.advance(self.data.to, block.divide(self.indirect_distance));
    }
}
