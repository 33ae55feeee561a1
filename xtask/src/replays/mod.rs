//! `cargo xtask replays`: whether the model says under a recorded trace what the real OpenZFS does, and what a change brings.
//!
//! ```text
//!   trace ─┬─ lab:   as it is, changed ──> hits of the ARC, what clients wait, bytes from disks
//!          └─ model: as it is, changed ──> the same; and what the change brings, by either
//! ```
//!
//! The lab runs each case once (`--record`); what it counted is kept in `fidelity/replays.json`. Nothing is fitted on them.

mod cases;
mod page;

use anyhow::Context as _;
use arcwright_model::Model;
use arcwright_model::ranges::{Check, Figures, Table};
use arcwright_scenario::{ArmOutcome, Engine as _, Outcome, RunRequest, TRACE_LOAD, Unwatched};
use serde::{Deserialize, Serialize};

use crate::lab_records::LabRecords;
use crate::parallel;
use cases::Case;

/// Options of the chore.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Run the lab first, on the cases that have no record yet.
    #[arg(long)]
    record: bool,
}

/// What the lab counted.
const RECORDS: &str = "replays.json";

/// What was counted of an arm while the second half of its trace was played.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Counted {
    /// Hits of the ARC, joined reads among them, of all accesses.
    arc_hits: f64,
    /// What clients waited, all requests added up, in seconds.
    wait_s: f64,
    /// Bytes read from data disks.
    disk_read: u64,
}

/// Where the program reads from how far predictions under traces were off.
const RANGES: &str = "crates/model/src/ranges/replayed.csv";
/// Less is not read often enough to tell anything.
const DISK_BYTES_MIN: u64 = 1 << 20;

/// What the lab counted of each case, by arm, in the order of the arms.
type Recorded = LabRecords<Vec<(String, Counted)>>;

/// An arm of a case by both engines.
struct Found {
    case: String,
    arm: String,
    lab: Counted,
    model: Counted,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let cases = cases::all()?;
    let mut recorded = Recorded::read(RECORDS)?;
    for case in cases.iter().filter(|_| options.record) {
        recorded.record((&case.name, case.version), &case.scenario, counted)?;
    }
    let found = found(&cases, &recorded)?;
    print!("{}", page::sums(&found));
    let ranges = checks(&cases, &found);
    std::fs::write(crate::root().join(RANGES), ranges.text("cargo xtask replays"))
        .context("failed to write the table of ranges")?;
    std::fs::write(crate::root().join("fidelity/REPLAYS.md"), page::page(&found, &ranges))
        .context("failed to write the page")
}

fn counted(outcome: &Outcome) -> anyhow::Result<Vec<(String, Counted)>> {
    let of = |arm: &ArmOutcome| {
        let run = arm.phases.iter().find(|run| run.name == TRACE_LOAD)?;
        let row = |name: &str| {
            let value = run.kstats.get("arcstats").and_then(|rows| rows.get(name));
            value.copied().unwrap_or(0) as f64
        };
        let (hits, misses) = (row("hits") + row("iohits"), row("misses"));
        let waits = run.clients.iter().filter_map(|client| {
            Some(client.latency.as_ref()?.mean_ns.as_secs_f64() * client.operations as f64)
        });
        let counted = Counted {
            arc_hits: hits / (hits + misses).max(1.0),
            wait_s: waits.sum(),
            disk_read: run.device_read_bytes.0,
        };
        Some((arm.name.clone(), counted))
    };
    let all = outcome.arms.iter().map(of).collect::<Option<_>>();
    all.context("an arm without its load")
}

fn found(cases: &[Case], recorded: &Recorded) -> anyhow::Result<Vec<Found>> {
    let cases: Vec<&Case> =
        cases.iter().filter(|case| recorded.get(&case.name).is_some()).collect();
    let found = parallel::map(&cases, |case| of_case(case, recorded));
    let found: Vec<Vec<Found>> = found.into_iter().collect::<anyhow::Result<_>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// Returns what the ranges of predictions under traces rest on.
fn checks(cases: &[Case], found: &[Found]) -> Table {
    let checks = found.iter().filter_map(|one| {
        let case = cases.iter().find(|case| case.name == one.case)?;
        let figures = one.figures();
        let (case, scenario) = (case.name.as_str(), &case.scenario);
        Some(Check { case, scenario, arm: &one.arm, phase: TRACE_LOAD, figures })
    });
    Table::of(&checks.collect::<Vec<_>>())
}

impl Found {
    fn figures(&self) -> Figures {
        let Self { model, lab, .. } = self;
        let disk = (model.disk_read.min(lab.disk_read) > DISK_BYTES_MIN)
            .then_some((model.disk_read as f64, lab.disk_read as f64));
        let wait = (model.wait_s > 0.0 && lab.wait_s > 0.0)
            .then_some((model.wait_s * 1e9, lab.wait_s * 1e9));
        [None, Some((model.arc_hits, lab.arc_hits)), None, None, disk, None, wait]
    }
}

fn of_case(case: &Case, recorded: &Recorded) -> anyhow::Result<Vec<Found>> {
    let lab = recorded.get(&case.name).context("no record")?;
    let version = Some(case.version.to_owned());
    let mut model = Model { version, user_space: true, ..Model::default() };
    let request = RunRequest { scenario: case.scenario.clone(), repeats: 1 };
    let outcome = model.run(&request, &mut Unwatched)?;
    let pairs = lab.iter().zip(counted(&outcome)?);
    Ok(pairs
        .map(|((arm, lab), (_, model))| Found {
            case: case.name.clone(),
            arm: arm.clone(),
            lab: *lab,
            model,
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::{RANGES, RECORDS, Recorded, cases, checks, found, page};

    #[test]
    fn the_page_and_the_ranges_are_what_the_records_say() {
        let cases = cases::all().unwrap();
        let found = found(&cases, &Recorded::read(RECORDS).unwrap()).unwrap();
        let kept = |path: &str| std::fs::read_to_string(crate::root().join(path)).unwrap();
        let anew = "cargo xtask replays writes it anew";
        let ranges = checks(&cases, &found);
        assert_eq!(page::page(&found, &ranges), kept("fidelity/REPLAYS.md"), "{anew}");
        assert_eq!(ranges.text("cargo xtask replays"), kept(RANGES), "{anew}");
    }
}
