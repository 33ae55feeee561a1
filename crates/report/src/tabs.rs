//! Lines of one arm and phase each: tab-separated without headers, for scripts; as CSV, for spreadsheets.

use arcwright_scenario::{ArmOutcome, ClientRun, Outcome, PhaseRun, RangesOfPlace, Span, WarmUp};

use crate::clients::ClientRows;
use crate::compare::{change_pct, reported};
use crate::figures::{ABSENT, Precision, change};
use crate::ranges;
use arcwright_units::{Nanos, Rate, visible};

/// One column of the tab-separated form.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its name, never changed.
    pub name: &'static str,
    /// What it holds.
    pub meaning: &'static str,
    cell: fn(&Row<'_>) -> String,
}

#[derive(Clone, Copy)]
struct Row<'a> {
    outcome: &'a Outcome,
    arm: &'a ArmOutcome,
    phase: &'a PhaseRun,
    /// The client, where the line is of one alone.
    client: Option<&'a ClientRun>,
    ranges: Option<&'a RangesOfPlace>,
    precision: Precision,
}

/// The columns in order; new ones are added at the end.
pub const COLUMNS: [Column; 30] = [
    column("arm", "name of the arm", |row| row.arm.name.clone()),
    column("phase", "name of the phase", |row| row.phase.name.clone()),
    column("throughput", "bytes moved per second", |row| {
        row.rate_of(row.phase.throughput_bytes_per_sec)
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
    column("client", "the client, in lines of one alone (-v)", |row| {
        row.client.map_or_else(|| ABSENT.to_owned(), |client| client.name.clone())
    }),
    column("ended", "when that client was done, from the start of the phase", |row| {
        let ended = row.client.and_then(|client| client.ended_ns);
        ended.map_or_else(|| ABSENT.to_owned(), |ended| row.precision.time(ended))
    }),
    column("rounds", "how often the phase was done until the caches were warm", |row| {
        row.phase.warm_up.map_or_else(|| ABSENT.to_owned(), |it| it.rounds.to_string())
    }),
    column("warm", "whether the caches were warm then: yes or no", |row| match row.phase.warm_up {
        None => ABSENT.to_owned(),
        Some(WarmUp { is_warm: true, .. }) => "yes".to_owned(),
        Some(_) => "no".to_owned(),
    }),
];

impl Row<'_> {
    /// Returns the text of a column; of a client only what is known of one alone.
    fn cell(&self, column: &Column) -> String {
        let Some(client) = self.client else { return (column.cell)(self) };
        let time = |time: Option<Nanos>| {
            time.map_or_else(|| ABSENT.to_owned(), |time| self.precision.time(time))
        };
        match column.name {
            "arm" | "phase" | "client" | "ended" => (column.cell)(self),
            "throughput" => self.rate_of(client.throughput_bytes_per_sec),
            "duration" => self.precision.time(client.duration_ns),
            "bytes" => self.precision.bytes(client.bytes),
            "operations" => client.operations.to_string(),
            "latency_p50" => time(client.latency.map(|latency| latency.p50_ns)),
            "latency_p99" => time(client.latency.map(|latency| latency.p99_ns)),
            _ => ABSENT.to_owned(),
        }
    }

    fn rate_of(&self, rate: Rate) -> String {
        match self.precision {
            Precision::Rounded => rate.to_string(),
            Precision::Exact => rate.0.to_string(),
        }
    }

    fn rate(&self, end: fn(Span) -> f64) -> String {
        let span = self.ranges.and_then(|ranges| ranges.throughput_bytes_per_sec);
        let Some(span) = span else { return ABSENT.to_owned() };
        self.rate_of(ranges::rate_of(end(span)))
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

/// Returns one line per arm and phase with the columns of [`COLUMNS`], and behind it one for each client where all are
/// wanted; what is absent is `-`.
#[must_use]
pub fn tab_separated(outcome: &Outcome, precision: Precision, clients: ClientRows) -> String {
    let line = |row: Row<'_>| {
        COLUMNS.map(|column| visible(&row.cell(&column)).into_owned()).join("\t") + "\n"
    };
    rows(outcome, precision, clients).map(line).collect()
}

/// Returns the same as CSV (RFC 4180, with line feeds): the columns' names, then exact figures; what is absent is empty.
#[must_use]
pub fn comma_separated(outcome: &Outcome, clients: ClientRows) -> String {
    let names = COLUMNS.map(|column| column.name.to_owned());
    let mut lines = vec![names.join(",")];
    let line = |row: Row<'_>| COLUMNS.map(|column| quoted(&row.cell(&column))).join(",");
    lines.extend(rows(outcome, Precision::Exact, clients).map(line));
    lines.join("\n") + "\n"
}

/// Returns a row for each arm and phase, and for its clients where all are wanted.
fn rows(
    outcome: &Outcome,
    precision: Precision,
    clients: ClientRows,
) -> impl Iterator<Item = Row<'_>> {
    let by_place = ranges::ByPlace::of(outcome);
    let places =
        outcome.arms.iter().flat_map(|arm| arm.phases.iter().map(move |phase| (arm, phase)));
    places.flat_map(move |(arm, phase)| {
        let ranges = by_place.get(&arm.name, &phase.name);
        let whole = Row { outcome, arm, phase, client: None, ranges, precision };
        let each = phase.clients.iter().filter(|_| clients == ClientRows::All);
        let each = each.map(|client| Row { client: Some(client), ..whole });
        std::iter::once(whole).chain(each).collect::<Vec<_>>()
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
    use super::{COLUMNS, ClientRows, comma_separated, tab_separated};
    use arcwright_scenario::ClientRun;
    use arcwright_units::{Bytes, Nanos, Rate};

    use crate::{Precision, fixture};

    #[test]
    fn every_arm_and_phase_has_a_line_with_every_column() {
        let mut outcome = fixture::steam();
        outcome.arms[0].name = "as\tinstalled\n".to_owned();
        for precision in [Precision::Rounded, Precision::Exact] {
            let text = tab_separated(&outcome, precision, ClientRows::Differing);
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
        let text = comma_separated(&outcome, ClientRows::Differing);
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
    fn a_client_alone_has_a_line_behind_its_phase() {
        let mut outcome = fixture::steam();
        let run = ClientRun {
            name: "a film".to_owned(),
            bytes: Bytes::mib(1),
            operations: 8,
            duration_ns: Nanos::secs(1),
            throughput_bytes_per_sec: Rate(1 << 20),
            ended_ns: Some(Nanos::secs(2)),
            latency: None,
        };
        outcome.arms[0].phases[0].clients = vec![run];
        let text = comma_separated(&outcome, ClientRows::All);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 6, "{text}");
        let cells = "as installed,first read,1048576,,,1000000000,1048576,8";
        assert_eq!(lines[2], format!("{cells}{}a film,2000000000,,", ",".repeat(19)));
        assert_eq!(
            tab_separated(&outcome, Precision::Exact, ClientRows::Differing).lines().count(),
            4
        );
    }

    #[test]
    fn exact_figures_are_bytes_nanoseconds_and_ratios() {
        let text = tab_separated(&fixture::steam(), Precision::Exact, ClientRows::Differing);
        assert_eq!(
            text.lines().last().unwrap().replace('\t', "|"),
            "dumb LRU|second \
             read|1509949440|537.1681|1474|14222222222|21474836480|163840|0.031|0.971|0|19327352832|1073741824|2147483648|0|500|1000000|8000000|-|-|-|-|-|-|-|-|-|-|-|-"
        );
    }

    #[test]
    fn rounded_figures_carry_their_units() {
        let text = tab_separated(&fixture::steam(), Precision::Rounded, ClientRows::Differing);
        assert_eq!(
            text.lines().next().unwrap().replace('\t', "|"),
            "as installed|first read|324 MiB/s|-|324|1:03|20 GiB|163840|95.0 %|0 %|0 B|0 B|512 \
             MiB|20 GiB|0 B|500|1.00 ms|8.00 ms|-|-|-|-|-|-|-|-|-|-|-|-"
        );
    }
}
