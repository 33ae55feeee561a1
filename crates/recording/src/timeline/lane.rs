//! The readings of one layout as lanes: of a row, what it did from each reading to the next.

use std::collections::BTreeMap;

use arcwright_units::Nanos;

/// Readings that follow each other; the first goes on from the one before, where that is known.
#[derive(Debug)]
pub(super) struct Steps {
    /// Of each reading, from when on what is counted in it is known; none after a gap.
    pub(super) since: Vec<Option<u64>>,
    pub(super) times: Vec<u64>,
}

impl Steps {
    /// Returns the seconds that end with a reading.
    pub(super) fn seconds(&self, number: usize) -> Option<f64> {
        let (since, at) = (self.since.get(number).copied().flatten()?, *self.times.get(number)?);
        Some(Nanos(at.saturating_sub(since)).as_secs_f64()).filter(|seconds| *seconds > 0.0)
    }
}

/// What a table had when it was last read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LastRead {
    pub(super) created: Nanos,
    pub(super) rows: BTreeMap<&'static str, u64>,
}

/// A table of some readings.
pub(super) struct TableLanes<'a> {
    /// When it was last read before; none where it was not there, or was made anew since.
    pub(super) before: Option<&'a LastRead>,
    /// Its rows by name, a number for each reading.
    pub(super) rows: BTreeMap<&'a str, &'a [u64]>,
}

impl TableLanes<'_> {
    /// Returns how much a counter has grown at each reading; none where that is not known.
    pub(super) fn growth(&self, row: &str, steps: &Steps) -> Option<Vec<Option<u64>>> {
        let column = *self.rows.get(row)?;
        let first = self.before.and_then(|before| before.rows.get(row).copied());
        let before = std::iter::once(first).chain(column.iter().copied().map(Some));
        let grown = column.iter().zip(before).zip(&steps.since);
        let grown = grown.map(|((now, before), since)| since.and(now.checked_sub(before?)));
        Some(grown.collect())
    }

    /// Returns a level at each reading; none where what came before it is not known.
    pub(super) fn level(&self, row: &str, steps: &Steps) -> Option<Vec<Option<u64>>> {
        let column = self.rows.get(row)?.iter().zip(&steps.since);
        Some(column.map(|(now, since)| since.and(Some(*now))).collect())
    }
}

/// Adds what another lane has; what only one of them has stays.
pub(super) fn add<T: Copy>(
    lane: &mut Vec<Option<T>>,
    other: &[Option<T>],
    joined: impl Fn(T, T) -> T,
) {
    if lane.is_empty() {
        lane.extend_from_slice(other);
        return;
    }
    for (one, other) in lane.iter_mut().zip(other) {
        *one = match (*one, *other) {
            (Some(one), Some(other)) => Some(joined(one, other)),
            (one, other) => one.or(other),
        };
    }
}
