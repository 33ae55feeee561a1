//! The pool: vdevs, disks, and the properties of its dataset.

use arcwright_units::Bytes;

use super::device::{DISKS_MAX, Devices};
use super::draid;
use super::section::Section;
use super::tree::{Kind, Node};
use crate::dataset::{CacheContent, Compression, Encryption, Logbias, Properties, SyncMode};
use crate::disk::Disk;
use crate::error::Checked;
use crate::system::{PoolSpec, VdevLayout, VdevSpec};

/// What a pool says beside the properties of its own dataset.
const KEYS: [&str; 6] = ["data", "cache", "log", "special", "ashift", "fill"];
/// Properties of a dataset, as [`properties`] reads them.
pub(crate) const PROPERTIES: [&str; 8] = [
    "recordsize",
    "compression",
    "encryption",
    "primarycache",
    "secondarycache",
    "sync",
    "logbias",
    "special_small_blocks",
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
/// What `on` stands for has changed once; other ciphers are not simulated.
const ENCRYPTION: [(&str, Encryption); 3] = [
    ("off", Encryption::Off),
    ("on", Encryption::Aes256Gcm),
    ("aes-256-gcm", Encryption::Aes256Gcm),
];
/// What a data vdev may say.
const DATA_KEYS: [&str; 11] = [
    "disk", "mirror", "raidz1", "raidz2", "raidz3", "draid1", "draid2", "draid3", "data", "spares",
    "count",
];
/// What stands beside the kind of a vdev and its disks.
const BESIDE_KIND: [&str; 3] = [draid::DATA, draid::SPARES, "count"];
/// The kinds of vdevs but dRAID.
const LAYOUTS: [VdevLayout; 5] = [
    VdevLayout::Single,
    VdevLayout::Mirror,
    VdevLayout::Raidz1,
    VdevLayout::Raidz2,
    VdevLayout::Raidz3,
];
/// Sectors of 512 B to 64 KiB (`ASHIFT_MIN`, `ASHIFT_MAX`, include/sys/vdev_impl.h).
const ASHIFT: std::ops::RangeInclusive<u64> = 9..=16;

/// The fullest pool that can be said: beyond it few metaslabs have the free space for new blocks in a row.
const FILL_MAX: f64 = 0.9;

/// Reads `[system.pool]`.
pub(crate) fn read(node: &Node, devices: &Devices<'_>) -> Checked<PoolSpec> {
    let section = node.section("[system.pool]", &[&KEYS[..], &PROPERTIES].concat())?;
    let data_node = section.need("data", "data = [{ mirror = [\"2 x hdd-nas-7200\"] }]")?;
    let mut data = vdevs(data_node, &DATA_KEYS, devices)?;
    if data.is_empty() {
        return Err(data_node.fault("the pool has no data vdev"));
    }
    if let Some(fill) = section.maybe("fill", fill)?.filter(|fill| *fill > 0.0) {
        data.iter_mut().flat_map(|vdev| &mut vdev.disks).for_each(|disk| disk.fill(fill));
    }
    let own = properties(&section)?;
    let pool = PoolSpec {
        data,
        cache: section.maybe("cache", |node| disks(node, devices))?.unwrap_or_default(),
        log: section.maybe("log", |node| few_kinds(node, devices))?.unwrap_or_default(),
        special: section.maybe("special", |node| few_kinds(node, devices))?.unwrap_or_default(),
        recordsize: own.recordsize.unwrap_or(Bytes::kib(128)),
        compression: own.compression.unwrap_or(Compression::Off),
        encryption: own.encryption.unwrap_or_default(),
        primarycache: own.primarycache.unwrap_or(CacheContent::All),
        secondarycache: own.secondarycache.unwrap_or(CacheContent::All),
        sync: own.sync.unwrap_or_default(),
        logbias: own.logbias.unwrap_or_default(),
        special_small_blocks: own.special_small_blocks.unwrap_or(Bytes::ZERO),
        ashift: section.maybe("ashift", ashift)?.unwrap_or(12),
        datasets: Vec::new(),
    };
    if let Some(node) = section.get("log") {
        check_log(node, &pool.log, &pool)?;
    }
    Ok(pool)
}

/// Refuses a log device that is larger than all data of the pool.
pub(crate) fn check_log(node: &Node, log: &[VdevSpec], pool: &PoolSpec) -> Checked<()> {
    let data = usable(pool);
    let largest = log.iter().flat_map(|vdev| &vdev.disks).map(Disk::used).max();
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
        compression: section.maybe("compression", |node| node.choice(&COMPRESSION))?,
        encryption: section.maybe("encryption", |node| node.choice(&ENCRYPTION))?,
        primarycache: section.maybe("primarycache", content)?,
        secondarycache: section.maybe("secondarycache", content)?,
        sync: section.maybe("sync", |node| node.choice(&SYNC))?,
        logbias: section.maybe("logbias", |node| node.choice(&LOGBIAS))?,
        special_small_blocks: section.maybe("special_small_blocks", small_blocks)?,
    })
}

/// Reads which share of the data vdevs other files take.
fn fill(node: &Node) -> Checked<f64> {
    let share = node.share()?;
    if share <= FILL_MAX {
        return Ok(share);
    }
    let fault = node.fault(format!("“fill” is at most {} %", FILL_MAX * 100.0));
    Err(fault.help(
        "a fuller pool searches for free pieces that are just large enough, which is not simulated; write 0.9 or less",
    ))
}

/// Reads a list of cache devices, or the disks of a vdev.
pub(crate) fn disks(node: &Node, devices: &Devices<'_>) -> Checked<Vec<Disk>> {
    if let Kind::Text(_) = node.kind {
        return devices.disks(node);
    }
    let mut all = Vec::new();
    for one in node.list()? {
        all.extend(devices.disks(one)?);
        few_enough(node, all.len(), "disks")?;
    }
    Ok(all)
}

/// Reads a list of log or special vdevs, which know no raidz.
pub(crate) fn few_kinds(node: &Node, devices: &Devices<'_>) -> Checked<Vec<VdevSpec>> {
    vdevs(node, &["disk", "mirror", "count"], devices)
}

/// Reads a record size: a power of two from 512 B to 16 MiB.
pub(crate) fn recordsize(node: &Node) -> Checked<Bytes> {
    let size = node.size()?;
    let fits = size.0.is_power_of_two() && (512..=16 << 20).contains(&size.0);
    if fits {
        return Ok(size);
    }
    let fault = node.must("be a power of two from 512 B to 16 MiB");
    match node.binary_text() {
        Some(text) => Err(fault.help(format!("did you mean “{text}”?"))),
        None => Err(fault),
    }
}

/// Reads how large a block of a file may be that goes to special vdevs: 0, or as a record size.
fn small_blocks(node: &Node) -> Checked<Bytes> {
    match node.size()? {
        Bytes::ZERO => Ok(Bytes::ZERO),
        _ => recordsize(node),
    }
}

fn ashift(node: &Node) -> Checked<u8> {
    let number = node.whole()?;
    let fits = u8::try_from(number).ok().filter(|_| ASHIFT.contains(&number));
    fits.ok_or_else(|| node.must("be from 9 (512 B) to 16 (64 KiB)"))
}

fn vdevs(node: &Node, keys: &[&str], devices: &Devices<'_>) -> Checked<Vec<VdevSpec>> {
    let mut all = Vec::new();
    for one in node.list()? {
        all.extend(some_vdevs(one, keys, devices)?);
        few_enough(node, all.len(), "vdevs")?;
    }
    Ok(all)
}

/// Refuses a list of more vdevs than the engines have numbers for, or of more disks than a vdev takes.
fn few_enough(node: &Node, count: usize, what: &str) -> Checked<()> {
    if count <= DISKS_MAX {
        return Ok(());
    }
    Err(node.fault(format!("“{}” takes at most {DISKS_MAX} {what}", node.name)))
}

/// Reads an element of a list of vdevs: a disk, several alike, or a kind with its disks, once or `count` times.
fn some_vdevs(node: &Node, keys: &[&str], devices: &Devices<'_>) -> Checked<Vec<VdevSpec>> {
    let singles = |disks: Vec<Disk>| {
        let single = |disk| VdevSpec { layout: VdevLayout::Single, disks: vec![disk] };
        disks.into_iter().map(single).collect()
    };
    let Kind::Table(entries) = &node.kind else { return devices.disks(node).map(singles) };
    if entries.iter().any(|entry| entry.name == "device") {
        return devices.disks(node).map(singles);
    }
    let section = node.section("a vdev", keys)?;
    let count = section.maybe("count", count)?.unwrap_or(1);
    let is_kind = |name: &str| !BESIDE_KIND.contains(&name);
    let mut kinds = section.entries().iter().filter(|entry| is_kind(&entry.name));
    let (Some(entry), None) = (kinds.next(), kinds.next()) else {
        let fault = section.fault("a vdev is one kind with its disks");
        let kinds = keys.iter().filter(|key| is_kind(key)).copied();
        return Err(fault.help(format!("kinds are: {}", kinds.collect::<Vec<_>>().join(", "))));
    };
    let vdev = match draid::parity_of(&entry.name) {
        Some(parity) => draid::vdev(&section, (entry, parity), devices)?,
        None => {
            draid::refuse_keys(&section)?;
            vdev(entry, devices)?
        }
    };
    for disk in &vdev.disks {
        devices.admit(node, count - 1, disk)?;
    }
    Ok(vec![vdev; count])
}

/// Reads how many vdevs are alike.
fn count(node: &Node) -> Checked<usize> {
    let number = node.whole_above_zero()?;
    let fits = usize::try_from(number).ok().filter(|count| *count <= DISKS_MAX);
    fits.ok_or_else(|| node.must(&format!("not be above {DISKS_MAX}")))
}

/// Reads a kind of vdev with its disks.
fn vdev(entry: &Node, devices: &Devices<'_>) -> Checked<VdevSpec> {
    let found = LAYOUTS.iter().find(|layout| layout.name() == entry.name);
    let layout = *found.ok_or_else(|| entry.fault("not a kind of vdev"))?;
    let (name, least) = (layout.name(), layout.fewest_disks());
    let disks = match layout {
        VdevLayout::Single => devices.disks(entry)?,
        _ => disks(entry, devices)?,
    };
    match disks.len() {
        count if count < least => {
            Err(entry.fault(format!("{name} takes at least {least} disks, not {count}")))
        }
        count if layout == VdevLayout::Single && count > 1 => {
            let fault = entry.fault(format!("{name} takes one disk, not {count}"));
            Err(fault.help("write the name alone, or mirror = […]"))
        }
        _ => {
            refuse_twice(entry, &disks)?;
            Ok(VdevSpec { layout, disks })
        }
    }
}

/// Refuses a vdev of which one device would be two disks: when it fails, both are gone.
pub(super) fn refuse_twice(entry: &Node, disks: &[Disk]) -> Checked<()> {
    let names = || disks.iter().filter_map(|disk| disk.part_of.as_ref());
    match names().enumerate().find(|(place, name)| names().take(*place).any(|it| it == *name)) {
        None => Ok(()),
        Some((_, name)) => {
            let message =
                format!("two disks of this vdev are parts of “{name}”, which fails at once");
            Err(entry.fault(message).help("take another device for one of them"))
        }
    }
}

/// Returns what the data vdevs hold: the smallest disk of each counts, less parity.
pub(crate) fn usable(pool: &PoolSpec) -> Bytes {
    let of_vdev = |vdev: &VdevSpec| {
        vdev.holds(vdev.disks.iter().map(Disk::used).min().unwrap_or(Bytes::ZERO))
    };
    pool.data.iter().map(of_vdev).sum()
}
