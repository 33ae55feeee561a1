//! `arcwright doctor`: what a machine's counters and settings say, live or from what somebody sent.

mod baseline;
mod check;
mod fleet;
mod perfdata;
pub(super) mod policy;
mod selector;

use anyhow::Context as _;
use arcwright_advice::{Estimate, KNOWN, advise};
use arcwright_host::capture::{captures_in, open};
use arcwright_machine::{Machine, Sources};
use arcwright_report::{Detail, DoctorOptions, doctor_html, doctor_json, doctor_tabs, doctor_text};

use self::policy::{Judged, Policy};
use crate::arguments::DoctorArguments;
use crate::capture_names::machines;
use crate::exit::Exit;
use crate::observing::live;
use crate::output;
use crate::pages::PendingPage;
use crate::problem::Problem;

pub(crate) fn doctor(arguments: &DoctorArguments) -> Result<Exit, Problem> {
    if arguments.list {
        output::print(&list(arguments.tabs))?;
        return Ok(Exit::Fine);
    }
    match judge(arguments) {
        // To a monitoring system 1 and 2 say something about the machine, which was not judged.
        Err(problem) if arguments.check => unknown(&problem),
        result => result,
    }
}

/// Tells a monitoring system that nothing can be said, and why.
pub(super) fn unknown(problem: &Problem) -> Result<Exit, Problem> {
    output::print(&check::unknown(problem))?;
    Ok(Exit::Unknown)
}

fn judge(arguments: &DoctorArguments) -> Result<Exit, Problem> {
    let policy = Policy::of(&arguments.policy)?;
    let page = arguments.html.as_deref().map(PendingPage::begin).transpose()?;
    let paths = machines(&arguments.from, |path| captures_in(path).unwrap_or_default())?;
    match paths.as_slice() {
        [] => one(arguments, &policy, (&live(arguments.window, !arguments.no_smart)?, page)),
        [path] => one(arguments, &policy, (&open(path).map_err(anyhow::Error::from)?, page)),
        _ => fleet::fleet(arguments, &policy, &paths),
    }
}

fn one(
    arguments: &DoctorArguments,
    policy: &Policy,
    (sources, page): (&Sources, Option<PendingPage>),
) -> Result<Exit, Problem> {
    let estimate = match arguments.no_model || arguments.check {
        true => Estimate::CountersOnly,
        false if arguments.no_own_load => Estimate::WithModel,
        false => Estimate::WithOwnLoad,
    };
    let machine = Machine::read(sources);
    let judged = policy.applied(advise(&machine, estimate));
    if let Some(path) = &arguments.policy.write_baseline {
        baseline::write(path, &judged.advice)?;
        return Ok(Exit::Fine);
    }
    if arguments.check {
        let (exit, line) = check::line(&judged, &perfdata::of(&machine, &judged.advice));
        output::print(&line)?;
        return Ok(exit);
    }
    print(&judged, arguments)?;
    if let Some(page) = page {
        page.complete(&doctor_html(&judged.advice, &judged.hidden))?;
    }
    Ok(Exit::Fine)
}

fn print(judged: &Judged, arguments: &DoctorArguments) -> anyhow::Result<()> {
    let Judged { advice, hidden, .. } = judged;
    if arguments.json {
        let json = doctor_json(advice, hidden).context("failed to write the findings as JSON")?;
        return output::print_json(&json);
    }
    if arguments.tabs {
        return output::print(&doctor_tabs(advice));
    }
    let stdout = std::io::stdout();
    let detail = if arguments.explain { Detail::Full } else { Detail::Usual };
    let (width, colour) = (output::width(&stdout), output::colour_wanted(&stdout));
    output::print_page(&doctor_text(advice, hidden, &DoctorOptions { width, colour, detail }))
}

/// Lists all findings that there are.
fn list(tabs: bool) -> String {
    let line = |known: &arcwright_advice::Known| {
        let alarm = if known.is_urgent { "critical" } else { "warning" };
        match tabs {
            true => format!("{}\t{alarm}\t{}\n", known.id, known.meaning),
            false => format!("{:<24} {alarm:<8}  {}\n", known.id, known.meaning),
        }
    };
    let head = "FINDING                  AT MOST   MEANING\n";
    let head = if tabs { "" } else { head };
    head.to_owned() + &KNOWN.iter().map(line).collect::<String>()
}
