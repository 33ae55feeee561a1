//! A pool: what it is made of, how full it is, how it is set.

mod errors_beside;

use std::collections::BTreeMap;

use arcwright_units::Bytes;

use crate::dedup::DedupTables;
pub use errors_beside::ErrorsBeside;

/// What a pool is called whose name was not read, as in commands.
pub const UNNAMED_POOL: &str = "POOL";

/// An imported pool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pool {
    /// Its name.
    pub name: String,
    /// `ONLINE`, `DEGRADED`, ….
    pub state: Option<String>,
    /// What `zpool status` says of a scrub or resilver.
    pub scan: Option<String>,
    /// What `zpool status` says of a raidz vdev that gets another disk (2.3+).
    pub expansion: Option<String>,
    /// What `zpool status` says is wrong with it, in its words.
    pub status: Option<String>,
    /// What `zpool status` says of damaged files: `No known data errors`.
    pub errors: Option<String>,
    /// What `zpool status` says to do about `status`, in its words.
    pub action: Option<String>,
    /// How many data errors `zpool status` counts; none where it does not say.
    pub data_errors: Option<u64>,
    /// Files and objects that `zpool status -v` lists as damaged, as it names them.
    pub damaged: Vec<String>,
    /// Its tables of deduplication.
    pub dedup: DedupTables,
    /// Properties by name as `zpool get -Hp all` prints them: `ashift`, `capacity`, `fragmentation`.
    pub properties: BTreeMap<String, String>,
    /// Top-level vdevs; empty where the layout was not read or is in doubt.
    pub vdevs: Vec<Vdev>,
    /// Devices that were named where the layout is in doubt, or where lines were left out: what is said
    /// of each holds, how they stand together is not known, and there may be others. Of a list whose end
    /// is torn off, the groups above the torn one are whole, and that one says that it is cut.
    pub strays: Vec<Vdev>,
    /// Errors that are of none of its devices as they are now.
    pub errors_beside: ErrorsBeside,
    /// How `zpool import` offers it; none for a pool that is in use.
    pub offer: Option<Offer>,
}

/// What `zpool import` says of a pool that is not in use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offer {
    /// Its number, which tells pools of one name apart.
    pub id: String,
    /// It was destroyed (`zpool import -D`).
    pub is_destroyed: bool,
    /// It has devices that were not found, and of which nothing else is known.
    pub lacks_devices: bool,
}

/// A vdev, and below it what it is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vdev {
    /// `mirror-0`, `sda1`, `/dev/disk/by-id/…`, as `zpool status` names it.
    pub name: String,
    /// What the pool uses it for.
    pub class: Class,
    /// How it is built.
    pub layout: Layout,
    /// `ONLINE`, `FAULTED`, …; none where it was not told.
    pub state: Option<String>,
    /// Errors of reading, writing and checksums.
    pub errors: Option<[u64; 3]>,
    /// I/Os that took longer than `zio_slow_io_ms` (30 s), from `zpool status -s` (0.8+).
    pub slow_ios: Option<u64>,
    /// What `zpool status` says behind the row: `block size: 512B configured, 4096B native`,
    /// `too many errors`, `was /dev/sdb1`, `(resilvering)`.
    pub note: Option<String>,
    /// log2 of the sector that it was made with (`zdb -C`, `zpool get ashift POOL VDEV` of 2.2+).
    pub ashift: Option<u64>,
    /// What `zpool list -v` says of its space.
    pub space: Option<Space>,
    /// What it is made of; empty for a leaf.
    pub children: Vec<Self>,
    /// Whether the list ends within it, so that it may have more members than those.
    pub is_cut: bool,
}

/// The space of a vdev.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Space {
    /// All of it.
    pub size: Option<Bytes>,
    /// Taken.
    pub allocated: Option<Bytes>,
    /// Left.
    pub free: Option<Bytes>,
    /// How much of what is free is in small pieces, in percent of a scale of its own.
    pub fragmentation_pct: Option<u64>,
}

/// What the pool uses a vdev for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Contents.
    #[default]
    Data,
    /// The intent log (SLOG).
    Log,
    /// The L2ARC.
    Cache,
    /// Metadata and small blocks.
    Special,
    /// The table of deduplication.
    Dedup,
    /// A spare disk.
    Spare,
}

/// How a vdev is built.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Layout {
    /// A disk, a partition, a file.
    #[default]
    Leaf,
    /// Copies.
    Mirror,
    /// Parity over its members.
    Raidz {
        /// Members that may fail.
        parity: u8,
    },
    /// Parity with distributed spares.
    Draid {
        /// Members that may fail.
        parity: u8,
        /// Members of a group that hold data, where the name says it.
        data: Option<u8>,
        /// Members' worth of spares, where the name says it.
        spares: Option<u8>,
    },
    /// A disk being replaced, or a spare standing in.
    Replacing,
}

/// Returns whether two names mean one vdev: a path or its last part, whole disks with or without the
/// partition that ZFS makes on them (`-P` shows both, the plain form neither).
#[must_use]
pub fn is_same_vdev(one: &str, other: &str) -> bool {
    let (one, other) = (last(one), last(other));
    one == other || whole_disk(one) == Some(other) || whole_disk(other) == Some(one)
}

/// Returns whether a reason of `zpool status` is that a device does not work (`print_status_reason`,
/// cmd/zpool/zpool_main.c).
pub(crate) fn tells_of_ill(status: &str) -> bool {
    const REASONS: [&str; 6] = [
        "could not be used because",
        "could not be opened",
        "are faulted in response to persistent errors",
        "are unavailable in response to persistent errors",
        "been taken offline",
        "been removed",
    ];
    let words = status.split_whitespace().collect::<Vec<_>>().join(" ");
    REASONS.iter().any(|reason| words.contains(reason))
}

/// Returns the last part of a path.
fn last(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Names of vdevs, among which one is found that means the same as another name.
#[derive(Debug)]
pub struct VdevNames<'a> {
    names: Vec<&'a str>,
    /// By their last parts, and by the disks that these are the first partitions of.
    by_last: BTreeMap<&'a str, Vec<usize>>,
    by_disk: BTreeMap<&'a str, Vec<usize>>,
}

impl<'a> VdevNames<'a> {
    /// Collects names; each is found by its place among them.
    #[must_use]
    pub fn new(names: impl Iterator<Item = &'a str>) -> Self {
        let mut all =
            Self { names: names.collect(), by_last: BTreeMap::new(), by_disk: BTreeMap::new() };
        for (place, name) in all.names.iter().enumerate() {
            all.by_last.entry(last(name)).or_default().push(place);
            if let Some(disk) = whole_disk(last(name)) {
                all.by_disk.entry(disk).or_default().push(place);
            }
        }
        all
    }

    /// Returns the one that means the same vdev as `name` ([`is_same_vdev`]); none where several do.
    pub(crate) fn only(&self, name: &str) -> Option<&'a str> {
        let mut found = None;
        for place in self.places(name) {
            if found.is_some_and(|found| found != place) {
                return None;
            }
            found = Some(place);
        }
        self.names.get(*found?).copied()
    }

    /// Returns the places of all that mean the same vdev as `name` ([`is_same_vdev`]), some of them twice.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = usize> {
        self.places(name).copied()
    }

    /// Returns the place of the first that means the same vdev as `name` ([`is_same_vdev`]).
    #[must_use]
    pub fn first(&self, name: &str) -> Option<usize> {
        self.places(name).min().copied()
    }

    fn places(&self, name: &str) -> impl Iterator<Item = &usize> {
        let own = last(name);
        let places = [
            self.by_last.get(own),
            self.by_disk.get(own),
            whole_disk(own).and_then(|disk| self.by_last.get(disk)),
        ];
        places.into_iter().flatten().flatten()
    }
}

/// Returns the disk of a first partition: `ata-X` of `ata-X-part1`, `sda` of `sda1`.
fn whole_disk(name: &str) -> Option<&str> {
    let numbered = |c: char| c.is_ascii_digit();
    let partition = name.strip_suffix("-part1");
    let of_nvme = || name.strip_suffix("p1").filter(|disk| disk.ends_with(numbered));
    let of_sd =
        || name.strip_suffix('1').filter(|disk| !disk.ends_with(numbered) && !disk.ends_with('-'));
    partition.or_else(of_nvme).or_else(of_sd)
}

impl Class {
    /// Returns its name as people write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Log => "log",
            Self::Cache => "cache",
            Self::Special => "special",
            Self::Dedup => "dedup",
            Self::Spare => "spare",
        }
    }
}

impl Vdev {
    /// Returns the sector that it was made with and the one that the disk has, where `zpool status`
    /// says that they differ (`block size: 512B configured, 4096B native`).
    #[must_use]
    pub fn sectors(&self) -> Option<(Bytes, Bytes)> {
        let words = self.note.as_deref()?.split_once("block size:")?.1;
        let (configured, native) = words.split_once(" configured,")?;
        let native = native.split_once("native").map_or(native, |(size, _)| size);
        let bytes = |text: &str| Some(Bytes(text.trim().trim_end_matches('B').parse().ok()?));
        Some((bytes(configured)?, bytes(native)?))
    }

    /// Returns the leaves below it, itself when it is one.
    #[must_use]
    pub fn leaves(&self) -> Vec<&Self> {
        if self.children.is_empty() {
            return vec![self];
        }
        self.children.iter().flat_map(Self::leaves).collect()
    }

    /// Returns the sum of its errors; none where they were not read.
    #[must_use]
    pub fn error_sum(&self) -> Option<u64> {
        Some(self.errors?.iter().fold(0, |sum, count| sum.saturating_add(*count)))
    }
}

impl Pool {
    /// Returns whether the words of `zpool status` are of a device that does not work, whichever it is.
    #[must_use]
    pub fn tells_of_ill(&self) -> bool {
        self.status.as_deref().is_some_and(tells_of_ill)
    }

    /// Takes the layout back: its devices are known to be there, and no more.
    pub fn doubt_layout(&mut self) {
        let vdevs = std::mem::take(&mut self.vdevs);
        let is_device = |leaf: &&Vdev| leaf.layout == Layout::Leaf;
        self.strays.extend(vdevs.iter().flat_map(Vdev::leaves).filter(is_device).cloned());
    }

    /// Returns the top-level vdevs of a class.
    pub fn of_class(&self, class: Class) -> impl Iterator<Item = &Vdev> {
        self.vdevs.iter().filter(move |vdev| vdev.class == class)
    }

    /// Returns a property as a number; none when it is absent or not one (`-`).
    #[must_use]
    pub fn number(&self, property: &str) -> Option<u64> {
        let text = self.properties.get(property)?;
        text.trim_end_matches(['%', 'x']).parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{Vdev, VdevNames, is_same_vdev};

    #[test]
    fn sectors_are_read_from_the_note() {
        let sectors = |note: &str| {
            let vdev = Vdev { note: Some(note.to_owned()), ..Vdev::default() };
            vdev.sectors().map(|(configured, native)| (configured.0, native.0))
        };
        assert_eq!(sectors("block size: 512B configured, 4096B native"), Some((512, 4096)));
        assert_eq!(sectors("too many errors"), None);
        assert_eq!(sectors("block size: ?B configured, 4096B native"), None);
    }

    #[test]
    fn disks_are_the_same_with_and_without_path_and_partition() {
        let same = [
            ("/dev/disk/by-id/ata-X-part1", "ata-X"),
            ("/dev/sda1", "sda"),
            ("nvme0n1p1", "/dev/nvme0n1"),
            ("sda", "sda"),
        ];
        same.iter().for_each(|(one, other)| assert!(is_same_vdev(one, other), "{one} {other}"));
        let others = [
            ("sda2", "sda"),
            ("sda", "sdb"),
            ("mirror-1", "mirror-"),
            ("sda1", "sda11"),
            ("mirror-0", "mirror-1"),
        ];
        others.iter().for_each(|(one, other)| assert!(!is_same_vdev(one, other), "{one} {other}"));
    }

    #[test]
    fn the_only_vdev_of_a_name_is_found_as_by_comparing_all() {
        let all = [
            "sda",
            "sda1",
            "/dev/sda",
            "sdb1",
            "sdc",
            "ata-X",
            "ata-X-part1",
            "ata-Y-part1",
            "nvme0n1",
            "nvme0n1p1",
            "nvme1n1p1",
            "d-1",
            "d-",
            "x/sdc1",
            "1",
            "",
        ];
        for from in 0..all.len() {
            for to in from..=all.len() {
                let names = &all[from..to];
                let index = VdevNames::new(names.iter().copied());
                for name in all {
                    let mut same = names.iter().filter(|other| is_same_vdev(other, name));
                    let expected = same.next().filter(|_| same.next().is_none()).copied();
                    assert_eq!(index.only(name), expected, "{name} among {names:?}");
                }
            }
        }
    }
}
