//! The phases: what is done, in order.

use arcwright_units::Nanos;

use super::files::Contents;
use super::tree::Node;
use super::{client, unique};
use crate::error::Checked;
use crate::experiment::Phase;

const KEYS: [&str; 4] = ["name", "clients", "pause", "limit"];

/// Reads every `[[phase]]`.
pub(crate) fn read(nodes: &[Node], contents: &Contents) -> Checked<Vec<Phase>> {
    let mut phases: Vec<Phase> = Vec::new();
    for node in nodes {
        let phase = phase(node, contents)?;
        unique(node, &phase.name, phases.iter().map(|other| other.name.as_str()), "phase")?;
        phases.push(phase);
    }
    Ok(phases)
}

fn phase(node: &Node, contents: &Contents) -> Checked<Phase> {
    let section = node.section("[[phase]]", &KEYS)?;
    let name = section.need("name", "name = \"first read\"")?.name_text()?.to_owned();
    let list = section.need("clients", "clients = [{ read = \"test.dat\" }]")?;
    if list.list()?.is_empty() {
        let fault = list.fault(format!("phase “{name}” has no client"));
        return Err(fault.help("write for example clients = [{ read = \"test.dat\" }]"));
    }
    let mut clients = Vec::new();
    for node in list.list()? {
        client::read(node, contents, &mut clients)?;
    }
    let limit = section.maybe("limit", |limit| match limit.time()? {
        Nanos::ZERO => Err(limit.zero()),
        time => Ok(time),
    })?;
    Ok(Phase {
        name,
        clients,
        pause: section.maybe("pause", Node::time)?.unwrap_or(Nanos::ZERO),
        limit,
    })
}
