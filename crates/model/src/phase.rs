//! A phase of an experiment: its clients begin, work until the last is done, and are measured.

use arcwright_kstat::Snapshot;
use arcwright_scenario::{DeviceRun, Measured, Observation, Phase, PhaseRun, Scenario};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Accesses, Action};

use crate::client::{Client, Lane, Walk};
use crate::events::Event;
use crate::kstats;
use crate::vdev::leaf::Leaf;
use crate::world::World;

fn observe(world: &mut World) -> Observation {
    Observation {
        kstats: kstats::snapshot(world),
        devices: world.leaves.iter().map(Leaf::run).collect(),
        log_bytes_max: world.log.held_max(),
    }
}

/// Adds a client that walks a tree.
fn add_walk(
    world: &mut World,
    spec: &arcwright_workload::Client,
    (name, seed): (&str, u64),
    times: (Nanos, Option<Nanos>),
) {
    let Some(number) = world.blocks.trees.iter().position(|tree| tree.name == spec.file) else {
        return;
    };
    let Some(tree) = world.blocks.trees.get(number) else { return };
    let visits = tree.files.visits(spec, seed, name).collect();
    let directories = tree.directories.len();
    let accesses = Accesses::new(spec, Bytes::ZERO, seed, name);
    world.clients.push(Client::new(spec, Vec::new(), accesses, times));
    let client = u32::try_from(world.clients.len() - 1).unwrap_or(0);
    let mut lane = Lane::new(client);
    let walk = Walk::new(number, visits);
    lane.walk = Some(match spec.action {
        Action::TreeCopy { scan_first } => {
            let target = world.copies.next().unwrap_or(number);
            walk.into_tree(target, directories, scan_first)
        }
        _ => walk,
    });
    world.lanes.push(lane);
    let lane = u32::try_from(world.lanes.len() - 1).unwrap_or(0);
    world.events.push(times.0, Event::Client(lane));
}

/// Who wants to see the counters while a phase runs, and how often.
pub(crate) struct Readers<'a> {
    pub(crate) every: Nanos,
    /// Says whether to go on.
    pub(crate) tell: &'a mut dyn FnMut(Snapshot, Vec<DeviceRun>, Bytes) -> bool,
}

/// Runs the clients to their end, telling `readers` of the counters meanwhile.
fn run_clients(world: &mut World, readers: Option<Readers<'_>>) {
    let over = |world: &World| world.lanes_at_work == 0;
    let Some(readers) = readers else { return world.run(&over) };
    let mut next = world.now;
    while !over(world) && world.next_event() < Nanos::MAX {
        next += readers.every;
        world.run_to(&over, next);
        let devices = world.leaves.iter().map(Leaf::run).collect();
        let moved = world.clients.iter().map(Client::moved).sum();
        if !(readers.tell)(kstats::snapshot(world), devices, moved) {
            return;
        }
    }
}

/// Runs a phase and returns what it measured.
pub(crate) fn run_phase(
    world: &mut World,
    phase: &Phase,
    scenario: &Scenario,
    readers: Option<Readers<'_>>,
) -> PhaseRun {
    let start = world.now + phase.pause;
    world.run_until(start);
    let before = observe(world);
    world.clients.clear();
    world.lanes.clear();
    for (number, spec) in phase.clients.iter().enumerate() {
        let name = format!("{} client {number}", phase.name);
        let begins = start + spec.start;
        let limit = phase.limit.map(|limit| start + limit);
        if spec.action.is_on_tree() {
            add_walk(world, spec, (&name, scenario.seed), (begins, limit));
            continue;
        }
        let number_of = |name: &String| {
            let file = world.blocks.files.iter().position(|file| file.name == *name)?;
            u32::try_from(file).ok()
        };
        let files: Option<Vec<u32>> =
            [&spec.file].into_iter().chain(&spec.more_files).map(number_of).collect();
        let Some(files) = files else { continue };
        let file = files.first().map_or(0, |file| *file as usize);
        let size = world.blocks.files.get(file).map_or(Bytes::ZERO, |file| file.size);
        let accesses = Accesses::new(spec, size, scenario.seed, &name);
        world.clients.push(Client::new(spec, files, accesses, (begins, limit)));
        let client = u32::try_from(world.clients.len() - 1).unwrap_or(0);
        for _ in 0..spec.depth.max(1) {
            world.lanes.push(Lane::new(client));
            let lane = u32::try_from(world.lanes.len() - 1).unwrap_or(0);
            world.events.push(begins, Event::Client(lane));
        }
    }
    world.lanes_at_work = world.lanes.len();
    run_clients(world, readers);
    let end = world.lanes.iter().filter_map(|lane| lane.end).max().unwrap_or(start);
    world.run_until(end);
    if cfg!(debug_assertions) {
        world.arc.check();
    }
    let after = observe(world);
    let end_of = |client: u32| {
        let lanes = world.lanes.iter().filter(|lane| lane.client() == client);
        lanes.filter_map(|lane| lane.end).max().unwrap_or(start)
    };
    let measured: Vec<Measured> =
        (0..).zip(&world.clients).map(|(number, client)| client.measured(end_of(number))).collect();
    PhaseRun::measured(phase, start, &measured, (&before, &after))
}
