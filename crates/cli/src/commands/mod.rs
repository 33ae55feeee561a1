//! The commands, one verb per file.

mod advise;
mod calibrate;
mod capture;
mod compare;
mod doctor;
mod generate;
mod metrics;
mod record;
mod run;
mod scenario;
mod scenarios;
mod serve;
mod server;
mod show;
mod ssd;
mod trace;
mod tune;
mod version;
mod watch;
mod whatif;
mod who;

#[cfg(feature = "lab-worker")]
mod lab_worker;
mod loads;

use anyhow::Context as _;
use arcwright_report::{ClientRows, Precision, TextOptions};
use arcwright_scenario::Outcome;

use crate::arguments::{Arguments, Form, Verb};
use crate::exit::Exit;
use crate::output;
use crate::preferences;
use crate::problem::Problem;

/// Does what the verb says.
pub(crate) fn perform(arguments: &Arguments) -> Result<Exit, Problem> {
    let Some(verb) = &arguments.verb else { return version::version(arguments.json) };
    match (preferences::load().map_err(Problem::Usage), verb) {
        (Ok(()), _) => {}
        (Err(problem), Verb::Doctor(arguments)) if arguments.check => {
            return doctor::unknown(&problem);
        }
        (Err(problem), _) => return Err(problem),
    }
    match verb {
        Verb::Scenarios(arguments) => scenarios::scenarios(arguments),
        Verb::Scenario(arguments) => scenario::scenario(arguments),
        Verb::Ssd(verb) => ssd::ssd(verb),
        Verb::WhatIf(arguments) => whatif::whatif(arguments),
        Verb::Trace(verb) => trace::perform(verb),
        Verb::Advise(arguments) => advise::advise(arguments),
        Verb::Who(arguments) => who::who(arguments),
        Verb::Calibrate(verb) => calibrate::calibrate(verb),
        Verb::Init(arguments) => scenarios::init(arguments),
        Verb::Generate(verb) => generate::generate(verb),
        Verb::Record(arguments) => record::record(arguments),
        Verb::Run(arguments) => run::run(arguments),
        Verb::Show(arguments) => show::show(arguments),
        Verb::Compare(arguments) => compare::compare(arguments),
        Verb::Watch(arguments) => watch::watch(arguments),
        Verb::Doctor(arguments) => doctor::doctor(arguments),
        Verb::Metrics(arguments) => metrics::metrics(arguments),
        Verb::Serve(arguments) => serve::serve(arguments),
        Verb::PageQuestion { what } => serve::answer_question(what),
        Verb::Capture(arguments) => capture::capture(arguments),
        Verb::Tune(arguments) => tune::tune(arguments),
        #[cfg(feature = "lab-worker")]
        Verb::LabWorker => lab_worker::lab_worker(),
    }
}

/// Prints an outcome in the form asked for.
fn print(outcome: &Outcome, form: Form) -> anyhow::Result<()> {
    let precision = if form.exact { Precision::Exact } else { Precision::Rounded };
    let clients = if form.verbose { ClientRows::All } else { ClientRows::Differing };
    if form.json {
        return output::print_json(&rendered_json(outcome)?);
    }
    if form.tabs {
        return output::print(&arcwright_report::tab_separated(outcome, precision, clients));
    }
    if form.csv {
        return output::print(&arcwright_report::comma_separated(outcome, clients));
    }
    let options = TextOptions { precision, clients, ..output::text_options() };
    if form.markdown {
        return output::print(&arcwright_report::markdown(outcome, &options));
    }
    output::print_page(&arcwright_report::text(outcome, &options))
}

fn rendered_json(outcome: &Outcome) -> anyhow::Result<String> {
    arcwright_report::to_json(outcome).context("failed to write the result as JSON")
}
