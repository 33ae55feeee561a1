//! From the name of an engine to the engine.

use arcwright_model::Model;
use arcwright_scenario::{Engine, EngineError, Scenario};

use crate::arguments::{EngineChoice, ExperimentArguments};
use crate::by_core::ByCore;
use crate::problem::Problem;

/// Returns the engine that was asked for, with what it needs to run `scenario`.
pub(crate) fn chosen(
    arguments: &ExperimentArguments,
    scenario: &Scenario,
) -> Result<Box<dyn Engine + Send>, Problem> {
    match &arguments.engine {
        EngineChoice::Lab => lab(arguments, scenario),
        EngineChoice::Model => Ok(Box::new(ByCore(Model {
            version: arguments.openzfs.clone(),
            scale: arguments.scale,
            user_space: false,
        }))),
        EngineChoice::Pool(_) => Err(not_built("pool").into()),
    }
}

/// Returns the lab; a library that is not on this machine is brought first, which needs no root.
#[cfg(feature = "lab")]
fn lab(
    arguments: &ExperimentArguments,
    scenario: &Scenario,
) -> Result<Box<dyn Engine + Send>, Problem> {
    use anyhow::Context as _;

    let program = std::env::current_exe().context("failed to find this program's own file")?;
    let lab = arcwright_lab::Lab::new(arcwright_lab::Options {
        openzfs: arguments.openzfs.clone(),
        scratch: arguments.scratch.clone(),
        worker: (program, vec!["lab-worker".to_owned()]),
    });
    lab.provide_library(scenario, &mut crate::output::remark)?;
    Ok(Box::new(lab))
}

/// Says that this program was built without the lab.
#[cfg(not(feature = "lab"))]
fn lab(_: &ExperimentArguments, _: &Scenario) -> Result<Box<dyn Engine + Send>, Problem> {
    let what = "this build of arcwright has no lab engine".to_owned();
    let hint = "a static program cannot load the OpenZFS library; use --engine model, or a build \
                with the feature “lab”";
    Err(EngineError::Failed { what, hint: Some(hint.to_owned()) }.into())
}

fn not_built(name: &str) -> EngineError {
    EngineError::Failed { what: format!("the {name} engine is not built yet"), hint: None }
}
