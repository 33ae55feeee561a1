//! The arms and phases of a result, as charts go through them.

use arcwright_scenario::{ArmOutcome, DeviceSeries, Outcome, PhaseRun, Series};
use arcwright_units::Nanos;

use crate::compare::phase_of;

/// The arms and phases of a result.
pub(super) struct Places<'a> {
    pub(super) outcome: &'a Outcome,
    pub(super) phases: Vec<&'a str>,
}

impl<'a> Places<'a> {
    pub(super) fn of(outcome: &'a Outcome) -> Self {
        let mut phases: Vec<&str> = Vec::new();
        for phase in outcome.arms.iter().flat_map(|arm| &arm.phases) {
            if !phases.contains(&phase.name.as_str()) {
                phases.push(&phase.name);
            }
        }
        Self { outcome, phases }
    }

    /// Returns every arm that has a phase.
    pub(super) fn in_phase(
        &self,
        phase: &'a str,
    ) -> impl Iterator<Item = (&'a ArmOutcome, &'a PhaseRun)> {
        self.outcome.arms.iter().filter_map(move |arm| Some((arm, phase_of(arm, phase)?)))
    }

    /// Returns the phases that stand beside each other in a panel: two at most, as long and as fast as that both can
    /// be seen.
    pub(super) fn in_panels(&self) -> Vec<Vec<&'a str>> {
        const LONGER_MAX: f64 = 4.0;
        const FASTER_MAX: f64 = 8.0;
        let most = |phase: &'a str, of: fn(&PhaseRun) -> u64| {
            self.in_phase(phase).map(|(_, run)| of(run)).max().unwrap_or_default().max(1) as f64
        };
        let apart = |one: &'a str, other: &'a str, of: fn(&PhaseRun) -> u64| {
            let (one, other) = (most(one, of), most(other, of));
            one.max(other) / one.min(other)
        };
        let mut panels: Vec<Vec<&'a str>> = Vec::new();
        for phase in &self.phases {
            match panels.last_mut().map(Vec::as_mut_slice) {
                Some([before])
                    if apart(before, phase, |run| run.duration_ns.0) <= LONGER_MAX
                        && apart(before, phase, |run| run.throughput_bytes_per_sec.0)
                            <= FASTER_MAX =>
                {
                    let before = *before;
                    panels.pop();
                    panels.push(vec![before, phase]);
                }
                _ => panels.push(vec![phase]),
            }
        }
        panels
    }

    /// Returns the phases with the longest that each took in any arm.
    pub(super) fn spans(&self, phases: &[&'a str]) -> Vec<(String, Nanos)> {
        let longest = |phase: &&'a str| {
            let ends = self.in_phase(phase).map(|(arm, run)| {
                let sampled = series_of(arm, phase).map(|series| series.duration_ns);
                sampled.unwrap_or_default().max(run.duration_ns)
            });
            ((*phase).to_owned(), ends.max().unwrap_or_default())
        };
        phases.iter().map(longest).collect()
    }
}

/// Returns how a phase went over time in the first repeat of an arm.
pub(super) fn series_of<'a>(arm: &'a ArmOutcome, phase: &str) -> Option<&'a Series> {
    let run = arm.runs.first()?.phases.iter().find(|run| run.name == phase)?;
    // A series of nothing, as some other program may have written it, is none.
    run.series.as_deref().filter(|series| !series.bytes.is_empty() && series.interval_ns.0 > 0)
}

/// Returns the part of a series that is of a device.
pub(super) fn device_of<'a>(series: &'a Series, name: &str) -> Option<&'a DeviceSeries> {
    series.devices.iter().find(|device| device.name == name)
}

/// Says of each phase which arm was fastest, for results of which nothing was asked.
pub(super) fn fastest(outcome: &Outcome) -> Vec<String> {
    let places = Places::of(outcome);
    let said = |phase: &&str| {
        let all: Vec<_> = places.in_phase(phase).collect();
        let (arm, run) =
            all.iter().max_by_key(|(_, run)| run.throughput_bytes_per_sec.0).copied()?;
        let rate = run.throughput_bytes_per_sec;
        (rate.0 > 0).then(|| match all.len() {
            1 => format!("{phase}: {rate}."),
            _ => format!("{phase}: “{}” is fastest, with {rate}.", arm.name),
        })
    };
    places.phases.iter().filter_map(said).collect()
}
