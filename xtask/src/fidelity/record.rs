//! What an engine found in a case, short enough to be kept.

use std::path::Path;

use anyhow::Context as _;
use arcwright_model::Model;
use arcwright_scenario::{
    Engine, Latency, Measure, Outcome, PhaseRun, Role, RunRequest, Scenario, SyncMode, Unwatched,
};
use serde::{Deserialize, Serialize};

use super::cases::Case;
use super::old_cases;

/// A case runs with at least so many seeds, whose spread is its noise.
const SEEDS_MIN: usize = 3;
/// Loops that are barely stable end anywhere: after so many seeds their mean is what it is.
const SEEDS_MAX: usize = 16;
/// The old daemon takes its time, and so do cases that write or work on trees: with three seeds they
/// last minutes.
const SEEDS_MAX_SLOW: usize = 3;
/// What is on a cache device depends on chance even there.
const SEEDS_MAX_SLOW_CACHE: usize = 8;
/// Drawn cases are many: rather more of them than more seeds of each, whose noise counts as an error.
const SEEDS_UNSEEN: usize = 1;
/// Seeds are added until the standard error of the mean is below this share of the throughput, and
/// below this part of the L2ARC's hit ratio.
const THROUGHPUT_ERROR: f64 = 0.02;
const L2ARC_ERROR: f64 = 0.01;

/// Counts the labs whose runs are others: 2 lets threads run beside each other as cores do, and disks take no threads; 3 has
/// priorities; in 4, since 2026-11-29, a lock that is let go is free, and not given to who sleeps (docs/decisions/0003-time-by-events.md).
pub(super) const LAB: u32 = 4;

fn first_lab() -> u32 {
    1
}

/// What an engine found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) case: String,
    /// The command that makes it again.
    pub(super) command: String,
    pub(super) openzfs: String,
    /// Which lab made it: [`LAB`], or one before it.
    #[serde(default = "first_lab")]
    pub(super) lab: u32,
    pub(super) runs: Vec<Run>,
}

/// One arm and phase, with one number per seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Run {
    pub(super) arm: String,
    pub(super) phase: String,
    pub(super) throughput: Vec<f64>,
    pub(super) duration_ns: Vec<f64>,
    pub(super) arc_hit_ratio: Vec<f64>,
    pub(super) l2arc_hit_ratio: Vec<f64>,
    pub(super) disk_bytes: Vec<f64>,
    pub(super) l2arc_bytes: Vec<f64>,
    pub(super) seeks: Vec<f64>,
    /// Bytes written to the disks of the pool and its log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) written_bytes: Vec<f64>,
    /// Hits of accesses to metadata, where the case is about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) metadata_hit_ratio: Vec<f64>,
    /// Synchronous writes: their median and 99th percentile in nanoseconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) sync_p50_ns: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) sync_p99_ns: Vec<f64>,
    pub(super) moved: f64,
}

impl Record {
    /// Returns with how many seeds the case was run.
    pub(super) fn seeds(&self) -> usize {
        self.runs.first().map_or(0, |run| run.throughput.len())
    }

    /// Returns whether more seeds would hardly move a mean.
    fn is_settled(&self) -> bool {
        self.seeds() >= SEEDS_MIN
            && self.runs.iter().all(|run| {
                let share = standard_error(&run.throughput) / mean(&run.throughput).max(1.0);
                share <= THROUGHPUT_ERROR && standard_error(&run.l2arc_hit_ratio) <= L2ARC_ERROR
            })
    }
}

/// Returns the mean of `values`.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Returns how far the mean of `values` is from the true one, as one standard deviation.
fn standard_error(values: &[f64]) -> f64 {
    let (count, middle) = (values.len() as f64, mean(values));
    let squares: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
    if count < 2.0 { 0.0 } else { (squares / (count - 1.0) / count).sqrt() }
}

/// Says whether a record is there, and made by the lab of today.
pub(super) fn is_of_this_lab(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).ok();
    let record = text.and_then(|text| serde_json::from_str::<Record>(&text).ok());
    record.is_some_and(|record| record.lab == LAB)
}

/// Runs cases in the lab and keeps what it found; one that fails does not stop the others.
pub(super) fn with_lab(cases: &[&Case], folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).context("failed to make fidelity/records")?;
    let mut failed = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        println!("{}/{} {}", number + 1, cases.len(), case.name);
        if let Err(error) = one_with_lab(case, folder) {
            println!("  failed: {error:#}");
            failed.push(case.name.as_str());
        }
    }
    anyhow::ensure!(failed.is_empty(), "failed in the lab: {}", failed.join(", "));
    Ok(())
}

fn one_with_lab(case: &Case, folder: &Path) -> anyhow::Result<()> {
    let mut outcomes = Vec::new();
    let record = loop {
        let mut lab = crate::lab(&case.version)?;
        outcomes.push(outcome(&mut lab, case, outcomes.len() as u64 + 1)?);
        let record = summed_up(case, &outcomes);
        let most = match (case.is_slow(), case.has_cache()) {
            _ if case.is_held_out() => SEEDS_MIN,
            _ if case.is_of_a_block() => SEEDS_UNSEEN,
            (true, true) => SEEDS_MAX_SLOW_CACHE,
            (true, false) => SEEDS_MAX_SLOW,
            (false, _) => SEEDS_MAX,
        };
        if outcomes.len() >= most || record.is_settled() {
            break record;
        }
    };
    let text = serde_json::to_string_pretty(&record)? + "\n";
    std::fs::write(super::record_path(folder, case), text)
        .with_context(|| format!("failed to write the record of {}", case.name))
}

/// Runs a case in the model, with as many seeds as the lab took.
pub(super) fn with_model(case: &Case, seeds: usize) -> anyhow::Result<Record> {
    let mut outcomes = Vec::new();
    for seed in 1..=seeds as u64 {
        let scale = scenario(case)?.lab.scale;
        let version = if case.is_old() { old_cases::BEHAVIOUR } else { &case.version };
        let version = Some(version.to_owned());
        let mut model = Model { version, scale: Some(scale), user_space: true, ..Model::default() };
        outcomes.push(outcome(&mut model, case, seed)?);
    }
    Ok(summed_up(case, &outcomes))
}

fn scenario(case: &Case) -> anyhow::Result<Scenario> {
    Scenario::parse(&case.text, &case.name).with_context(|| format!("{} is no scenario", case.name))
}

fn outcome(engine: &mut dyn Engine, case: &Case, seed: u64) -> anyhow::Result<Outcome> {
    let mut scenario = scenario(case)?;
    scenario.seed = seed;
    let request = RunRequest { scenario, repeats: 1 };
    engine.run(&request, &mut Unwatched).with_context(|| format!("failed to run {}", case.name))
}

fn summed_up(case: &Case, outcomes: &[Outcome]) -> Record {
    let mut runs = Vec::new();
    for arm in outcomes.first().map(|outcome| outcome.arms.as_slice()).unwrap_or_default() {
        for (index, phase) in arm.phases.iter().enumerate() {
            let same = |outcome: &Outcome| {
                let arm = outcome.arms.iter().find(|other| other.name == arm.name)?;
                arm.phases.get(index).cloned()
            };
            let every: Vec<PhaseRun> = outcomes.iter().filter_map(same).collect();
            let of = |value: &dyn Fn(&PhaseRun) -> f64| every.iter().map(value).collect();
            let some = |value: &dyn Fn(&PhaseRun) -> Option<f64>| -> Vec<f64> {
                every.iter().filter_map(value).collect()
            };
            let is_about = About::of(outcomes, &arm.name, index);
            runs.push(Run {
                arm: arm.name.clone(),
                phase: phase.name.clone(),
                throughput: of(&|run| speed(run)),
                duration_ns: of(&|run| run.duration_ns.0 as f64),
                arc_hit_ratio: of(&|run| run.arc_hit_ratio.unwrap_or(0.0)),
                l2arc_hit_ratio: of(&|run| run.l2arc_hit_ratio.unwrap_or(0.0)),
                disk_bytes: of(&|run| run.device_read_bytes.0 as f64),
                l2arc_bytes: of(&|run| run.l2arc_read_bytes.0 as f64),
                seeks: of(&|run| seeks(run)),
                written_bytes: some(&|run| is_about.writes.then(|| written(run))),
                metadata_hit_ratio: some(&|run| run.metadata_hit_ratio.filter(|_| is_about.trees)),
                sync_p50_ns: some(&|run| Some(is_about.waits(run)?.p50_ns.0 as f64)),
                sync_p99_ns: some(&|run| Some(is_about.waits(run)?.p99_ns.0 as f64)),
                moved: phase.bytes.0 as f64,
            });
        }
    }
    Record {
        case: case.name.clone(),
        command: format!("cargo xtask fidelity --record {}", case.name),
        openzfs: outcomes.first().map(|o| o.engine.openzfs.clone()).unwrap_or_default(),
        lab: LAB,
        runs,
    }
}

/// What a phase is about, and so what is compared in it.
#[derive(Debug, Clone, Copy)]
struct About {
    writes: bool,
    trees: bool,
    /// Nothing waits for stable storage, whatever asks for it.
    is_never_stable: bool,
}

impl About {
    fn of(outcomes: &[Outcome], arm: &str, phase: usize) -> Self {
        let scenario = outcomes.first().map(|outcome| &outcome.scenario);
        let phase = scenario.and_then(|scenario| scenario.phases.get(phase));
        let arm = scenario.and_then(|scenario| scenario.arms.iter().find(|it| it.name == arm));
        let sync = scenario.zip(arm).map(|(scenario, arm)| scenario.system_of(arm).pool.sync);
        let clients = phase.map(|phase| phase.clients.as_slice()).unwrap_or_default();
        Self {
            writes: clients.iter().any(|client| client.action.writes()),
            trees: clients.iter().any(|client| client.action.is_on_tree()),
            is_never_stable: sync == Some(SyncMode::Disabled),
        }
    }

    /// Returns the latencies of requests that waited for stable storage.
    fn waits(self, run: &PhaseRun) -> Option<&Latency> {
        run.sync_latency.as_ref().filter(|_| !self.is_never_stable)
    }
}

/// Returns bytes per second; files per second where no bytes are moved.
fn speed(run: &PhaseRun) -> f64 {
    if run.bytes.0 > 0 {
        return run.throughput_bytes_per_sec.0 as f64;
    }
    Measure::Operations.of(run).unwrap_or(0.0)
}

fn written(run: &PhaseRun) -> f64 {
    let disks = run.devices.iter().filter(|device| device.role != Role::Cache);
    disks.map(|device| device.write_bytes.0 as f64).sum()
}

fn seeks(run: &PhaseRun) -> f64 {
    let disks = run.devices.iter().filter(|device| device.role.holds_pool());
    disks.map(|device| device.seeks as f64).sum()
}
