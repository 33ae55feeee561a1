//! Time of a run: work, and what each kind of it took on one core.

use arcwright_scenario::{Phase, Scenario, System};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Action, Client, Durability, Pattern};

use super::memory::{Contents, sum, visits};
use crate::versions::work::{LockOps, Work};

/// Nanoseconds of laying out a block; and in raidz, where the order of writers is drawn and sorted.
const LAYOUT: u64 = 25;
const LAYOUT_RAIDZ: u64 = 85;
/// Nanoseconds of a file of a tree as it is drawn, and of a stat, a read and a copy of it, without data.
const DRAWN: u64 = 250;
const STAT: u64 = 500;
const TREE_READ: u64 = 1500;
const TREE_COPY: u64 = 4000;
/// Nanoseconds of a request, of a block in a row and of one anywhere, and of waiting for the log.
const REQUEST: u64 = 300;
const IN_A_ROW: u64 = 600;
const ANYWHERE: u64 = 2500;
const SYNC: u64 = 1000;
/// Nanoseconds that a request takes more for each requests under way, times their square root: queues are
/// searched in pieces of that length.
const CROWD: u64 = 20;
/// Nanoseconds of a pass of the feed over lists that hardly change.
const PASS: u64 = 20_000;

/// Returns the time on one core that a scaled experiment takes.
pub(super) fn of(scenario: &Scenario, system: &System, contents: &Contents) -> Nanos {
    let phases = scenario.phases.iter().map(|phase| of_phase(phase, scenario, system));
    Nanos(sum(std::iter::once(build(scenario, system, contents)).chain(phases)))
}

/// Returns the nanoseconds until the first phase: files and trees are drawn and laid out.
pub(crate) fn build(scenario: &Scenario, system: &System, contents: &Contents) -> u64 {
    let is_raidz = system.pool.data.iter().any(|vdev| vdev.disks.len() > 2);
    let layout = if is_raidz { LAYOUT_RAIDZ } else { LAYOUT };
    let files = sum(scenario.trees.iter().map(|tree| tree.files));
    contents.blocks().saturating_mul(layout).saturating_add(files.saturating_mul(DRAWN))
}

/// Returns the nanoseconds of a phase.
pub(crate) fn of_phase(phase: &Phase, scenario: &Scenario, system: &System) -> u64 {
    let slots = sum(phase.clients.iter().map(|client| u64::from(client.depth.max(1))));
    let crowd = CROWD.saturating_mul(slots.isqrt().saturating_sub(8));
    let work = phase.clients.iter().map(|client| match client.action.is_on_tree() {
        true => on_tree(client, scenario, system),
        false => {
            let requests = requests(client, phase, scenario, system);
            requests.saturating_mul(of_request(client, scenario, system).saturating_add(crowd))
        }
    });
    let waits = phase.clients.iter().map(|client| span(client, scenario)).fold(0, u64::max);
    let waits = waits.min(phase.limit.map_or(u64::MAX, |limit| limit.0));
    let passes = match system.pool.cache.is_empty() {
        true => 0,
        false => phase.pause.0.saturating_add(waits) / Nanos::SECOND.0,
    };
    sum(work).saturating_add(passes.saturating_mul(PASS))
}

fn on_tree(client: &Client, scenario: &Scenario, system: &System) -> u64 {
    let Some(tree) = scenario.trees.iter().find(|tree| tree.name == client.file) else { return 0 };
    let record = system.pool.recordsize.0.max(512);
    let blocks = tree.size_min.0.midpoint(tree.size_max.0) / record + 1;
    let scan = |first: bool| if first { STAT } else { 0 };
    let of_file = match client.action {
        Action::TreeRead => blocks.saturating_mul(IN_A_ROW).saturating_add(TREE_READ),
        Action::TreeCopy { scan_first } => {
            blocks.saturating_mul(2 * IN_A_ROW).saturating_add(TREE_COPY + scan(scan_first))
        }
        _ => STAT,
    };
    visits(client, scenario).saturating_mul(of_file)
}

/// Returns how many requests a client makes, at most.
fn requests(client: &Client, phase: &Phase, scenario: &Scenario, system: &System) -> u64 {
    let asked = moved(client, scenario) / mean_io(client) + 1;
    let Some(limit) = phase.limit else { return asked };
    // A core works so long on a request that finds all it wants in memory.
    let Some(cpu) = system.processor() else { return asked };
    let costs = cpu.costs(1);
    let counts = LockOps::of(Some(&system.zfs));
    let steps = counts.count(Work::Syscall) + counts.count(Work::DbufHold);
    let busy = costs.call.0 + costs.step.0 * steps + costs.copy(client.io.0).0;
    let link = client.link.map_or(0, |link| link.time(client.io).0);
    let cores = limit.0.saturating_mul(u64::from(cpu.cores)) / busy.max(1);
    let each = busy.saturating_add(client.think.0).saturating_add(link).max(1);
    let slots = (limit.0 / each + 1).saturating_mul(u64::from(client.depth.max(1)));
    let rate = client.rate.map_or(u64::MAX, |rate| {
        let moved = u128::from(rate.0) * u128::from(limit.0) / u128::from(Nanos::SECOND.0);
        u64::try_from(moved).unwrap_or(u64::MAX) / mean_io(client) + 1
    });
    asked.min(cores).min(slots).min(rate)
}

fn of_request(client: &Client, scenario: &Scenario, system: &System) -> u64 {
    let record = scenario.recordsize_of(client, system).0.max(512);
    let in_a_row = matches!(client.pattern, Pattern::Sequential | Pattern::SequentialApart);
    // Small requests in a row share a block, which is looked at once.
    let blocks = (mean_io(client).saturating_mul(100) / record).max(if in_a_row { 1 } else { 100 });
    let each = if in_a_row { IN_A_ROW } else { ANYWHERE };
    let waits = if client.durability == Durability::Later { 0 } else { SYNC };
    (blocks.saturating_mul(each) / 100).saturating_add(REQUEST + waits)
}

/// Returns how much a client moves in all.
pub(crate) fn moved(client: &Client, scenario: &Scenario) -> u64 {
    let file = scenario.files.iter().find(|file| file.name == client.file);
    let size = file.map_or(Bytes::ZERO, |file| file.size);
    let all = size.saturating_mul(client.more_files.len() as u64 + 1);
    client.amount.unwrap_or(all).0
}

pub(super) fn mean_io(client: &Client) -> u64 {
    if matches!(client.action, Action::Trace { .. }) {
        return client.io.0.max(1);
    }
    client.io.0.midpoint(client.io_max.unwrap_or(client.io).0).max(1)
}

/// Returns the virtual time that a client takes for what it is made to wait for alone.
fn span(client: &Client, scenario: &Scenario) -> u64 {
    let moved = moved(client, scenario);
    let by_rate = client.rate.map_or(0, |rate| rate.time_for(Bytes(moved)).0);
    let requests = moved / mean_io(client) / u64::from(client.depth.max(1));
    let thinks = requests.saturating_mul(client.think.0);
    let alone = by_rate.max(thinks).max(recorded(client).0);
    client.start.0.saturating_add(alone)
}

/// Returns the time that a trace keeps to; none where a client goes on at once.
pub(super) fn recorded(client: &Client) -> Nanos {
    match &client.action {
        Action::Trace { replay, .. } if replay.is_paced() => replay.duration(),
        _ => Nanos::ZERO,
    }
}
