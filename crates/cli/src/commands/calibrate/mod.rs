//! `arcwright calibrate`: the owner's hardware instead of a typical one.

mod captured;
mod device;
mod processor;
mod watched;

use std::path::Path;

use crate::arguments::CalibrateVerb;
use crate::exit::Exit;
use crate::new_file::refuse_what_is_there;
use crate::output::{self, Pending};
use crate::problem::Problem;

pub(crate) fn calibrate(verb: &CalibrateVerb) -> Result<Exit, Problem> {
    match verb {
        CalibrateVerb::Processor(arguments) => processor::processor(arguments),
        CalibrateVerb::Device(arguments) => match (&arguments.from, &arguments.device) {
            (Some(capture), Some(device)) => captured::latencies(arguments, capture, device),
            _ => device::device(arguments),
        },
    }
}

/// Makes sure that a file can be written and is not there yet, before anything takes time.
fn begun(file: Option<&Path>) -> Result<Option<Pending>, Problem> {
    let Some(file) = file else { return Ok(None) };
    refuse_what_is_there(file)?;
    Ok(Some(Pending::begin(file)?))
}

/// Writes the text to the file that was begun, or to standard output.
fn complete(pending: Option<Pending>, text: &str) -> Result<(), Problem> {
    match pending {
        Some(pending) => pending.complete_new(text)?,
        None => output::print(text)?,
    }
    Ok(())
}
