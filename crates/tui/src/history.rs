//! The last readings, and which two of them are looked at.

use std::collections::VecDeque;

use crate::counts::Counts;
use crate::rates::{Rates, Step};
use crate::sample::DashboardSample;

/// Readings that are kept.
pub(crate) const MOMENTS_MAX: usize = 600;
/// Readings whose processes are kept: as many as the window of 60 steps has.
const PROCESSES_KEPT: usize = 61;
/// How many steps back a window begins; the last one reaches to the first reading.
const WIDTHS: [usize; 4] = [1, 10, 60, usize::MAX];

/// The last readings.
#[derive(Debug, Default)]
pub(crate) struct History {
    moments: VecDeque<KeptReading>,
    /// How many steps before the last reading the window ends.
    back: usize,
    width: usize,
    /// The window does not go on with new readings.
    held: bool,
}

/// A reading, and what happened since the one before it; none where that is of another place.
#[derive(Debug)]
struct KeptReading {
    counts: Counts,
    step: Option<Step>,
}

impl History {
    /// Adds a reading.
    pub(crate) fn push(&mut self, moment: &DashboardSample) {
        if self.moments.len() == MOMENTS_MAX {
            self.moments.pop_front();
        }
        let before = self.moments.back().map(|moment| &moment.counts);
        let counts = Counts::of(moment, before);
        let step = before.filter(|before| before.place == counts.place);
        let step = step.map(|before| Step::between(before, &counts));
        self.moments.push_back(KeptReading { counts, step });
        let old = self.moments.len().checked_sub(PROCESSES_KEPT + 1);
        if let Some(old) = old.and_then(|old| self.moments.get_mut(old)) {
            old.counts.processes = None;
        }
        if self.held || self.back > 0 {
            self.back = (self.back + 1).min(self.moments.len() - 1);
        }
    }

    /// Goes `steps` back in time, or forward when negative.
    pub(crate) fn shift(&mut self, steps: isize) {
        let most = self.moments.len().saturating_sub(2);
        self.back = self.back.saturating_add_signed(steps).min(most);
    }

    /// Takes the next width of the window.
    pub(crate) fn next_width(&mut self) {
        self.width = (self.width + 1) % WIDTHS.len();
    }

    /// Holds the window where it is, or lets it go on.
    pub(crate) fn hold(&mut self, held: bool) {
        self.held = held;
        if !held {
            self.back = 0;
        }
    }

    pub(crate) fn is_held(&self) -> bool {
        self.held
    }

    /// Returns how many steps the window's end is behind.
    pub(crate) fn behind(&self) -> usize {
        self.back
    }

    /// Returns the reading at the window's end.
    pub(crate) fn now(&self) -> Option<&Counts> {
        Some(&self.moments.get(self.last()?)?.counts)
    }

    fn last(&self) -> Option<usize> {
        self.moments.len().checked_sub(1 + self.back)
    }

    /// Returns the first reading that can be compared with that at `last`.
    fn first_of_place(&self, last: usize) -> usize {
        let Some(now) = self.moments.get(last) else { return last };
        let before = self.moments.range(..last);
        let same = |moment: &&KeptReading| moment.counts.place == now.counts.place;
        last - before.rev().take_while(same).count()
    }

    /// Returns the first and the last reading of the window.
    fn bounds(&self) -> Option<(usize, usize)> {
        let last = self.last()?;
        let width = WIDTHS.get(self.width).copied().unwrap_or(1);
        Some((last.saturating_sub(width).max(self.first_of_place(last)), last))
    }

    /// Returns what happened within the window; none before there are two readings of one place.
    pub(crate) fn window(&self) -> Option<Rates> {
        let (first, last) = self.bounds()?;
        let (from, to) = (self.moments.get(first)?, self.moments.get(last)?);
        (first < last).then(|| Rates::between(&from.counts, &to.counts))
    }

    /// Returns what happened in each of the last steps of one place up to the window's end: all of the window's, or
    /// `count` where it has fewer.
    pub(crate) fn steps(&self, count: usize) -> Vec<Step> {
        let Some((first, last)) = self.bounds() else { return Vec::new() };
        let first = first.min(last.saturating_sub(count)).max(self.first_of_place(last));
        let steps = self.moments.range(first + 1..last + 1);
        steps.map(|moment| moment.step.unwrap_or_default()).collect()
    }
}

#[cfg(test)]
mod tests {
    use arcwright_kstat::Snapshot;
    use arcwright_units::Nanos;

    use super::{History, MOMENTS_MAX};
    use crate::sample::DashboardSample;

    fn at(second: u64, place: &str) -> DashboardSample {
        let kstats = Snapshot::from_kstats(Nanos::secs(second), Vec::new());
        DashboardSample { kstats, place: place.to_owned(), ..DashboardSample::default() }
    }

    fn filled(seconds: u64) -> History {
        let mut history = History::default();
        (0..seconds).for_each(|second| history.push(&at(second, "")));
        history
    }

    fn check(history: &History, seconds: Option<f64>) {
        let found = history.window().map(|rates| rates.step.seconds);
        assert_eq!(found.map(f64::to_bits), seconds.map(f64::to_bits));
    }

    #[test]
    fn windows_widen_to_the_first_reading() {
        let mut history = filled(100);
        for seconds in [1.0, 10.0, 60.0, 99.0, 1.0] {
            check(&history, Some(seconds));
            history.next_width();
        }
        check(&filled(1), None);
        check(&filled(0), None);
    }

    #[test]
    fn counters_of_two_arms_are_not_subtracted() {
        let mut history = filled(5);
        history.push(&at(0, "other"));
        check(&history, None);
        history.push(&at(1, "other"));
        (0..3).for_each(|_| history.next_width());
        check(&history, Some(1.0));
        assert_eq!(history.steps(100).len(), 1, "those of the other arm are not in the chart");
    }

    #[test]
    fn a_held_window_stays_while_readings_come() {
        let mut history = filled(10);
        history.hold(true);
        let held = history.now().unwrap().at;
        (10..15).for_each(|second| history.push(&at(second, "")));
        assert_eq!(history.now().unwrap().at, held);
        history.shift(2);
        assert_eq!(history.now().unwrap().at, Nanos::secs(7));
        history.hold(false);
        assert_eq!(history.now().unwrap().at, Nanos::secs(14));
    }

    #[test]
    fn memory_is_bounded() {
        let history = filled(3 * MOMENTS_MAX as u64);
        assert_eq!(history.moments.len(), MOMENTS_MAX);
        assert_eq!(history.steps(usize::MAX).len(), MOMENTS_MAX - 1);
        assert_eq!(history.steps(7).len(), 7);
    }
}
