//! `cargo xtask curves`: whether a miss-ratio curve is what the real OpenZFS finds at each size.
//!
//! ```text
//!   a client whose accesses are known ──lab, six sizes of ARC──> blocks that the disks had to give
//!                       ├── its trace ──arcwright trace curve──> blocks that an ARC of that size lacks
//!                       └── the same accesses, the whole model ──> the same, with metadata and dbufs beside
//! ```
//!
//! The lab runs each case once (`--record`); what it counted is kept in `fidelity/curves.json`. Nothing is fitted on them.

mod cases;
mod page;

use std::collections::BTreeMap;

use anyhow::Context as _;
use arcwright_model::Model;
use arcwright_model::curve::{CacheSizes, CurvePlan, PlannedCurve};
use arcwright_scenario::{Engine as _, Outcome, RunRequest, Unwatched};
use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};

use crate::lab_records::LabRecords;
use crate::parallel;
use cases::{ARCS_MIB, Case, PHASE};

/// Options of the chore.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Run the lab first, on the cases that have no record yet.
    #[arg(long)]
    record: bool,
}

/// What the lab found.
const RECORDS: &str = "curves.json";

/// What the lab found of each case: hits of all blocks that were asked for, by size of the ARC in MiB.
type Recorded = LabRecords<BTreeMap<u64, f64>>;

/// A case with what the lab found and what the curves say, at each size.
struct Found {
    name: String,
    lab: Vec<f64>,
    /// By simulation of all blocks, and of a sample of them.
    whole: Vec<f64>,
    thinned: Vec<f64>,
    one_in: u32,
    /// By the whole model, as `arcwright advise --trace` draws it.
    model: Vec<f64>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let cases = cases::all()?;
    let mut recorded = Recorded::read(RECORDS)?;
    for case in cases.iter().filter(|_| options.record) {
        let of = |outcome: &Outcome| counted(case, outcome);
        recorded.record((&case.name, case.version), &case.scenario, of)?;
    }
    let found = found(&cases, &recorded)?;
    print!("{}", page::sums(&found));
    std::fs::write(crate::root().join("fidelity/CURVES.md"), page::page(&found))
        .context("failed to write the page")
}

/// Returns what the lab found of a case, by size.
fn counted(case: &Case, outcome: &Outcome) -> anyhow::Result<BTreeMap<u64, f64>> {
    let accesses = case.trace()?.accesses.len() as f64;
    let hits = ARCS_MIB.map(|mib| Some((mib, hits(outcome, mib, accesses)?)));
    hits.into_iter().collect::<Option<_>>().context("an arm that did not end")
}

/// Returns which part of the blocks that were asked for the disks did not have to give. What dbufs have does not ask the ARC, so
/// that its own hits do not tell.
fn hits(outcome: &Outcome, mib: u64, accesses: f64) -> Option<f64> {
    let arm = outcome.arms.iter().find(|arm| arm.name == format!("{mib} MiB"))?;
    let run = arm.phases.iter().find(|run| run.name == PHASE)?;
    let misses = *run.kstats.get("arcstats")?.get("demand_data_misses")?;
    Some(1.0 - misses as f64 / accesses)
}

fn found(cases: &[Case], recorded: &Recorded) -> anyhow::Result<Vec<Found>> {
    let cases: Vec<&Case> =
        cases.iter().filter(|case| recorded.get(&case.name).is_some()).collect();
    let found = parallel::map(&cases, |case| of_case(case, recorded));
    found.into_iter().collect()
}

fn of_case(case: &Case, recorded: &Recorded) -> anyhow::Result<Found> {
    let lab = recorded.get(&case.name).context("no record")?;
    let trace = case.trace()?;
    let curve = |exact: bool| {
        let planned = PlannedCurve {
            in_user_space: true,
            version: Version::parse(case.version),
            sizes: ARCS_MIB
                .map(|mib| CacheSizes { arc: Bytes::mib(mib), l2arc: Bytes::ZERO })
                .to_vec(),
            write_max: None,
            step: Nanos::micros(500),
            exact,
        };
        let plan = CurvePlan::new(&trace, planned);
        let results: Vec<_> = plan.jobs().into_iter().map(|job| plan.run(job)).collect();
        plan.finish(&results)
    };
    let (whole, thinned) = (curve(true), curve(false));
    let hits = |curve: &arcwright_model::curve::Curve| -> Vec<f64> {
        curve.points.iter().map(|point| point.hits).collect()
    };
    Ok(Found {
        name: case.name.clone(),
        lab: lab.values().copied().collect(),
        whole: hits(&whole),
        thinned: hits(&thinned),
        one_in: thinned.one_in,
        model: by_model(case, trace.accesses.len() as f64)?,
    })
}

/// Returns what the whole model finds of the same accesses.
fn by_model(case: &Case, accesses: f64) -> anyhow::Result<Vec<f64>> {
    let version = Some(case.version.to_owned());
    let mut model = Model { version, user_space: true, ..Model::default() };
    let request = RunRequest { scenario: case.scenario.clone(), repeats: 1 };
    let outcome = model.run(&request, &mut Unwatched)?;
    let hits = ARCS_MIB.map(|mib| hits(&outcome, mib, accesses));
    hits.into_iter().collect::<Option<_>>().context("an arm that did not end")
}

#[cfg(test)]
mod tests {
    use super::{RECORDS, Recorded, cases, found, page};

    #[test]
    fn the_page_is_what_the_records_say() {
        let found = found(&cases::all().unwrap(), &Recorded::read(RECORDS).unwrap()).unwrap();
        let kept = std::fs::read_to_string(crate::root().join("fidelity/CURVES.md")).unwrap();
        assert_eq!(page::page(&found), kept, "cargo xtask curves writes it anew");
    }
}
