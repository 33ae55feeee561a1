//! A quantity over time in columns of equal length: of each the mean, the least and the most, however many readings it has.

/// What was in a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnRange {
    /// The mean over the time that readings cover.
    pub mean: f64,
    /// The least between two readings.
    pub least: f64,
    /// The most.
    pub most: f64,
}

/// A quantity over time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TimelineColumns {
    cells: Vec<Cell>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Cell {
    /// The value times the time.
    sum: f64,
    seconds: f64,
    least: f64,
    most: f64,
}

impl Cell {
    fn add(&mut self, other: Self) {
        if other.seconds <= 0.0 {
            return;
        }
        let is_first = self.seconds <= 0.0;
        self.least = if is_first { other.least } else { self.least.min(other.least) };
        self.most = if is_first { other.most } else { self.most.max(other.most) };
        self.sum += other.sum;
        self.seconds += other.seconds;
    }
}

impl TimelineColumns {
    pub(super) fn new(count: usize) -> Self {
        Self { cells: vec![Cell::default(); count] }
    }

    /// Adds a value that held from one place to another, counted in columns of so many seconds.
    pub(super) fn add(&mut self, (from, to): (f64, f64), seconds: f64, value: f64) {
        for (number, cell) in self.cells.iter_mut().enumerate().skip(whole(from)) {
            let begin = number as f64;
            if begin >= to {
                break;
            }
            let part = (to.min(begin + 1.0) - from.max(begin)) * seconds;
            cell.add(Cell { sum: value * part, seconds: part, least: value, most: value });
        }
    }

    /// Returns which share of all a part is, in each column; none where there was nothing. Its weights are the whole, not the
    /// time, so that several columns as one are right.
    #[must_use]
    pub fn share(part: &[&Self], rest: &[&Self]) -> Self {
        let count = part.iter().map(|columns| columns.len()).max().unwrap_or_default();
        let sum = |of: &[&Self], number: usize| -> f64 {
            of.iter().filter_map(|columns| columns.cells.get(number)).map(|cell| cell.sum).sum()
        };
        let cell = |number: usize| {
            let (part, rest) = (sum(part, number), sum(rest, number));
            let share = if part > 0.0 { part / (part + rest) } else { 0.0 };
            Cell { sum: part, seconds: part + rest, least: share, most: share }
        };
        Self { cells: (0..count).map(cell).collect() }
    }

    /// Returns how many columns there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Says whether no reading is in any of them.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seconds() <= 0.0
    }

    /// Returns what was in each; none where nothing was read.
    pub fn ranges(&self) -> impl Iterator<Item = Option<ColumnRange>> {
        self.cells.iter().map(|cell| {
            let mean = cell.sum / cell.seconds;
            let range = ColumnRange { mean, least: cell.least, most: cell.most };
            (cell.seconds > 0.0).then_some(range)
        })
    }

    /// Returns the same in at most so many columns, each as long as some of these.
    #[must_use]
    pub fn at_most(&self, count: usize) -> Self {
        let together = self.len().div_ceil(count.max(1)).max(1);
        let cells = self.cells.chunks(together).map(|chunk| {
            let mut all = Cell::default();
            chunk.iter().for_each(|cell| all.add(*cell));
            all
        });
        Self { cells: cells.collect() }
    }

    /// Returns the value times the time in seconds: of a rate, how much there was in all.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.cells.iter().map(|cell| cell.sum).sum()
    }

    /// Returns the seconds that readings cover.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.cells.iter().map(|cell| cell.seconds).sum()
    }

    /// Returns the mean over the time that readings cover; none where nothing was read.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let seconds = self.seconds();
        (seconds > 0.0).then(|| self.total() / seconds)
    }

    /// Returns the most between two readings; none where nothing was read.
    #[must_use]
    pub fn most(&self) -> Option<f64> {
        self.ranges().flatten().map(|range| range.most).reduce(f64::max)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place among some hundred columns, not negative"
)]
const fn whole(place: f64) -> usize {
    place.max(0.0) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::TimelineColumns;

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() <= 1e-9 * one.abs().max(other.abs()).max(1.0)
    }

    proptest! {
        #[test]
        fn nothing_is_lost_or_made(values in proptest::collection::vec((0.0..5.0_f64, 0.0..1e6_f64), 1..60), to in 1_usize..40) {
            let all: f64 = values.iter().map(|(length, _)| length).sum();
            let mut columns = TimelineColumns::new(32);
            let mut at = 0.0;
            let (mut expected, mut most) = (0.0, 0.0_f64);
            for (length, value) in &values {
                let next = at + length * 32.0 / all.max(1e-9);
                columns.add((at, next.min(32.0)), 3.0, *value);
                expected += value * (next.min(32.0) - at).max(0.0) * 3.0;
                most = most.max(if next.min(32.0) > at { *value } else { 0.0 });
                at = next;
            }
            let narrow = columns.at_most(to);
            prop_assert!(narrow.len() <= to);
            for some in [&columns, &narrow] {
                prop_assert!(near(some.total(), expected), "{} {expected}", some.total());
                prop_assert!(near(some.most().unwrap_or(0.0), most));
                for range in some.ranges().flatten() {
                    prop_assert!(range.least <= range.mean * (1.0 + 1e-9) + 1e-9);
                    prop_assert!(range.mean <= range.most * (1.0 + 1e-9) + 1e-9);
                }
            }
        }
    }

    #[test]
    fn a_share_is_of_all_that_was() {
        let (mut part, mut rest) = (TimelineColumns::new(3), TimelineColumns::new(3));
        part.add((0.0, 1.0), 1.0, 90.0);
        rest.add((0.0, 1.0), 1.0, 10.0);
        rest.add((1.0, 2.0), 1.0, 100.0);
        let share = TimelineColumns::share(&[&part], &[&rest]);
        let found: Vec<Option<f64>> = share.ranges().map(|range| Some(range?.mean)).collect();
        assert!(near(found[0].unwrap(), 0.9) && near(found[1].unwrap(), 0.0));
        assert_eq!(found[2], None);
        // Both together are 90 of 200, not the mean of both shares.
        let one = share.at_most(1);
        assert!(near(one.ranges().next().flatten().unwrap().mean, 0.45));
    }

    #[test]
    fn what_was_not_read_is_absent() {
        let mut columns = TimelineColumns::new(4);
        assert!(columns.is_empty() && columns.mean().is_none() && columns.most().is_none());
        columns.add((0.0, 1.5), 1.0, 7.0);
        columns.add((3.0, 4.0), 1.0, 0.0);
        let there: Vec<bool> = columns.ranges().map(|range| range.is_some()).collect();
        assert_eq!(there, [true, true, false, true]);
        let narrow = columns.at_most(2);
        assert!(near(narrow.seconds(), 2.5) && near(columns.seconds(), 2.5));
    }
}
