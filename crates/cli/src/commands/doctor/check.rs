//! The one line of `--check`, as monitoring plugins print it.
//!
//! `ZFS WORD - what is worst (and 2 more) | label=value …`, after the guidelines of Monitoring Plugins
//! (<https://www.monitoring-plugins.org/doc/guidelines.html>): what stands behind the first `|` is taken
//! for performance data, so that a name that holds one must not reach the line as it is.

use arcwright_units::visible;

use super::policy::{Alarm, Judged};
use crate::exit::Exit;
use crate::problem::Problem;

/// Returns how a plugin ends, and its line; `perfdata` stands behind it as it is.
pub(super) fn line(judged: &Judged, perfdata: &str) -> (Exit, String) {
    let worst = judged.alarms.iter().min().copied();
    let (exit, word) = match worst {
        _ if !judged.is_verdict => (Exit::Unknown, "UNKNOWN"),
        Some(Alarm::Critical) => (Exit::WrongUse, "CRITICAL"),
        Some(Alarm::Warning) => (Exit::Failed, "WARNING"),
        Some(Alarm::Quiet) | None => (Exit::Fine, "OK"),
    };
    let mut loud = judged.alarms.iter().zip(&judged.advice.findings);
    let first = loud.find(|(alarm, _)| Some(**alarm) == worst).map(|(_, finding)| finding);
    let said = first.map_or("no new findings", |finding| finding.title.as_str());
    let calls = judged.alarms.iter().filter(|alarm| **alarm < Alarm::Quiet).count();
    let more = match calls.saturating_sub(1) {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let hidden = match judged.hidden.len() {
        0 => String::new(),
        1 => " (1 known finding ignored)".to_owned(),
        hidden => format!(" ({hidden} known findings ignored)"),
    };
    (exit, complete(&format!("ZFS {word} - {said}{more}{hidden}"), perfdata))
}

/// Returns the line of a plugin that cannot say anything.
pub(super) fn unknown(problem: &Problem) -> String {
    let lines = problem.to_string();
    let lines: Vec<&str> = lines.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    complete(&format!("ZFS UNKNOWN - {}", lines.join("; ")), "")
}

/// Returns a line that is one, with performance data if there is any.
pub(super) fn complete(said: &str, perfdata: &str) -> String {
    let said = visible(said).replace('|', "\\x7c");
    match perfdata {
        "" => format!("{said}\n"),
        data => format!("{said} | {data}\n"),
    }
}

#[cfg(test)]
mod tests {
    use arcwright_advice::{Estimate, advise};
    use arcwright_machine::{Machine, Pool};

    use super::{complete, line};
    use crate::commands::doctor::policy::Policy;
    use crate::exit::Exit;

    fn checked(machine: &Machine) -> (Exit, String) {
        line(&Policy::default().applied(advise(machine, Estimate::CountersOnly)), "a=1")
    }

    #[test]
    fn a_plugin_ends_by_the_worst_finding() {
        assert_eq!(checked(&Machine::default()).0, Exit::Unknown);
        let state = Some("DEGRADED".to_owned());
        let pool = Pool { name: "tank".to_owned(), state, ..Pool::default() };
        let machine = Machine { pools: vec![pool], ..Machine::default() };
        let (exit, line) = checked(&machine);
        assert_eq!(exit, Exit::WrongUse);
        assert!(line.starts_with("ZFS CRITICAL - tank is DEGRADED"), "{line}");
        assert!(line.ends_with(" | a=1\n"), "{line}");
    }

    #[test]
    fn a_line_is_one_line_and_has_one_bar() {
        assert_eq!(complete("a|b\nc", "d=1"), "a\\x7cb\\nc | d=1\n");
        assert_eq!(complete("a", ""), "a\n");
    }
}
