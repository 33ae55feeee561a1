//! `arcwright scenario`: a machine as an experiment.

use std::path::Path;

use anyhow::anyhow;
use arcwright_host::capture::open;
use arcwright_host::record::{Recording, Window, is_recording};
use arcwright_machine::Machine;
use arcwright_twin::{Twin, twin};
use arcwright_units::{Nanos, visible_path};

use crate::arguments::{MachineArguments, ScenarioArguments};
use crate::exit::Exit;
use crate::new_file::refuse_what_is_there;
use crate::observing::live;
use crate::output::{self, Pending};
use crate::problem::Problem;

/// Writes this machine, or a captured one, as a scenario.
pub(crate) fn scenario(arguments: &ScenarioArguments) -> Result<Exit, Problem> {
    if let Some(file) = &arguments.output {
        refuse_what_is_there(file)?;
    }
    let machine = machine_of(&arguments.machine)?;
    let twin = twin(&machine, arguments.machine.pool.as_deref())
        .map_err(|error| Problem::Failed(anyhow!("{error}")))?;
    match &arguments.output {
        None => output::print(&twin.text)?,
        Some(file) => {
            Pending::begin(file)?.complete_new(&twin.text)?;
            let shown = visible_path(file);
            output::print(&format!("Wrote {shown}. Next:\n  arcwright run {shown}\n"))?;
        }
    }
    remark(&twin);
    Ok(Exit::Fine)
}

/// Returns the machine that was captured, or this one after a look at it.
pub(super) fn machine_of(arguments: &MachineArguments) -> Result<Machine, Problem> {
    let MachineArguments { from, window, .. } = arguments;
    let sources = match from.as_deref().filter(|from| *from != Path::new("live")) {
        Some(path) if is_recording(path) => {
            let window = window.map_or(Window::Whole, |length| {
                let nanos = u64::try_from(length.as_nanos()).unwrap_or(u64::MAX);
                Window::Busiest(Nanos(nanos))
            });
            let recording = Recording::open(path).map_err(anyhow::Error::from)?;
            recording.sources(window).map_err(anyhow::Error::from)?
        }
        Some(path) if window.is_some() => {
            let shown = visible_path(path);
            let why = format!("--window is for this machine; {shown} has the readings that it has");
            return Err(Problem::Usage(anyhow!(why)));
        }
        Some(path) => open(path).map_err(anyhow::Error::from)?,
        None => live(*window, true)?,
    };
    Ok(Machine::read(&sources))
}

/// Says on standard error how good the scenario is.
fn remark(twin: &Twin) {
    let said = match twin.check.holds() {
        true => "check: the model of the present machine counts what the machine counted",
        false => "check: the model of the present machine does NOT count what the machine counted",
    };
    output::remark(said);
    for one in &twin.check.compared {
        let mark = if one.agrees { "" } else { "  (apart)" };
        output::remark(&format!("  {one}{mark}"));
    }
    for what in &twin.assumed {
        output::remark(&format!("taken as given: {what}"));
    }
    for what in &twin.left_out {
        output::remark(&format!("not in the scenario: {what}"));
    }
}
