//! Several machines: the worst of each in one table, the worst machine first.
//!
//! One after the other, so that a thousand captures need the memory of one. What cannot be opened is a
//! row that says so and stops nothing.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use arcwright_advice::{Basis, Estimate, Severity, advise};
use arcwright_host::capture::{Manifest, open_whole};
use arcwright_machine::Machine;
use arcwright_report::{FleetRow, Worst, fleet_json, fleet_tabs, fleet_text};
use arcwright_units::visible_path;

use super::check;
use super::policy::{Alarm, Judged, Policy};
use crate::arguments::DoctorArguments;
use crate::capture_names::name_of;
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// A machine as `--check` sees it.
struct Seen {
    row: FleetRow,
    /// How loud its worst finding is; none when it could not be judged.
    alarm: Option<Alarm>,
}

/// Judges captures of several machines.
pub(super) fn fleet(
    arguments: &DoctorArguments,
    policy: &Policy,
    paths: &[PathBuf],
) -> Result<Exit, Problem> {
    refuse(arguments)?;
    let mut seen: Vec<Seen> = paths.iter().map(|path| machine(path, policy)).collect();
    tell_apart(&mut seen);
    seen.sort_by(|one, other| one.row.order().cmp(&other.row.order()));
    if arguments.check {
        let (exit, line) = check_line(&seen);
        output::print(&line)?;
        return Ok(exit);
    }
    let rows: Vec<FleetRow> = seen.into_iter().map(|seen| seen.row).collect();
    if arguments.json {
        output::print_json(&fleet_json(&rows).context("failed to write the machines as JSON")?)?;
    } else if arguments.tabs {
        output::print(&fleet_tabs(&rows))?;
    } else {
        let stdout = std::io::stdout();
        let (width, colour) = (output::width(&stdout), output::colour_wanted(&stdout));
        output::print_page(&fleet_text(&rows, width, colour))?;
    }
    let is_any_read = rows.iter().any(|row| row.error.is_none());
    Ok(if is_any_read { Exit::Fine } else { Exit::Failed })
}

/// What is one machine's cannot be asked of many.
fn refuse(arguments: &DoctorArguments) -> Result<(), Problem> {
    let policy = &arguments.policy;
    let why = if arguments.html.is_some() {
        "--html shows one machine; give one capture"
    } else if policy.write_baseline.is_some() || policy.baseline.is_some() {
        "a baseline belongs to one machine; give one capture"
    } else if arguments.explain {
        "--explain shows one machine; give one capture"
    } else {
        return Ok(());
    };
    Err(Problem::Usage(anyhow!(why)))
}

fn machine(path: &Path, policy: &Policy) -> Seen {
    let row = FleetRow { machine: name_of(path), file: visible_path(path), ..FleetRow::default() };
    match open_whole(path) {
        Err(error) => Seen { row: FleetRow { error: Some(error.to_string()), ..row }, alarm: None },
        Ok(opened) => {
            let advice = advise(&Machine::read(&opened.sources), Estimate::CountersOnly);
            judged(row, opened.manifest.as_ref(), &policy.applied(advice))
        }
    }
}

fn judged(mut row: FleetRow, manifest: Option<&Manifest>, judged: &Judged) -> Seen {
    if let Some(name) = manifest.and_then(|manifest| manifest.machine.clone()) {
        row.machine = name;
    }
    row.since = since(manifest, judged.advice.reading.basis);
    row.is_judged = judged.is_verdict;
    let findings = &judged.advice.findings;
    row.worst = findings.first().map(|finding| Worst {
        severity: finding.severity,
        id: finding.id.to_owned(),
        subject: finding.subject.clone(),
        title: finding.title.clone(),
    });
    let calls = findings.iter().filter(|one| one.severity <= Severity::WorthALook).count();
    row.more = calls.saturating_sub(1);
    let alarm = judged.alarms.iter().min().copied().or(Some(Alarm::Quiet));
    Seen { row, alarm: alarm.filter(|_| judged.is_verdict) }
}

/// Says of when the counters are: the day of the capture, else how long they have been counted.
fn since(manifest: Option<&Manifest>, basis: Basis) -> Option<String> {
    if let Some(made) = manifest.and_then(|manifest| manifest.time_s) {
        return Some(crate::commands::tune::time(made));
    }
    match basis {
        Basis::SinceLoad(Some(span)) => {
            Some(format!("{} since load", arcwright_report::spoken(span)))
        }
        Basis::Window(span) => Some(format!("{} window", arcwright_report::spoken(span))),
        Basis::SinceLoad(None) | Basis::Nothing => None,
    }
}

/// Machines of one name are called by their files.
fn tell_apart(seen: &mut [Seen]) {
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    for one in seen.iter() {
        *counts.entry(one.row.machine.clone()).or_insert(0) += 1;
    }
    for one in seen {
        if counts.get(&one.row.machine).is_some_and(|count| *count > 1) {
            one.row.machine.clone_from(&one.row.file);
        }
    }
}

/// Returns the line of a plugin over several machines.
fn check_line(seen: &[Seen]) -> (Exit, String) {
    let worst = seen.iter().filter_map(|one| one.alarm).min();
    let unknown = seen.iter().filter(|one| one.alarm.is_none()).count();
    let (exit, word) = match worst {
        Some(Alarm::Critical) => (Exit::WrongUse, "CRITICAL"),
        Some(Alarm::Warning) => (Exit::Failed, "WARNING"),
        // Silence about a machine is no all-clear.
        _ if unknown > 0 => (Exit::Unknown, "UNKNOWN"),
        _ => (Exit::Fine, "OK"),
    };
    let loud = worst.filter(|alarm| *alarm < Alarm::Quiet);
    let named = match loud {
        Some(_) => seen.iter().find(|one| one.alarm == loud),
        None => seen.iter().find(|one| one.alarm.is_none()),
    };
    let said = named.map_or_else(
        || format!("{} machines, nothing to change", seen.len()),
        |one| format!("{}: {}", one.row.machine, one.row.said()),
    );
    let count = |wanted| seen.iter().filter(|one| one.alarm == wanted).count();
    let perfdata = format!(
        "machines={};;;0 machines_critical={};;;0 machines_warning={};;;0 machines_unknown={unknown};;;0",
        seen.len(),
        count(Some(Alarm::Critical)),
        count(Some(Alarm::Warning)),
    );
    (exit, check::complete(&format!("ZFS {word} - {said}"), &perfdata))
}
