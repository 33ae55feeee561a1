//! From the scenario file and the arguments to the experiment that will run.

use std::path::Path;

use anyhow::Context as _;
use arcwright_host::ScenarioFolder;
use arcwright_host::plain::read_text;
use arcwright_scenario::{
    Beside, SCENARIO_BYTES_MAX, Scenario, TextsBeside, WantedTrace, apply_override, gallery_job,
    with_trace,
};
use arcwright_units::visible_path;
use arcwright_workload::Replay;

use crate::arguments::ExperimentArguments;
use crate::gallery;
use crate::one_trace::OneTrace;
use crate::problem::Problem;

/// Reads the scenario, replaces what `--set`, `--seed`, `--scale` and `--openzfs` say, keeps the arms wanted.
pub(crate) fn read(path: &Path, arguments: &ExperimentArguments) -> Result<Scenario, Problem> {
    let (text, name) = text_of(path)?;
    let files = folder_of(path, arguments);
    match gallery::find(path) {
        Some(_) => of_text(text, &name, arguments, &TextsBeside(&gallery_job)),
        None => of_text(text, &name, arguments, &files),
    }
}

/// Reads the scenario with a trace in the place of its load.
pub(crate) fn read_with_trace(
    path: &Path,
    trace: &OneTrace,
    arguments: &ExperimentArguments,
) -> Result<Scenario, Problem> {
    let (text, name) = text_of(path)?;
    let text = with_trace(&text, trace.name())
        .with_context(|| format!("failed to read {name}"))
        .map_err(Problem::Failed)?;
    let files = folder_of(path, arguments);
    let files: &dyn Beside = match gallery::find(path) {
        Some(_) => &TextsBeside(&gallery_job),
        None => &files,
    };
    of_text(text, &name, arguments, &WithTrace { files, trace })
}

/// Returns the text of a scenario, and what it is called.
fn text_of(path: &Path) -> Result<(String, String), Problem> {
    let name = visible_path(path);
    let text = match gallery::find(path) {
        Some(entry) => entry.text.to_owned(),
        None => from_file(path, &name).map_err(Problem::Failed)?,
    };
    Ok((text, name))
}

/// Reads the text of a scenario called `name`, as [`read`] does; `beside` brings the files that it names.
pub(crate) fn of_text(
    mut text: String,
    name: &str,
    arguments: &ExperimentArguments,
    beside: &dyn Beside,
) -> Result<Scenario, Problem> {
    for change in &arguments.overrides {
        text = apply_override(&text, &change.key, &change.value)
            .with_context(|| format!("failed to apply --set {}={}", change.key, change.value))
            .map_err(Problem::Usage)?;
    }
    let mut scenario = Scenario::parse_beside(&text, name, beside)
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

/// Returns the folder of a scenario; its files stay in it, unless the user says otherwise.
fn folder_of<'a>(scenario: &'a Path, arguments: &ExperimentArguments) -> ScenarioFolder<'a> {
    ScenarioFolder {
        folder: scenario.parent().unwrap_or_else(|| Path::new("")),
        is_bound: !arguments.allow_outside_files,
        permits: Some("--allow-outside-files"),
    }
}

/// The files of a scenario, and a trace that was named on the command line.
struct WithTrace<'a> {
    files: &'a dyn Beside,
    trace: &'a OneTrace,
}

impl Beside for WithTrace<'_> {
    fn text(&self, other: &str) -> Result<String, String> {
        self.files.text(other)
    }

    fn replay(&self, wanted: &WantedTrace<'_>) -> Result<Replay, String> {
        self.trace.replay(wanted)
    }
}
