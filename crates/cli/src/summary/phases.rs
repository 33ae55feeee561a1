//! What each phase of a scenario does, in words.

use std::collections::BTreeSet;

use arcwright_scenario::{Phase, Scenario};
use arcwright_workload::{Action, Client, Durability, Pattern};

/// Returns the traces that clients play, each with the names of its files.
pub(super) fn played(scenario: &Scenario) -> Vec<(&str, BTreeSet<String>)> {
    let mut all: Vec<(&str, BTreeSet<String>)> = Vec::new();
    for client in scenario.phases.iter().flat_map(|phase| &phase.clients) {
        let Action::Trace { path, .. } = &client.action else { continue };
        let names = std::iter::once(&client.file).chain(&client.more_files).cloned();
        match all.iter_mut().find(|(known, _)| known == path) {
            Some((_, known)) => known.extend(names),
            None => all.push((path, names.collect())),
        }
    }
    all
}

/// Returns the lines of a phase: one if all its clients do the same.
pub(super) fn phase(phase: &Phase) -> Vec<String> {
    let mut clients: Vec<String> = phase.clients.iter().map(client).collect();
    clients.dedup();
    let pause = match phase.pause.0 {
        0 => String::new(),
        _ => format!(", after a pause of {}", phase.pause),
    };
    let limit = phase.limit.map(|limit| format!(", at most {limit}")).unwrap_or_default();
    let repeated = phase
        .until_warm
        .map(|most| format!(", repeated until the caches are warm, at most {most} times"));
    let limit = limit + &repeated.unwrap_or_default();
    let name = &phase.name;
    match (clients.as_slice(), phase.clients.len()) {
        ([one], 1) => vec![format!("{name}: {one}{pause}{limit}")],
        ([one], count) => vec![format!("{name}: {count} × {one}{pause}{limit}")],
        (all, _) => {
            let clients = all.iter().map(|client| format!("  {client}"));
            std::iter::once(format!("{name}{pause}{limit}:")).chain(clients).collect()
        }
    }
}

fn client(client: &Client) -> String {
    let Client { action, file, more_files, label, io, io_max, pattern, amount, .. } = client;
    let Client { durability, depth, start, think, rate, link, .. } = client;
    let job = label.iter().map(|label| format!("{label}: ")).collect::<String>();
    let others = match more_files.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let most = io_max.map(|most| format!(" to {most}")).unwrap_or_default();
    let text = match action {
        Action::Trace { path, replay, .. } => {
            let pace = match replay.is_paced() {
                true => format!(" in {}, at their times", replay.duration()),
                false => ", one after the other".to_owned(),
            };
            format!("trace {path}: {} requests{pace}", replay.requests().len())
        }
        _ => format!("{job}{} {file}{others} in {io}{most}", action.name()),
    };
    let what = match action {
        Action::Mixed { read_pct } => Some(format!("{read_pct} % reads")),
        Action::TreeCopy { scan_first: true } => Some("scans first".to_owned()),
        _ => None,
    };
    let pattern = match pattern {
        _ if matches!(action, Action::Trace { .. }) => None,
        Pattern::Sequential => None,
        Pattern::SequentialApart => Some("reads and writes each in sequence".to_owned()),
        Pattern::Random => Some("random".to_owned()),
        Pattern::Shuffled => Some("shuffled".to_owned()),
        Pattern::Zipf { exponent } => Some(format!("Zipf {exponent}")),
    };
    let durability = match durability {
        Durability::Every(_) if matches!(action, Action::Trace { .. }) => {
            Some("fsync where the trace has one".to_owned())
        }
        Durability::Later => None,
        Durability::EachWrite => Some("synchronous".to_owned()),
        Durability::Every(count) => Some(format!("fsync after every {count}")),
        Durability::AtEnd => Some("fsync at the end".to_owned()),
    };
    let more = [
        what,
        pattern,
        amount.map(|amount| format!("{amount} in all")),
        (*depth > 1).then(|| match action {
            Action::Trace { .. } => format!("at most {depth} in flight"),
            _ => format!("{depth} in flight"),
        }),
        durability,
        (start.0 > 0).then(|| format!("begins after {start}")),
        (think.0 > 0).then(|| format!("thinks for {think}")),
        rate.map(|rate| format!("at most {rate}")),
        link.map(|link| format!("over a link of {}, round trip {}", link.rate, link.round_trip)),
    ];
    more.into_iter().flatten().fold(text, |text, part| text + ", " + &part)
}
