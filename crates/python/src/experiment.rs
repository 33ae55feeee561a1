//! `run`: a scenario by its name, its file or its text, on the model; what comes out is the program's JSON.

use std::path::Path;
use std::time::Instant;

use arcwright_host::ScenarioFolder;
use arcwright_host::plain::read_text;
use arcwright_model::Model;
use arcwright_report::to_json;
use arcwright_scenario::{
    Beside, Engine as _, EngineError, Event, GALLERY, GalleryScenario, Outcome, RunRequest,
    SCENARIO_BYTES_MAX, Scenario, TextsBeside, Watch, apply_override, gallery_job,
};
use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos, visible_path};
use pyo3::prelude::*;
use serde::Serialize;

use crate::error::Problem;
use crate::interrupt::{Interrupt, detached};
use crate::options::RunOptions;
use crate::parallel;

/// Runs a scenario: a name of the gallery, a file, or with `is_text` its text.
#[pyfunction]
pub(crate) fn run(
    py: Python<'_>,
    scenario: &str,
    is_text: bool,
    options: &str,
) -> PyResult<String> {
    detached(py, || {
        let options: RunOptions = serde_json::from_str(options)?;
        let scenario = read(scenario, is_text, &options)?;
        Ok(to_json(&outcome_of(&RunRequest { scenario, repeats: 1 }, &options)?)?)
    })
}

/// A scenario as it is listed.
#[derive(Serialize)]
struct Listed {
    name: &'static str,
    title: String,
    question: String,
    text: &'static str,
}

/// Returns the scenarios that come with the program, as JSON.
#[pyfunction]
pub(crate) fn scenarios(py: Python<'_>) -> PyResult<String> {
    let listed = GALLERY.iter().map(|entry| {
        let Scenario { title, question, .. } = entry.scenario()?;
        Ok(Listed { name: entry.name, title, question, text: entry.text })
    });
    detached(py, || {
        let listed = listed.collect::<Result<Vec<Listed>, Problem>>()?;
        Ok(serde_json::to_string(&listed)?)
    })
}

/// Reads a scenario, replaces what the options say, keeps the arms that are wanted.
pub(crate) fn read(
    scenario: &str,
    is_text: bool,
    options: &RunOptions,
) -> Result<Scenario, Problem> {
    let path = Path::new(scenario);
    let entry = if is_text { None } else { GalleryScenario::find(scenario) };
    let (mut text, name) = match entry {
        _ if is_text => (scenario.to_owned(), "scenario.toml".to_owned()),
        Some(entry) => (entry.text.to_owned(), scenario.to_owned()),
        None => (from_file(path)?, visible_path(path)),
    };
    for (key, value) in &options.overrides {
        let changed = apply_override(&text, key, value);
        text = changed
            .map_err(|error| Problem::new(format!("failed to apply set {key}={value}: {error}")))?;
    }
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    let files = ScenarioFolder { folder, is_bound: true, permits: None };
    let none = |other: &str| Err(format!("{other}: the text of a scenario has no files beside it"));
    let beside: &dyn Beside = match entry {
        _ if is_text => &TextsBeside(&none),
        Some(_) => &TextsBeside(&gallery_job),
        None => &files,
    };
    let mut scenario = Scenario::parse_beside(&text, &name, beside)?;
    scenario.seed = options.seed.unwrap_or(scenario.seed);
    scenario.lab.scale = options.scale.unwrap_or(scenario.lab.scale);
    if let Some(openzfs) = &options.openzfs {
        scenario.lab.openzfs = Some(openzfs.clone());
    }
    scenario.retain_arms(&options.arms).map_err(Problem::new)
}

fn from_file(path: &Path) -> Result<String, Problem> {
    read_text(path, SCENARIO_BYTES_MAX).map_err(|error| {
        let names = GALLERY.iter().map(|entry| entry.name);
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let near = if path.exists() { None } else { arcwright_units::nearest(stem, names) };
        let near = near.map(|near| format!(" (did you mean {near}?)")).unwrap_or_default();
        Problem::new(format!("failed to read {}{near}: {error}", visible_path(path)))
    })
}

/// Runs an experiment, its arms side by side as far as the memory allows.
pub(crate) fn outcome_of(request: &RunRequest, options: &RunOptions) -> Result<Outcome, Problem> {
    let begun = Instant::now();
    let model = model(options)?;
    model.check(&request.scenario)?;
    let threads = fitting(&model, request, options)?;
    let arms: Vec<usize> = (0..request.scenario.arms.len()).collect();
    let parts = parallel::all(&arms, threads, |number, interrupt| {
        let arm = request.scenario.arms.get(number)?;
        let scenario = request.scenario.alone(arm);
        let request = RunRequest { scenario, repeats: request.repeats };
        Some(model.clone().run(&request, &mut Stopped(interrupt)))
    })?;
    let mut parts = parts.into_iter().flatten();
    let nothing = || Problem::new("the scenario has no arm");
    let mut outcome = parts.next().ok_or_else(nothing)??;
    for part in parts {
        outcome.arms.extend(part?.arms);
    }
    outcome.scenario = request.scenario.clone();
    outcome.add_notes_on(&request.scenario);
    arcwright_model::ranges::add(&mut outcome);
    outcome.engine.wall_ns = Nanos(u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX));
    Ok(outcome)
}

fn model(options: &RunOptions) -> Result<Model, Problem> {
    if let Some(version) = &options.openzfs {
        version.parse::<Version>().map_err(|error| Problem::new(format!("openzfs: {error}")))?;
    }
    if options.scale.is_some_and(|scale| !(1..=65_536).contains(&scale)) {
        return Err(Problem::new("scale: expected 1 to 65536"));
    }
    Ok(Model { version: options.openzfs.clone(), scale: options.scale, ..Model::default() })
}

/// Returns how many arms may run at once.
fn fitting(model: &Model, request: &RunRequest, options: &RunOptions) -> Result<usize, Problem> {
    let (needs, most) = (model.needs(request), options.memory_max()?);
    let kept: Bytes = needs.iter().map(|need| need.kept).sum();
    let Some(largest) = needs.iter().max_by_key(|need| need.memory_max) else { return Ok(1) };
    let left = most.0.saturating_sub(kept.0);
    let at_once = usize::try_from(left / largest.memory_max.0.max(1)).unwrap_or(usize::MAX);
    if at_once == 0 {
        let (needed, what) = (largest.memory_max, &largest.largest);
        let what = format!(
            "this run needs more memory than allowed: an arm needs up to {needed}, most of it for \
             {what}; the limit is {most}"
        );
        let hint = "scale it down (scale=16), or allow more with max_memory".to_owned();
        return Err(EngineError::TooLarge { what, hint }.into());
    }
    Ok(at_once.min(parallel::threads(options.threads)))
}

/// Ends an arm once an early end was asked for.
struct Stopped<'a>(&'a Interrupt);

impl Watch for Stopped<'_> {
    fn event(&mut self, _event: Event) {}

    fn stop(&self) -> bool {
        self.0.is_asked()
    }
}
