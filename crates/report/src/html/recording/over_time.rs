//! Figures of a chart over time, as a table of few rows.

use arcwright_recording::{Timeline, TimelineColumns, TimelineMeasure};
use arcwright_units::Nanos;

use super::charts::known;
use crate::figures::{ABSENT, written};
use crate::html::axis::Quantity;
use crate::html::figure::DataTable;

/// A column of the table.
pub(super) struct Entry {
    pub(super) head: String,
    pub(super) of: TimelineMeasure,
    pub(super) quantity: Quantity,
}

const ROWS_MAX: usize = 24;

/// Returns means over equal times; what nothing is known of is a dash.
pub(super) fn table(timeline: &Timeline, entries: &[Entry]) -> DataTable {
    let heads =
        std::iter::once("from (UTC)").chain(entries.iter().map(|entry| entry.head.as_str()));
    let mut table = DataTable::new(1, &heads.collect::<Vec<_>>());
    let columns: Vec<Vec<String>> = entries.iter().map(|entry| cells(timeline, entry)).collect();
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let length = timeline.span.to.saturating_sub(timeline.span.from).0;
    for row in 0..rows {
        let number = u64::try_from(row).unwrap_or(0);
        let at = begin(timeline, (number, length));
        let form = if length < Nanos::secs(3600).0 { "%m-%d %H:%M:%S" } else { "%Y-%m-%d %H:%M" };
        let cell = |column: &Vec<String>| column.get(row).cloned().unwrap_or_default();
        let cells = columns.iter().map(cell);
        table.rows.push(std::iter::once(written(at, form)).chain(cells).collect());
    }
    table
}

/// Returns when a row begins, in seconds since 1970.
fn begin(timeline: &Timeline, (row, length): (u64, u64)) -> u64 {
    let whole = super::RECORDING_COLUMNS;
    let together = u64::try_from(whole.div_ceil(ROWS_MAX)).unwrap_or(1);
    let columns = u64::try_from(whole).unwrap_or(1);
    let along = u128::from(length) * u128::from(row * together) / u128::from(columns.max(1));
    timeline.span.from.0.saturating_add(u64::try_from(along).unwrap_or(u64::MAX)) / 1_000_000_000
}

fn cells(timeline: &Timeline, entry: &Entry) -> Vec<String> {
    let few = known(timeline, entry.of).map(|columns| columns.at_most(ROWS_MAX));
    let cell = |mean: Option<f64>| {
        mean.map_or_else(|| ABSENT.to_owned(), |mean| entry.quantity.text(mean))
    };
    let ranges = |few: &TimelineColumns| -> Vec<String> {
        few.ranges().map(|range| cell(range.map(|range| range.mean))).collect()
    };
    few.as_ref().map(ranges).unwrap_or_default()
}
