//! Neighbours of a request that is picked: those that go to the disk along with it
//! (docs/model/vdev-queues.md#aggregation).

use super::super::sorted::{Entry, Place};
use super::Queue;
use crate::ids::IoId;

/// What a batch reads or writes, gaps included.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) start: u64,
    pub(super) end: u64,
}

impl Span {
    /// Returns the span with a neighbour on either side, unless they overlap, the gap between is too wide, or
    /// all of it too long.
    fn with(self, other: &Entry, gap_max: u64, span_max: u64) -> Option<Self> {
        let gap_before = self.start.checked_sub(other.end());
        let gap = gap_before.or_else(|| other.offset().checked_sub(self.end))?;
        let (start, end) = (self.start.min(other.offset()), self.end.max(other.end()));
        (gap <= gap_max && end - start <= span_max).then_some(Self { start, end })
    }
}

/// Neighbours that go along with each other: where the first of them stands, and what they span.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gathered {
    pub(super) first: Place,
    pub(super) span: Span,
}

impl Queue {
    /// Collects the neighbours that go along with a request, which stands at `place` if that is known;
    /// returns the place of the first of them, and what they span.
    pub(super) fn gather(
        &self,
        picked: &Entry,
        place: Option<Place>,
        ios: &mut Vec<IoId>,
    ) -> Gathered {
        let is_write = picked.class.is_write();
        let sorted = if is_write { &self.writes } else { &self.reads };
        let gap_max = if is_write { self.spans.write_gap_max } else { self.spans.gap_max };
        let joined = |span: Span, place: Place| {
            let other = sorted.get(place)?;
            Some((span.with(other, gap_max, self.spans.span_max)?, other.io()))
        };
        let place = place.unwrap_or_else(|| sorted.place(picked.key));
        let mut span = Span { start: picked.offset(), end: picked.end() };
        ios.push(picked.io());
        let mut first = place;
        while let Some(before) = sorted.before(first)
            && let Some((longer, io)) = joined(span, before)
        {
            (span, first) = (longer, before);
            ios.push(io);
        }
        let mut after = sorted.after(place);
        while let Some((longer, io)) = joined(span, after) {
            (span, after) = (longer, sorted.after(after));
            ios.push(io);
        }
        Gathered { first, span }
    }
}
