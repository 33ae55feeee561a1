//! The pool: vdevs, disks, and the properties of its dataset.

use arcwright_units::Bytes;

use super::section::Section;
use super::tree::{Kind, Node};
use crate::error::{Checked, Fault};
use crate::experiment::Properties;
use crate::system::{
    CacheContent, Compression, Disk, Logbias, PoolSpec, SyncMode, VdevLayout, VdevSpec,
};

const KEYS: [&str; 11] = [
    "data",
    "cache",
    "log",
    "special",
    "recordsize",
    "compression",
    "primarycache",
    "secondarycache",
    "sync",
    "logbias",
    "ashift",
];
const SYNC: [(&str, SyncMode); 3] = [
    ("standard", SyncMode::Standard),
    ("always", SyncMode::Always),
    ("disabled", SyncMode::Disabled),
];
const LOGBIAS: [(&str, Logbias); 2] =
    [("latency", Logbias::Latency), ("throughput", Logbias::Throughput)];
const CONTENT: [(&str, CacheContent); 3] = [
    ("all", CacheContent::All),
    ("metadata", CacheContent::Metadata),
    ("none", CacheContent::None),
];
const COMPRESSION: [(&str, Compression); 2] =
    [("off", Compression::Off), ("lz4", Compression::Lz4)];
/// How vdevs are called, and the fewest disks they take.
const LAYOUTS: [(&str, VdevLayout, usize); 5] = [
    ("disk", VdevLayout::Single, 1),
    ("mirror", VdevLayout::Mirror, 2),
    ("raidz1", VdevLayout::Raidz1, 2),
    ("raidz2", VdevLayout::Raidz2, 3),
    ("raidz3", VdevLayout::Raidz3, 4),
];
/// Most disks in one vdev; raidz takes no more than 255 (module/zcommon/zfs_namecheck and vdev_raidz.c).
const DISKS_MAX: usize = 255;
/// Sectors of 512 B to 64 KiB (`ASHIFT_MIN`, `ASHIFT_MAX`, include/sys/vdev_impl.h).
const ASHIFT: std::ops::RangeInclusive<u64> = 9..=16;

/// Reads `[system.pool]`.
pub(crate) fn read(node: &Node) -> Checked<PoolSpec> {
    let section = node.section("[system.pool]", &KEYS)?;
    let data_node =
        section.need("data", "data = [{ mirror = [\"hdd-nas-7200\", \"hdd-nas-7200\"] }]")?;
    let data = vdevs(data_node, &["disk", "mirror", "raidz1", "raidz2", "raidz3"])?;
    if data.is_empty() {
        return Err(data_node.fault("the pool has no data vdev"));
    }
    let own = properties(&section)?;
    let pool = PoolSpec {
        data,
        cache: section.maybe("cache", disks)?.unwrap_or_default(),
        log: section.maybe("log", log)?.unwrap_or_default(),
        special: section.maybe("special", special)?.unwrap_or_default(),
        recordsize: own.recordsize.unwrap_or(Bytes::kib(128)),
        compression: section
            .maybe("compression", |node| node.choice(&COMPRESSION))?
            .unwrap_or(Compression::Off),
        primarycache: own.primarycache.unwrap_or(CacheContent::All),
        secondarycache: own.secondarycache.unwrap_or(CacheContent::All),
        sync: own.sync.unwrap_or_default(),
        logbias: own.logbias.unwrap_or_default(),
        ashift: section.maybe("ashift", ashift)?.unwrap_or(12),
    };
    if let Some(node) = section.get("log") {
        check_log(node, &pool.log, &pool)?;
    }
    Ok(pool)
}

/// Refuses a log device that is larger than all data of the pool.
pub(crate) fn check_log(node: &Node, log: &[VdevSpec], pool: &PoolSpec) -> Checked<()> {
    let data = usable(pool);
    let largest = log.iter().flat_map(|vdev| &vdev.disks).map(capacity).max();
    match largest.filter(|size| *size > data) {
        None => Ok(()),
        Some(size) => {
            let message = format!("a log device of {size} is larger than the pool, {data}");
            Err(node.fault(message).help(
                "a log holds the synchronous writes of some seconds; give it part of the device: { \
                 device = \"…\", size = \"16GiB\" }",
            ))
        }
    }
}

/// Reads the properties of a dataset that a system or an arm may set.
pub(crate) fn properties(section: &Section<'_>) -> Checked<Properties> {
    let content = |node: &Node| node.choice(&CONTENT);
    Ok(Properties {
        recordsize: section.maybe("recordsize", recordsize)?,
        primarycache: section.maybe("primarycache", content)?,
        secondarycache: section.maybe("secondarycache", content)?,
        sync: section.maybe("sync", |node| node.choice(&SYNC))?,
        logbias: section.maybe("logbias", |node| node.choice(&LOGBIAS))?,
    })
}

/// Reads a list of cache devices, or the disks of a vdev.
pub(crate) fn disks(node: &Node) -> Checked<Vec<Disk>> {
    few_enough(node, "disks")?;
    node.list()?.iter().map(disk).collect()
}

/// Reads a list of log vdevs, which know no raidz.
pub(crate) fn log(node: &Node) -> Checked<Vec<VdevSpec>> {
    vdevs(node, &["disk", "mirror"])
}

/// Reads a list of special vdevs, which know no raidz either.
pub(crate) fn special(node: &Node) -> Checked<Vec<VdevSpec>> {
    vdevs(node, &["disk", "mirror"])
}

/// Reads a record size: a power of two from 512 B to 16 MiB.
pub(crate) fn recordsize(node: &Node) -> Checked<Bytes> {
    let size = node.size()?;
    let fits = size.0.is_power_of_two() && (512..=16 << 20).contains(&size.0);
    if fits { Ok(size) } else { Err(node.must("be a power of two from 512 B to 16 MiB")) }
}

fn ashift(node: &Node) -> Checked<u8> {
    let number = node.whole()?;
    let fits = u8::try_from(number).ok().filter(|_| ASHIFT.contains(&number));
    fits.ok_or_else(|| node.must("be from 9 (512 B) to 16 (64 KiB)"))
}

fn vdevs(node: &Node, names: &[&str]) -> Checked<Vec<VdevSpec>> {
    few_enough(node, "vdevs")?;
    node.list()?.iter().map(|vdev_node| vdev(vdev_node, names)).collect()
}

/// Refuses a list of more vdevs than the engines have numbers for, or of more disks than a vdev takes.
fn few_enough(node: &Node, what: &str) -> Checked<()> {
    match node.list()?.len() {
        count if count > DISKS_MAX => {
            Err(node
                .fault(format!("“{}” takes at most {DISKS_MAX} {what}, not {count}", node.name)))
        }
        _ => Ok(()),
    }
}

fn vdev(node: &Node, names: &[&str]) -> Checked<VdevSpec> {
    let single = |disk: Disk| VdevSpec { layout: VdevLayout::Single, disks: vec![disk] };
    let Kind::Table(entries) = &node.kind else { return disk(node).map(single) };
    if entries.iter().any(|entry| entry.name == "device") {
        return disk(node).map(single);
    }
    let section = node.section("a vdev", names)?;
    let [entry] = section.entries() else {
        let fault = section.fault("a vdev is one kind with its disks");
        return Err(fault.help(format!("kinds are: {}", names.join(", "))));
    };
    let found = LAYOUTS.iter().find(|(name, _, _)| *name == entry.name);
    let (name, layout, least) = *found.ok_or_else(|| section.fault("not a kind of vdev"))?;
    if layout == VdevLayout::Single {
        return disk(entry).map(single);
    }
    let disks = disks(entry)?;
    match disks.len() {
        count if count < least => {
            Err(entry.fault(format!("{name} takes at least {least} disks, not {count}")))
        }
        count if count > DISKS_MAX => {
            Err(entry.fault(format!("{name} takes at most {DISKS_MAX} disks, not {count}")))
        }
        _ => Ok(VdevSpec { layout, disks }),
    }
}

fn disk(node: &Node) -> Checked<Disk> {
    if let Kind::Text(name) = &node.kind {
        profile_capacity(node, name)?;
        return Ok(Disk { profile: name.clone(), size: None });
    }
    let Kind::Table(_) = node.kind else {
        let fault = node.wrong("a device");
        return Err(fault.help("write \"hdd-nas-7200\" or { device = \"…\", size = \"…\" }"));
    };
    let section = node.section("a disk", &["device", "size"])?;
    let device = section.need("device", "device = \"nvme-consumer\"")?;
    let profile = device.text()?;
    let capacity = profile_capacity(device, profile)?;
    let size = section.maybe("size", Node::size_above_zero)?;
    if let (Some(size), Some(node)) = (size, section.get("size"))
        && size > capacity
    {
        return Err(too_large(node, size, profile, capacity));
    }
    Ok(Disk { profile: profile.to_owned(), size })
}

fn profile_capacity(node: &Node, name: &str) -> Checked<Bytes> {
    arcwright_device::profile(name).map(|profile| profile.capacity()).ok_or_else(|| {
        let known = arcwright_device::profile_names();
        node.fault(format!("no device profile is called “{name}”")).nearest(name, &known)
    })
}

fn too_large(node: &Node, size: Bytes, profile: &str, capacity: Bytes) -> Box<Fault> {
    node.fault(format!("{size} exceeds the size of {profile}, {capacity}"))
}

/// Returns the part of a disk that is used.
fn capacity(disk: &Disk) -> Bytes {
    let whole = || arcwright_device::profile(&disk.profile).map(|profile| profile.capacity());
    disk.size.or_else(whole).unwrap_or(Bytes::ZERO)
}

/// Returns what the data vdevs hold: the smallest disk of each counts, less parity.
pub(crate) fn usable(pool: &PoolSpec) -> Bytes {
    let of_vdev = |vdev: &VdevSpec| {
        let smallest = vdev.disks.iter().map(capacity).min().unwrap_or(Bytes::ZERO);
        let parity = match vdev.layout {
            VdevLayout::Single => 0,
            VdevLayout::Mirror => vdev.disks.len().saturating_sub(1),
            VdevLayout::Raidz1 => 1,
            VdevLayout::Raidz2 => 2,
            VdevLayout::Raidz3 => 3,
        };
        smallest.saturating_mul(vdev.disks.len().saturating_sub(parity) as u64)
    };
    pool.data.iter().map(of_vdev).sum()
}
