//! A phase of an experiment: its clients begin, work until the last is done, and are measured.

use arcwright_kstat::Snapshot;
use arcwright_scenario::{DeviceRun, Observation, Phase, PhaseRun, Scenario};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Accesses, Action, Client as Spec};

use super::kstats;
use super::simulator::Simulator;
use crate::client::{Client, Times, Walk};
use crate::clock::Event;
use crate::ids::{ClientId, FileId};
use crate::stack::{LogPath, ReadPath, Stack, WritePath};
use crate::vdev::leaf::Leaf;

fn observe(reads: &ReadPath, writes: &WritePath, log: &mut LogPath) -> Observation {
    Observation {
        kstats: kstats::snapshot(reads, writes, log),
        devices: reads.io.leaves.iter().map(Leaf::run).collect(),
        log_bytes_max: log.vdevs.held_max(),
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
    simulator.stack.reads.clock.push(begins, Event::Arrived(slot));
}

/// Adds a client that walks a tree.
fn add_walk(simulator: &mut Simulator, spec: &Spec, start: &Start<'_>) {
    let clients = &mut simulator.clients;
    let found = clients.trees.iter().enumerate().find(|(_, tree)| tree.name == spec.file);
    debug_assert!(found.is_some(), "the scenario has no tree “{}”", spec.file);
    let Some((number, tree)) = found else { return };
    let visits = tree.files.visits(spec, start.seed, start.name).collect();
    let directories = tree.directories.len();
    let walk = Walk::new(number, visits);
    let walk = match spec.action {
        Action::TreeCopy { scan_first } => {
            walk.into_tree(clients.next_copy(), directories, scan_first)
        }
        _ => walk,
    };
    let accesses = Accesses::new(spec, Bytes::ZERO, start.seed, start.name);
    let times = Times { began: start.begins, limit: start.limit };
    let client = clients.add(Client::new(spec, Vec::new(), accesses, times));
    add_slots(simulator, client, Some(walk), start.begins);
}

/// Adds a client that reads or writes files, with as many slots as it keeps requests outstanding.
fn add_client(simulator: &mut Simulator, spec: &Spec, start: &Start<'_>) {
    let blocks = &simulator.stack.reads.blocks;
    let names = [&spec.file].into_iter().chain(&spec.more_files);
    let files: Vec<FileId> = names.filter_map(|name| blocks.file_named(name)).collect();
    debug_assert_eq!(files.len(), 1 + spec.more_files.len(), "the scenario lacks a file");
    let Some(first) = files.first() else { return };
    let size = blocks.file(*first).size;
    let accesses = Accesses::new(spec, size, start.seed, start.name);
    let times = Times { began: start.begins, limit: start.limit };
    let client = simulator.clients.add(Client::new(spec, files, accesses, times));
    for _ in 0..spec.depth.max(1) {
        add_slots(simulator, client, None, start.begins);
    }
}

/// Who wants to see the counters while a phase runs, and how often.
pub(crate) struct Readers<'a> {
    pub(crate) every: Nanos,
    /// Says whether to go on.
    pub(crate) tell: &'a mut dyn FnMut(Snapshot, Vec<DeviceRun>, Bytes) -> bool,
}

/// Runs the clients to their end, telling `readers` of the counters meanwhile.
fn run_clients(simulator: &mut Simulator, readers: Option<Readers<'_>>) {
    let Some(readers) = readers else { return simulator.run() };
    let mut next = simulator.stack.reads.clock.now;
    while !simulator.clients.are_done() && simulator.stack.reads.next_event() < Nanos::MAX {
        next += readers.every;
        simulator.run_to(next);
        let Stack { reads, writes, log } = &simulator.stack;
        let devices = reads.io.leaves.iter().map(Leaf::run).collect();
        let moved = simulator.clients.moved();
        if !(readers.tell)(kstats::snapshot(reads, writes, log), devices, moved) {
            return;
        }
    }
}

/// Runs a phase and returns what it measured.
pub(crate) fn run_phase(
    simulator: &mut Simulator,
    phase: &Phase,
    scenario: &Scenario,
    readers: Option<Readers<'_>>,
) -> PhaseRun {
    let start = simulator.stack.reads.clock.now + phase.pause;
    simulator.run_until(start);
    let Stack { reads, writes, log } = &mut simulator.stack;
    let before = observe(reads, writes, log);
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
    simulator.stack.reads.waits.begin(simulator.clients.slots());
    run_clients(simulator, readers);
    // A phase without clients, or stopped before one was done, ends as it began.
    simulator.run_until(simulator.clients.end().unwrap_or(start));
    if cfg!(debug_assertions) {
        simulator.stack.check();
    }
    let Stack { reads, writes, log } = &mut simulator.stack;
    let after = observe(reads, writes, log);
    PhaseRun::measured(phase, start, &simulator.clients.measured(), (&before, &after))
}
