//! `arcwright scenario`: a machine as an experiment.

use std::path::Path;

use anyhow::anyhow;
use arcwright_host::capture::open;
use arcwright_host::record::{Recording, Window, is_recording};
use arcwright_machine::Machine;
use arcwright_twin::{Twin, played, twin};
use arcwright_units::{Nanos, visible_path};

use crate::arguments::{MachineArguments, ScenarioArguments};
use crate::exit::Exit;
use crate::new_file::refuse_what_is_there;
use crate::observing::live;
use crate::one_trace::OneTrace;
use crate::output::{self, Pending};
use crate::problem::Problem;

/// Writes this machine, or a captured one, as a scenario.
pub(crate) fn scenario(arguments: &ScenarioArguments) -> Result<Exit, Problem> {
    if let Some(file) = &arguments.output {
        refuse_what_is_there(file)?;
    }
    let machine = machine_of(&arguments.machine)?;
    let pool = arguments.machine.pool.as_deref();
    let failed = |error| Problem::Failed(anyhow!("{error}"));
    if let Some(path) = &arguments.trace {
        let trace = OneTrace::open(path)?;
        let played = played(&machine, pool, (trace.name(), trace.touched())).map_err(failed)?;
        write(&played.text, arguments)?;
        say(&trace.doubts().assumed, &played.left_out);
        return Ok(Exit::Fine);
    }
    let twin = twin(&machine, pool).map_err(failed)?;
    write(&twin.text, arguments)?;
    remark(&twin);
    Ok(Exit::Fine)
}

fn write(text: &str, arguments: &ScenarioArguments) -> Result<(), Problem> {
    let Some(file) = &arguments.output else { return Ok(output::print(text)?) };
    Pending::begin(file)?.complete_new(text)?;
    let shown = visible_path(file);
    Ok(output::print(&format!("Wrote {shown}. Next:\n  arcwright run {shown}\n"))?)
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
    say(&twin.assumed, &twin.left_out);
}

/// Says what no counter tells, and what is not in the scenario.
fn say(assumed: &[String], left_out: &[String]) {
    assumed.iter().for_each(|what| output::remark(&format!("taken as given: {what}")));
    left_out.iter().for_each(|what| output::remark(&format!("not in the scenario: {what}")));
}
