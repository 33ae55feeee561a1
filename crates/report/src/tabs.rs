//! Lines of one arm and phase each: tab-separated without headers, for scripts; as CSV, for spreadsheets.

use arcwright_scenario::{ArmOutcome, Outcome, PhaseRun, RangesOfPlace, Span};

use crate::compare::{change_pct, reported};
use crate::figures::{ABSENT, Precision, change};
use crate::ranges;
use arcwright_units::visible;

/// One column of the tab-separated form.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its name, never changed.
    pub name: &'static str,
    /// What it holds.
    pub meaning: &'static str,
    cell: fn(&Row<'_>) -> String,
}

struct Row<'a> {
    outcome: &'a Outcome,
    arm: &'a ArmOutcome,
    phase: &'a PhaseRun,
    ranges: Option<&'a RangesOfPlace>,
    precision: Precision,
}

/// The columns in order; new ones are added at the end.
pub const COLUMNS: [Column; 26] = [
    column("arm", "name of the arm", |row| row.arm.name.clone()),
    column("phase", "name of the phase", |row| row.phase.name.clone()),
    column("throughput", "bytes moved per second", |row| match row.precision {
        Precision::Rounded => row.phase.throughput_bytes_per_sec.to_string(),
        Precision::Exact => row.phase.throughput_bytes_per_sec.0.to_string(),
    }),
    column("change", "throughput against the first arm, percent", |row| {
        let percent = change_pct(row.outcome, row.arm, &row.phase.name);
        percent.map_or(ABSENT.to_owned(), |percent| match row.precision {
            Precision::Rounded => change(percent),
            Precision::Exact => format!("{percent:.4}"),
        })
    }),
    column("reported", "the field report's figure in its own unit", |row| {
        let figure = reported(row.outcome, &row.arm.name, &row.phase.name);
        figure.map_or(ABSENT.to_owned(), |figure| figure.to_string())
    }),
    column("duration", "virtual time of the phase", |row| {
        row.precision.time(row.phase.duration_ns)
    }),
    column("bytes", "bytes moved by all clients", |row| row.precision.bytes(row.phase.bytes)),
    column("operations", "requests of all clients", |row| row.phase.operations.to_string()),
    column("arc_hit_ratio", "ARC hits of ARC accesses", |row| {
        row.precision.ratio(row.phase.arc_hit_ratio)
    }),
    column("l2arc_hit_ratio", "L2ARC hits of ARC misses", |row| {
        row.precision.ratio(row.phase.l2arc_hit_ratio)
    }),
    column(
        "arc_bytes",
        "bytes read but not delivered by devices; absent in phases that write",
        |row| row.precision.bytes_if_any(row.phase.arc_bytes),
    ),
    column("l2arc_read", "bytes read from cache devices", |row| {
        row.precision.bytes(row.phase.l2arc_read_bytes)
    }),
    column("l2arc_written", "bytes written to cache devices", |row| {
        row.precision.bytes(row.phase.l2arc_write_bytes)
    }),
    column("disk_read", "bytes read from data and special disks", |row| {
        row.precision.bytes(row.phase.device_read_bytes)
    }),
    column("disk_written", "bytes written to data and special disks", |row| {
        row.precision.bytes(row.phase.device_write_bytes)
    }),
    column("seeks", "seeks of data and special disks", |row| seeks(row.phase).to_string()),
    column("latency_p50", "half of the requests took no longer", |row| {
        row.precision.time(row.phase.latency.p50_ns)
    }),
    column("latency_p99", "99 % of the requests took no longer", |row| {
        row.precision.time(row.phase.latency.p99_ns)
    }),
    column("sync_p50", "half of the synchronous writes took no longer", |row| {
        let latency = row.phase.sync_latency.as_ref();
        latency.map_or(ABSENT.to_owned(), |latency| row.precision.time(latency.p50_ns))
    }),
    column("sync_p99", "99 % of the synchronous writes took no longer", |row| {
        let latency = row.phase.sync_latency.as_ref();
        latency.map_or(ABSENT.to_owned(), |latency| row.precision.time(latency.p99_ns))
    }),
    column("log_max", "peak fill of the log devices", |row| {
        row.precision.bytes_if_any(row.phase.log_bytes_max)
    }),
    column("metadata_ratio", "hits of accesses to metadata", |row| {
        row.precision.ratio(row.phase.metadata_hit_ratio)
    }),
    column("throughput_low", "least throughput of the range", |row| row.rate(|span| span.low)),
    column("throughput_high", "most throughput of the range", |row| row.rate(|span| span.high)),
    column("change_low", "least change of the range, percent", |row| row.change(|span| span.low)),
    column("change_high", "most change of the range, percent", |row| row.change(|span| span.high)),
];

impl Row<'_> {
    fn rate(&self, end: fn(Span) -> f64) -> String {
        let span = self.ranges.and_then(|ranges| ranges.throughput_bytes_per_sec);
        let Some(span) = span else { return ABSENT.to_owned() };
        let rate = ranges::rate_of(end(span));
        match self.precision {
            Precision::Rounded => rate.to_string(),
            Precision::Exact => rate.0.to_string(),
        }
    }

    fn change(&self, end: fn(Span) -> f64) -> String {
        let Some(span) = self.ranges.and_then(|ranges| ranges.times_first_arm) else {
            return ABSENT.to_owned();
        };
        let percent = (end(span) - 1.0) * 100.0;
        match self.precision {
            Precision::Rounded => change(percent),
            Precision::Exact => format!("{percent:.4}"),
        }
    }
}

const fn column(name: &'static str, meaning: &'static str, cell: fn(&Row<'_>) -> String) -> Column {
    Column { name, meaning, cell }
}

/// Returns one line per arm and phase with the columns of [`COLUMNS`]; what is absent is `-`.
#[must_use]
pub fn tab_separated(outcome: &Outcome, precision: Precision) -> String {
    let line = |row: Row<'_>| {
        COLUMNS.map(|column| visible(&(column.cell)(&row)).into_owned()).join("\t") + "\n"
    };
    rows(outcome, precision).map(line).collect()
}

/// Returns the same as CSV (RFC 4180, with line feeds): the columns' names, then exact figures; what is absent is empty.
#[must_use]
pub fn comma_separated(outcome: &Outcome) -> String {
    let names = COLUMNS.map(|column| column.name.to_owned());
    let mut lines = vec![names.join(",")];
    let line = |row: Row<'_>| COLUMNS.map(|column| quoted(&(column.cell)(&row))).join(",");
    lines.extend(rows(outcome, Precision::Exact).map(line));
    lines.join("\n") + "\n"
}

/// Returns a row for each arm and phase.
fn rows(outcome: &Outcome, precision: Precision) -> impl Iterator<Item = Row<'_>> {
    let by_place = ranges::ByPlace::of(outcome);
    let places =
        outcome.arms.iter().flat_map(|arm| arm.phases.iter().map(move |phase| (arm, phase)));
    places.map(move |(arm, phase)| {
        let ranges = by_place.get(&arm.name, &phase.name);
        Row { outcome, arm, phase, ranges, precision }
    })
}

/// Returns a cell of CSV. A name that a spreadsheet would take for a formula begins with an apostrophe.
fn quoted(cell: &str) -> String {
    let cell = visible(cell);
    if cell == ABSENT {
        return String::new();
    }
    let is_formula = cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err();
    let cell = if is_formula { format!("'{cell}") } else { cell.into_owned() };
    match cell.contains([',', '"', ';', '\'']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    }
}

/// Returns the seeks of all data and special disks.
pub(crate) fn seeks(phase: &PhaseRun) -> u64 {
    let disks = phase.devices.iter().filter(|device| device.role.holds_pool());
    disks.map(|device| device.seeks).sum()
}

#[cfg(test)]
mod tests {
    use super::{COLUMNS, comma_separated, tab_separated};
    use crate::{Precision, fixture};

    #[test]
    fn every_arm_and_phase_has_a_line_with_every_column() {
        let mut outcome = fixture::steam();
        outcome.arms[0].name = "as\tinstalled\n".to_owned();
        for precision in [Precision::Rounded, Precision::Exact] {
            let text = tab_separated(&outcome, precision);
            assert_eq!(text.lines().count(), 4);
            for line in text.lines() {
                assert_eq!(line.split('\t').count(), COLUMNS.len(), "{line}");
            }
        }
    }

    #[test]
    fn csv_has_a_head_and_as_many_cells_in_every_line() {
        let mut outcome = fixture::steam();
        outcome.arms[0].name = "=1+2, \"so\"".to_owned();
        let text = comma_separated(&outcome);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5);
        assert!(lines[0].starts_with("arm,phase,throughput,change,reported,duration,"));
        assert!(lines[1].starts_with("\"'=1+2, \"\"so\"\"\",first read,339738624,,,"));
        assert!(lines[4].starts_with("dumb LRU,second read,1509949440,537.1681,1474,"), "{text}");
        for line in [lines[0], lines[4]] {
            assert_eq!(line.split(',').count(), COLUMNS.len(), "{line}");
        }
    }

    #[test]
    fn exact_figures_are_bytes_nanoseconds_and_ratios() {
        let text = tab_separated(&fixture::steam(), Precision::Exact);
        assert_eq!(
            text.lines().last().unwrap().replace('\t', "|"),
            "dumb LRU|second \
             read|1509949440|537.1681|1474|14222222222|21474836480|163840|0.031|0.971|0|19327352832|1073741824|2147483648|0|500|1000000|8000000|-|-|-|-|-|-|-|-"
        );
    }

    #[test]
    fn rounded_figures_carry_their_units() {
        let text = tab_separated(&fixture::steam(), Precision::Rounded);
        assert_eq!(
            text.lines().next().unwrap().replace('\t', "|"),
            "as installed|first read|324 MiB/s|-|324|1:03|20 GiB|163840|95.0 %|0 %|0 B|0 B|512 \
             MiB|20 GiB|0 B|500|1.00 ms|8.00 ms|-|-|-|-|-|-|-|-"
        );
    }
}
