//! `doctor` and `scenario_of`: a machine by its capture, by pasted text, or this one.

use std::path::Path;

use arcwright_advice::{Estimate, advise};
use arcwright_capture::open_bytes;
use arcwright_host::capture::open;
use arcwright_machine::{Machine, Sources};
use arcwright_report::doctor_json;
use arcwright_twin::twin;
use pyo3::prelude::*;

use crate::error::Problem;
use crate::interrupt::detached;

/// Returns what doctor finds, as JSON; `with_model` estimates what a remedy would gain.
#[pyfunction]
pub(crate) fn doctor(
    py: Python<'_>,
    source: &str,
    is_text: bool,
    with_model: bool,
) -> PyResult<String> {
    detached(py, || {
        let estimate = if with_model { Estimate::WithOwnLoad } else { Estimate::CountersOnly };
        let machine = Machine::read(&sources(source, is_text)?);
        Ok(doctor_json(&advise(&machine, estimate), &[])?)
    })
}

/// Returns a machine under its load as the text of a scenario file.
#[pyfunction]
#[pyo3(signature = (source, is_text, pool=None))]
pub(crate) fn scenario_of(
    py: Python<'_>,
    source: &str,
    is_text: bool,
    pool: Option<&str>,
) -> PyResult<String> {
    detached(py, || {
        let machine = Machine::read(&sources(source, is_text)?);
        Ok(twin(&machine, pool).map_err(Problem::new)?.text)
    })
}

fn sources(source: &str, is_text: bool) -> Result<Sources, Problem> {
    let opened = match is_text {
        true => open_bytes("the text", source.as_bytes()),
        false => open(Path::new(source)),
    };
    opened.map_err(|error| Problem::of(&error))
}
