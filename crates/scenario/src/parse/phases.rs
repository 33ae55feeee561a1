//! The phases: what is done, in order.

use arcwright_units::Nanos;
use arcwright_workload::{Action, Client};

use super::client::CLIENTS_OF_ALL_PHASES_MAX;
use super::files::Contents;
use super::fio::{JobLimit, Jobs};
use super::section::Section;
use super::trace::Traces;
use super::tree::Node;
use super::{Beside, Fetch, client, unique};
use crate::error::{Checked, Fault};
use crate::experiment::Phase;
use crate::system::PoolSpec;
use crate::warm::ROUNDS_MAX_DEFAULT;

const KEYS: [&str; 6] = ["name", "clients", "pause", "limit", "until_warm", "rounds_max"];
/// No cache takes more rounds, and nobody waits for them.
const ROUNDS_MAX: u64 = 1000;

/// What clients play that others wrote: job files and traces.
pub(crate) struct Played<'a> {
    jobs: Jobs<'a>,
    traces: Traces<'a>,
}

impl<'a> Played<'a> {
    pub(crate) const fn new(fetch: Fetch<'a>, beside: &'a dyn Beside) -> Self {
        Self { jobs: Jobs::new(fetch), traces: Traces::new(beside) }
    }

    /// Returns what is to be said of them.
    pub(crate) fn notes(self) -> impl Iterator<Item = String> {
        self.jobs.notes.into_iter().chain(self.traces.notes)
    }
}

/// Reads every `[[phase]]`.
pub(crate) fn read(
    nodes: &[Node],
    (contents, pool): (&mut Contents, &PoolSpec),
    played: &mut Played<'_>,
) -> Checked<Vec<Phase>> {
    let mut phases: Vec<Phase> = Vec::new();
    let mut clients = 0;
    for node in nodes {
        let phase = phase(node, (contents, pool), played)?;
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

fn phase(
    node: &Node,
    (contents, pool): (&mut Contents, &PoolSpec),
    played: &mut Played<'_>,
) -> Checked<Phase> {
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
        asked.push(match () {
            () if client::has(node, "fio") => played.jobs.read(node, contents, &mut clients)?,
            () if client::has(node, "trace") => {
                clients.push(played.traces.client(node, contents, pool)?);
                None
            }
            () => {
                client::read(node, contents, &mut clients)?;
                None
            }
        });
    }
    let limit = section.maybe("limit", |limit| match limit.time()? {
        Nanos::ZERO => Err(limit.zero()),
        time => Ok(time),
    })?;
    let until_warm = until_warm(&section)?;
    let copies = |client: &Client| matches!(client.action, Action::TreeCopy { .. });
    if let (Some(_), Some(node)) = (until_warm, section.get("until_warm"))
        && clients.iter().any(copies)
    {
        let fault = node.fault("a phase that copies a tree cannot be repeated");
        return Err(fault.help("warm the caches with tree-read or tree-stat, in a phase before"));
    }
    Ok(Phase {
        name,
        clients,
        pause: section.maybe("pause", Node::time)?.unwrap_or(Nanos::ZERO),
        limit: earliest(limit, asked_of(&asked)?),
        until_warm,
    })
}

/// Returns how often a phase is done at most until the caches are warm; none where it is done once.
fn until_warm(section: &Section<'_>) -> Checked<Option<u32>> {
    let is_repeated = section.maybe("until_warm", Node::flag)?.unwrap_or(false);
    let Some(node) = section.get("rounds_max") else {
        return Ok(is_repeated.then_some(ROUNDS_MAX_DEFAULT));
    };
    if !is_repeated {
        let fault = node.fault("“rounds_max” needs “until_warm”");
        return Err(fault.help("write until_warm = true as well"));
    }
    let rounds = node.whole()?;
    let fits = u32::try_from(rounds).ok().filter(|_| (2..=ROUNDS_MAX).contains(&rounds));
    let message = format!("be from 2, as rounds are compared, to {ROUNDS_MAX}");
    fits.map(Some).ok_or_else(|| node.must(&message))
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
