//! What was, for charts of a range of time: the last points in memory, and more on disk where that is wanted.
//!
//! ```text
//!   collector ── HistoryWriter ──> memory, folder <── HistoryReader ── answers
//! ```
//!
//! Who reads never holds up who writes: a question opens what the folder has, beside the recorder.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arcwright_units::Nanos;
use arcwright_web::{LivePoint, LiveReading};

/// A range of time, since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimeRange {
    pub(super) from: Nanos,
    pub(super) to: Nanos,
}

/// Keeps what was read.
pub(super) trait HistoryWriter: Send {
    /// Takes a reading, and what happened since the one before; a failure is the history's own and stops nothing.
    fn append(&mut self, reading: &LiveReading, point: Option<&LivePoint>);
}

/// Returns what was kept.
pub(super) trait HistoryReader: Send + Sync {
    /// Returns what happened in a range of time, oldest first: all points, or some more than `enough`.
    fn points(&self, range: TimeRange, enough: usize) -> Vec<LivePoint>;

    /// Says in sentences what is kept, and what is wrong with that.
    fn state(&self) -> HistoryState;
}

/// What is kept.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(super) struct HistoryState {
    /// In a sentence.
    pub(super) what: String,
    /// Why something is not kept; none where all is.
    pub(super) problem: Option<String>,
    /// The first moment that is there, in milliseconds since 1970.
    pub(super) from_ms: Option<u64>,
}

/// Points in memory: an hour of one a second.
const POINTS_MAX: usize = 3600;

/// The last points, in memory alone.
#[derive(Debug, Clone, Default)]
pub(super) struct InMemory(Arc<Mutex<VecDeque<LivePoint>>>);

impl InMemory {
    fn points(&self) -> MutexGuard<'_, VecDeque<LivePoint>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns since when points are there.
    pub(super) fn since(&self) -> Option<Nanos> {
        self.points().front().map(|point| point.at)
    }
}

impl HistoryWriter for InMemory {
    fn append(&mut self, _reading: &LiveReading, point: Option<&LivePoint>) {
        let Some(point) = point else { return };
        let mut points = self.points();
        // A clock that was set back begins anew; what it tells of is before what is there.
        if points.back().is_some_and(|last| last.at >= point.at) {
            points.clear();
        }
        if points.len() == POINTS_MAX {
            points.pop_front();
        }
        points.push_back(point.of_all_disks());
    }
}

impl HistoryReader for InMemory {
    fn points(&self, range: TimeRange, _enough: usize) -> Vec<LivePoint> {
        let is_in = |point: &&LivePoint| (range.from..=range.to).contains(&point.at);
        Self::points(self).iter().filter(is_in).cloned().collect()
    }

    fn state(&self) -> HistoryState {
        let what = format!(
            "The last {POINTS_MAX} readings are kept in memory; they are gone when the server ends."
        );
        let from_ms = self.since().map(|at| at.0 / 1_000_000);
        HistoryState { what, problem: None, from_ms }
    }
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;
    use arcwright_web::{LivePoint, LiveReading};

    use super::{HistoryReader, HistoryWriter as _, InMemory, POINTS_MAX, TimeRange};

    #[test]
    fn memory_is_bounded_and_a_range_is_what_lies_in_it() {
        let mut memory = InMemory::default();
        let take = |memory: &mut InMemory, second: u64| {
            let point = LivePoint { at: Nanos::secs(second), ..LivePoint::default() };
            memory.append(&LiveReading::default(), Some(&point));
        };
        let count = |memory: &InMemory, from: u64, to: u64| {
            let range = TimeRange { from: Nanos::secs(from), to: Nanos::secs(to) };
            HistoryReader::points(memory, range, 10).len()
        };
        let all = POINTS_MAX as u64 + 10;
        (0..all).for_each(|second| take(&mut memory, second));
        assert_eq!(count(&memory, 0, all), POINTS_MAX);
        assert_eq!(memory.state().from_ms, Some(10_000));
        assert_eq!(count(&memory, 100, 102), 3);
        // A clock that is set back.
        take(&mut memory, 50);
        assert_eq!(count(&memory, 0, all), 1);
    }
}
