//! `arcwright doctor`: what a machine's counters and settings say, live or from what somebody sent.

use anyhow::Context as _;
use arcwright_advice::{Advice, Estimate, Severity, advise};
use arcwright_host::capture::open;
use arcwright_host::observe::{Options, observe};
use arcwright_machine::{Machine, Sources};
use arcwright_report::{Detail, DoctorOptions, doctor_json, doctor_tabs, doctor_text};

use super::capture::explained;
use crate::arguments::DoctorArguments;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::observing::Observing;
use crate::output;
use crate::problem::Problem;

pub(crate) fn doctor(arguments: &DoctorArguments) -> Result<Exit, Problem> {
    let sources = match sources(arguments) {
        Err(error) if arguments.check => {
            output::print(&format!("ZFS UNKNOWN - {error:#}\n"))?;
            return Ok(Exit::Unknown);
        }
        sources => sources?,
    };
    let estimate = match arguments.no_model || arguments.check {
        true => Estimate::CountersOnly,
        false => Estimate::WithModel,
    };
    let advice = advise(&Machine::read(&sources), estimate);
    if arguments.check {
        let (exit, line) = check(&advice);
        output::print(&line)?;
        return Ok(exit);
    }
    output::print(&rendered(&advice, arguments)?)?;
    Ok(Exit::Fine)
}

fn sources(arguments: &DoctorArguments) -> anyhow::Result<Sources> {
    if let Some(path) = &arguments.from {
        return Ok(open(path)?);
    }
    let mut observing = Observing::new(Interrupt::listen()?);
    let options =
        Options { window: arguments.window, smart: !arguments.no_smart, ..Options::default() };
    let found = observe(&options, &mut observing);
    if observing.finish() {
        output::remark("note: stopped early, the window is shorter than asked for");
    }
    found.map_err(explained)
}

fn rendered(advice: &Advice, arguments: &DoctorArguments) -> anyhow::Result<String> {
    if arguments.json {
        return doctor_json(advice).context("failed to write the findings as JSON");
    }
    if arguments.tabs {
        return Ok(doctor_tabs(advice));
    }
    let stdout = std::io::stdout();
    let detail = if arguments.explain { Detail::Full } else { Detail::Usual };
    let (width, colour) = (output::width(&stdout), output::colour_wanted(&stdout));
    Ok(doctor_text(advice, &DoctorOptions { width, colour, detail }))
}

/// Returns how a monitoring plugin would end, and its one line.
fn check(advice: &Advice) -> (Exit, String) {
    let Some(first) = advice.findings.first() else {
        return (Exit::Unknown, "ZFS UNKNOWN - nothing was judged\n".to_owned());
    };
    let (exit, word) = match first.severity {
        _ if !advice.is_verdict() => (Exit::Unknown, "UNKNOWN"),
        Severity::HurtsNow => (Exit::WrongUse, "CRITICAL"),
        Severity::WorthALook => (Exit::Failed, "WARNING"),
        Severity::Note | Severity::Fine => (Exit::Fine, "OK"),
    };
    let calls = |severity: Severity| severity <= Severity::WorthALook;
    let more = advice.findings.iter().skip(1).filter(|finding| calls(finding.severity)).count();
    let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
    (exit, format!("ZFS {word} - {}{more}\n", first.title))
}

#[cfg(test)]
mod tests {
    use arcwright_advice::{Estimate, advise};
    use arcwright_machine::{Machine, Pool};

    use super::check;
    use crate::exit::Exit;

    #[test]
    fn a_plugin_ends_by_the_worst_finding() {
        let nothing = advise(&Machine::default(), Estimate::CountersOnly);
        assert_eq!(check(&nothing).0, Exit::Unknown);
        let state = Some("DEGRADED".to_owned());
        let pool = Pool { name: "tank".to_owned(), state, ..Pool::default() };
        let machine = Machine { pools: vec![pool], ..Machine::default() };
        let (exit, line) = check(&advise(&machine, Estimate::CountersOnly));
        assert_eq!(exit, Exit::WrongUse);
        assert_eq!(line, "ZFS CRITICAL - tank is DEGRADED: repair it before anything else\n");
    }
}
