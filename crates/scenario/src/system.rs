//! The machine of an experiment: memory, OpenZFS version, pool layout.

use arcwright_tunables::Kernel;
use arcwright_units::Bytes;
use serde::{Deserialize, Serialize};

use crate::dataset::{CacheContent, Compression, DatasetSpec, Encryption, Logbias, SyncMode};
use crate::disk::{Disk, is_zero};
use crate::processor::{Processor, ProcessorFigures, processor};

/// One machine with one pool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct System {
    /// Behaviour version as written: `2.1.5`, `2.3`, `freebsd-8`.
    pub zfs: String,
    /// `linux` or `freebsd`.
    pub os: Kernel,
    /// Installed memory.
    pub memory: Bytes,
    /// Name of the processor cost profile.
    pub cpu: String,
    /// What the profile says, where it is a file of the scenario's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_figures: Option<ProcessorFigures>,
    /// The pool.
    pub pool: PoolSpec,
    /// Tunables set for every arm, in file order.
    pub tunables: Vec<Setting>,
}

impl System {
    /// Returns its processor: that of its own file, or the profile of that name; none when there is no such profile.
    #[must_use]
    pub fn processor(&self) -> Option<Processor> {
        match self.cpu_figures {
            Some(figures) => Some(figures.processor()),
            None => processor(&self.cpu),
        }
    }
}

/// A pool and the properties of its own dataset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
#[schemars(rename = "Pool")]
pub struct PoolSpec {
    /// Top-level data vdevs, at least one.
    pub data: Vec<VdevSpec>,
    /// Cache (L2ARC) devices.
    pub cache: Vec<Disk>,
    /// Log (SLOG) vdevs.
    pub log: Vec<VdevSpec>,
    /// Special vdevs, which hold metadata.
    #[serde(default)]
    pub special: Vec<VdevSpec>,
    /// `recordsize` of the dataset.
    pub recordsize: Bytes,
    /// `compression` of the dataset.
    pub compression: Compression,
    /// `encryption` of the dataset.
    #[serde(default, skip_serializing_if = "Encryption::is_off")]
    pub encryption: Encryption,
    /// `primarycache` of the dataset.
    pub primarycache: CacheContent,
    /// `secondarycache` of the dataset.
    pub secondarycache: CacheContent,
    /// `sync` of the dataset.
    #[serde(default)]
    pub sync: SyncMode,
    /// `logbias` of the dataset.
    #[serde(default)]
    pub logbias: Logbias,
    /// `special_small_blocks` of the dataset; 0 for none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub special_small_blocks: Bytes,
    /// log2 of the sector size that ZFS assumes.
    pub ashift: u8,
    /// Datasets beside its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub datasets: Vec<DatasetSpec>,
}

impl PoolSpec {
    /// Returns its disks in the order in which both engines number them: of data vdevs, special ones, log
    /// vdevs, then cache devices.
    pub fn disks(&self) -> impl Iterator<Item = &Disk> {
        let vdevs = self.data.iter().chain(&self.special).chain(&self.log);
        vdevs.flat_map(|vdev| &vdev.disks).chain(&self.cache)
    }

    /// Returns where each of them is: those behind one link, and those that share a device, are a group in this order;
    /// any other is one by itself.
    #[must_use]
    pub fn places(&self) -> Vec<PlaceInGroup> {
        let mut groups = 0;
        let mut shared: Vec<(Shared<'_>, PlaceInGroup)> = Vec::new();
        let place = |disk| {
            let what = Shared::of(disk);
            let known = shared.iter_mut().find(|(known, _)| what.as_ref() == Some(known));
            if let Some((_, last)) = known {
                last.member += 1;
                return *last;
            }
            let first = PlaceInGroup { group: groups, member: 0 };
            groups += 1;
            shared.extend(what.map(|what| (what, first)));
            first
        };
        self.disks().map(place).collect()
    }
}

/// What disks of a group share.
#[derive(PartialEq, Eq)]
enum Shared<'a> {
    Link(&'a str),
    Device(&'a str),
}

impl<'a> Shared<'a> {
    fn of(disk: &'a Disk) -> Option<Self> {
        match (&disk.link, &disk.part_of) {
            (Some(link), _) => Some(Self::Link(&link.name)),
            (None, Some(device)) => Some(Self::Device(device)),
            (None, None) => None,
        }
    }
}

/// Where a disk is: in which group of disks of a pool that wait for each other, and which of them it is; both are
/// counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaceInGroup {
    /// The group.
    pub group: usize,
    /// The disk in it.
    pub member: usize,
}

/// A top-level vdev.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
#[schemars(rename = "Vdev")]
pub struct VdevSpec {
    /// How its disks are combined.
    pub layout: VdevLayout,
    /// Its disks.
    pub disks: Vec<Disk>,
}

/// How the disks of a vdev are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Layout")]
pub enum VdevLayout {
    /// One disk alone.
    Single,
    /// Every disk holds everything.
    Mirror,
    /// Single parity.
    Raidz1,
    /// Double parity.
    Raidz2,
    /// Triple parity.
    Raidz3,
    /// Groups of data and parity over all disks, with the room of spares spread over them too.
    Draid {
        /// How many disks of a group hold parity.
        parity: u8,
        /// How many disks of a group hold data.
        data: u8,
        /// How many disks' worth of room is left for spares.
        spares: u8,
    },
}

impl VdevLayout {
    /// Returns how it is called in a scenario.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Single => "disk",
            Self::Mirror => "mirror",
            Self::Raidz1 => "raidz1",
            Self::Raidz2 => "raidz2",
            Self::Raidz3 => "raidz3",
            Self::Draid { parity: 1, .. } => "draid1",
            Self::Draid { parity: 2, .. } => "draid2",
            Self::Draid { .. } => "draid3",
        }
    }

    /// Returns how many disks' worth of a raidz, or of a group of dRAID, is parity.
    #[must_use]
    pub const fn parity(self) -> u64 {
        match self {
            Self::Single | Self::Mirror => 0,
            Self::Raidz1 => 1,
            Self::Raidz2 => 2,
            Self::Raidz3 => 3,
            Self::Draid { parity, .. } => parity as u64,
        }
    }

    /// Returns the fewest disks that such a vdev takes.
    #[must_use]
    pub const fn fewest_disks(self) -> usize {
        match self {
            Self::Single => 1,
            Self::Mirror | Self::Raidz1 => 2,
            Self::Raidz2 => 3,
            Self::Raidz3 => 4,
            Self::Draid { parity, data, spares } => {
                let data = if data == 0 { 1 } else { data };
                parity as usize + data as usize + spares as usize
            }
        }
    }

    /// Says whether a vdev of so many disks can be such a one.
    #[must_use]
    pub const fn takes(self, disks: usize) -> bool {
        let can_be = match self {
            Self::Single => disks == 1,
            Self::Draid { parity, data, spares } => {
                parity >= 1
                    && parity <= 3
                    && data > 0
                    && spares as usize <= Self::DRAID_SPARES_MAX
                    && disks <= Self::DRAID_DISKS_MAX
            }
            _ => true,
        };
        can_be && disks >= self.fewest_disks()
    }

    /// The most disks and spares of a dRAID vdev (`VDEV_DRAID_MAX_CHILDREN`, `vdev_draid_init`).
    pub const DRAID_DISKS_MAX: usize = 255;
    /// See [`Self::DRAID_DISKS_MAX`].
    pub const DRAID_SPARES_MAX: usize = 100;
}

impl VdevSpec {
    /// Returns how many of its disks hold different data, rounded down.
    #[must_use]
    pub fn data_disks(&self) -> u64 {
        self.holds(Bytes(1)).0
    }

    /// Returns what it holds when each of its disks takes `disk`: less copies, parity and spares.
    #[must_use]
    pub fn holds(&self, disk: Bytes) -> Bytes {
        let disks = self.disks.len() as u64;
        match self.layout {
            VdevLayout::Mirror => disk.saturating_mul(disks.min(1)),
            VdevLayout::Draid { parity, data, spares } => {
                let all = disk.saturating_mul(disks.saturating_sub(spares.into()));
                let width = u128::from(parity) + u128::from(data);
                let held = u128::from(all.0) * u128::from(data) / width.max(1);
                Bytes(u64::try_from(held).unwrap_or(u64::MAX))
            }
            layout => disk.saturating_mul(disks.saturating_sub(layout.parity())),
        }
    }

    /// Returns its layout as ZFS names it: `mirror`, `draid2:4d:11c:1s`.
    #[must_use]
    pub fn layout_name(&self) -> String {
        match self.layout {
            VdevLayout::Draid { data, spares, .. } => {
                format!("{}:{data}d:{}c:{spares}s", self.layout.name(), self.disks.len())
            }
            layout => layout.name().to_owned(),
        }
    }
}

/// A tunable and the value it is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Setting {
    /// Linux parameter name, as in zfs(4).
    pub name: String,
    /// The value in the parameter's own unit.
    pub value: u64,
}
