//! The phases: what is done, in order.

use arcwright_units::Nanos;

use super::client::CLIENTS_OF_ALL_PHASES_MAX;
use super::files::Contents;
use super::fio::{JobLimit, Jobs};
use super::tree::Node;
use super::{client, unique};
use crate::error::{Checked, Fault};
use crate::experiment::Phase;

const KEYS: [&str; 4] = ["name", "clients", "pause", "limit"];

/// Reads every `[[phase]]`.
pub(crate) fn read(
    nodes: &[Node],
    contents: &mut Contents,
    jobs: &mut Jobs<'_>,
) -> Checked<Vec<Phase>> {
    let mut phases: Vec<Phase> = Vec::new();
    let mut clients = 0;
    for node in nodes {
        let phase = phase(node, contents, jobs)?;
        clients += phase.clients.len();
        if clients > CLIENTS_OF_ALL_PHASES_MAX {
            let message =
                format!("all phases together have at most {CLIENTS_OF_ALL_PHASES_MAX} clients");
            return Err(node.fault(message).help("write several scenarios"));
        }
        unique(node, &phase.name, phases.iter().map(|other| other.name.as_str()), "phase")?;
        phases.push(phase);
    }
    Ok(phases)
}

fn phase(node: &Node, contents: &mut Contents, jobs: &mut Jobs<'_>) -> Checked<Phase> {
    let section = node.section("[[phase]]", &KEYS)?;
    let name = section.need("name", "name = \"first read\"")?.short_name()?.to_owned();
    let list = section.need("clients", "clients = [{ read = \"test.dat\" }]")?;
    if list.list()?.is_empty() {
        let fault = list.fault(format!("phase “{name}” has no client"));
        return Err(fault.help("write for example clients = [{ read = \"test.dat\" }]"));
    }
    let mut clients = Vec::new();
    let mut asked = Vec::new();
    for node in list.list()? {
        if client::is_fio(node) {
            asked.push(jobs.read(node, contents, &mut clients)?);
        } else {
            client::read(node, contents, &mut clients)?;
            asked.push(None);
        }
    }
    let limit = section.maybe("limit", |limit| match limit.time()? {
        Nanos::ZERO => Err(limit.zero()),
        time => Ok(time),
    })?;
    Ok(Phase {
        name,
        clients,
        pause: section.maybe("pause", Node::time)?.unwrap_or(Nanos::ZERO),
        limit: earliest(limit, asked_of(&asked)?),
    })
}

/// Returns when the jobs of a phase end it, which they must agree on with all other clients.
fn asked_of(asked: &[Option<JobLimit>]) -> Checked<Option<Nanos>> {
    let limit = |one: &Option<JobLimit>| one.as_ref().map(|one| one.limit);
    let first = asked.first().and_then(limit);
    match asked.iter().flatten().next() {
        Some(one) if asked.iter().any(|other| limit(other) != first) => {
            let message = "a job with a runtime ends its phase, but the phase has other clients";
            Err(Fault::at(&one.span, message).help("give the job a phase of its own"))
        }
        _ => Ok(first),
    }
}

fn earliest(one: Option<Nanos>, other: Option<Nanos>) -> Option<Nanos> {
    one.into_iter().chain(other).min()
}
