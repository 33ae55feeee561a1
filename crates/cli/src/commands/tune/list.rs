//! `arcwright tune list`.

use arcwright_host::tune::Facts;
use arcwright_report::columns;
use arcwright_report::tune::{TuneList, TuneListed, TunePersisted, tune_version};
use arcwright_tunables::Persisted;
use arcwright_tunables::plan::default_words;
use arcwright_tunables::{DefaultValue, Entry, Kernel, Module, Unit, Value, entries, lookup};

use super::{Target, shape};
use crate::arguments::tune::ListArguments;
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// A parameter as it is on the machine.
pub(super) struct Row<'a> {
    pub(super) name: String,
    pub(super) entry: Option<&'static Entry>,
    pub(super) current: Option<Value>,
    pub(super) is_default: Option<bool>,
    pub(super) line: Option<&'a Persisted>,
}

/// Lists parameters.
pub(super) fn list(target: &Target, arguments: &ListArguments) -> Result<Exit, Problem> {
    check_family(arguments.family.as_deref())?;
    let facts = target.facts();
    let persisted = facts.places.persisted();
    let rows: Vec<Row<'_>> = rows(&facts, &persisted, arguments.all)
        .into_iter()
        .filter(|row| arguments.all || wanted(row, arguments))
        .collect();
    if arguments.json {
        print_json(&facts, &rows)?;
    } else {
        let cells: Vec<Vec<String>> =
            rows.iter().map(|row| row.cells(&facts, arguments.exact)).collect();
        let text = match arguments.tabs {
            true => shape::tabs(&cells),
            false => columns(&["NAME", "CURRENT", "DEFAULT", "SOURCE"], &cells),
        };
        output::print(&text)?;
    }
    Ok(shape::exit_of(!facts.running.parameters.is_empty()))
}

fn check_family(family: Option<&str>) -> Result<(), Problem> {
    let mut families: Vec<&str> = entries().iter().map(|entry| entry.family.as_str()).collect();
    families.dedup();
    match family {
        Some(family) if !families.contains(&family) => Err(Problem::Usage(anyhow::anyhow!(
            "no family is called “{family}”; the families are {}",
            families.join(", ")
        ))),
        _ => Ok(()),
    }
}

/// Returns what the machine has, in the catalogue's order; with `all` also what is not in it.
pub(super) fn rows<'a>(facts: &Facts, persisted: &'a [Persisted], all: bool) -> Vec<Row<'a>> {
    let known = entries().iter().filter_map(|entry| {
        let line = persisted.iter().rev().find(|line| line.is_of(entry));
        let name = facts.running.own_name(entry);
        let name = name.map(str::to_owned).or_else(|| line.map(|line| line.name.clone()))?;
        let current = facts.running.value(entry);
        let is_default = facts.running.is_default(entry);
        Some(Row { name, entry: Some(entry), current, is_default, line })
    });
    let unknown = |name: &str| lookup(name).is_none();
    // A file may set what no version known to the catalogue has, or has any more.
    let stray = persisted.iter().filter(|line| {
        unknown(&line.name) && !(all && facts.running.parameters.contains_key(&line.name))
    });
    let stray = stray.map(|line| Row {
        name: line.name.clone(),
        entry: None,
        current: facts.running.parameters.get(&line.name).map(|seen| Value::read(&seen.value)),
        is_default: None,
        line: Some(line),
    });
    let other = facts.running.parameters.iter().filter(|(name, _)| all && unknown(name));
    let other = other.map(|(name, seen)| Row {
        name: name.clone(),
        entry: None,
        current: Some(Value::read(&seen.value)),
        is_default: None,
        line: persisted.iter().rev().find(|line| line.name == *name),
    });
    known.chain(other).chain(stray).collect()
}

fn wanted(row: &Row<'_>, arguments: &ListArguments) -> bool {
    let family = arguments.family.as_deref();
    let family = family.is_none_or(|family| row.entry.is_some_and(|e| e.family == family));
    let changed = row.is_default == Some(false) || row.line.is_some();
    family && (changed || !arguments.changed)
}

impl Row<'_> {
    fn unit(&self) -> Unit {
        self.entry.map_or(Unit::Count, |entry| entry.unit)
    }

    pub(super) fn cells(&self, facts: &Facts, exact: bool) -> Vec<String> {
        let shown = |value: &Value| match exact {
            true => value.to_string(),
            false => value.shown(self.unit()),
        };
        let default = self.entry.and_then(|entry| match facts.running.default_of(entry)? {
            DefaultValue::Fixed(value) => Some(shown(&Value::Number(value))),
            DefaultValue::Word(word) => Some(word.to_owned()),
            DefaultValue::Derived(_) => Some("derived".to_owned()),
        });
        let zero = Some(DefaultValue::Fixed(0));
        let stands_for = self.is_default == Some(true)
            && self.entry.is_some_and(|entry| facts.running.default_of(entry) != zero);
        let current = self.current.as_ref().map(|value| match value.number() {
            Some(0) if stands_for && !exact => "0 (default)".to_owned(),
            _ => shown(value),
        });
        let absent = || "-".to_owned();
        vec![
            self.name.clone(),
            current.unwrap_or_else(absent),
            default.unwrap_or_else(absent),
            self.source(),
        ]
    }

    /// Returns where the value comes from.
    fn source(&self) -> String {
        let origin = match self.is_default {
            _ if self.current.is_none() => "not in this module",
            Some(true) => "default",
            Some(false) => "live",
            None => "unknown",
        };
        match self.line {
            Some(line) if self.current.as_ref() == Some(&line.value) => line.place(),
            Some(line) => format!("{origin}; {} says {}", line.place(), line.value),
            None => origin.to_owned(),
        }
    }
}

fn print_json(facts: &Facts, rows: &[Row<'_>]) -> Result<(), Problem> {
    let persisted = |line: &Persisted| TunePersisted {
        value: line.value.to_string(),
        file: line.path.clone(),
        line: line.line,
        by_arcwright: line.ours,
    };
    let listed = |row: &Row<'_>| TuneListed {
        name: row.name.clone(),
        family: row.entry.map(|entry| entry.family.clone()),
        module: row.entry.map_or(Module::Zfs, |entry| entry.module).name().to_owned(),
        current: row.current.as_ref().map(ToString::to_string),
        default: row.entry.and_then(|entry| default_words(entry, &facts.running)),
        is_default: row.is_default,
        settable_live: row.entry.map(|entry| facts.running.is_live(entry)),
        persisted: row.line.map(persisted),
    };
    let kernel = match facts.running.kernel {
        Kernel::Linux => "linux",
        Kernel::Freebsd => "freebsd",
    };
    shape::print_json(&TuneList {
        output_version: tune_version("list"),
        platform: facts.places.platform.name().to_owned(),
        kernel: kernel.to_owned(),
        zfs: facts.running.version_text.clone(),
        tunables: rows.iter().map(listed).collect(),
        problems: facts.problems.clone(),
    })
}
