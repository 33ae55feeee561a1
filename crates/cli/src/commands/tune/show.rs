//! `arcwright tune show`.

use arcwright_host::tune::Facts;
use arcwright_report::tune::{TuneHazard, TuneShow, TuneShown, tune_version};
use arcwright_tunables::plan::default_words;
use arcwright_tunables::{
    Entry, HazardKind, Kernel, SetWhen, TuneError, Value, gone, lookup, nearest,
};

use super::{Target, shape};
use crate::arguments::tune::ShowTunableArguments;
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// Tells everything about parameters, whether this machine has them or not.
pub(super) fn show(target: &Target, arguments: &ShowTunableArguments) -> Result<Exit, Problem> {
    let entries: Vec<&'static Entry> =
        arguments.names.iter().map(|name| named(name)).collect::<Result<_, _>>()?;
    let facts = target.facts();
    if arguments.json {
        let tunables = entries.iter().map(|entry| shown(entry, &facts)).collect();
        shape::print_json(&TuneShow { output_version: tune_version("show"), tunables })?;
        return Ok(Exit::Fine);
    }
    let texts: Vec<String> = entries.iter().map(|entry| text(entry, &facts)).collect();
    output::print(&texts.join("\n"))?;
    Ok(Exit::Fine)
}

pub(super) fn named(name: &str) -> Result<&'static Entry, TuneError> {
    if let Some(entry) = lookup(name) {
        return Ok(entry);
    }
    if let Some(gone) = gone().iter().find(|gone| gone.name == name) {
        let successor = gone.successor.as_ref().map(|name| format!("; use {name} instead"));
        let note = gone.note.as_ref().map(|note| format!(". {}", note.trim_end_matches('.')));
        return Err(TuneError::Gone {
            name: name.to_owned(),
            last: gone.to.map(|to| to.to_string()).unwrap_or_default(),
            instead: successor.unwrap_or_default() + &note.unwrap_or_default(),
        });
    }
    let hint = nearest(name).map(|like| format!("; did you mean “{like}”?"));
    let hint = hint.unwrap_or_else(|| "; arcwright tune list names them".to_owned());
    Err(TuneError::Unknown { name: name.to_owned(), hint })
}

pub(super) fn text(entry: &Entry, facts: &Facts) -> String {
    let mut lines = vec![entry.name.clone(), format!("  {}", entry.about)];
    let mut line = |label: &str, value: String| lines.push(format!("  {label:<12} {value}"));
    line("here", here(entry, facts));
    if let Some(default) = default_words(entry, &facts.running) {
        line("default", default);
    }
    for persisted in facts.places.persisted().iter().filter(|line| line.is_of(entry)) {
        line("set by", format!("{}: {}", persisted.place(), persisted.value));
    }
    line("range", range(entry));
    line("settable", settable(entry, facts));
    line("Linux", linux_name(entry));
    line("FreeBSD 13+", freebsd_name(entry));
    line("FreeBSD 8–12", entry.freebsd_legacy.clone().unwrap_or_else(|| "-".to_owned()));
    line("versions", entry.versions());
    for span in &entry.defaults {
        let to = span.to.map_or_else(|| "later".to_owned(), |to| to.to_string());
        let value = span.value.map(|value| Value::Number(value).shown(entry.unit));
        let value = value.or_else(|| span.word.clone()).or_else(|| span.rule.clone());
        line("", format!("{} to {to}: {}", span.from, value.unwrap_or_default()));
    }
    if let Some(successor) = &entry.successor {
        line("successor", successor.clone());
    }
    if let Some(gone) = &entry.gone {
        line("gone", gone.clone());
    }
    for hazard in &entry.hazards {
        let stops = if hazard.kind.stops() { ", needs confirmation" } else { "" };
        let kind = format!("{}{}{stops}", hazard.kind.label(), hazard.versions());
        line("hazard", format!("set {} ({kind}): {}", hazard.when.label(), hazard.text));
    }
    line("source", entry.source.clone());
    lines.join("\n") + "\n"
}

fn here(entry: &Entry, facts: &Facts) -> String {
    let version = facts.running.version_text.as_deref().unwrap_or("an unknown version");
    match facts.running.value(entry) {
        Some(value) => {
            let origin = match facts.running.is_default(entry) {
                Some(true) => ", the default",
                Some(false) => ", not the default",
                None => "",
            };
            let exact = value.to_string();
            let shown = value.shown(entry.unit);
            let exact = if exact == shown { String::new() } else { format!(" ({exact})") };
            format!("{shown}{exact}{origin}")
        }
        None if facts.running.parameters.is_empty() => "not known".to_owned(),
        None => format!("not in this module ({version})"),
    }
}

fn range(entry: &Entry) -> String {
    let shown = |number| Value::Number(number).shown_exactly(entry.unit);
    let most = entry.max.unwrap_or(entry.width.most());
    let endless = entry.width.most() == u64::MAX && entry.max.is_none();
    match entry.min {
        Some(least) if endless => format!("any from {}", shown(least)),
        Some(least) => format!("{} to {}", shown(least), shown(most)),
        None if endless => "any".to_owned(),
        None => format!("at most {}", shown(most)),
    }
}

fn settable(entry: &Entry, facts: &Facts) -> String {
    let live = match facts.running.value(entry) {
        Some(_) => facts.running.is_live(entry),
        None => entry.set == SetWhen::Runtime,
    };
    match live {
        true => "at run time".to_owned(),
        false => "only when the module is loaded".to_owned(),
    }
}

fn linux_name(entry: &Entry) -> String {
    match entry.on {
        Some(Kernel::Freebsd) => "-".to_owned(),
        _ => format!("/sys/module/{}/parameters/{}", entry.module.name(), entry.name),
    }
}

fn freebsd_name(entry: &Entry) -> String {
    let name = entry.freebsd.clone().unwrap_or_else(|| "-".to_owned());
    match (&entry.freebsd_legacy, entry.alias_to) {
        (Some(alias), Some(to)) => format!("{name}, and {alias} up to {to}"),
        _ => name,
    }
}

pub(super) fn shown(entry: &Entry, facts: &Facts) -> TuneShown {
    let hazards = entry.hazards.iter().map(|hazard| TuneHazard {
        kind: HazardKind::label(hazard.kind).to_owned(),
        when_set: Some(hazard.when.label()),
        stops_a_plan: hazard.kind.stops(),
        text: hazard.text.clone(),
    });
    TuneShown {
        name: entry.name.clone(),
        family: entry.family.clone(),
        about: entry.about.clone(),
        current: facts.running.value(entry).map(|value| value.to_string()),
        default: default_words(entry, &facts.running),
        is_default: facts.running.is_default(entry),
        range: range(entry),
        settable: settable(entry, facts),
        linux: linux_name(entry),
        freebsd: entry.freebsd.clone(),
        freebsd_legacy: entry.freebsd_legacy.clone(),
        versions: entry.versions(),
        successor: entry.successor.clone(),
        gone: entry.gone.clone(),
        hazards: hazards.collect(),
        source: entry.source.clone(),
    }
}
