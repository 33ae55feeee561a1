//! The machine of an experiment as a capture would show it: to see whether its load can be found again.

use std::collections::BTreeMap;

use arcwright_kstat::{KstatValue, NamedKstat, Snapshot, is_gauge};
use arcwright_machine::{
    Class, Dataset, Drive, DriveKind, Layout, LeafIo, Machine, Memory, Parameter, Pool, Sample,
    Space, Vdev,
};
use arcwright_scenario::{
    ArcLimits, Arm, Disk, Outcome, PhaseRun, Role, Scenario, System, VdevLayout, VdevSpec,
};
use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Action, Client};

/// The name of the pool.
const POOL: &str = "tank";

/// Returns the machine of an arm after one of its phases, with readings from the phase's beginning and end; none
/// where the outcome does not have it.
#[must_use]
pub fn machine_of(outcome: &Outcome, arm: &str, phase: &str) -> Option<Machine> {
    let scenario = &outcome.scenario;
    let spec: &Arm = scenario.arms.iter().find(|it| it.name == arm)?;
    let system = scenario.system_of(spec);
    let done = outcome.arms.iter().find(|it| it.name == arm)?;
    let at = done.phases.iter().position(|run| run.name == phase)?;
    let run = done.phases.get(at)?;
    let zfs = Version::parse(&outcome.engine.openzfs)?;
    let scale = outcome.engine.scale.max(1);
    let memory = Memory { total: system.memory, ..Memory::default() };
    let set = |setting: &arcwright_scenario::Setting| {
        let value = setting.value.to_string();
        let parameter = Parameter { name: setting.name.clone(), value, writable: Some(true) };
        (setting.name.clone(), parameter)
    };
    let pool = pool_of(&system);
    Some(Machine {
        os: Some(system.os),
        zfs: Some(zfs),
        zfs_text: Some(outcome.engine.openzfs.clone()),
        memory: Some(memory),
        parameters: system.tunables.iter().map(set).collect(),
        datasets: datasets_of(&system),
        drives: drives_of(&system),
        samples: vec![
            Sample { kstats: before(run), ..Sample::default() },
            after(&Done { run, scenario, system: &system, scale, zfs }),
        ],
        pools: vec![pool],
        lists_pools: true,
        ..Machine::default()
    })
}

/// What was done, and on what.
struct Done<'a> {
    run: &'a PhaseRun,
    scenario: &'a Scenario,
    system: &'a System,
    scale: u64,
    zfs: Version,
}

fn pool_of(system: &System) -> Pool {
    let vdevs = |vdevs: &[VdevSpec], class: Class, stem: &str| -> Vec<Vdev> {
        let numbered = vdevs.iter().enumerate();
        numbered.map(|(number, vdev)| vdev_of(vdev, class, &format!("{stem}-{number}"))).collect()
    };
    let pool = &system.pool;
    let mut all = vdevs(&pool.data, Class::Data, "data");
    all.extend(vdevs(&pool.special, Class::Special, "special"));
    all.extend(vdevs(&pool.log, Class::Log, "log"));
    let cache = pool.cache.iter().enumerate();
    all.extend(cache.map(|(number, disk)| leaf(disk, Class::Cache, format!("cache-{number}"))));
    Pool { name: POOL.to_owned(), vdevs: all, ..Pool::default() }
}

fn vdev_of(vdev: &VdevSpec, class: Class, name: &str) -> Vdev {
    let disks = vdev.disks.iter().enumerate();
    let mut children: Vec<Vdev> =
        disks.map(|(number, disk)| leaf(disk, class, format!("{name}-{number}"))).collect();
    let layout = match vdev.layout {
        VdevLayout::Single => return children.remove(0),
        VdevLayout::Mirror => Layout::Mirror,
        VdevLayout::Raidz1 => Layout::Raidz { parity: 1 },
        VdevLayout::Raidz2 => Layout::Raidz { parity: 2 },
        VdevLayout::Raidz3 => Layout::Raidz { parity: 3 },
        VdevLayout::Draid { parity, data, spares } => {
            Layout::Draid { parity, data: Some(data), spares: Some(spares) }
        }
    };
    Vdev { name: name.to_owned(), class, layout, children, ..Vdev::default() }
}

fn leaf(disk: &Disk, class: Class, name: String) -> Vdev {
    let space = Space { size: Some(disk.used()), ..Space::default() };
    Vdev { name, class, ashift: Some(12), space: Some(space), ..Vdev::default() }
}

fn drives_of(system: &System) -> Vec<Drive> {
    let pool = pool_of(system);
    let leaves = pool.vdevs.iter().flat_map(Vdev::leaves);
    let drive = |(leaf, disk): (&Vdev, &Disk)| {
        let kind = match disk.profile.as_str() {
            name if name.starts_with("hdd") => DriveKind::Hdd,
            name if name.starts_with("nvme") => DriveKind::Nvme,
            _ => DriveKind::Ssd,
        };
        let protected = disk.profile.contains("plp");
        Drive {
            name: leaf.name.clone(),
            kind: Some(kind),
            size: Some(disk.used()),
            power_loss_protection: Some(protected),
            ..Drive::default()
        }
    };
    leaves.zip(system.pool.disks()).map(drive).collect()
}

fn datasets_of(system: &System) -> Vec<Dataset> {
    let pool = &system.pool;
    let local = |value: String| (value, "local".to_owned());
    let mut properties = BTreeMap::new();
    properties.insert("recordsize".to_owned(), local(pool.recordsize.0.to_string()));
    vec![Dataset { name: POOL.to_owned(), properties }]
}

fn rows(
    rows: &BTreeMap<String, i64>,
    value: impl Fn(&str, i64) -> u64,
) -> Vec<(String, KstatValue)> {
    rows.iter().map(|(row, count)| (row.clone(), KstatValue::U64(value(row, *count)))).collect()
}

/// Returns a kstat as it was read after so long.
fn read(path: &str, rows: Vec<(String, KstatValue)>, at: Nanos) -> NamedKstat {
    NamedKstat { crtime: Nanos(1), snaptime: at, ..NamedKstat::of_rows(path, rows) }
}

/// The moment of the first reading.
const BEGIN: Nanos = Nanos::secs(1);

fn before(run: &PhaseRun) -> Snapshot {
    let zero = |(name, counts): (&String, &BTreeMap<String, i64>)| {
        read(&format!("zfs/{name}"), rows(counts, |_, _| 0), BEGIN)
    };
    let mut all: Vec<NamedKstat> = run.kstats.iter().map(zero).collect();
    all.push(objset(run, None));
    Snapshot::from_kstats(BEGIN, all)
}

fn after(done: &Done<'_>) -> Sample {
    let Done { run, system, scale, zfs, .. } = *done;
    let end = BEGIN + run.duration_ns;
    let counted = |row: &str, count: i64| {
        let count = u64::try_from(count).unwrap_or(0);
        if is_gauge(row) { count } else { count.saturating_mul(scale) }
    };
    let mut all: Vec<NamedKstat> = Vec::new();
    for (name, counts) in &run.kstats {
        let mut rows = rows(counts, counted);
        if name == "arcstats" {
            rows.retain(|(row, _)| row != "c_max" && row != "data_size");
            let max = ArcLimits::of(system, Some(zfs)).max;
            rows.push(("c_max".to_owned(), KstatValue::U64(max.0)));
        }
        all.push(read(&format!("zfs/{name}"), rows, end));
    }
    all.push(objset(run, Some(done)));
    let seconds = run.duration_ns.as_secs_f64();
    let io = |device: &arcwright_scenario::DeviceRun| {
        let per_s = |bytes: Bytes| Some(bytes.0 as f64 / seconds);
        let io = LeafIo {
            read_bytes_per_s: per_s(device.read_bytes),
            write_bytes_per_s: per_s(device.write_bytes),
            ..LeafIo::default()
        };
        (device.name.clone(), io)
    };
    let held = run.devices.iter().filter(|device| device.role != Role::Cache);
    let vdevs = BTreeMap::from([(POOL.to_owned(), held.map(io).collect())]);
    Sample { kstats: Snapshot::from_kstats(end, all), vdevs, ..Sample::default() }
}

/// Returns what clients asked of the pool's dataset; nothing yet before a phase.
fn objset(run: &PhaseRun, done: Option<&Done<'_>>) -> NamedKstat {
    let mut counts = BTreeMap::from(
        ["reads", "nread", "writes", "nwritten", "zil_commit_count", "zil_commit_writer_count"]
            .map(|row| (row.to_owned(), 0_u64)),
    );
    let log = ["zil_itx_indirect_bytes", "zil_itx_copied_bytes", "zil_itx_needcopy_bytes"];
    counts.extend(log.map(|row| (row.to_owned(), 0)));
    if let Some(done) = done {
        let phase = done.scenario.phases.iter().find(|phase| phase.name == run.name);
        let clients = phase.into_iter().flat_map(|phase| &phase.clients);
        for (client, did) in clients.zip(&run.clients) {
            for (row, count) in asked(client, did.operations, did.bytes.0) {
                *counts.entry(row.to_owned()).or_default() += count;
            }
        }
        for (row, count) in run.kstats.get("zil").into_iter().flatten() {
            if let Some(known) = counts.get_mut(row) {
                *known = u64::try_from(*count).unwrap_or(0).saturating_mul(done.scale);
            }
        }
    }
    let at = done.map_or(BEGIN, |_| BEGIN + run.duration_ns);
    let name = ("dataset_name".to_owned(), KstatValue::Text(POOL.to_owned()));
    let counts = counts.into_iter().map(|(row, count)| (row, KstatValue::U64(count)));
    read(&format!("zfs/{POOL}/objset-0x36"), std::iter::once(name).chain(counts).collect(), at)
}

/// Returns what the requests of a client count as.
fn asked(client: &Client, operations: u64, bytes: u64) -> [(&'static str, u64); 4] {
    let part = |count: u64, percent: u8| count / 100 * u64::from(percent);
    let reads = match client.action {
        Action::Read | Action::TreeRead => 100,
        Action::Mixed { read_pct } => read_pct,
        _ => 0,
    };
    let writes = match client.action {
        Action::Write => 100,
        Action::Mixed { .. } => 100 - reads,
        _ => 0,
    };
    [
        ("reads", part(operations, reads)),
        ("nread", part(bytes, reads)),
        ("writes", part(operations, writes)),
        ("nwritten", part(bytes, writes)),
    ]
}
