//! The commands, one verb per file.

pub(crate) mod capture;
mod compare;
mod doctor;
mod run;
mod show;
mod tune;
mod watch;

#[cfg(feature = "lab")]
mod lab_worker;

use anyhow::Context as _;
use arcwright_report::{Precision, TextOptions};
use arcwright_scenario::Outcome;

use crate::arguments::{Form, Verb};
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// Does what the verb says.
pub(crate) fn perform(verb: &Verb) -> Result<Exit, Problem> {
    match verb {
        Verb::Run(arguments) => run::run(arguments),
        Verb::Show(arguments) => show::show(arguments),
        Verb::Compare(arguments) => compare::compare(arguments),
        Verb::Watch(arguments) => watch::watch(arguments),
        Verb::Doctor(arguments) => doctor::doctor(arguments),
        Verb::Capture(arguments) => capture::capture(arguments),
        Verb::Tune(arguments) => tune::tune(arguments),
        #[cfg(feature = "lab")]
        Verb::LabWorker => lab_worker::lab_worker(),
    }
}

/// Prints an outcome in the form asked for.
fn print(outcome: &Outcome, form: Form) -> anyhow::Result<()> {
    let precision = if form.exact { Precision::Exact } else { Precision::Rounded };
    if form.json {
        return output::print_json(&rendered_json(outcome)?);
    }
    if form.tabs {
        return output::print(&arcwright_report::tab_separated(outcome, precision));
    }
    let stdout = std::io::stdout();
    let (width, colour) = (output::width(&stdout), output::colour_wanted(&stdout));
    let options = TextOptions { width, colour, precision };
    output::print_page(&arcwright_report::text(outcome, &options))
}

fn rendered_json(outcome: &Outcome) -> anyhow::Result<String> {
    arcwright_report::to_json(outcome).context("failed to write the result as JSON")
}
