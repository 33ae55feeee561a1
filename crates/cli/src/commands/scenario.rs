//! `arcwright scenario`: a machine as an experiment.

use std::path::Path;

use anyhow::anyhow;
use arcwright_host::capture::open;
use arcwright_host::observe::{Options, Tools, observe};
use arcwright_machine::{Machine, Sources};
use arcwright_twin::{Compared, Twin, twin};
use arcwright_units::visible_path;

use super::capture::explained;
use crate::arguments::ScenarioArguments;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::observing::Observing;
use crate::output::{self, Pending};
use crate::preferences::preferences;
use crate::problem::Problem;

/// Writes this machine, or a captured one, as a scenario.
pub(crate) fn scenario(arguments: &ScenarioArguments) -> Result<Exit, Problem> {
    if let Some(file) = &arguments.output
        && file.symlink_metadata().is_ok()
    {
        let shown = visible_path(file);
        return Err(Problem::Usage(anyhow!("{shown} is there already; name another file")));
    }
    let sources = match arguments.from.as_deref().filter(|from| *from != Path::new("live")) {
        Some(path) if arguments.window.is_some() => {
            let shown = visible_path(path);
            let why = format!("--window is for this machine; {shown} has the readings that it has");
            return Err(Problem::Usage(anyhow!(why)));
        }
        Some(path) => open(path).map_err(anyhow::Error::from)?,
        None => live(arguments)?,
    };
    let machine = Machine::read(&sources);
    let twin = twin(&machine, arguments.pool.as_deref())
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

/// Says on standard error how good the scenario is.
fn remark(twin: &Twin) {
    let said = match twin.check.holds() {
        true => "check: the model of the present machine counts what the machine counted",
        false => "check: the model of the present machine does NOT count what the machine counted",
    };
    output::remark(said);
    for Compared { what, machine, model, agrees } in &twin.check.compared {
        let mark = if *agrees { "" } else { "  (apart)" };
        output::remark(&format!("  {what}: machine {machine}, model {model}{mark}"));
    }
    for what in &twin.left_out {
        output::remark(&format!("not in the scenario: {what}"));
    }
}

fn live(arguments: &ScenarioArguments) -> anyhow::Result<Sources> {
    let interrupt = Interrupt::listen_and_end()?;
    let options = Options {
        tools: Tools::default().until(interrupt.flag()),
        window: preferences().window(arguments.window),
        ..Options::default()
    };
    let mut observing = Observing::new(interrupt);
    let found = observe(&options, &mut observing);
    if observing.finish() {
        output::remark("note: stopped early, the window is shorter than requested");
    }
    found.map_err(explained)
}
