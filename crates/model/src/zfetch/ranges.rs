//! What was read ahead of a stream, out of order (docs/model/prefetch.md#reordering).

use std::ops::Range;

/// Ranges that are remembered (`ZFETCH_RANGES`).
const RANGES_MAX: usize = 9;
/// Holes may make up one in `1 << HOLE_SHIFT` of a jump (`zfetch_hole_shift`).
const HOLE_SHIFT: u64 = 2;

/// Ranges of blocks in order of where they begin.
#[derive(Debug, Clone, Default)]
pub(super) struct RangesAhead(Vec<Range<u64>>);

impl RangesAhead {
    /// Remembers a range: together with all that it touches, or by itself while there is a place.
    pub(super) fn add(&mut self, mut range: Range<u64>) {
        let first = self.0.partition_point(|other| other.end < range.start);
        let behind = self.0.partition_point(|other| other.start <= range.end);
        if first == behind && self.0.len() >= RANGES_MAX {
            return;
        }
        for other in self.0.drain(first..behind) {
            range = other.start.min(range.start)..other.end.max(range.end);
        }
        self.0.insert(first, range);
    }

    /// Returns how far a reader at `next` may jump: to the end of the last range up to which no more than a
    /// quarter are holes.
    pub(super) fn jump(&self, next: u64) -> Option<u64> {
        let (mut holes, mut at, mut farthest) = (0, next, None);
        for range in &self.0 {
            holes += range.start.saturating_sub(std::mem::replace(&mut at, range.end));
            let jump = range.end - next;
            if holes <= jump >> HOLE_SHIFT {
                farthest = Some(jump);
            }
        }
        farthest
    }

    /// Forgets what adjoins `next`, and returns where that ends.
    pub(super) fn absorb(&mut self, next: u64) -> u64 {
        let mut end = next;
        self.0.retain(|range| {
            let adjoins = range.start <= end;
            if adjoins {
                end = end.max(range.end);
            }
            !adjoins
        });
        end
    }
}
