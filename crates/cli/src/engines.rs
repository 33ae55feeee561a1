//! From the name of an engine to the engine.

use anyhow::anyhow;
use arcwright_model::Model;
use arcwright_scenario::{Engine, EngineError, Scenario};
use arcwright_tunables::Version;
use arcwright_units::Bytes;

use crate::arguments::{EngineChoice, ExperimentArguments};
use crate::parallel::Parallel;
use crate::problem::Problem;

/// Returns the engine that was asked for, with what it needs to run `scenario`.
pub(crate) fn chosen(
    arguments: &ExperimentArguments,
    scenario: &Scenario,
) -> Result<Box<dyn Engine + Send>, Problem> {
    match &arguments.engine {
        EngineChoice::Lab => lab(arguments, scenario),
        EngineChoice::Model => {
            Ok(Box::new(Parallel { model: model(arguments)?, memory_max: memory_max(arguments) }))
        }
    }
}

/// Returns the version of OpenZFS that runs, which in the lab is the nearest to the scenario's.
pub(crate) fn version(
    arguments: &ExperimentArguments,
    scenario: &Scenario,
) -> Result<String, Problem> {
    match &arguments.engine {
        EngineChoice::Lab => version_in_lab(arguments, scenario),
        EngineChoice::Model => {
            Ok(arguments.openzfs.clone().unwrap_or_else(|| scenario.system.zfs.clone()))
        }
    }
}

/// Returns the model as the arguments want it; a version that was never released has no rules to go by.
pub(crate) fn model(arguments: &ExperimentArguments) -> Result<Model, Problem> {
    if let Some(version) = &arguments.openzfs {
        version.parse::<Version>().map_err(|error| {
            let hint = match arcwright_scenario::Platform::find(version) {
                Some(_) => format!("a platform is named by --set system.zfs={version}"),
                None => "a library is for --engine lab".to_owned(),
            };
            Problem::Usage(anyhow!("--openzfs for the model: {error}; {hint}"))
        })?;
    }
    Ok(Model { version: arguments.openzfs.clone(), scale: arguments.scale, ..Model::default() })
}

/// Returns the memory that a run may take: as the user says, or three quarters of what is free.
pub(crate) fn memory_max(arguments: &ExperimentArguments) -> Bytes {
    /// Where the system does not say what is free.
    const UNKNOWN: Bytes = Bytes::gib(4);
    let share = |free: Bytes| Bytes(free.0 / 4 * 3);
    arguments.max_memory.unwrap_or_else(|| arcwright_host::free_memory().map_or(UNKNOWN, share))
}

/// Returns the lab; a library that is not on this machine is brought first, which needs no root.
#[cfg(feature = "lab")]
fn lab(
    arguments: &ExperimentArguments,
    scenario: &Scenario,
) -> Result<Box<dyn Engine + Send>, Problem> {
    let lab = new_lab(arguments)?;
    check_memory(arguments, scenario)?;
    lab.provide_library(scenario, &mut crate::output::remark)?;
    Ok(Box::new(lab))
}

/// Refuses a scenario whose lab may take more memory than it is given.
#[cfg(feature = "lab")]
fn check_memory(arguments: &ExperimentArguments, scenario: &Scenario) -> Result<(), EngineError> {
    let (needed, most) = (arcwright_lab::memory(scenario), memory_max(arguments));
    if needed > most {
        return Err(EngineError::TooLarge {
            what: format!("the lab may take {needed} of memory, and {most} are allowed"),
            hint: "scale it down (--scale 16), or allow more with --max-memory".to_owned(),
        });
    }
    Ok(())
}

#[cfg(feature = "lab")]
fn new_lab(arguments: &ExperimentArguments) -> Result<arcwright_lab::Lab, Problem> {
    Ok(arcwright_lab::Lab::new(arcwright_lab::Options {
        openzfs: arguments.openzfs.clone(),
        scratch: arguments.scratch.clone(),
        worker: worker()?,
    }))
}

#[cfg(feature = "lab")]
fn version_in_lab(arguments: &ExperimentArguments, scenario: &Scenario) -> Result<String, Problem> {
    Ok(new_lab(arguments)?.version(scenario)?)
}

#[cfg(not(feature = "lab"))]
fn version_in_lab(_: &ExperimentArguments, scenario: &Scenario) -> Result<String, Problem> {
    Ok(scenario.system.zfs.clone())
}

/// Returns what does the work of one arm: this program.
#[cfg(feature = "lab-worker")]
fn worker() -> Result<arcwright_lab::WorkerProgram, Problem> {
    use anyhow::Context as _;

    let file = std::env::current_exe().context("failed to find this program's own file")?;
    Ok(arcwright_lab::WorkerProgram { file, arguments: vec!["lab-worker".to_owned()] })
}

/// Returns what does the work of one arm: a program beside this one, which cannot load a library.
#[cfg(all(feature = "lab", not(feature = "lab-worker")))]
fn worker() -> Result<arcwright_lab::WorkerProgram, Problem> {
    Ok(arcwright_lab::WorkerProgram::find()?)
}

/// Says how much room the lab's images take; refuses what the lab would refuse of the scenario itself.
#[cfg(feature = "lab")]
pub(crate) fn room_of_lab(
    arguments: &ExperimentArguments,
    scenario: &Scenario,
) -> Result<Vec<String>, Problem> {
    arcwright_lab::check(scenario)?;
    check_memory(arguments, scenario)?;
    Ok(vec![
        format!("{} in the scratch folder (--scratch)", arcwright_lab::room(scenario)),
        format!("at most {} of memory (--max-memory)", arcwright_lab::memory(scenario)),
    ])
}

/// Refuses, as there is no lab.
#[cfg(not(feature = "lab"))]
pub(crate) fn room_of_lab(
    arguments: &ExperimentArguments,
    scenario: &Scenario,
) -> Result<Vec<String>, Problem> {
    lab(arguments, scenario).map(|_| Vec::new())
}

/// Says that this program was built without the lab.
#[cfg(not(feature = "lab"))]
fn lab(_: &ExperimentArguments, _: &Scenario) -> Result<Box<dyn Engine + Send>, Problem> {
    let what = "this build of arcwright has no lab engine".to_owned();
    let hint = "use --engine model, or a build with the feature “lab”, which is for Linux";
    Err(EngineError::Failed { what, hint: Some(hint.to_owned()) }.into())
}
