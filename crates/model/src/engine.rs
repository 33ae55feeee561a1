//! The model as an engine: from a scenario to its outcome.

use arcwright_device::profile;
use arcwright_scenario::{
    AppliedSetting, ArcLimits, Arm, ArmOutcome, ArmRun, CacheContent, Disk, Engine, EngineError,
    EngineFacts, Event as Told, Measured, Observation, Outcome, OutputVersion, Phase, PhaseRun,
    Role, RunRequest, Scenario, System, Watch, feed_luck, required_processor, to_life_size,
    until_first_feed,
};
use arcwright_tunables::{Version, default_arc_max};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Accesses, Action};

use crate::arc::{Arc, Eviction};
use crate::behaviour::{ArcRules, Behaviour, Start};
use crate::blocks::Blocks;
use crate::client::{Client, Lane, Walk};
use crate::events::Event;
use crate::kstats;
use crate::l2arc::L2arc;
use crate::settings::Settings;
use crate::trees;
use crate::vdev::geometry::Shape;
use crate::vdev::leaf::Leaf;
use crate::world::{LogRules, LogVdevs, Parts, World};
use crate::zfetch::Zfetch;

/// Where virtual time begins, as in the lab.
const EPOCH: Nanos = Nanos::secs(100_000);
/// The smallest vdev that OpenZFS takes.
const DISK_MIN: Bytes = Bytes::mib(64);

/// How the model is set up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    /// Version to behave like, instead of the scenario's.
    pub version: Option<String>,
    /// Run in 1/`scale` instead of life-size.
    pub scale: Option<u64>,
    /// Behave as the libraries do in user space, for comparisons with the lab: their headers are larger,
    /// their ticks longer, and their target begins elsewhere.
    pub user_space: bool,
}

impl Engine for Model {
    fn name(&self) -> &'static str {
        "model"
    }

    fn check(&self, scenario: &Scenario) -> Result<(), EngineError> {
        check(scenario, self.scale.unwrap_or(1))
    }

    fn run(&mut self, request: &RunRequest, watch: &mut dyn Watch) -> Result<Outcome, EngineError> {
        let scenario = &request.scenario;
        self.check(scenario)?;
        let scale = self.scale.unwrap_or(1).max(1);
        let mut arms = Vec::new();
        let mut interrupted = false;
        for (number, arm) in scenario.arms.iter().enumerate() {
            if watch.stop() {
                interrupted = true;
                break;
            }
            watch.event(Told::Stage(format!("arm “{}”", arm.name)));
            let (phases, applied) = self.run_arm(scenario, arm, scale)?;
            let done = number as u64 + 1;
            let total = scenario.arms.len() as u64;
            watch.event(Told::Progress { done, total, left: None });
            let runs = (0..request.repeats.max(1))
                .map(|repeat| ArmRun { repeat, phases: phases.clone() })
                .collect();
            arms.push(ArmOutcome::from_runs(arm.name.clone(), applied, runs));
        }
        Ok(Outcome {
            output_version: OutputVersion::current(),
            scenario: scenario.clone(),
            engine: EngineFacts {
                name: "model".to_owned(),
                openzfs: self.version.clone().unwrap_or_else(|| scenario.system.zfs.clone()),
                scale,
                motion: None,
                seed: scenario.seed,
                wall_ns: Nanos::ZERO,
            },
            arms,
            interrupted,
            notes: self.notes(scenario),
        })
    }
}

impl Model {
    /// Returns what a reader of the numbers should know.
    fn notes(&self, scenario: &Scenario) -> Vec<String> {
        let mut notes = vec![
            "a prediction; fidelity/BOARD.md says how far the model is from the real OpenZFS, and \
             --engine lab proves it"
                .to_owned(),
        ];
        let text = self.version.as_deref().unwrap_or(&scenario.system.zfs);
        let early =
            Version::parse(text).is_none_or(|version| Some(version) < Version::parse("2.1.6"));
        if early {
            notes.push(format!(
                "rules of versions before 2.1.6 (here {text}) are not held against real code yet"
            ));
        }
        notes
    }

    fn run_arm(
        &self,
        life: &Scenario,
        arm: &Arm,
        scale: u64,
    ) -> Result<(Vec<PhaseRun>, Vec<AppliedSetting>), EngineError> {
        let small = life.scaled(scale);
        let arms = life.arms.iter().position(|other| other.name == arm.name);
        let small_arm = arms.and_then(|index| small.arms.get(index)).unwrap_or(arm);
        let system = small.system_of(small_arm);
        let life_system = life.system_of(arm);
        let text = self.version.as_deref().unwrap_or(&system.zfs);
        let version = Version::parse(text);
        let limits = ArcLimits::of(&life_system, version).scaled(scale);
        let behaviour = if self.user_space { Behaviour::in_user_space } else { Behaviour::of };
        let mut world = build(&small, &system, (behaviour(version), version, limits), scale)?;
        let mut phases = Vec::new();
        for phase in &small.phases {
            phases.push(to_life_size(run_phase(&mut world, phase, &small), scale));
        }
        let applied = life_system.tunables.iter().map(|setting| {
            let held = system.tunables.iter().find(|other| other.name == setting.name);
            AppliedSetting {
                name: setting.name.clone(),
                asked: setting.value,
                read_back: held.map_or(setting.value, |held| held.value),
            }
        });
        Ok((phases, applied.collect()))
    }
}

fn check(scenario: &Scenario, scale: u64) -> Result<(), EngineError> {
    let refuse = |what: String| {
        let hint = Some("the lab may run it: --engine lab".to_owned());
        Err(EngineError::Unsupported { engine: "model", what, hint })
    };
    for phase in &scenario.phases {
        for client in &phase.clients {
            let what = match &client.action {
                Action::Read | Action::Write | Action::Mixed { .. } => None,
                Action::TreeStat | Action::TreeRead | Action::TreeCopy { .. } => None,
                other => Some(other.name()),
            };
            if let Some(what) = what {
                return refuse(format!("phase “{}” has a client “{what}”", phase.name));
            }
        }
    }
    required_processor("model", &scenario.system.cpu)?;
    for arm in &scenario.arms {
        let system = scenario.system_of(arm);
        let life = ArcLimits::of(&system, Version::parse(&system.zfs)).max;
        if let Some(what) = senseless(&system, &arm.name) {
            return refuse(what);
        }
        if Bytes(life.0 / scale.max(1)) < arcwright_scenario::ARC_MAX_SMALLEST {
            let what = format!("an ARC of {life} is below the smallest that OpenZFS takes");
            return refuse(what);
        }
    }
    Ok(())
}

/// Says what makes no sense in a system that the scenario's grammar lets through.
fn senseless(system: &System, arm: &str) -> Option<String> {
    let set = |name: &str| system.tunables.iter().find(|setting| setting.name == name);
    if set("l2arc_write_max").is_some_and(|setting| setting.value == 0) {
        return Some(format!("arm “{arm}” sets l2arc_write_max to 0, which OpenZFS replaces"));
    }
    let small = |disk: &&Disk| disk.size.is_some_and(|size| size < DISK_MIN);
    let size = system.pool.cache.iter().find(small)?.size?;
    Some(format!(
        "the cache device of arm “{arm}” has {size}, less than the {DISK_MIN} that OpenZFS takes"
    ))
}

fn build(
    scenario: &Scenario,
    system: &System,
    (behaviour, version, limits): (Behaviour, Option<Version>, ArcLimits),
    scale: u64,
) -> Result<World, EngineError> {
    let settings = Settings::of(system, version, scale);
    let pool = &system.pool;
    let vdevs = || pool.data.iter().chain(&pool.special);
    let shapes: Vec<Shape> = vdevs().map(|vdev| Shape::of(vdev, pool.ashift)).collect();
    let cpu = required_processor("model", &system.cpu)?;
    let trees = trees::draw(scenario);
    let mut blocks =
        Blocks::new((&scenario.files, trees), pool, &shapes, (behaviour, system.memory, cpu.cores));
    let failed = |what: &str| EngineError::Failed { what: what.to_owned(), hint: None };
    let (mut leaves, mut bases) = (Vec::new(), Vec::new());
    let mut add = |disk: &Disk, name: String, role: Role| -> Result<u64, EngineError> {
        let profile = profile(&disk.profile).ok_or_else(|| failed("no such device profile"))?;
        let profile = profile.scaled(scale);
        let size = disk.size.unwrap_or_else(|| profile.capacity()).max(DISK_MIN);
        let seed = scenario.seed.wrapping_add(leaves.len() as u64);
        let leaf = Leaf::new((name, role), &profile, (size, seed), &settings, behaviour.queue);
        leaves.push(leaf);
        Ok(size.0)
    };
    let mut count = 0;
    let mut rooms = Vec::new();
    for (number, (vdev, shape)) in vdevs().zip(&shapes).enumerate() {
        let (kind, role, number) = match number.checked_sub(pool.data.len()) {
            Some(number) => ("special", Role::Special, number),
            None => ("data", Role::Data, number),
        };
        bases.push(count);
        let mut smallest = u64::MAX;
        for (place, disk) in vdev.disks.iter().enumerate() {
            let size = add(disk, format!("{kind}-{number}-{place}"), role)?;
            smallest = smallest.min(size);
            count += 1;
        }
        rooms.push(shape.room(smallest));
    }
    let kept = blocks.allocator.settle(&rooms);
    let mut logs = Vec::new();
    for (number, vdev) in pool.log.iter().enumerate() {
        let base = count;
        let mut smallest = u64::MAX;
        for (place, disk) in vdev.disks.iter().enumerate() {
            smallest = smallest.min(add(disk, format!("log-{number}-{place}"), Role::Log)?);
            count += 1;
        }
        let shape = Shape::of(vdev, pool.ashift);
        logs.push((shape, base, shape.room(smallest)));
    }
    let log = if logs.is_empty() {
        let data = shapes.iter().zip(&bases).zip(&rooms);
        let embedded = data.map(|((shape, base), room)| (*shape, *base, *room)).collect();
        LogVdevs::new(embedded, kept, false)
    } else {
        LogVdevs::new(logs, vec![0; pool.log.len()], true)
    };
    let log_rules =
        LogRules { sync: pool.sync, logbias: pool.logbias, immediate: settings.immediate_write };
    let luck = feed_luck(scenario.seed);
    let mut l2arc = L2arc::new(blocks.len(), settings, behaviour, luck);
    for (number, disk) in pool.cache.iter().enumerate() {
        let size = add(disk, format!("cache-{number}"), Role::Cache)?;
        l2arc.add(count, size);
        count += 1;
    }
    let zfetch = |file: &crate::blocks::File| {
        Zfetch::new(behaviour.prefetcher, settings, file.block_bytes, u64::from(file.count))
    };
    let zfetches = blocks.files.iter().map(zfetch).collect();
    let mut arc = Arc::new(
        (&blocks.sizes, blocks.metadata_from, &blocks.lengths),
        behaviour,
        settings,
        limits,
        (cpu.cores, scenario.seed),
    );
    if let (Start::AtHalfOfDefault, Some(version)) = (behaviour.starts, version) {
        arc.start_at(Bytes(default_arc_max(version, false, system.memory).0 / 2));
    }
    if behaviour.arc == ArcRules::Target {
        arc.eviction = Eviction::Asleep;
    }
    arc.indirect_until = blocks.indirect_until;
    arc.to_l2 = admitted(pool.secondarycache);
    let kept = admitted(pool.primarycache);
    if behaviour.arc == ArcRules::Fractions {
        arc.uncached = kept.map(|is_kept| !is_kept);
    }
    let costs = cpu.costs(scale);
    let parts = Parts {
        blocks,
        arc,
        l2arc,
        zfetches,
        leaves,
        shapes,
        bases,
        costs,
        behaviour,
        settings,
        kept,
        memory: system.memory,
        cores: cpu.cores,
        log,
        log_rules,
    };
    let mut world = World::new(parts, EPOCH, EPOCH + until_first_feed(scenario.seed));
    world.open_trees();
    Ok(world)
}

/// Returns whether data and metadata may be cached.
fn admitted(content: CacheContent) -> [bool; 2] {
    match content {
        CacheContent::All => [true, true],
        CacheContent::Metadata => [false, true],
        CacheContent::None => [false, false],
    }
}

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

fn run_phase(world: &mut World, phase: &Phase, scenario: &Scenario) -> PhaseRun {
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
    world.run(&|world| world.lanes.iter().all(|lane| lane.end.is_some()));
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
