//! An experiment: a system, arms that change a few things, files, and phases of work.

use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Action, Client, TreeFiles, TreeShape};
use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::dataset::{DatasetSpec, Properties};
use crate::disk::Disk;
use crate::reported::Reported;
use crate::system::{PoolSpec, Setting, System, VdevSpec};

/// No scenario file, and no job file, is longer; as values with places it takes a hundred times the memory.
pub const SCENARIO_BYTES_MAX: u64 = 1 << 20;

/// A parsed and checked scenario file.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Scenario {
    /// What it is about, one line.
    pub title: String,
    /// The question it answers.
    pub question: String,
    /// Seed of every random stream.
    pub seed: u64,
    /// The machine before any arm changes it.
    pub system: System,
    /// What is compared, at least one; the first is the reference.
    pub arms: Vec<Arm>,
    /// The files written before the first phase.
    pub files: Vec<FileSpec>,
    /// Directory trees written before the first phase.
    pub trees: Vec<TreeSpec>,
    /// What is done, in order, in every arm.
    pub phases: Vec<Phase>,
    /// What the author of a field report measured.
    pub reported: Option<Reported>,
    /// What the result would mean, in words.
    #[serde(default)]
    pub answers: Vec<Answer>,
    /// How the lab runs it.
    pub lab: LabSettings,
    /// What was taken from other files without effect, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One variant of the system.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Arm {
    /// Its name, unique in the scenario.
    pub name: String,
    /// Tunables it sets on top of the system's.
    pub tunables: Vec<Setting>,
    /// Replaces the system's OpenZFS version.
    pub zfs: Option<String>,
    /// Replaces the system's memory.
    pub memory: Option<Bytes>,
    /// Replaces the cache devices; empty means none.
    pub cache: Option<Vec<Disk>>,
    /// Replaces the log vdevs; empty means none.
    pub log: Option<Vec<VdevSpec>>,
    /// Replaces the special vdevs; empty means none.
    #[serde(default)]
    pub special: Option<Vec<VdevSpec>>,
    /// Replaces properties of the pool's own dataset.
    #[serde(default)]
    pub properties: Properties,
    /// Replaces properties of other datasets, by their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub datasets: Vec<DatasetSpec>,
}

/// A file that exists before the first phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct FileSpec {
    /// Its name, unique among files and trees.
    pub name: String,
    /// Its size.
    pub size: Bytes,
    /// Its record size; that of its dataset when absent.
    pub recordsize: Option<Bytes>,
    /// The dataset that holds it; the pool's own when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// What LZ4 makes of what it holds, in hundredths: 180 for 1.8x; nothing when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compressratio_percent: Option<u32>,
}

/// A directory tree of small files that exists before the first phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct TreeSpec {
    /// Its name, unique among files and trees.
    pub name: String,
    /// Number of files, at least 1.
    pub files: u64,
    /// Files per directory, at least 1.
    pub files_per_directory: u64,
    /// Smallest file.
    pub size_min: Bytes,
    /// Largest file.
    pub size_max: Bytes,
    /// What LZ4 makes of what its files hold, in hundredths: 180 for 1.8x; nothing when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compressratio_percent: Option<u32>,
}

impl TreeSpec {
    /// Returns its files, with the sizes that `seed` draws.
    #[must_use]
    pub fn drawn(&self, seed: u64) -> TreeFiles {
        let shape = TreeShape {
            files: self.files,
            files_per_directory: self.files_per_directory,
            size_min: self.size_min,
            size_max: self.size_max,
        };
        TreeFiles::new(shape, seed, &self.name)
    }
}

/// A step of the workload; it ends when its last client is done.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Phase {
    /// Its name, unique in the scenario.
    pub name: String,
    /// Who works in it, at least one.
    pub clients: Vec<Client>,
    /// A pause before it starts, in which the feed thread and transaction groups go on.
    pub pause: Nanos,
    /// Ends the phase after this time even if clients are not done.
    pub limit: Option<Nanos>,
    /// Repeats it until the caches are warm, so often at most; once when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_warm: Option<u32>,
}

impl Phase {
    /// Returns whether all that its clients do is read, so that what they move is what was read.
    #[must_use]
    pub fn only_reads(&self) -> bool {
        let other = |client: &Client| client.action.writes() || client.action == Action::TreeStat;
        !self.clients.iter().any(other)
    }

    /// Returns what its clients do with what they move.
    #[must_use]
    pub fn transfers(&self) -> Transfers {
        let writes = |client: &Client| client.action == Action::Write;
        match () {
            () if self.only_reads() => Transfers::Reads,
            () if self.clients.iter().all(writes) => Transfers::Writes,
            () => Transfers::Both,
        }
    }
}

/// What clients do with what they move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Transfers {
    /// All of it is read.
    Reads,
    /// All of it is written.
    Writes,
    /// Some of it is read and some written, or neither.
    #[default]
    Both,
}

impl Transfers {
    /// Returns what was read and what was written of what was moved; none where that is not known.
    #[must_use]
    pub const fn parts(self, moved: Bytes) -> (Option<Bytes>, Option<Bytes>) {
        match self {
            Self::Reads => (Some(moved), Some(Bytes::ZERO)),
            Self::Writes => (Some(Bytes::ZERO), Some(moved)),
            Self::Both => (None, None),
        }
    }
}

/// How the lab runs a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct LabSettings {
    /// Uniform scaling: sizes and rates are divided by it, durations stay.
    pub scale: u64,
    /// How virtual time passes; results of earlier versions do not tell.
    #[serde(default)]
    pub clock: LabClock,
    /// Virtual seconds per real second of the real clock; calibrated when absent.
    pub motion: Option<f64>,
    /// OpenZFS library to use (`2.1.11`, `2.3.2` or a path) instead of the nearest to `system.zfs`.
    pub openzfs: Option<String>,
}

impl Default for LabSettings {
    /// Life-size, by events, with the library nearest to the system's version.
    fn default() -> Self {
        Self { scale: 1, clock: LabClock::Events, motion: None, openzfs: None }
    }
}

/// How virtual time passes in the lab.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum LabClock {
    /// It jumps from event to event: the same in every run, on every machine.
    #[default]
    Events,
    /// It passes as in reality, faster or slower by one factor.
    Real,
}

impl Scenario {
    /// Returns the system as `arm` sees it: overrides applied, arm tunables after the system's.
    #[must_use]
    pub fn system_of(&self, arm: &Arm) -> System {
        let mut system = self.system.clone();
        if let Some(zfs) = &arm.zfs {
            system.zfs.clone_from(zfs);
        }
        if let Some(memory) = arm.memory {
            system.memory = memory;
        }
        let pool: &mut PoolSpec = &mut system.pool;
        if let Some(cache) = &arm.cache {
            pool.cache.clone_from(cache);
        }
        if let Some(log) = &arm.log {
            pool.log.clone_from(log);
        }
        if let Some(special) = &arm.special {
            pool.special.clone_from(special);
        }
        replace(pool, &arm.properties);
        for theirs in &arm.datasets {
            let own = pool.datasets.iter_mut().find(|dataset| dataset.name == theirs.name);
            own.into_iter().for_each(|own| own.properties.replace(&theirs.properties));
        }
        for setting in &arm.tunables {
            system.tunables.retain(|other| other.name != setting.name);
            system.tunables.push(setting.clone());
        }
        system
    }
}

/// Sets what an arm replaces of the pool's own dataset.
fn replace(pool: &mut PoolSpec, arm: &Properties) {
    pool.recordsize = arm.recordsize.unwrap_or(pool.recordsize);
    pool.compression = arm.compression.unwrap_or(pool.compression);
    pool.encryption = arm.encryption.unwrap_or(pool.encryption);
    pool.primarycache = arm.primarycache.unwrap_or(pool.primarycache);
    pool.secondarycache = arm.secondarycache.unwrap_or(pool.secondarycache);
    pool.sync = arm.sync.unwrap_or(pool.sync);
    pool.logbias = arm.logbias.unwrap_or(pool.logbias);
    pool.special_small_blocks = arm.special_small_blocks.unwrap_or(pool.special_small_blocks);
}
