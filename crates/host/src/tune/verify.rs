//! Whether what the journal says was changed is so: in the running module and in the files.

use std::collections::BTreeSet;

use arcwright_tunables::journal::{Action, Event, Journal};
use arcwright_tunables::{Value, lookup};

use super::Root;
use super::atomic::digest;
use super::facts::Facts;
use super::live::is_same;

/// One change and what is there of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The operation.
    pub operation: u64,
    /// The parameter or file.
    pub what: String,
    /// Whether it is as the journal says.
    pub holds: bool,
    /// What is there, in words.
    pub words: String,
}

/// Compares the journal with the machine; of several changes of one thing only the last counts.
#[must_use]
pub fn verify(journal: &Journal, facts: &Facts, root: &Root) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for operation in journal.operations().iter().rev() {
        for done in operation.steps.iter().rev().filter(|done| done.event != Event::Failed) {
            let what = target(&done.action);
            if !seen.insert(what.clone()) || done.event == Event::Undone {
                continue;
            }
            let verdict = |(holds, words): (bool, String)| Verdict {
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
            verdicts.extend(checks(&done.action, facts, root).into_iter().map(verdict));
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

fn checks(action: &Action, facts: &Facts, root: &Root) -> Vec<(bool, String)> {
    match action {
        Action::Live { name, old, new, .. } => vec![live(name, old, new, facts)],
        Action::File { path, new, names: [_, names], .. } => {
            let text = root.at(path).text().ok().flatten();
            let same = text.map(|text| digest(text.as_bytes())) == *new;
            let first = match same {
                true => (true, "as arcwright left it".to_owned()),
                false => (false, "changed by others since".to_owned()),
            };
            std::iter::once(first).chain(names.iter().map(|name| loaded(name, facts))).collect()
        }
        Action::Middleware { change } => {
            let holds = change.holds(facts.places.records.as_deref().unwrap_or_default());
            let words = if holds { "kept by the middleware" } else { "not kept by the middleware" };
            vec![(holds, words.to_owned())]
        }
    }
}

fn live(name: &str, old: &str, new: &str, facts: &Facts) -> (bool, String) {
    let Some(seen) = facts.running.parameters.get(name) else {
        return (false, format!("the module no longer has {name}"));
    };
    let now = seen.value.as_str();
    if is_same(now, new) {
        return (true, format!("is {new}, as set"));
    }
    if is_same(now, old) {
        let kept = facts.places.persisted().iter().any(|line| line.name == name);
        let hint = if kept { "" } else { "; it was never persisted" };
        return (false, format!("is {old} again: a boot reverted the live change{hint}"));
    }
    (false, format!("is {now}, set by others since"))
}

/// Compares a persisted setting with the running module.
fn loaded(name: &str, facts: &Facts) -> (bool, String) {
    let lines = facts.places.persisted();
    let entry = lookup(name);
    let of_it = lines
        .iter()
        .rev()
        .find(|line| line.name == name || entry.is_some_and(|entry| line.is_of(entry)));
    let Some(line) = of_it else { return (false, format!("{name} is set by no file")) };
    let value = facts.running.parameters.get(name).map(|seen| Value::read(&seen.value));
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
