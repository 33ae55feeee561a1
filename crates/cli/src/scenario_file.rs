//! From the scenario file and the arguments to the experiment that will run.

use std::path::Path;

use anyhow::Context as _;
use arcwright_scenario::{Scenario, apply_override};
use arcwright_units::visible_path;

use crate::arguments::ExperimentArguments;
use crate::problem::Problem;

/// Reads the scenario, replaces what `--set`, `--seed`, `--scale` and `--openzfs` say, keeps the arms wanted.
pub(crate) fn read(path: &Path, arguments: &ExperimentArguments) -> Result<Scenario, Problem> {
    let name = visible_path(path);
    let mut text = std::fs::read_to_string(path)
        .with_context(|| format!("failed to read {name}"))
        .map_err(Problem::Usage)?;
    for change in &arguments.overrides {
        text = apply_override(&text, &change.key, &change.value)
            .with_context(|| format!("failed to apply --set {}={}", change.key, change.value))
            .map_err(Problem::Usage)?;
    }
    let mut scenario = Scenario::parse_with(&text, &name, &|other| beside(path, other))
        .map_err(|error| Problem::Scenario(miette::Report::new(error)))?;
    if let Some(seed) = arguments.seed {
        scenario.seed = seed;
    }
    if let Some(scale) = arguments.scale {
        scenario.lab.scale = scale;
    }
    if let Some(openzfs) = &arguments.openzfs {
        scenario.lab.openzfs = Some(openzfs.clone());
    }
    scenario.retain_arms(&arguments.arms).map_err(|error| Problem::Usage(error.into()))
}

/// Returns the text of a file that the scenario names; its path begins at the scenario's folder.
fn beside(scenario: &Path, other: &str) -> Result<String, String> {
    let path = scenario.parent().unwrap_or_else(|| Path::new("")).join(other);
    std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", visible_path(&path)))
}
