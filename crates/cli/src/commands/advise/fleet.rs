//! Several machines: what to change on each, and with prices what to buy for all of them within a budget.
//!
//! One after the other, so that many captures need the memory of one. What cannot be opened, or has no load, is a row that
//! says so and stops nothing.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use arcwright_advice::{Estimate, advise as judged};
use arcwright_host::capture::{captures_in, open_whole};
use arcwright_host::record::{is_recording, recordings_in};
use arcwright_machine::Machine;
use arcwright_report::{AdvisedMachine, advise_fleet_json, advise_fleet_text};
use arcwright_units::visible_path;
use arcwright_whatif::{Purchases, WhatIf};

use crate::arguments::AdviseArguments;
use crate::capture_names::{self, name_of};
use crate::commands::{scenario, whatif};
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::output;
use crate::problem::Problem;

/// Returns what was named, folders of captures and recordings as what is in them.
pub(super) fn machines(from: &[PathBuf]) -> Result<Vec<PathBuf>, Problem> {
    if from.len() > 1 && from.iter().any(|path| path == Path::new("live")) {
        let why = "of several machines each has its capture; live is this one";
        return Err(Problem::Usage(anyhow!(why)));
    }
    capture_names::machines(from, |path| match is_recording(path) {
        true => Vec::new(),
        false => {
            let captures = captures_in(path).unwrap_or_default();
            captures.into_iter().chain(recordings_in(path)).collect()
        }
    })
}

/// Advises several machines.
pub(super) fn fleet(arguments: &AdviseArguments, paths: &[PathBuf]) -> Result<Exit, Problem> {
    if arguments.html.is_some() {
        let why = "--html shows one machine; give one capture";
        return Err(Problem::Usage(anyhow!(why)));
    }
    let interrupt = Interrupt::listen()?;
    let mut machines = Vec::with_capacity(paths.len());
    for (number, path) in paths.iter().enumerate() {
        if interrupt.asked() {
            break;
        }
        output::remark(&format!("{} of {}: {}", number + 1, paths.len(), visible_path(path)));
        machines.push(machine(arguments, path));
    }
    let is_whole = machines.len() == paths.len() && !interrupt.asked();
    let purchases = bought(arguments, &mut machines);
    machines.sort_by(|one, other| {
        let order = |one: &AdvisedMachine| (one.answer.is_none(), Reverse(one.choice > 0));
        let worth = other.worth().total_cmp(&one.worth());
        order(one).cmp(&order(other)).then(worth).then_with(|| one.machine.cmp(&other.machine))
    });
    let purchases = purchases.map(|purchases| Purchases {
        choices: machines.iter().map(|one| one.choice).collect(),
        ..purchases
    });
    if arguments.json {
        let json = advise_fleet_json(&machines, purchases.as_ref());
        output::print_json(&json.context("failed to write the machines as JSON")?)?;
    } else {
        let stdout = std::io::stdout();
        let page = (output::width(&stdout), output::colour_wanted(&stdout));
        output::print_page(&advise_fleet_text(&machines, purchases.as_ref(), page))?;
    }
    if !is_whole {
        output::remark("stopped early: only what finished was compared");
        return Ok(Exit::Failed);
    }
    let is_any_tried = machines.iter().any(|one| one.answer.is_some());
    Ok(if is_any_tried { Exit::Fine } else { Exit::Failed })
}

/// Lets each machine have what the plan of purchases gives it; without prices it has what is best for itself.
fn bought(arguments: &AdviseArguments, machines: &mut [AdvisedMachine]) -> Option<Purchases> {
    let prices = arguments.price.prices()?;
    let answers: Vec<&WhatIf> =
        machines.iter().filter_map(|machine| machine.answer.as_ref()).collect();
    let purchases = Purchases::of(&answers, prices.budget);
    let mut choices = purchases.choices.iter();
    for machine in machines.iter_mut().filter(|machine| machine.answer.is_some()) {
        machine.choice = choices.next().copied().unwrap_or(0);
    }
    Some(purchases)
}

fn machine(arguments: &AdviseArguments, path: &Path) -> AdvisedMachine {
    let mut named = AdvisedMachine {
        machine: name_of(path),
        file: visible_path(path),
        answer: None,
        error: None,
        choice: 0,
    };
    let answer = opened(arguments, path).and_then(|(name, machine)| {
        named.machine = name.unwrap_or_else(|| named.machine.clone());
        answer(arguments, &machine)
    });
    match answer {
        Ok(answer) => AdvisedMachine { choice: answer.choice, answer: Some(answer), ..named },
        Err(problem) => AdvisedMachine { error: Some(problem.sentence()), ..named },
    }
}

/// Returns a machine with what it calls itself, where its capture says so.
fn opened(arguments: &AdviseArguments, path: &Path) -> Result<(Option<String>, Machine), Problem> {
    if is_recording(path) {
        return Ok((None, scenario::machine_of(&arguments.machine(Some(path)))?));
    }
    // --window is for recordings: of a capture there are the readings that it has.
    let whole = open_whole(path).map_err(anyhow::Error::from)?;
    Ok((whole.manifest.and_then(|manifest| manifest.machine), Machine::read(&whole.sources)))
}

/// Returns what each change brings on a machine, with prices where they were given.
fn answer(arguments: &AdviseArguments, machine: &Machine) -> Result<WhatIf, Problem> {
    let advice = judged(machine, Estimate::CountersOnly);
    let load = super::load_of(machine, arguments)?;
    let axes = super::axes(machine, &advice, (arguments, &load))?;
    let (answer, _) = super::tried(arguments, &load, &axes)?;
    Ok(whatif::priced(answer, &arguments.price))
}
