//! What the engine and its worker processes say to each other: one JSON object per line.
//!
//! ```text
//!   engine ── Job (standard input) ──> worker        one process per arm, since every tunable and
//!          <── Message … Message ───── (standard      counter of the library is global
//!                                       output)
//! ```

pub(crate) mod places;

use std::path::PathBuf;

use arcwright_scenario::{
    AppliedSetting, CounterReading, FileSpec, Phase, PhaseRun, Setting, System, TreeSpec,
};
use arcwright_units::Nanos;
use arcwright_workload::{Action, Client, Replay};
use serde::{Deserialize, Serialize};

/// How a worker ends that finds no room for an image; told by nobody else (`sysexits.h` begins at 64).
pub(crate) const EXIT_FULL: i32 = 28;

/// Returns the release and the form of the jobs that this build of the crate reads and writes: an engine
/// and a worker that differ in it do not understand each other.
pub(crate) fn form() -> String {
    const FORM: u32 = {
        let (text, mut hash, mut at) = (include_bytes!("mod.rs"), 0x811c_9dc5_u32, 0);
        // FNV-1a, since the compiler computes it.
        #[expect(clippy::indexing_slicing, reason = "computed by the compiler, within bounds")]
        while at < text.len() {
            hash = (hash ^ text[at] as u32).wrapping_mul(0x0100_0193);
            at += 1;
        }
        hash
    };
    format!("{} {FORM:08x}", env!("CARGO_PKG_VERSION"))
}

/// What a worker is to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Job {
    /// The form of this job, see [`form`].
    pub(crate) form: String,
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
    /// Says whether time goes by events while it is done.
    pub(crate) fn is_by_events(&self) -> bool {
        !matches!(&self.task, Task::Run(task) if task.dilation.is_some())
    }
}

/// A worker's task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Task {
    /// Creates the pool and its files in the image folder.
    Build,
    /// Runs the phases of one arm.
    Run(RunTask),
    /// Writes until the power goes.
    Crash(CrashTask),
    /// Looks what a crash has left.
    Recover(RecoverTask),
}

/// A tunable as it was asked for, and the value that is set at the lab's scale.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ScaledSetting {
    /// Its name, and the value asked for.
    pub(crate) asked: Setting,
    /// The value to set.
    pub(crate) scaled: u64,
}

impl ScaledSetting {
    /// One that is set as it was asked for.
    pub(crate) fn unscaled(asked: &Setting) -> Self {
        Self { scaled: asked.value, asked: asked.clone() }
    }
}

/// A crash in the middle of writes, on disks whose contents stay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CrashTask {
    /// Who writes.
    pub(crate) client: Client,
    /// Tunables, in the order in which they are set.
    pub(crate) tunables: Vec<ScaledSetting>,
    /// When the power goes, from the first write on.
    pub(crate) after: Nanos,
}

/// What a worker says before it kills itself: for every slot, when each of its writes, which are
/// numbered from 1, was acknowledged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Evidence {
    /// When the power went.
    pub(crate) at: Nanos,
    /// Per slot and write.
    pub(crate) acknowledged: Vec<Vec<Nanos>>,
}

/// A look at what a crash has left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RecoverTask {
    /// The crash.
    pub(crate) crash: CrashTask,
}

/// One run of one arm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunTask {
    /// Name of the arm.
    pub(crate) arm: String,
    /// A folder of its own for cache and log devices.
    pub(crate) folder: PathBuf,
    /// What is done, already scaled.
    pub(crate) phases: Vec<Phase>,
    /// The traces that clients play, in the order of the clients: phases do not carry them.
    pub(crate) replays: Vec<Replay>,
    /// Tunables, in the order in which they are set.
    pub(crate) tunables: Vec<ScaledSetting>,
    /// Virtual seconds per real second; none when time goes by events.
    pub(crate) dilation: Option<f64>,
    /// What stands between the library and the disks.
    pub(crate) environment: Environment,
    /// How often the counters are reported.
    #[serde(default)]
    pub(crate) readings: Option<Nanos>,
}

impl RunTask {
    /// Returns the traces that clients of some phases play.
    pub(crate) fn replays_of(phases: &[Phase]) -> Vec<Replay> {
        let clients = phases.iter().flat_map(|phase| &phase.clients);
        let replay = |client: &Client| match &client.action {
            Action::Trace { replay, .. } => Some(replay.clone()),
            _ => None,
        };
        clients.filter_map(replay).collect()
    }

    /// Gives the clients back the traces that they play.
    #[cfg(feature = "worker")]
    pub(crate) fn attach_replays(&mut self) {
        let mut replays = std::mem::take(&mut self.replays).into_iter();
        let clients = self.phases.iter_mut().flat_map(|phase| &mut phase.clients);
        for client in clients {
            if let Action::Trace { replay, .. } = &mut client.action {
                replays.next().into_iter().for_each(|theirs| *replay = theirs);
            }
        }
    }
}

/// What the library runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Environment {
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
    /// All counters at one moment.
    Reading(Box<CounterReading>),
    /// The tunables as they are now.
    Applied(Vec<AppliedSetting>),
    /// Something the user should know.
    Note(String),
    /// A phase is complete; its numbers are those of the scaled run.
    Phase(Box<PhaseRun>),
    /// The last words before a crash.
    Crashed(Box<Evidence>),
    /// What was found after a crash: per place the number of the write, 0 for none, the largest number
    /// for parts of several.
    Recovered(Vec<u64>),
    /// The task is complete.
    Done,
    /// The task failed.
    Failed(String),
}
