//! Advice that would do harm whatever the text: laws that every case is held against.

use std::collections::BTreeMap;

use arcwright_advice::{Advice, Finding, Remedy};
use arcwright_machine::{Machine, Pool, Vdev};

use super::case::is_clear;
use super::expected::{Expected, Headline};

/// Returns what in the advice would do harm.
pub(super) fn harmful(machine: &Machine, advice: &Advice, expected: &Expected) -> Vec<String> {
    let mut harm = Vec::new();
    harm.extend(false_all_clear(advice, expected));
    for finding in &advice.findings {
        let Some(remedy) = &finding.remedy else { continue };
        let words = label(remedy).to_lowercase();
        let forbidden =
            expected.forbidden.iter().filter(|word| words.contains(&word.to_lowercase()));
        harm.extend(forbidden.map(|word| format!("{} says “{word}”", finding.id)));
        harm.extend(against_pool(machine, finding, remedy));
        harm.extend(against_memory(machine, finding, remedy));
    }
    harm.extend(disagreeing(advice));
    harm
}

fn label(remedy: &Remedy) -> String {
    let lists = [&remedy.now, &remedy.lasting].into_iter().flatten();
    let mut words = remedy.what.clone();
    lists.for_each(|command| {
        words.push('\n');
        words.push_str(command);
    });
    words
}

fn commands(remedy: &Remedy) -> impl Iterator<Item = &String> {
    remedy.now.iter().chain(&remedy.lasting)
}

/// “Nothing to change” where an expert sees something, or cannot see enough.
fn false_all_clear(advice: &Advice, expected: &Expected) -> Option<String> {
    let wanted = expected.must.iter().any(|must| !must.note);
    let blind = matches!(expected.verdict, Headline::NotEnough | Headline::Refused);
    (is_clear(advice) && (wanted || blind)).then(|| "says that nothing need be changed".to_owned())
}

fn against_pool(machine: &Machine, finding: &Finding, remedy: &Remedy) -> Vec<String> {
    let of_subject = machine.pools.iter().filter(|pool| {
        machine.pools.len() == 1 || finding.subject.as_ref().is_none_or(|name| *name == pool.name)
    });
    let mut harm = Vec::new();
    for pool in of_subject {
        let scan = pool.scan.as_deref().unwrap_or_default();
        let status = pool.status.as_deref().unwrap_or_default();
        let resilvers =
            scan.contains("resilver in progress") || status.contains("being resilvered");
        let scrubs = scan.contains("scrub in progress");
        let says = |command: &str| commands(remedy).any(|line| line.starts_with(command));
        if resilvers && rebuilds(pool) && says("zpool replace") {
            harm.push(format!("{} replaces a disk during a resilver", finding.id));
        }
        if resilvers && says("zpool scrub") || scrubs && scrubs_again(remedy) {
            harm.push(format!("{} begins a scrub during a scan", finding.id));
        }
    }
    harm
}

/// Returns whether a resilver may get on: where each device that it fills is out, nothing is rebuilt.
fn rebuilds(pool: &Pool) -> bool {
    let fills =
        |leaf: &&Vdev| leaf.note.as_deref().is_some_and(|note| note.contains("(resilvering)"));
    let works = |leaf: &Vdev| matches!(leaf.state.as_deref(), Some("ONLINE" | "DEGRADED"));
    let mut filled = pool.vdevs.iter().flat_map(Vdev::leaves).filter(fills).peekable();
    filled.peek().is_none() || filled.any(works)
}

fn scrubs_again(remedy: &Remedy) -> bool {
    let begins = |line: &&String| {
        line.starts_with("zpool scrub") && !line.contains(" -s") && !line.contains(" -p")
    };
    commands(remedy).any(|line| begins(&line))
}

fn against_memory(machine: &Machine, finding: &Finding, remedy: &Remedy) -> Vec<String> {
    /// The kernel lets the ARC overshoot by a block of the largest size or 1/256
    /// (`arc_is_overflowing`, module/zfs/arc.c), and counters are read one after another: a twentieth
    /// and a block more are beyond both.
    const OVERSHOOT: u64 = 16 << 20;
    let mut harm = Vec::new();
    let arc = |row: &str| machine.now()?.get("zfs/arcstats", row);
    let assigned: Vec<(String, u64)> =
        commands(remedy).flat_map(|line| assignments(line)).collect();
    let is = |name: &str, what: &str| {
        name.contains(&format!("arc_{what}")) || name.contains(&format!("arc.{what}"))
    };
    if assigned.iter().any(|(name, _)| is(name, "min")) {
        harm.push(format!("{} raises the floor of the ARC", finding.id));
    }
    if let Some((size, most)) = arc("size").zip(arc("c_max")) {
        let over = most > 0 && size > most + (most / 20).max(OVERSHOOT);
        if over && assigned.iter().any(|(name, value)| is(name, "max") && *value > most) {
            harm.push(format!("{} raises the limit of an ARC that is above it", finding.id));
        }
    }
    let adds = ["add memory", "more memory", "buy memory", "adding memory"];
    let words = remedy.what.to_lowercase();
    if machine.memory.is_none() && adds.iter().any(|add| words.contains(add)) {
        harm.push(format!("{} asks for memory, and how much there is was not read", finding.id));
    }
    harm
}

/// Two findings that set one parameter to different values.
fn disagreeing(advice: &Advice) -> Vec<String> {
    let mut values: BTreeMap<String, (u64, &str)> = BTreeMap::new();
    let mut harm = Vec::new();
    for finding in &advice.findings {
        let Some(remedy) = &finding.remedy else { continue };
        for (name, value) in remedy.now.iter().flat_map(|line| assignments(line)) {
            let (first, by) = *values.entry(name.clone()).or_insert((value, finding.id));
            if first != value {
                harm.push(format!("{by} sets {name} to {first}, {} to {value}", finding.id));
            }
        }
    }
    harm
}

/// Returns `NAME=VALUE` of a command, sizes in bytes.
fn assignments(command: &str) -> Vec<(String, u64)> {
    let assignment = |word: &str| {
        let (name, value) = word.trim_matches(['\'', '"']).split_once('=')?;
        Some((name.to_owned(), bytes(value)?))
    };
    command.split_whitespace().filter_map(assignment).collect()
}

fn bytes(text: &str) -> Option<u64> {
    text.parse::<u64>().ok().or_else(|| Some(arcwright_units::Bytes::parse(text).ok()?.0))
}
