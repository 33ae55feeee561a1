//! What loads an experiment has that somebody asks about: a machine's own by its counters, a scenario's, or a recorded trace in the
//! place of either.

use std::path::Path;

use anyhow::anyhow;
use arcwright_kstat::Delta;
use arcwright_machine::Machine;
use arcwright_scenario::{Scenario, TRACE_LOAD, TextsBeside};
use arcwright_ssd::Doubts;
use arcwright_twin::{LOAD, played, twin_while};

use crate::arguments::ExperimentArguments;
use crate::one_trace::{OneTrace, Samples};
use crate::output;
use crate::problem::Problem;
use crate::scenario_file;

/// Hours a day that a load goes on: a machine's own, and one that somebody wrote down.
pub(super) const HOURS_OF_MACHINE: f64 = 24.0;
pub(super) const HOURS_OF_SCENARIO: f64 = 1.0;

/// What of a load somebody named.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named<'a> {
    /// The phases that count; the usual ones without any.
    pub(super) phases: &'a [String],
    /// A trace in the place of the load.
    pub(super) trace: Option<&'a Path>,
}

/// Returns the load of a scenario file, or a trace on its machine.
pub(super) fn scenario_load(
    path: &Path,
    named: Named<'_>,
    experiment: &ExperimentArguments,
) -> Result<Load, Problem> {
    let Some(trace) = named.trace else {
        return Ok(Load {
            scenario: scenario_file::read(path, experiment)?,
            also: Vec::new(),
            phases: named.phases.to_vec(),
            doubts: Doubts::default(),
            waits_are_known: true,
            left_out: Vec::new(),
        });
    };
    let trace = OneTrace::open(trace)?;
    let scenario = scenario_file::read_with_trace(path, &trace, experiment)?;
    Ok(trace_load(&trace, scenario, (named, experiment), Vec::new()))
}

/// Returns a trace on a machine as a scenario.
fn trace_load(
    trace: &OneTrace,
    scenario: Scenario,
    (named, experiment): (Named<'_>, &ExperimentArguments),
    left_out: Vec<String>,
) -> Load {
    let Samples { scenario, also, one_place_in } = trace.samples(scenario, experiment);
    Load {
        scenario,
        also,
        phases: phases_of(named.phases, TRACE_LOAD),
        doubts: Doubts { one_place_in, ..trace.doubts() },
        waits_are_known: trace.tells_waits(),
        left_out,
    }
}

/// Returns the load of a machine, or a trace on it.
pub(super) fn loads_of(
    machine: &Machine,
    pool: Option<&str>,
    (named, experiment): (Named<'_>, &ExperimentArguments),
) -> Result<Load, Problem> {
    let Some(path) = named.trace else {
        return machine_load(machine, pool, (named.phases, experiment), &|| true);
    };
    let trace = OneTrace::open(path)?;
    let played = played(machine, pool, (trace.name(), trace.touched()));
    let played = played.map_err(|error| Problem::Failed(anyhow!("{error}")))?;
    let scenario = scenario_file::of_text(played.text, "this machine", experiment, &trace)?;
    Ok(trace_load(&trace, scenario, (named, experiment), played.left_out))
}

fn phases_of(named: &[String], usual: &str) -> Vec<String> {
    if named.is_empty() { vec![usual.to_owned()] } else { named.to_vec() }
}

/// A load as a scenario: a machine's, a scenario's own, or a trace in the place of either.
#[derive(Debug, Clone)]
pub(super) struct Load {
    pub(super) scenario: Scenario,
    /// The same machine with other loads that its counters do not tell from that, or with other places of a trace.
    pub(super) also: Vec<Scenario>,
    /// The phases that count: those named, or the load.
    pub(super) phases: Vec<String>,
    /// What speaks against it.
    pub(super) doubts: Doubts,
    /// Whether it is known which writes wait for stable storage.
    pub(super) waits_are_known: bool,
    /// What the machine does that is not in it.
    pub(super) left_out: Vec<String>,
}

impl Load {
    /// Returns the load as a scenario, then the others that the counters do not tell from it.
    pub(super) fn scenarios(&self) -> impl Iterator<Item = &Scenario> {
        std::iter::once(&self.scenario).chain(&self.also)
    }
}

/// Says on standard error what is not in a load.
pub(super) fn remark_left_out(left_out: &[String]) {
    left_out.iter().for_each(|what| output::remark(&format!("not in the load: {what}")));
}

/// Says whether the intent log was written to; where that was not counted, nothing asks for a log device.
pub(super) fn has_commits(machine: &Machine) -> bool {
    let ends = machine.samples.first().zip(machine.samples.last());
    ends.is_some_and(|(first, last)| {
        let delta = match machine.samples.len() {
            1 => return first.kstats.get("zfs/zil", "zil_commit_count").is_some_and(|all| all > 0),
            _ => Delta::between(&first.kstats, &last.kstats),
        };
        delta.counted("zfs/zil", "zil_commit_count").is_some_and(|commits| commits > 0)
    })
}

/// Returns the load that a machine's counters tell, as long as it is wanted.
pub(super) fn machine_load(
    machine: &Machine,
    pool: Option<&str>,
    (phases, experiment): (&[String], &ExperimentArguments),
    is_wanted: &dyn Fn() -> bool,
) -> Result<Load, Problem> {
    let twin = twin_while(machine, pool, is_wanted);
    let twin = twin.map_err(|error| Problem::Failed(anyhow!("{error}")))?;
    let doubts = Doubts { apart: twin.check.apart(), assumed: twin.assumed, one_place_in: None };
    let none = |other: &str| Err(format!("{other}: a machine's scenario names no files"));
    let read = |text| scenario_file::of_text(text, "this machine", experiment, &TextsBeside(&none));
    let scenario = read(twin.text)?;
    Ok(Load {
        scenario,
        also: twin.also.into_iter().map(read).collect::<Result<_, _>>()?,
        phases: phases_of(phases, LOAD),
        doubts,
        waits_are_known: twin.log_is_counted,
        left_out: twin.left_out,
    })
}
