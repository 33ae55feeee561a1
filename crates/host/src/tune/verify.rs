//! Whether what the journal says was changed is so: in the running module and in the files.

use std::collections::{BTreeMap, BTreeSet};

use arcwright_tunables::journal::{Action, Event, Journal};
use arcwright_tunables::{Entry, Persisted, Value, lookup};

use super::Root;
use super::atomic::digest;
use super::facts::Facts;
use super::live::{is_same, shown};

/// One change and what is there of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedChange {
    /// The operation.
    pub operation: u64,
    /// The parameter or file.
    pub what: String,
    /// Whether it is as the journal says.
    pub holds: bool,
    /// What is there, in words.
    pub words: String,
}

/// A machine as it is found: what runs, and the last line that sets each name.
struct Found<'a> {
    facts: &'a Facts,
    root: &'a Root,
    lines: &'a [Persisted],
    last: BTreeMap<&'a str, usize>,
}

impl<'a> Found<'a> {
    fn new(facts: &'a Facts, root: &'a Root, lines: &'a [Persisted]) -> Self {
        let last = lines.iter().enumerate().map(|(at, line)| (line.name.as_str(), at)).collect();
        Self { facts, root, lines, last }
    }

    /// Returns the last line that sets a parameter, under whichever of its names.
    fn line_of(&self, name: &str) -> Option<&'a Persisted> {
        let others = lookup(name).into_iter().flat_map(Entry::names);
        let last = std::iter::once(name).chain(others).filter_map(|name| self.last.get(name)).max();
        self.lines.get(*last?)
    }
}

/// Compares the journal with the machine; of several changes of one thing only the last counts.
#[must_use]
pub fn verify(journal: &Journal, facts: &Facts, root: &Root) -> Vec<VerifiedChange> {
    let lines = facts.places.persisted();
    let found = Found::new(facts, root, &lines);
    let mut verdicts = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for operation in journal.operations().iter().rev() {
        for done in operation.steps.iter().rev().filter(|done| done.event != Event::Failed) {
            let what = target(&done.action);
            if !seen.insert(what.clone()) || done.event == Event::Undone {
                continue;
            }
            let verdict = |(holds, words): (bool, String)| VerifiedChange {
                operation: operation.id,
                what: what.clone(),
                holds,
                words,
            };
            if done.is_pending() {
                let words = "arcwright was stopped during it; the next change or undo cleans up";
                verdicts.push(verdict((false, words.to_owned())));
                continue;
            }
            verdicts.extend(checks(&done.action, &found).into_iter().map(verdict));
        }
    }
    verdicts
}

fn target(action: &Action) -> String {
    match action {
        Action::Live { name, .. } => name.clone(),
        Action::File { path, .. } => path.clone(),
        Action::Middleware { change } => format!("middleware {}", change.var),
    }
}

fn checks(action: &Action, found: &Found<'_>) -> Vec<(bool, String)> {
    match action {
        Action::Live { name, old, new, .. } => vec![live(name, old, new, found)],
        Action::File { path, new, names: [_, names], .. } => {
            let text = found.root.at(path).text().ok().flatten();
            let same = text.map(|text| digest(text.as_bytes())) == *new;
            let first = match same {
                true => (true, "as arcwright left it".to_owned()),
                false => (false, "changed by others since".to_owned()),
            };
            std::iter::once(first).chain(names.iter().map(|name| loaded(name, found))).collect()
        }
        Action::Middleware { change } => {
            let holds = change.holds(found.facts.places.records.as_deref().unwrap_or_default());
            let words = if holds { "kept by the middleware" } else { "not kept by the middleware" };
            vec![(holds, words.to_owned())]
        }
    }
}

fn live(name: &str, old: &str, new: &str, found: &Found<'_>) -> (bool, String) {
    let Some(seen) = found.facts.running.parameters.get(name) else {
        return (false, format!("the module no longer has {name}"));
    };
    let now = seen.value.as_str();
    if is_same(now, new) {
        return (true, format!("is {new}, as set"));
    }
    if is_same(now, old) {
        let kept = found.last.contains_key(name);
        let hint = if kept { "" } else { "; it was never persisted" };
        return (false, format!("is {old} again: a boot reverted the live change{hint}"));
    }
    (false, format!("is {}, set by others since", shown(now)))
}

/// Compares a persisted setting with the running module.
fn loaded(name: &str, found: &Found<'_>) -> (bool, String) {
    let Some(line) = found.line_of(name) else {
        return (false, format!("{name} is set by no file"));
    };
    let value = found.facts.running.parameters.get(name).map(|seen| Value::read(&seen.value));
    match value {
        _ if !line.ours => {
            (false, format!("{name}: {} is read later and sets {}", line.place(), line.value))
        }
        Some(value) if value == line.value => (true, format!("{name} is {value}, as persisted")),
        Some(value) => (
            false,
            format!(
                "{name} is {value}, persisted is {}: it needs a reboot, or the initramfs holds an \
                 older copy",
                line.value
            ),
        ),
        None => (false, format!("the running module has no {name}")),
    }
}
