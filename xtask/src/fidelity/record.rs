//! What an engine found in a case, short enough to be kept.

use std::path::Path;

use anyhow::Context as _;
use arcwright_model::Model;
use arcwright_scenario::{Engine, Outcome, PhaseRun, Role, RunRequest, Scenario, Unwatched};
use serde::{Deserialize, Serialize};

use super::cases::Case;

/// Returns the seeds that a case runs with; their spread is its noise. What gets into a cache device is
/// decided by a few draws a second, so cases with one run more often.
fn seeds(case: &Case) -> std::ops::RangeInclusive<u64> {
    if case.text.contains("cache = [{") { 1..=8 } else { 1..=3 }
}

/// What an engine found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) case: String,
    /// The command that makes it again.
    pub(super) command: String,
    pub(super) openzfs: String,
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
    pub(super) moved: f64,
}

/// Runs cases in the lab and keeps what it found.
pub(super) fn with_lab(cases: &[&Case], folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).context("failed to make fidelity/records")?;
    for (number, case) in cases.iter().enumerate() {
        println!("{}/{} {}", number + 1, cases.len(), case.name);
        let mut outcomes = Vec::new();
        for seed in seeds(case) {
            let mut lab = crate::lab(&case.version)?;
            outcomes.push(outcome(&mut lab, case, seed)?);
        }
        let record = summed_up(case, &outcomes);
        let text = serde_json::to_string_pretty(&record)? + "\n";
        std::fs::write(super::record_path(folder, case), text)
            .with_context(|| format!("failed to write the record of {}", case.name))?;
    }
    Ok(())
}

/// Runs a case in the model.
pub(super) fn with_model(case: &Case) -> anyhow::Result<Record> {
    let mut outcomes = Vec::new();
    for seed in seeds(case) {
        let scale = scenario(case)?.lab.scale;
        let version = Some(case.version.clone());
        let mut model = Model { version, scale: Some(scale), user_space: true };
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
            runs.push(Run {
                arm: arm.name.clone(),
                phase: phase.name.clone(),
                throughput: of(&|run| run.throughput_bytes_per_sec.0 as f64),
                duration_ns: of(&|run| run.duration_ns.0 as f64),
                arc_hit_ratio: of(&|run| run.arc_hit_ratio.unwrap_or(0.0)),
                l2arc_hit_ratio: of(&|run| run.l2arc_hit_ratio.unwrap_or(0.0)),
                disk_bytes: of(&|run| run.device_read_bytes.0 as f64),
                l2arc_bytes: of(&|run| run.l2arc_read_bytes.0 as f64),
                seeks: of(&|run| seeks(run)),
                moved: phase.bytes.0 as f64,
            });
        }
    }
    Record {
        case: case.name.clone(),
        command: format!("cargo xtask fidelity --record {}", case.name),
        openzfs: outcomes.first().map(|o| o.engine.openzfs.clone()).unwrap_or_default(),
        runs,
    }
}

fn seeks(run: &PhaseRun) -> f64 {
    let data = run.devices.iter().filter(|device| device.role == Role::Data);
    data.map(|device| device.seeks as f64).sum()
}
