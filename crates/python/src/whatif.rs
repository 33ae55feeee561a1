//! `whatif`: what changes would bring, in all combinations.

use arcwright_report::whatif_json;
use arcwright_scenario::RunRequest;
use arcwright_ssd::Ssd;
use arcwright_tunables::{Version, lookup, nearest};
use arcwright_units::{Bytes, visible};
use arcwright_whatif::{Axis, Grid, WhatIf, WhatIfQuestion};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::error::Problem;
use crate::experiment::{outcome_of, read};
use crate::interrupt::detached;
use crate::options::{RunOptions, block_size, sizes};

/// Hours a day that the load of a scenario goes on, as the program takes it.
const HOURS_OF_SCENARIO: f64 = 1.0;
/// The SSD of an L2ARC where none is named.
const L2ARC_ON: &str = "nvme-consumer";

/// What is tried.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Changes {
    memory: Vec<String>,
    l2arc: Vec<String>,
    l2arc_on: Option<String>,
    log: Vec<String>,
    parameters: Vec<(String, Vec<String>)>,
    release: Vec<String>,
    recordsize: Vec<String>,
    phases: Vec<String>,
    hours_a_day: Option<f64>,
    run: RunOptions,
}

/// Tries changes on a scenario, which is a name, a file, or with `is_text` its text.
#[pyfunction]
pub(crate) fn whatif(
    py: Python<'_>,
    scenario: &str,
    is_text: bool,
    changes: &str,
) -> PyResult<String> {
    detached(py, || {
        let changes: Changes = serde_json::from_str(changes)?;
        let axes = axes(&changes)?;
        if axes.is_empty() {
            return Err(Problem::new(
                "nothing to try; say memory, l2arc, log, parameters, release or recordsize",
            ));
        }
        let hours = changes.hours_a_day.unwrap_or(HOURS_OF_SCENARIO);
        if !(hours > 0.0 && hours <= 24.0) {
            return Err(Problem::new("hours_a_day: a day has more than 0 and at most 24"));
        }
        let scenario = read(scenario, is_text, &changes.run)?;
        let question = WhatIfQuestion { scenario, arm: None, phases: changes.phases, axes };
        let grid = Grid::of(question).map_err(Problem::new)?;
        let request = RunRequest { scenario: grid.scenario.clone(), repeats: 1 };
        let outcome = outcome_of(&request, &changes.run)?;
        let answer = WhatIf::of(&grid, &outcome, hours).map_err(Problem::new)?;
        Ok(whatif_json(&answer, &outcome)?)
    })
}

fn axes(changes: &Changes) -> Result<Vec<Axis>, Problem> {
    let ssd = |name: &str| Ssd::of_profile(name, None).map_err(Problem::new);
    let mut axes = Vec::new();
    if !changes.memory.is_empty() {
        axes.push(Axis::Memory(sizes(&changes.memory)?));
    }
    if !changes.l2arc.is_empty() {
        let ssd = ssd(changes.l2arc_on.as_deref().unwrap_or(L2ARC_ON))?;
        let sizes = sizes(&changes.l2arc)?;
        if let Some(size) = sizes.iter().find(|size| **size > ssd.size) {
            let (name, whole) = (&ssd.name, ssd.size);
            return Err(Problem::new(format!(
                "{name} has {whole}, not {size}; name a larger SSD with l2arc_on"
            )));
        }
        axes.push(Axis::L2arc(Box::new(ssd), sizes));
    }
    if !changes.log.is_empty() {
        axes.push(Axis::Log(changes.log.iter().map(|name| ssd(name)).collect::<Result<_, _>>()?));
    }
    for (name, values) in &changes.parameters {
        axes.push(parameter(name, values)?);
    }
    if let Some(wrong) = changes.release.iter().find(|text| Version::parse(text).is_none()) {
        let wrong = visible(wrong);
        return Err(Problem::new(format!("“{wrong}”: expected a version such as 2.3.2")));
    }
    if !changes.release.is_empty() {
        axes.push(Axis::Release(changes.release.clone()));
    }
    if !changes.recordsize.is_empty() {
        let sizes = changes.recordsize.iter().map(|text| block_size(text));
        axes.push(Axis::Recordsize(sizes.collect::<Result<_, _>>()?));
    }
    Ok(axes)
}

fn parameter(name: &str, values: &[String]) -> Result<Axis, Problem> {
    if lookup(name).is_none() {
        let near = nearest(name).map(|near| format!("; did you mean {near}?"));
        let near = near.unwrap_or_default();
        return Err(Problem::new(format!("there is no parameter {}{near}", visible(name))));
    }
    let value = |text: &String| {
        let size = || Bytes::parse(text).ok().map(|bytes| bytes.0);
        let wrong = || Problem::new(format!("“{}” is not a whole number or a size", visible(text)));
        text.parse::<u64>().ok().or_else(size).ok_or_else(wrong)
    };
    Ok(Axis::Parameter(name.to_owned(), values.iter().map(value).collect::<Result<_, _>>()?))
}
