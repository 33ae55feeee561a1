//! Cases made from captured machines: each with one fault put into it, each with one source less.

use std::collections::{BTreeMap, BTreeSet};

use arcwright_machine::{Source, Sources};

use super::case::{Before, Case, Input};
use super::edit::Editor;
use super::expected::{Expected, Must};
use super::faults;

/// A captured machine and what is said of it as it is.
pub(super) struct Captured {
    pub(super) name: String,
    pub(super) sources: Sources,
    pub(super) before: Before,
}

/// Reads the captured machines.
pub(super) fn machines() -> anyhow::Result<Vec<Captured>> {
    let captured = |(name, sources): (String, Sources)| {
        let before = Before::of(&sources);
        Captured { name, sources, before }
    };
    Ok(arcwright_fixtures::machines()?.into_iter().map(captured).collect())
}

/// Reasons for faults that were not put into machines: fault, reason, how many machines.
pub(super) type Skipped = BTreeMap<(String, String), usize>;

/// Puts every fault into every machine where it applies.
pub(super) fn broken(machines: &[Captured]) -> (Vec<Case>, Skipped) {
    let (mut cases, mut skipped) = (Vec::new(), Skipped::new());
    for fault in faults::all() {
        for machine in machines {
            let mut editor = Editor::of(&machine.sources);
            match (fault.put)(&mut editor) {
                Ok(()) => cases.push(case(fault, machine, editor.sources)),
                Err(skip) => {
                    *skipped.entry((fault.name.to_owned(), skip.0)).or_default() += 1;
                }
            }
        }
    }
    (cases, skipped)
}

fn case(fault: &faults::Fault, machine: &Captured, sources: Sources) -> Case {
    let must = fault.must.iter().map(|id| Must {
        id: id.trim_start_matches('~').to_owned(),
        note: id.starts_with('~'),
        ..Must::default()
    });
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let mut may: Vec<String> = owned(fault.may);
    may.extend(machine.before.changes.iter().cloned());
    let never: Vec<String> = owned(fault.never);
    let expected = Expected {
        must: must.collect(),
        may,
        never,
        says: owned(fault.says),
        forbidden: owned(fault.forbidden),
        ..Expected::default()
    };
    Case {
        name: format!("{} in {}", fault.name, machine.name),
        class: format!("fault: {}", fault.name),
        input: Input::Machine(sources),
        expected,
        before: None,
    }
}

/// Takes every group of sources away from every machine.
pub(super) fn lessened(machines: &[Captured]) -> Vec<Case> {
    machines.iter().flat_map(of_machine).collect()
}

fn of_machine(machine: &Captured) -> Vec<Case> {
    let groups: BTreeSet<String> =
        machine.sources.texts.keys().filter_map(|name| group(name)).collect();
    let less = |gone: &String| {
        let mut sources = machine.sources.clone();
        sources.texts.retain(|name, _| group(name).as_ref() != Some(gone));
        let keeps = sources.texts.values().any(|source| matches!(source, Source::Text(_)));
        keeps.then(|| Case {
            name: format!("{} without {gone}", machine.name),
            class: format!("less: {gone}"),
            input: Input::Machine(sources),
            expected: Expected { may: machine.before.changes.clone(), ..Expected::default() },
            before: Some(machine.before.clone()),
        })
    };
    groups.iter().filter_map(less).collect()
}

/// Returns the source that a text is a part of, the same in every reading.
fn group(name: &str) -> Option<String> {
    let rest = match name.strip_prefix("sample-") {
        Some(rest) => rest.split_once('/')?.1,
        None => name,
    };
    if rest == "at" {
        return None;
    }
    let of_folder = ["sys/module/", "sys/block/", "proc/sys", "etc/", "usr/", "boot/", "modes"];
    if let Some(folder) = of_folder.iter().find(|folder| rest.starts_with(**folder)) {
        return Some(folder.trim_end_matches('/').to_owned());
    }
    let kstat = rest.strip_prefix("proc/spl/kstat/zfs/");
    if let Some(kstat) = kstat {
        let name = kstat.rsplit('/').next().unwrap_or(kstat);
        let name = if name.starts_with("objset-") { "objset" } else { name };
        return Some(format!("kstat {name}"));
    }
    Some(rest.trim_end_matches("-json").to_owned())
}
