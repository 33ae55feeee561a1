//! `cargo xtask twins`: whether the load of a machine is found again in its counters, and whether what is then predicted of a
//! change comes out.
//!
//! ```text
//!   a known load ──lab──> counters ──> arcwright scenario ──> scenario ──model──> the same counters?
//!                └──lab, with twice the memory or a cache device──> what it brought <──> what the model says of it
//! ```
//!
//! The lab runs each case once (`--record`); what it counted is kept in `fidelity/twins`. Nothing is fitted on them.

mod cases;
mod page;

use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use arcwright_model::Model;
use arcwright_scenario::{Engine, Latency, Outcome, PhaseRun, RunRequest, Scenario, Unwatched};
use arcwright_twin::{Twin, simulated, twin_at};

use crate::parallel;
use cases::Case;

/// Names of the arms, as `arcwright scenario` has them.
const AS_IS: &str = "as it is";
const MEMORY: &str = "twice the memory";
const CACHE: &str = "a cache device";
/// The phase that counts.
const PHASE: &str = "load";

/// Options of the chore.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Run the lab first, on the cases that have no record yet.
    #[arg(long)]
    record: bool,
    /// Only print what comes of the cases whose name holds this text, and their scenarios; write nothing.
    #[arg(long, value_name = "TEXT")]
    show: Option<String>,
}

/// What came of a case.
struct Found {
    name: String,
    twin: Twin,
    /// Bytes that disks read per second in each arm: in the lab, and as predicted.
    changes: Vec<Change>,
    /// Ghost hits as a part of all misses, in the lab and by the model of the known load.
    ghosts: [Option<f64>; 2],
    /// Hits of the MRU as a part of those of data, likewise.
    recent: [Option<f64>; 2],
}

/// What a change does to what disks read: the part that is left of it.
struct Change {
    arm: &'static str,
    lab: f64,
    model: f64,
    /// The least and the most of the loads that the counters do not tell apart.
    range: [f64; 2],
    /// By the model of the load that was run, as if it were known.
    of_known_load: f64,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let cases = cases::all();
    if options.record {
        record(&cases)?;
    }
    let shown = |case: &&Case| options.show.as_ref().is_none_or(|text| case.name.contains(text));
    let cases: Vec<&Case> = cases.iter().filter(shown).filter(|case| path(case).exists()).collect();
    let found = parallel::map(&cases, |case| {
        found(case).with_context(|| format!("failed to find {} again", case.name))
    });
    let found: Vec<Found> = found.into_iter().collect::<anyhow::Result<_>>()?;
    if options.show.is_some() {
        found.iter().for_each(|found| println!("{}\n{}", page::line(found), found.twin.text));
        return Ok(());
    }
    let page = page::page(&found);
    for (said, block) in page::blocks(&found) {
        print!("{said}: {}", page::sums(block));
    }
    std::fs::write(crate::root().join("fidelity/TWINS.md"), page)
        .context("failed to write the page")
}

fn path(case: &Case) -> PathBuf {
    crate::root().join("fidelity/twins").join(format!("{}.json", case.name))
}

/// Lets the lab run what has no record.
fn record(cases: &[Case]) -> anyhow::Result<()> {
    std::fs::create_dir_all(crate::root().join("fidelity/twins"))?;
    for case in cases.iter().filter(|case| !path(case).exists()) {
        println!("{}", case.name);
        let scenario = scenario(case)?;
        let mut outcome = crate::lab(case.version)?
            .run(&RunRequest { scenario, repeats: 1 }, &mut Unwatched)
            .with_context(|| format!("failed to run {}", case.name))?;
        shorten(&mut outcome);
        let text = serde_json::to_string(&outcome)? + "\n";
        std::fs::write(path(case), text)
            .with_context(|| format!("failed to keep {}", case.name))?;
    }
    Ok(())
}

/// Leaves out what no twin looks at.
fn shorten(outcome: &mut Outcome) {
    let cut = |latency: &mut Latency| latency.buckets.clear();
    for arm in &mut outcome.arms {
        arm.runs.clear();
        arm.phases.retain(|run| run.name == PHASE);
        for run in &mut arm.phases {
            cut(&mut run.latency);
            run.sync_latency.iter_mut().for_each(cut);
        }
    }
}

fn scenario(case: &Case) -> anyhow::Result<Scenario> {
    Scenario::parse(&case.text, &case.name).map_err(|error| anyhow!("{}: {error}", case.name))
}

fn found(case: &Case) -> anyhow::Result<Found> {
    let text = std::fs::read_to_string(path(case))?;
    let lab: Outcome = serde_json::from_str(&text)?;
    let machine = simulated::machine_of(&lab, AS_IS, PHASE).context("the record lacks its arm")?;
    let twin = twin_at(&machine, None, lab.engine.scale, &|| true)?;
    let mut model = Model { scale: Some(lab.engine.scale), ..Model::default() };
    let mut modelled = |scenario| model.run(&RunRequest { scenario, repeats: 1 }, &mut Unwatched);
    let texts = std::iter::once(&twin.text).chain(&twin.also);
    let scenarios = texts.map(|text| Scenario::parse(text, "twin.toml"));
    let scenarios: Vec<Scenario> =
        scenarios.collect::<Result<_, _>>().map_err(|error| anyhow!("{error}"))?;
    let predicted: Vec<Outcome> =
        scenarios.into_iter().map(&mut modelled).collect::<Result<_, _>>()?;
    let known = modelled(self::scenario(case)?)?;
    let change = |arm: &'static str| {
        let all: Vec<f64> = predicted.iter().filter_map(|outcome| left(outcome, arm)).collect();
        let range = [all.iter().copied().reduce(f64::min)?, all.iter().copied().reduce(f64::max)?];
        let (lab, model) = (left(&lab, arm)?, *all.first()?);
        Some(Change { arm, lab, model, range, of_known_load: left(&known, arm)? })
    };
    let changes = [MEMORY, CACHE].into_iter().filter_map(change).collect();
    let shares = |of: &[&str], all: &str| [&lab, &known].map(|outcome| share(outcome, of, all));
    let ghosts = shares(&["mru_ghost_hits", "mfu_ghost_hits"], "misses");
    let recent = shares(&["mru_hits"], "demand_data_hits");
    Ok(Found { name: case.name.clone(), twin, changes, ghosts, recent })
}

/// Returns what an arm did in the phase that counts.
fn loaded<'a>(outcome: &'a Outcome, arm: &str) -> Option<&'a PhaseRun> {
    let arm = outcome.arms.iter().find(|it| it.name == arm)?;
    arm.phases.iter().find(|run| run.name == PHASE)
}

/// Returns rows of arcstats as a part of another, as it is.
fn share(outcome: &Outcome, of: &[&str], all: &str) -> Option<f64> {
    let rows = loaded(outcome, AS_IS)?.kstats.get("arcstats")?;
    let row = |name: &str| Some(*rows.get(name)? as f64);
    let part = of.iter().map(|name| row(name)).sum::<Option<f64>>()?;
    Some((part / row(all).filter(|all| *all > 0.0)?).min(1.0))
}

/// Returns which part of the reads from disks is left with a change.
fn left(outcome: &Outcome, arm: &str) -> Option<f64> {
    let rate = |arm: &str| {
        let run = loaded(outcome, arm)?;
        Some(run.device_read_bytes.0 as f64 / run.duration_ns.as_secs_f64())
    };
    let before = rate(AS_IS).filter(|rate| *rate > 0.0)?;
    Some(rate(arm)? / before)
}
