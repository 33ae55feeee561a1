//! A phase of an experiment: its clients begin, work until the last is done, and are measured.

use arcwright_kstat::Snapshot;
use arcwright_scenario::{DeviceRun, Observation, Phase, PhaseRun, Scenario};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Accesses, Action, Client as Spec};

use super::simulator::Simulator;
use super::{kstats, need};
use crate::client::{Client, Walk};
use crate::clock::Event;
use crate::ids::{ClientId, FileId};
use crate::stack::Stack;
use crate::vdev::leaf::Leaf;

fn observe(stack: &mut Stack) -> Observation {
    Observation {
        kstats: kstats::snapshot(stack),
        devices: stack.io.leaves.iter().map(Leaf::run).collect(),
        log_bytes_max: stack.log.vdevs.held_max(),
    }
}

/// Where a client's accesses come from, and when it works.
struct Start<'a> {
    name: &'a str,
    seed: u64,
    begins: Nanos,
    limit: Option<Nanos>,
}

/// Adds the slots of a client, which begin to work when it does.
fn add_slots(simulator: &mut Simulator, client: ClientId, walk: Option<Walk>, begins: Nanos) {
    let slot = simulator.clients.add_slot(client, walk);
    simulator.stack.clock.push(begins, Event::Arrived(slot));
}

/// Adds a client that walks a tree.
fn add_walk(simulator: &mut Simulator, spec: &Spec, start: &Start<'_>) {
    let Simulator { clients, stack } = simulator;
    let trees = &stack.trees;
    let found = trees.iter().enumerate().find(|(_, tree)| tree.name == spec.file);
    debug_assert!(found.is_some(), "the scenario has no tree “{}”", spec.file);
    let Some((number, tree)) = found else { return };
    let visits = tree.files.visits(spec, start.seed, start.name).collect();
    let walk = Walk::new(number, visits);
    let walk = match spec.action {
        Action::TreeCopy { scan_first } => {
            walk.into_tree(clients.next_copy(), tree.directories.len(), scan_first)
        }
        _ => walk,
    };
    let accesses = Accesses::new(spec, Bytes::ZERO, start.seed, start.name);
    let times = (start.begins, start.limit);
    let client = clients.add(Client::new(spec, Vec::new(), accesses, times));
    add_slots(simulator, client, Some(walk), start.begins);
}

/// Adds a client that reads or writes files, with as many slots as it keeps requests outstanding.
fn add_client(simulator: &mut Simulator, spec: &Spec, start: &Start<'_>) {
    let blocks = &simulator.stack.blocks;
    let names = [&spec.file].into_iter().chain(&spec.more_files);
    let files: Vec<FileId> = names.filter_map(|name| blocks.file_named(name)).collect();
    debug_assert_eq!(files.len(), 1 + spec.more_files.len(), "the scenario lacks a file");
    let Some(first) = files.first() else { return };
    let size = blocks.file(*first).size;
    let accesses = Accesses::new(spec, size, start.seed, start.name);
    let times = (start.begins, start.limit);
    let client = simulator.clients.add(Client::new(spec, files, accesses, times));
    for _ in 0..spec.depth.max(1) {
        add_slots(simulator, client, None, start.begins);
    }
}

/// Follows a phase while it runs.
pub(crate) trait Follow {
    /// Returns how much virtual time lies between two readings; none when nobody wants any.
    fn every(&self) -> Option<Nanos>;

    /// Takes the counters, and what was moved; says whether to go on.
    fn reading(&mut self, kstats: Snapshot, devices: Vec<DeviceRun>, moved: Bytes) -> bool;

    /// Takes how much of the phase is done, 0 to 1; says whether to go on.
    fn share(&mut self, done: f64) -> bool;
}

/// Events between two looks at how far a phase is: some hundredths of a second of work.
const EVENTS_PER_LOOK: u32 = 1 << 14;

/// Runs the clients to their end, telling who follows of the counters meanwhile, or of how far they are.
fn run_clients(simulator: &mut Simulator, bounds: &Bounds, follow: &mut dyn Follow) {
    let Some(every) = follow.every() else {
        while simulator.run_some(EVENTS_PER_LOOK) {
            let done = bounds.share(simulator.clients.moved(), simulator.stack.clock.now);
            if !follow.share(done) {
                return;
            }
        }
        return;
    };
    let mut next = simulator.stack.clock.now;
    while !simulator.clients.are_done() && simulator.stack.next_event() < Nanos::MAX {
        next += every;
        simulator.run_to(next);
        let stack = &simulator.stack;
        let devices = stack.io.leaves.iter().map(Leaf::run).collect();
        let moved = simulator.clients.moved();
        if !follow.reading(kstats::snapshot(stack), devices, moved) {
            return;
        }
    }
}

/// What ends a phase: all that its clients move, or its time.
struct Bounds {
    start: Nanos,
    limit: Option<Nanos>,
    moves: u64,
}

impl Bounds {
    /// Returns how much of the phase is done, 0 to 1; nothing where nobody can tell.
    fn share(&self, moved: Bytes, now: Nanos) -> f64 {
        let of = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
        let by_time = self.limit.map_or(0.0, |limit| of((now - self.start).0, limit.0));
        let by_bytes = if self.moves > 0 { of(moved.0, self.moves) } else { 0.0 };
        by_time.max(by_bytes).clamp(0.0, 1.0)
    }
}

/// Runs a phase and returns what it measured.
pub(crate) fn run_phase(
    simulator: &mut Simulator,
    phase: &Phase,
    scenario: &Scenario,
    follow: &mut dyn Follow,
) -> PhaseRun {
    let start = simulator.stack.clock.now + phase.pause;
    simulator.run_until(start);
    let before = observe(&mut simulator.stack);
    simulator.clients.clear();
    for (number, spec) in phase.clients.iter().enumerate() {
        let start = Start {
            name: &format!("{} client {number}", phase.name),
            seed: scenario.seed,
            begins: start + spec.start,
            limit: phase.limit.map(|limit| start + limit),
        };
        if spec.action.is_on_tree() {
            add_walk(simulator, spec, &start);
        } else {
            add_client(simulator, spec, &start);
        }
    }
    simulator.stack.waits.begin(simulator.clients.slots());
    let moves = phase.clients.iter().map(|client| need::moved(client, scenario));
    let moves = moves.fold(0, u64::saturating_add);
    run_clients(simulator, &Bounds { start, limit: phase.limit, moves }, follow);
    // A phase without clients, or stopped before one was done, ends as it began.
    simulator.run_until(simulator.clients.end().unwrap_or(start));
    if cfg!(debug_assertions) {
        simulator.stack.check();
    }
    let after = observe(&mut simulator.stack);
    PhaseRun::measured(phase, start, &simulator.clients.measured(), (&before, &after))
}
