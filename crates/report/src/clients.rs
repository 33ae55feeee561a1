//! What each client of a phase got, beside the sums of all: a film beside a backup.
//!
//! Clients that are alike stand in one line, unless all are asked for.

use arcwright_scenario::{ArmOutcome, ClientLatency, ClientRun, Outcome};
use arcwright_units::{Bytes, Nanos, Rate};

use crate::compare::phase_of;
use crate::figures::{ABSENT, Precision, three_digits};
use crate::table::{Cell, Table, Tone};

/// Of which clients a table is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ClientRows {
    /// Of phases whose clients differ; those alike in one line.
    #[default]
    Differing,
    /// Of all, each in its own line.
    All,
}

/// Most kinds of clients of a phase that are shown where not all are asked for.
const KINDS_MAX: usize = 12;

/// Clients of one kind in a phase: what they are called, and their places in its list.
struct Group {
    name: String,
    places: Vec<usize>,
}

/// Returns what clients got, phase by phase, client by client, arm by arm; none where there is nothing to tell apart.
pub(crate) fn table(outcome: &Outcome, rows: ClientRows, precision: Precision) -> Option<Table> {
    let mut table = Table::default();
    let rate = precision.rate_unit();
    let heads = ["client", "moved", rate, "per s", "p50", "p99", "ended after"];
    table.cells(heads.map(|head| Cell::new(head, Tone::Strong)).to_vec());
    table.rule();
    let mut is_empty = true;
    for phase in &outcome.scenario.phases {
        let groups = groups(outcome, &phase.name, rows);
        if groups.is_empty() {
            continue;
        }
        is_empty = false;
        table.span(Cell::plain(&phase.name));
        let shown = if rows == ClientRows::All { groups.len() } else { KINDS_MAX };
        for group in groups.iter().take(shown) {
            let name = match group.places.len() {
                1 => group.name.clone(),
                count => format!("{count} × {}", group.name),
            };
            table.span(Cell::plain(format!("  {name}")));
            for arm in &outcome.arms {
                table.cells(cells(arm, (&phase.name, group), precision));
            }
        }
        if let Some(more) = groups.len().checked_sub(shown).filter(|more| *more > 0) {
            table.span(Cell::new(format!("  and {more} more (-v)"), Tone::Faint));
        }
    }
    (!is_empty).then_some(table)
}

/// Explains a line that stands for several clients.
pub(crate) const LEGEND: &str = "Clients alike stand in one line: sums, the median p50, the longest p99, the last end; -v shows each.";

/// Returns whether a line stands for several clients.
pub(crate) fn has_groups(outcome: &Outcome, rows: ClientRows) -> bool {
    let phases = outcome.scenario.phases.iter();
    phases.flat_map(|phase| groups(outcome, &phase.name, rows)).any(|group| group.places.len() > 1)
}

/// Returns the kinds of clients of a phase; none where they are all alike and not all are wanted.
fn groups(outcome: &Outcome, phase: &str, rows: ClientRows) -> Vec<Group> {
    let first = outcome.arms.iter().find_map(|arm| phase_of(arm, phase));
    let clients = first.map(|run| run.clients.as_slice()).unwrap_or_default();
    let mut groups: Vec<Group> = Vec::new();
    for (place, client) in clients.iter().enumerate() {
        let known = groups.iter_mut().find(|group| group.name == client.name);
        match known.filter(|_| rows == ClientRows::Differing) {
            Some(group) => group.places.push(place),
            None => groups.push(Group { name: client.name.clone(), places: vec![place] }),
        }
    }
    if groups.len() < 2 && rows == ClientRows::Differing {
        groups.clear();
    }
    groups
}

fn cells(arm: &ArmOutcome, (phase, group): (&str, &Group), precision: Precision) -> Vec<Cell> {
    let clients = phase_of(arm, phase).map(|run| run.clients.as_slice()).unwrap_or_default();
    let all: Vec<&ClientRun> =
        group.places.iter().filter_map(|place| clients.get(*place)).collect();
    let rate: u64 = all.iter().map(|client| client.throughput_bytes_per_sec.0).sum();
    let per_second = all.iter().map(|client| per_second(client)).sum::<f64>();
    let time =
        |time: Option<Nanos>| time.map_or_else(|| ABSENT.to_owned(), |it| precision.time(it));
    let texts = match all.is_empty() {
        true => [(); 6].map(|()| ABSENT.to_owned()),
        false => [
            precision.bytes(all.iter().map(|client| client.bytes).sum::<Bytes>()),
            precision.rate(Rate(rate)),
            three_digits(per_second),
            time(median(&all, |latency| latency.p50_ns)),
            time(all.iter().filter_map(|client| Some(client.latency?.p99_ns)).max()),
            time(all.iter().filter_map(|client| client.ended_ns).max()),
        ],
    };
    let name = Cell::plain(format!("    {}", arm.name));
    std::iter::once(name).chain(texts.map(Cell::plain)).collect()
}

fn per_second(client: &ClientRun) -> f64 {
    let seconds = client.duration_ns.0 as f64 / 1e9;
    if seconds > 0.0 { client.operations as f64 / seconds } else { 0.0 }
}

fn median(all: &[&ClientRun], of: fn(&ClientLatency) -> Nanos) -> Option<Nanos> {
    let mut each: Vec<Nanos> =
        all.iter().filter_map(|client| Some(of(client.latency.as_ref()?))).collect();
    each.sort_unstable();
    each.get(each.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::{ClientLatency, ClientRun, Outcome};
    use arcwright_units::{Bytes, Nanos, Rate};

    use super::{ClientRows, table};
    use crate::{Precision, fixture};

    fn client(name: &str, mib: u64) -> ClientRun {
        let time = Nanos::millis;
        ClientRun {
            name: name.to_owned(),
            bytes: Bytes::mib(mib),
            operations: mib * 8,
            duration_ns: Nanos::secs(10),
            throughput_bytes_per_sec: Rate(Bytes::mib(mib).0 / 10),
            ended_ns: Some(Nanos::secs(12)),
            latency: Some(ClientLatency {
                mean_ns: time(2),
                p50_ns: time(1),
                p95_ns: time(3),
                p99_ns: time(mib),
                max_ns: time(mib),
            }),
        }
    }

    fn outcome(clients: &[ClientRun]) -> Outcome {
        let mut outcome = fixture::steam();
        for arm in &mut outcome.arms {
            arm.phases[0].clients = clients.to_vec();
        }
        outcome
    }

    fn shown(clients: &[ClientRun], rows: ClientRows) -> Option<String> {
        table(&outcome(clients), rows, Precision::Rounded).map(|table| table.render(false))
    }

    #[test]
    fn clients_that_differ_have_their_lines_and_those_alike_share_one() {
        let clients = [client("film", 100), client("backup", 10), client("backup", 20)];
        assert_eq!(
            shown(&clients, ClientRows::Differing).unwrap(),
            "\
client              moved  MiB/s  per s      p50      p99  ended after
──────────────────────────────────────────────────────────────────────
first read
  film
    as installed  100 MiB   10.0   80.0  1.00 ms   100 ms       12.0 s
    dumb LRU      100 MiB   10.0   80.0  1.00 ms   100 ms       12.0 s
  2 × backup
    as installed   30 MiB   3.00   24.0  1.00 ms  20.0 ms       12.0 s
    dumb LRU       30 MiB   3.00   24.0  1.00 ms  20.0 ms       12.0 s
"
        );
        let all = shown(&clients, ClientRows::All).unwrap();
        assert_eq!(all.matches("  backup\n").count(), 2, "{all}");
    }

    #[test]
    fn where_all_are_alike_the_phase_says_it() {
        assert_eq!(shown(&[client("a", 1), client("a", 1)], ClientRows::Differing), None);
        assert_eq!(shown(&[], ClientRows::All), None);
        assert!(shown(&[client("a", 1)], ClientRows::All).is_some());
    }

    #[test]
    fn of_many_kinds_the_first_are_shown() {
        let clients: Vec<ClientRun> = (0..20).map(|at| client(&format!("c{at}"), 1)).collect();
        let some = shown(&clients, ClientRows::Differing).unwrap();
        assert!(some.contains("  and 8 more (-v)\n") && !some.contains("c12"), "{some}");
        assert!(shown(&clients, ClientRows::All).unwrap().contains("  c19\n"));
    }
}
