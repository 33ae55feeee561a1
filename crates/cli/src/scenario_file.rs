//! From the scenario file and the arguments to the experiment that will run.

use std::path::Path;

use anyhow::Context as _;
use arcwright_host::plain::{TextError, read_text, read_text_within};
use arcwright_scenario::{SCENARIO_BYTES_MAX, Scenario, apply_override, gallery_job};
use arcwright_units::visible_path;

use crate::arguments::ExperimentArguments;
use crate::gallery;
use crate::problem::Problem;

/// Reads the scenario, replaces what `--set`, `--seed`, `--scale` and `--openzfs` say, keeps the arms wanted.
pub(crate) fn read(path: &Path, arguments: &ExperimentArguments) -> Result<Scenario, Problem> {
    let name = visible_path(path);
    let entry = gallery::find(path);
    let text = match entry {
        Some(entry) => entry.text.to_owned(),
        None => from_file(path, &name).map_err(Problem::Failed)?,
    };
    let is_bound = !arguments.allow_outside_files;
    of_text(text, &name, arguments, &|other| match entry {
        Some(_) => gallery_job(other),
        None => beside(path, other, is_bound),
    })
}

/// Reads the text of a scenario called `name`, as [`read`] does; `read` brings the files that it names.
pub(crate) fn of_text(
    mut text: String,
    name: &str,
    arguments: &ExperimentArguments,
    read: &dyn Fn(&str) -> Result<String, String>,
) -> Result<Scenario, Problem> {
    for change in &arguments.overrides {
        text = apply_override(&text, &change.key, &change.value)
            .with_context(|| format!("failed to apply --set {}={}", change.key, change.value))
            .map_err(Problem::Usage)?;
    }
    let mut scenario = Scenario::parse_with(&text, name, read)
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

/// Reads a scenario file; where there is none, says which scenario of the gallery may have been meant.
fn from_file(path: &Path, name: &str) -> anyhow::Result<String> {
    let read = read_text(path, SCENARIO_BYTES_MAX);
    let is_missing = !path.exists();
    let nearest = if is_missing { gallery::nearest(path) } else { None };
    read.with_context(|| match nearest {
        Some(nearest) => format!("failed to read {name} (did you mean arcwright run {nearest}?)"),
        None if is_missing && gallery::is_bare(path) => {
            format!("failed to read {name} (arcwright scenarios lists those that need no file)")
        }
        None => format!("failed to read {name}"),
    })
}

/// Returns the text of a file that the scenario names; its path begins at the scenario's folder. Unless the
/// user says otherwise it stays there, since a scenario may come from elsewhere.
fn beside(scenario: &Path, other: &str, is_bound: bool) -> Result<String, String> {
    let folder = scenario.parent().unwrap_or_else(|| Path::new(""));
    let path = folder.join(other);
    let read = match is_bound {
        true => read_text_within(folder, Path::new(other), SCENARIO_BYTES_MAX),
        false => read_text(&path, SCENARIO_BYTES_MAX),
    };
    read.map_err(|error| match error {
        TextError::Outside(_) => {
            format!("{}: {error}; --allow-outside-files permits it", visible_path(&path))
        }
        _ => format!("{}: {error}", visible_path(&path)),
    })
}
