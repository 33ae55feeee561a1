//! What the engine and its worker processes say to each other: one JSON object per line.
//!
//! ```text
//!   engine ── Job (standard input) ──> worker        one process per arm, since every tunable and
//!          <── Message … Message ───── (standard      counter of the library is global
//!                                       output)
//! ```

use std::path::PathBuf;

use arcwright_scenario::{AppliedSetting, FileSpec, Phase, PhaseRun, Setting, System, TreeSpec};
use arcwright_units::Bytes;
use serde::{Deserialize, Serialize};

/// What a worker is to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Job {
    /// The task.
    pub(crate) task: Task,
    /// The `libzpool` to load.
    pub(crate) library: PathBuf,
    /// Its version, for messages.
    pub(crate) version: String,
    /// The folder of the pool's image.
    pub(crate) image: PathBuf,
    /// The machine and pool, already scaled.
    pub(crate) system: System,
    /// The processor that the library is to see.
    pub(crate) processor: String,
    /// The files, already scaled.
    pub(crate) files: Vec<FileSpec>,
    /// The directory trees, already scaled.
    pub(crate) trees: Vec<TreeSpec>,
    /// Uniform scaling, for the device profiles.
    pub(crate) scale: u64,
    /// Seed of every random stream.
    pub(crate) seed: u64,
}

impl Job {
    /// Returns what all files and trees hold.
    pub(crate) fn bytes(&self) -> Bytes {
        let files: Bytes = self.files.iter().map(|file| file.size).sum();
        files + self.trees.iter().map(|tree| tree.drawn(self.seed).bytes()).sum()
    }
}

/// A worker's task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Task {
    /// Creates the pool and its files in the image folder.
    Build,
    /// Runs the phases of one arm.
    Run(RunTask),
}

/// One run of one arm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunTask {
    /// A folder of its own for cache and log devices.
    pub(crate) folder: PathBuf,
    /// What is done, already scaled.
    pub(crate) phases: Vec<Phase>,
    /// Tunables: as asked, and the value to set after scaling.
    pub(crate) tunables: Vec<(Setting, u64)>,
    /// Virtual seconds per real second; none when time goes by events.
    pub(crate) motion: Option<f64>,
    /// What stands between the library and the disks.
    pub(crate) surroundings: Surroundings,
}

/// What the library runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Surroundings {
    /// Emulated disks with the scenario's profiles.
    Emulated,
    /// Emulated disks that take no time.
    Instant,
    /// The machine's own files, which take no time: the pool is being built.
    Building,
    /// Nothing of the lab but its statistics: plain files, the machine's own clock.
    Bare,
}

/// What a worker says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Message {
    /// How far it is.
    Progress {
        /// Bytes moved by clients or written into files.
        done: u64,
        /// All bytes of the task.
        total: u64,
    },
    /// The tunables as they are now.
    Applied(Vec<AppliedSetting>),
    /// Something the user should know.
    Note(String),
    /// A phase is complete; its numbers are those of the scaled run.
    Phase(Box<PhaseRun>),
    /// The task is complete.
    Done,
    /// The task failed.
    Failed(String),
}
