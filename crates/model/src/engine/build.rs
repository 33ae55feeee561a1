//! A machine put together from a scenario: its disks, its pool just opened, no client yet.

use arcwright_scenario::{
    ArcLimits, CacheContent, DatasetProperties, EngineError, FileSpec, PoolSpec, Role, Scenario,
    System, feed_rng, until_first_feed,
};
use arcwright_tunables::{Version, default_arc_max};
use arcwright_units::{Bytes, Nanos};

use super::simulator::Simulator;
use crate::cache::admission::Admission;
use crate::cache::arc::{ArcCache, ArcSpec, Eviction, Sealed};
use crate::cache::l2arc::L2arc;
use crate::cache::{Cache, CacheRules};
use crate::client::Clients;
use crate::clock::Clock;
use crate::ids::DatasetId;
use crate::io::disks::{Disks, TopRoom};
use crate::io::{PoolIo, Top};
use crate::pool::blocks::{Blocks, File};
use crate::pool::layout::PoolLayout;
use crate::pool::trees;
use crate::stack::{
    DatasetLog, LogPath, Moments, PrefetchRules, Prefetchers, RangeLocks, ReadPath, ReadsSeen,
    Stack, Waits, WritePath,
};
use crate::vdev::geometry::Shape;
use crate::versions::behaviour::Behaviour;
use crate::versions::rules::{ArcRules, Start};
use crate::versions::settings::{PrefetchSettings, Settings};
use crate::versions::work::LockOps;
use crate::writes::dirty::Dirty;
use crate::zfetch::Zfetch;
use crate::zil::{LogLock, LogRules, LogVdevs, Zil};

/// Where virtual time begins, as in the lab.
const EPOCH: Nanos = Nanos::secs(100_000);
/// How long before the first pass of the feed the pool's last group began to be written, in the lab.
const BEFORE_FEED: Nanos = Nanos::secs(3);

/// What an arm's machine behaves like.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) behaviour: Behaviour,
    pub(crate) version: Option<Version>,
    pub(crate) lock_ops: LockOps,
    pub(crate) limits: ArcLimits,
    pub(crate) scale: u64,
}

/// What a machine is, apart from its pool.
#[derive(Clone, Copy)]
struct Host {
    cores: u32,
    seed: u64,
}

/// The machine of an arm, with its pool just opened.
pub(crate) fn build(
    scenario: &Scenario,
    system: &System,
    rules: Rules,
) -> Result<Simulator, EngineError> {
    let Rules { behaviour, version, scale, .. } = rules;
    let settings = Settings::of(system, version, scale);
    let pool = &system.pool;
    let cpu = system.required_processor("model")?;
    let mut disks = Disks {
        leaves: Vec::new(),
        devices: Vec::new(),
        places: pool.places(),
        pool,
        settings: settings.queues,
        order: behaviour.queues.order,
        scale,
        seed: scenario.seed,
        ashift: pool.ashift,
    };
    let data = disks.add_vdevs(&pool.data, "data", Role::Data)?;
    let special = disks.add_vdevs(&pool.special, "special", Role::Special)?;
    let logs = disks.add_vdevs(&pool.log, "log", Role::Log)?;
    let vdevs = || data.iter().chain(&special);
    let tops: Vec<Top> = vdevs().map(|vdev| vdev.top).collect();
    let rooms: Vec<u64> = vdevs().map(|vdev| vdev.room).collect();
    let shapes: Vec<Shape> = tops.iter().map(|top| top.shape).collect();
    let mut trees = trees::draw(scenario);
    let layout = PoolLayout {
        files: &scenario.files,
        pool,
        shapes: &shapes,
        rooms: &rooms,
        special_room: special.iter().map(|vdev| vdev.room).sum(),
        behaviour: &behaviour,
        memory: system.memory,
        cores: cpu.cores,
        seed: scenario.seed,
    };
    let mut blocks = layout.lay_out(&mut trees);
    let begins = blocks.allocator.settle(&rooms);
    let log = LogPath {
        logs: logs_of(pool, blocks.files.len(), behaviour, settings),
        dataset_of: scenario.files.iter().map(|file| dataset_of(file, pool)).collect(),
        vdevs: log_vdevs(behaviour, &logs, [&data, &special], &begins),
        behaviour: behaviour.log,
        flushes: settings.log.flushes,
    };
    let mut l2arc = L2arc::new(blocks.len(), settings.l2arc, behaviour, feed_rng(scenario.seed));
    add_cache(&mut l2arc, pool, &mut disks)?;
    let mut arc =
        arc_of(&blocks, system, rules, settings, Host { cores: cpu.cores, seed: scenario.seed });
    let cacheable = let_in(&mut arc, (&scenario.files, pool), &blocks, behaviour.arc.rules);
    let first_feed = EPOCH + until_first_feed(scenario.seed);
    // Just before the first phase, as in the lab: the pool's last group ended when it was opened.
    let opened = Nanos(first_feed.0.saturating_sub(BEFORE_FEED.0));
    let dirty = Dirty::new(blocks.len(), &settings, behaviour, system.memory);
    let mut reads = ReadPath {
        made: Moments::default(),
        clock: Clock::new(EPOCH, cpu.cores, cpu.costs(scale), rules.lock_ops),
        cache: Cache::new(arc, l2arc, &blocks, CacheRules::of(cacheable, &behaviour, &settings)),
        prefetch: prefetchers(&blocks, behaviour, settings.prefetch),
        io: PoolIo::new(disks, tops, blocks.len(), behaviour.queues, &settings.queues),
        waits: Waits::default(),
        locks: RangeLocks::default(),
        blocks,
        waiters_in_order: behaviour.waiters_in_order,
        seen: ReadsSeen::default(),
    };
    reads.open(first_feed);
    let writes = WritePath::new(dirty, &behaviour, &settings, cpu.cores, opened);
    Ok(Simulator { clients: Clients::of(trees), stack: Stack { reads, writes, log } })
}

/// Tells the ARC what its datasets let into memory and the L2ARC, and what is encrypted; returns the first.
fn let_in(
    arc: &mut ArcCache,
    (files, pool): (&[FileSpec], &PoolSpec),
    blocks: &Blocks,
    rules: ArcRules,
) -> Admission {
    arc.policy.to_l2 = admission(|it| it.secondarycache, files, pool, blocks);
    let cacheable = admission(|it| it.primarycache, files, pool, blocks);
    if rules == ArcRules::Fractions {
        arc.policy.uncached = cacheable.clone().reversed();
    }
    arc.sealed = Sealed::of(encrypted(files, pool, blocks), blocks.len());
    cacheable
}

/// Gives the L2ARC its devices.
fn add_cache(l2arc: &mut L2arc, pool: &PoolSpec, disks: &mut Disks<'_>) -> Result<(), EngineError> {
    for (number, disk) in pool.cache.iter().enumerate() {
        let added = disks.add(disk, format!("cache-{number}"), Role::Cache)?;
        l2arc.add(added.leaf, added.size);
    }
    Ok(())
}

/// Returns where the log lies: on log vdevs, else on the pool's own, of which `begins` says where on those for
/// data; from 2.4 on on special ones if there are any.
fn log_vdevs(
    behaviour: Behaviour,
    logs: &[TopRoom],
    [data, special]: [&[TopRoom]; 2],
    begins: &[u64],
) -> LogVdevs {
    if !behaviour.log.takes_small_parts || special.is_empty() {
        return LogVdevs::new(logs, data, begins);
    }
    let middles: Vec<u64> = special.iter().map(|vdev| vdev.room / 2).collect();
    LogVdevs::new(logs, special, &middles)
}

/// Returns the prefetchers of all files.
fn prefetchers(blocks: &Blocks, behaviour: Behaviour, settings: PrefetchSettings) -> Prefetchers {
    let of = |file: &File| {
        Zfetch::new(behaviour.prefetch.rules, settings, file.block_bytes, u64::from(file.count))
    };
    // Up to 2.1 what is not cacheable is not prefetched (`dbuf_read`).
    let follows_uncached = behaviour.arc.rules == ArcRules::Fractions;
    let pointers = behaviour.layout.pointers;
    let rules =
        PrefetchRules { follows_uncached, behaviour: behaviour.prefetch, settings, pointers };
    Prefetchers::new(blocks.files.iter().map(of).collect(), rules)
}

/// Returns the ARC of a machine, as it is when the pool has just been opened.
fn arc_of(
    blocks: &Blocks,
    system: &System,
    rules: Rules,
    settings: Settings,
    spec: Host,
) -> ArcCache {
    let Rules { behaviour, version, limits, .. } = rules;
    let mut arc = ArcCache::new(ArcSpec {
        sizes: &blocks.sizes(),
        metadata_from: blocks.metadata_from,
        lengths_from: blocks.lengths_from,
        lengths: &blocks.lengths,
        behaviour: &behaviour,
        settings,
        limits,
        cores: spec.cores,
        seed: spec.seed,
    });
    if let (Start::AtHalfOfDefault, Some(version)) = (behaviour.arc.starts, version) {
        arc.start_at(Bytes(default_arc_max(version, false, system.memory).0 / 2));
    }
    if behaviour.arc.rules == ArcRules::Target {
        arc.evictor.eviction = Eviction::Asleep;
    }
    arc.kinds.indirect_until = blocks.indirect_until;
    arc
}

/// Returns the logs of the pool's own dataset and of the others, with nothing in them.
fn logs_of(
    pool: &PoolSpec,
    files: usize,
    behaviour: Behaviour,
    settings: Settings,
) -> Vec<DatasetLog> {
    let others = pool.datasets.iter().map(|dataset| dataset.properties_in(pool));
    let all = std::iter::once(pool.properties()).chain(others);
    let log = |(number, properties): (u8, DatasetProperties)| {
        let DatasetProperties { kind, sync, logbias, encryption, .. } = properties;
        let timeout_percent = settings.log.commit_timeout_percent;
        DatasetLog {
            zil: Zil::new(DatasetId(number), files, behaviour.log.packing, timeout_percent),
            lock: LogLock::default(),
            rules: LogRules { kind, sync, logbias, immediate: settings.log.immediate_write },
            is_encrypted: !encryption.is_off(),
            begins: 0,
        }
    };
    (0..=u8::MAX).zip(all).map(log).collect()
}

/// Returns the dataset that holds a file.
fn dataset_of(file: &FileSpec, pool: &PoolSpec) -> DatasetId {
    let name = file.dataset.as_ref();
    let place = name.and_then(|name| pool.datasets.iter().position(|it| it.name == *name));
    let number = place.and_then(|place| u8::try_from(place + 1).ok());
    debug_assert!(place.is_none() == number.is_none(), "more datasets than are let in at the door");
    number.map_or(DatasetId::own(), DatasetId)
}

/// Returns what a property of the datasets lets into a cache.
fn admission(
    of: fn(DatasetProperties) -> CacheContent,
    files: &[FileSpec],
    pool: &PoolSpec,
    blocks: &Blocks,
) -> Admission {
    let of_file = |file: &FileSpec| admitted(of(pool.properties_of(file)));
    let of_files: Vec<[bool; 2]> = files.iter().map(of_file).collect();
    Admission::of(admitted(of(pool.properties())), &of_files, blocks)
}

/// Returns which blocks are encrypted; none where nothing is.
fn encrypted(files: &[FileSpec], pool: &PoolSpec, blocks: &Blocks) -> Option<Admission> {
    let of_file = |file: &FileSpec| [!pool.properties_of(file).encryption.is_off(), false];
    let of_files: Vec<[bool; 2]> = files.iter().map(of_file).collect();
    pool.encrypts().then(|| Admission::of([!pool.encryption.is_off(), false], &of_files, blocks))
}

/// Returns whether data and metadata may be cached.
fn admitted(content: CacheContent) -> [bool; 2] {
    match content {
        CacheContent::All => [true, true],
        CacheContent::Metadata => [false, true],
        CacheContent::None => [false, false],
    }
}

/// Returns how many blocks the first arm's machine has.
#[cfg(test)]
pub(crate) fn blocks_in(scenario: &Scenario) -> Option<usize> {
    let system = scenario.system_of(scenario.arms.first()?);
    let version = Version::parse(&system.zfs);
    let limits = ArcLimits::of(&system, version);
    let lock_ops = LockOps::of_release(version);
    let rules = Rules { behaviour: Behaviour::of(version), version, lock_ops, limits, scale: 1 };
    Some(build(scenario, &system, rules).ok()?.stack.reads.blocks.len())
}
