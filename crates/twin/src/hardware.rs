//! The machine below the load: version, memory, limits of the ARC, settings, vdevs and their devices.

use std::collections::BTreeMap;

use arcwright_machine::{Class, DriveKind, Layout, Machine, Pool, Vdev};
use arcwright_scenario::{ARC_MAX_SMALLEST, Disk, Kernel, VdevLayout, VdevSpec};
use arcwright_tunables::{Modelled, Running, Seen, Version, entries};
use arcwright_units::Bytes;

use crate::TwinError;
use crate::devices::stand;

/// The fullest pool that a scenario can say, in percent.
const FILL_MAX: u64 = 90;
/// Part of the room that a file of a load without a fitted size takes.
const PART_OF_ROOM: u64 = 16;

/// What a scenario says of a machine beside its load.
#[derive(Debug, Clone)]
pub(crate) struct Hardware {
    pub(crate) pool: String,
    pub(crate) zfs: Version,
    pub(crate) os: Kernel,
    pub(crate) memory: Bytes,
    pub(crate) arc_max: Bytes,
    pub(crate) ashift: Option<u64>,
    /// Percent of the data disks that are taken.
    pub(crate) fill: Option<u64>,
    pub(crate) data: Vec<VdevSpec>,
    pub(crate) special: Vec<VdevSpec>,
    pub(crate) log: Vec<VdevSpec>,
    pub(crate) cache: Vec<Disk>,
    /// Parameters that differ from their defaults and that the model follows.
    pub(crate) tunables: Vec<(String, u64)>,
    /// What stands beside a key, by the key.
    pub(crate) beside: BTreeMap<&'static str, Vec<String>>,
    /// What the machine has and a scenario does not say.
    pub(crate) left_out: Vec<String>,
}

impl Hardware {
    /// Returns how full the pool is said to be beside what the files of the experiment need.
    pub(crate) fn fill_beside(&self, files: Bytes) -> Option<u64> {
        let fill = self.fill?;
        let whole = self.room().0 / (100 - fill).max(1) * 100;
        let needed = files.0.saturating_mul(110) / whole.max(1) + 1;
        Some(fill.min(100_u64.saturating_sub(needed))).filter(|fill| *fill > 0)
    }

    /// Returns what is below the load of a pool.
    ///
    /// # Errors
    /// [`TwinError`] where something is not known without which there is no experiment.
    pub(crate) fn of(machine: &Machine, pool: &Pool) -> Result<Self, TwinError> {
        let missing = |what: &'static str, how: &'static str| TwinError::Missing { what, how };
        let zfs = machine.zfs.ok_or_else(|| missing("the version of ZFS", "zfs version"))?;
        let memory = machine.memory.ok_or_else(|| missing("the memory", "free -b"))?.total;
        let arc_max = machine.now().and_then(|now| now.get("zfs/arcstats", "c_max"));
        let arcstats = || missing("the ARC's limit (c_max)", "cat /proc/spl/kstat/zfs/arcstats");
        let arc_max = Bytes(arc_max.ok_or_else(arcstats)?);
        if arc_max < ARC_MAX_SMALLEST || arc_max > memory.max(Bytes::mib(64)) {
            let what = format!("an ARC of at most {arc_max} with {memory} of memory");
            return Err(TwinError::Absurd { what });
        }
        let mut beside: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
        let mut left_out = Vec::new();
        let mut vdevs = |class: Class, key: &'static str| -> Result<Vec<VdevSpec>, TwinError> {
            let fallback = match class {
                Class::Log | Class::Cache | Class::Special => DriveKind::Nvme,
                Class::Data | Class::Dedup | Class::Spare => DriveKind::Hdd,
            };
            let mut said = Vec::new();
            let specs = pool.of_class(class).map(|vdev| spec(machine, vdev, fallback, &mut said));
            let specs = specs.collect::<Result<_, _>>()?;
            beside.insert(key, said);
            Ok(specs)
        };
        let data = vdevs(Class::Data, "data")?;
        if data.is_empty() {
            return Err(missing("the layout of the pool", "zpool status"));
        }
        let special = vdevs(Class::Special, "special")?;
        let log = vdevs(Class::Log, "log")?;
        let cache = vdevs(Class::Cache, "cache")?.into_iter().flat_map(|vdev| vdev.disks);
        if pool.of_class(Class::Dedup).next().is_some() {
            left_out.push("deduplication and its vdevs".to_owned());
        }
        if machine.os.is_none() {
            beside.insert("os", vec!["Assumed: the kernel was not read.".to_owned()]);
        }
        let (tunables, not_followed) = tunables(machine, zfs);
        left_out.extend(not_followed);
        Ok(Self {
            pool: pool.name.clone(),
            zfs,
            os: machine.os.unwrap_or(Kernel::Linux),
            memory,
            arc_max,
            ashift: ashift(pool),
            fill: fill(pool, &mut left_out),
            cache: cache.collect(),
            data,
            special,
            log,
            tunables,
            beside,
            left_out,
        })
    }

    /// Returns among how many disks the data of a block is spread.
    pub(crate) fn data_disks(&self) -> u64 {
        self.data.first().map_or(1, VdevSpec::data_disks)
    }

    /// Returns how many bytes its disks write for each byte of a record.
    pub(crate) fn copies(&self) -> f64 {
        let vdev = self.data.first();
        vdev.map_or(1.0, |vdev| vdev.disks.len() as f64 / vdev.data_disks().max(1) as f64)
    }

    /// Returns the most that a file takes whose size nothing tells.
    pub(crate) fn part_of_room(&self) -> Bytes {
        Bytes(self.room().0 / PART_OF_ROOM).min(Bytes::gib(64))
    }

    /// Returns what files of the experiment may take together.
    pub(crate) fn room(&self) -> Bytes {
        let of_vdev = |vdev: &VdevSpec| {
            let smallest = vdev.disks.iter().map(Disk::used).min();
            smallest.map(|size| vdev.holds(size))
        };
        let whole: Bytes = self.data.iter().filter_map(of_vdev).sum();
        let free = self.fill.map_or_else(|| 100, |fill| 100 - fill);
        Bytes(whole.0 / 100 * free)
    }
}

/// Returns the layout of a vdev of so many members in a scenario.
///
/// # Errors
/// What cannot be simulated: dRAID whose name does not say its groups and spares, and what has not the members for its kind.
pub const fn layout_of(layout: Layout, members: usize) -> Result<VdevLayout, &'static str> {
    let layout = match layout {
        Layout::Leaf => VdevLayout::Single,
        Layout::Mirror | Layout::Replacing => VdevLayout::Mirror,
        Layout::Raidz { parity: 1 } => VdevLayout::Raidz1,
        Layout::Raidz { parity: 2 } => VdevLayout::Raidz2,
        Layout::Raidz { .. } => VdevLayout::Raidz3,
        Layout::Draid { parity, data: Some(data), spares: Some(spares) } => {
            VdevLayout::Draid { parity, data, spares }
        }
        Layout::Draid { .. } => {
            return Err("dRAID whose name does not say its groups and spares");
        }
    };
    match members {
        // A spare or a new disk beside an old one makes a mirror of one in a pool that lost a device.
        1 => Ok(VdevLayout::Single),
        _ if layout.takes(members) => Ok(layout),
        _ => Err("a vdev that has not the members for its kind"),
    }
}

/// Returns a vdev of the pool, and says in `said` what stands for its devices.
fn spec(
    machine: &Machine,
    vdev: &Vdev,
    fallback: DriveKind,
    said: &mut Vec<String>,
) -> Result<VdevSpec, TwinError> {
    let leaves = vdev.leaves();
    let layout =
        layout_of(vdev.layout, leaves.len()).map_err(|what| TwinError::NotSimulated { what })?;
    let mut disks = Vec::new();
    for leaf in leaves {
        let size = leaf.space.and_then(|space| space.size);
        let stand = stand(machine.drive_of(&leaf.name), size, fallback);
        let line = format!("{} {}", stand.profile, stand.why);
        if !said.contains(&line) {
            said.push(line);
        }
        disks.push(Disk::of(stand.profile, stand.size));
    }
    Ok(VdevSpec { layout, disks })
}

fn ashift(pool: &Pool) -> Option<u64> {
    let own =
        pool.of_class(Class::Data).flat_map(|vdev| std::iter::once(vdev).chain(vdev.leaves()));
    let read = own.filter_map(|vdev| vdev.ashift).max();
    let property = || pool.properties.get("ashift").and_then(|text| text.parse().ok());
    read.or_else(property).filter(|ashift| (9..=16).contains(ashift))
}

/// Returns how full the pool is in percent.
fn fill(pool: &Pool, left_out: &mut Vec<String>) -> Option<u64> {
    let percent = |name: &str| -> Option<u64> {
        pool.properties.get(name)?.trim_end_matches('%').parse().ok()
    };
    let fragmentation = percent("fragmentation");
    let Some(percent) = percent("capacity") else {
        left_out.push("how full the pool is: it was not read".to_owned());
        return None;
    };
    if percent > FILL_MAX {
        left_out.push(format!(
            "that the pool is {percent} % full: {FILL_MAX} % are said, above which ZFS searches for free pieces"
        ));
    }
    let is_fragmented = |percent: &u64| *percent >= 30;
    if let Some(percent) = fragmentation.filter(is_fragmented) {
        left_out.push(format!("that {percent} % of its free space is fragmented"));
    }
    Some(percent.min(FILL_MAX)).filter(|percent| *percent > 0)
}

/// Returns the parameters that differ from their defaults and that the model follows, and in words those that it does not.
fn tunables(machine: &Machine, zfs: Version) -> (Vec<(String, u64)>, Vec<String>) {
    let seen = |parameter: &arcwright_machine::Parameter| Seen {
        value: parameter.value.clone(),
        writable: parameter.writable,
    };
    let running = Running {
        kernel: Kernel::Linux,
        version: Some(zfs),
        version_text: machine.zfs_text.clone(),
        memory: machine.memory.map(|memory| memory.total),
        // Only what follows from them for other limits needs them.
        arc_bounds: None,
        // They stand by their names on Linux, whatever the machine calls them.
        parameters: machine.parameters.iter().map(|(name, it)| (name.clone(), seen(it))).collect(),
    };
    let (mut followed, mut not) = (Vec::new(), Vec::new());
    for entry in entries() {
        let Some(value) = running.value(entry).and_then(|value| value.number()) else { continue };
        let is_set = running.is_default(entry) == Some(false);
        // The limits in force stand apart; what is 0 there asks for the default.
        if !is_set || entry.name == "zfs_arc_max" || value == 0 && entry.name == "zfs_arc_min" {
            continue;
        }
        match entry.model {
            Modelled::Simulated => followed.push((entry.name.clone(), value)),
            Modelled::NoEffect => {}
            _ => not.push(format!("{}={value}, which the model does not follow", entry.name)),
        }
    }
    (followed, not)
}

/// The kinds of devices of a pool: a name for each profile of which only a part is there.
pub(crate) struct Kinds(Vec<(String, Disk)>);

impl Kinds {
    pub(crate) fn of(hardware: &Hardware) -> Self {
        let vdevs = hardware.data.iter().chain(&hardware.special).chain(&hardware.log);
        let disks = vdevs.flat_map(|vdev| &vdev.disks).chain(&hardware.cache);
        let mut kinds: Vec<(String, Disk)> = Vec::new();
        for disk in disks.filter(|disk| disk.size.is_some()) {
            if kinds.iter().all(|(_, known)| known != disk) {
                kinds.push((format!("device-{}", kinds.len() + 1), disk.clone()));
            }
        }
        Self(kinds)
    }

    /// Returns the lines of `[devices]`; none where there is nothing to say.
    pub(crate) fn table(&self) -> Option<Vec<String>> {
        let line = |(name, disk): &(String, Disk)| {
            let size = disk.size.map_or_else(String::new, crate::sizes::size);
            format!("{name} = {{ device = \"{}\", size = {size} }}", disk.profile)
        };
        (!self.0.is_empty()).then(|| self.0.iter().map(line).collect())
    }

    /// Returns how a disk is called, in quotation marks.
    pub(crate) fn name(&self, disk: &Disk) -> String {
        let known = self.0.iter().find(|(_, known)| known == disk);
        format!("\"{}\"", known.map_or(&disk.profile, |(name, _)| name))
    }
}
