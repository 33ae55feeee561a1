//! Whether a text was read whole: its facts are there, and no line of it but prose is left over.

use std::collections::BTreeMap;

use arcwright_machine::{Class, Kernel, Layout, Machine, Pool, Reason, Vdev};

use super::expected::Expected;

/// Tools round to three digits: 1.235 M and 1.244 M both are 1.24 M.
const ROUNDED: f64 = 0.006;
/// Of the memory that is installed the kernel manages a little less; tools tell either.
const MANAGED: f64 = 0.07;

/// Returns what of a text was not read; empty when all of it was.
pub(super) fn lacking(machine: &Machine, expected: &Expected) -> Vec<String> {
    let facts = &expected.facts;
    let mut lacking = strange(machine, expected);
    let text = |name: &str, wanted: &Option<String>, found: Option<String>| {
        let wanted = wanted.clone()?;
        let same = found.as_ref().is_some_and(|found| found.starts_with(&wanted));
        (!same).then(|| format!("{name} is {}, not {wanted}", shown(found)))
    };
    lacking.extend(text("version", &facts.version, version(machine)));
    lacking.extend(text("system", &facts.os, machine.os.map(system)));
    let memory = machine.memory.map(|memory| memory.total.0);
    let near = facts
        .memory
        .zip(memory)
        .is_some_and(|(wanted, found)| wanted.abs_diff(found) as f64 <= wanted as f64 * MANAGED);
    lacking.extend(number("memory", facts.memory, memory).filter(|_| !near));
    let pools: Vec<String> = machine.pools.iter().map(pool_in_short).collect();
    let absent = facts.pools.iter().filter(|pool| !pools.contains(pool));
    lacking.extend(absent.map(|pool| format!("pool “{pool}” is read as {pools:?}")));
    for (name, value) in &facts.counters {
        let found = name.rsplit_once('.').and_then(|(path, row)| machine.now()?.get(path, row));
        lacking.extend(number(name, Some(*value), found));
    }
    let window = machine.window();
    for (name, value) in &facts.window {
        let counted = |(path, row)| window.as_ref()?.counted(path, row);
        let found = name.rsplit_once('.').and_then(counted);
        lacking.extend(number(&format!("{name} in the window"), Some(*value), found));
    }
    for (name, value) in &facts.parameters {
        lacking.extend(number(name, Some(*value), machine.parameter(name)));
    }
    lacking.extend(properties(machine, &facts.properties));
    lacking.extend(timings(machine, &facts.timings));
    let known = |drive: &&String| machine.drives.iter().any(|found| found.name == **drive);
    let absent = facts.drives.iter().filter(|drive| !known(drive));
    lacking.extend(absent.map(|drive| format!("drive {drive} is not known")));
    lacking
}

fn shown(found: Option<impl ToString>) -> String {
    found.map_or_else(|| "not read".to_owned(), |found| found.to_string())
}

fn version(machine: &Machine) -> Option<String> {
    machine.zfs_text.clone().or_else(|| machine.zfs.map(|version| version.to_string()))
}

fn system(os: Kernel) -> String {
    match os {
        Kernel::Linux => "linux".to_owned(),
        Kernel::Freebsd => "freebsd".to_owned(),
    }
}

fn number(name: &str, wanted: Option<u64>, found: Option<u64>) -> Option<String> {
    let wanted = wanted?;
    let near = |found: u64| found.abs_diff(wanted) as f64 <= wanted as f64 * ROUNDED;
    (!found.is_some_and(near)).then(|| format!("{name} is {}, not {wanted}", shown(found)))
}

/// Returns the lines that are not prose and that nothing was made of.
fn strange(machine: &Machine, expected: &Expected) -> Vec<String> {
    let is_prose = expected.prose_lines();
    let mut found = Vec::new();
    for problem in &machine.problems {
        let Reason::Garbled(words) = &problem.reason else { continue };
        let Some(rest) = problem.source.strip_prefix("pasted ") else { continue };
        let mut numbers =
            rest.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse::<usize>().ok());
        // Beyond a number of stretches they are only counted.
        let Some(first) = numbers.next() else { continue };
        let last = numbers.next().unwrap_or(first);
        if (first..=last).any(|line| !is_prose(line)) {
            found.push(format!("{}: {words}", problem.source));
        }
    }
    found
}

fn properties(machine: &Machine, wanted: &BTreeMap<String, String>) -> Vec<String> {
    let of_dataset = |dataset: &str, property: &str| {
        let found = machine.datasets.iter().find(|found| found.name == dataset)?;
        Some(found.properties.get(property)?.0.clone())
    };
    let mut lacking = Vec::new();
    for (name, value) in wanted {
        let found = name.rsplit_once('.').and_then(|(name, property)| of_dataset(name, property));
        if found.as_ref() != Some(value) {
            lacking.push(format!("{name} is {}, not {value}", shown(found)));
        }
    }
    lacking
}

fn timings(machine: &Machine, wanted: &[String]) -> Vec<String> {
    let mut programs: Vec<&str> = wanted.iter().map(String::as_str).collect();
    programs.dedup();
    let count = |program: &str| {
        let wanted = wanted.iter().filter(|name| *name == program).count();
        let found = machine.timings.iter().filter(|timing| timing.program == program).count();
        (found != wanted).then(|| format!("{found} results of {program} are read, not {wanted}"))
    };
    programs.into_iter().filter_map(count).collect()
}

/// Returns a pool in one line: `tank ONLINE raidz1[sda sdb sdc] log:mirror[sdd sde]`.
pub(super) fn pool_in_short(pool: &Pool) -> String {
    let state = pool.state.as_deref().map(|state| format!(" {state}")).unwrap_or_default();
    let vdevs: String = pool.vdevs.iter().map(|vdev| format!(" {}", top_level(vdev))).collect();
    format!("{}{state}{vdevs}", pool.name)
}

fn top_level(vdev: &Vdev) -> String {
    let class = match vdev.class {
        Class::Data => "",
        Class::Log => "log:",
        Class::Cache => "cache:",
        Class::Special => "special:",
        Class::Dedup => "dedup:",
        Class::Spare => "spare:",
    };
    format!("{class}{}", in_short(vdev))
}

fn in_short(vdev: &Vdev) -> String {
    let children = vdev.children.iter().map(in_short).collect::<Vec<_>>().join(" ");
    match vdev.layout {
        Layout::Leaf => vdev.name.clone(),
        Layout::Mirror => format!("mirror[{children}]"),
        Layout::Raidz { parity } => format!("raidz{parity}[{children}]"),
        _ => format!("{}[{children}]", vdev.name),
    }
}
