//! The last readings, and which two of them are looked at.

use std::collections::VecDeque;

use crate::rates::{Counts, Rates};
use crate::sample::DashboardSample;

/// Readings that are kept.
pub(crate) const MOMENTS_MAX: usize = 600;
/// How many steps back a window begins; the last one reaches to the first reading.
const WIDTHS: [usize; 4] = [1, 10, 60, usize::MAX];

/// The last readings.
#[derive(Debug, Default)]
pub(crate) struct History {
    moments: VecDeque<Counts>,
    /// How many steps before the last reading the window ends.
    back: usize,
    width: usize,
    /// The window does not go on with new readings.
    held: bool,
}

impl History {
    /// Adds a reading.
    pub(crate) fn push(&mut self, moment: &DashboardSample) {
        if self.moments.len() == MOMENTS_MAX {
            self.moments.pop_front();
        }
        self.moments.push_back(Counts::of(moment));
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
        self.moments.get(self.last()?)
    }

    fn last(&self) -> Option<usize> {
        self.moments.len().checked_sub(1 + self.back)
    }

    /// Returns the first reading that can be compared with that at `last`.
    fn first_of_place(&self, last: usize) -> usize {
        let Some(now) = self.moments.get(last) else { return last };
        let before = self.moments.range(..last);
        last - before.rev().take_while(|moment| moment.place == now.place).count()
    }

    /// Returns what happened within the window; none before there are two readings of one place.
    pub(crate) fn window(&self) -> Option<Rates> {
        let last = self.last()?;
        let width = WIDTHS.get(self.width).copied().unwrap_or(1);
        let first = last.saturating_sub(width).max(self.first_of_place(last));
        self.between(first, last)
    }

    /// Returns what happened in each of the last `count` steps up to the window's end.
    pub(crate) fn steps(&self, count: usize) -> Vec<Option<Rates>> {
        let Some(last) = self.last() else { return Vec::new() };
        let first = last.saturating_sub(count).max(1);
        (first..=last).map(|step| self.between(step - 1, step)).collect()
    }

    fn between(&self, first: usize, last: usize) -> Option<Rates> {
        let (from, to) = (self.moments.get(first)?, self.moments.get(last)?);
        (first < last && from.place == to.place).then(|| Rates::between(from, to))
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
        assert_eq!(history.window().map(|rates| rates.seconds), seconds);
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
    }
}
