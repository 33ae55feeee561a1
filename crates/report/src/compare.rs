//! What stands beside a measured figure: the change against the first arm, the reported figure,
//! and the spread of the repeats.

use arcwright_scenario::{ArmOutcome, Outcome, PhaseRun, Role};

/// Returns how much faster than in the first arm a phase went, in percent.
///
/// None in the first arm itself, and where the first arm has no such phase or moved nothing.
pub(crate) fn change_pct(outcome: &Outcome, arm: &ArmOutcome, phase: &str) -> Option<f64> {
    let first = outcome.arms.first()?;
    if first.name == arm.name {
        return None;
    }
    percent(speed(first, phase)?, speed(arm, phase)?)
}

/// Returns the figure that the field report gives for an arm and phase.
pub(crate) fn reported(outcome: &Outcome, arm: &str, phase: &str) -> Option<f64> {
    let reported = outcome.scenario.reported.as_ref()?;
    let figure = reported.figures.iter().find(|figure| figure.arm == arm && figure.phase == phase);
    figure.map(|figure| figure.value)
}

/// Returns the change that the field report saw against the first arm, in percent.
pub(crate) fn reported_change_pct(outcome: &Outcome, arm: &str, phase: &str) -> Option<f64> {
    let first = &outcome.arms.first()?.name;
    if first == arm {
        return None;
    }
    percent(reported(outcome, first, phase)?, reported(outcome, arm, phase)?)
}

/// Returns the difference of the fastest and the slowest repeat in percent of the median.
///
/// None when there was one repeat only: one run says nothing about noise.
pub(crate) fn spread_pct(arm: &ArmOutcome, phase: &str) -> Option<f64> {
    if arm.runs.len() < 2 {
        return None;
    }
    let speeds = arm.runs.iter().filter_map(|run| speed_in(&run.phases, phase));
    let (least, most) = speeds
        .fold((f64::INFINITY, 0.0f64), |(low, high), speed| (low.min(speed), high.max(speed)));
    let median = speed(arm, phase).filter(|median| *median > 0.0)?;
    Some(((most - least) / median * 100.0).max(0.0))
}

/// Says whether the pool had a cache device, used or not.
pub(crate) fn has_cache(run: &PhaseRun) -> bool {
    run.l2arc_hit_ratio.is_some()
        || run.l2arc_read_bytes.0 > 0
        || run.l2arc_write_bytes.0 > 0
        || run.devices.iter().any(|device| device.role == Role::Cache)
}

/// Returns the phase of that name.
pub(crate) fn phase_of<'a>(arm: &'a ArmOutcome, phase: &str) -> Option<&'a PhaseRun> {
    arm.phases.iter().find(|run| run.name == phase)
}

fn speed(arm: &ArmOutcome, phase: &str) -> Option<f64> {
    speed_in(&arm.phases, phase)
}

fn speed_in(phases: &[PhaseRun], phase: &str) -> Option<f64> {
    let run = phases.iter().find(|run| run.name == phase)?;
    Some(run.throughput_bytes_per_sec.as_mib_per_sec())
}

fn percent(from: f64, to: f64) -> Option<f64> {
    (from > 0.0).then(|| (to / from - 1.0) * 100.0)
}
