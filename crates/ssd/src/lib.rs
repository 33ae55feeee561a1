//! What an SSD should be for a pool: its log, its cache, a special vdev, a split of them, or nothing.
//!
//! ```text
//!   pool and load, a scenario ──┐
//!   one SSD or two              ├─> Trials: an arm for each use ──> an engine ──> SsdPlan: gains, sizes, wear, a choice
//!   block statistics, if any ───┘                                                    └─> Commands, and how to take them back
//! ```
//!
//! ```
//! use arcwright_model::Model;
//! use arcwright_scenario::{Engine, Event, RunRequest, Scenario, Watch};
//! use arcwright_ssd::{SsdQuestion, Ssd, SsdPlan, Trials};
//!
//! # struct Quiet;
//! # impl Watch for Quiet {
//! #     fn event(&mut self, _: Event) {}
//! #     fn stop(&self) -> bool { false }
//! # }
//! const FILE: &str = r#"
//! title = "A database"
//! system = { zfs = "2.3.2", memory = "4GiB", pool = { data = [{ mirror = ["2 x hdd-nas-7200"] }] } }
//! file = [{ name = "table", size = "256MiB" }]
//! phase = [{ name = "work", clients = [{ sync-write = "table", io = "16KiB", pattern = "random", amount = "4MiB" }] }]
//! "#;
//! let question = SsdQuestion {
//!     scenario: Scenario::parse(FILE, "database.toml").unwrap(),
//!     arm: None,
//!     ssds: vec![Ssd::of_profile("nvme-plp", None).unwrap()],
//!     phases: Vec::new(),
//!     special: None,
//!     waits_are_known: true,
//! };
//! let trials = Trials::of(question).unwrap();
//! let request = RunRequest { scenario: trials.scenario.clone(), repeats: 1 };
//! let outcome = Model::default().run(&request, &mut Quiet).unwrap();
//! let plan = SsdPlan::of(&trials, &outcome, 24.0).unwrap();
//! assert_eq!(plan.chosen().name, "log");
//! ```

mod blocks;
mod choice;
mod commands;
mod device;
mod doubts;
mod found;
mod line;
mod log_size;
mod making;
mod others;
mod plan;
mod pool;
mod risk;
mod roles;
mod trials;

pub use blocks::{Blocks, BlocksError, SmallBlocks};
pub use commands::Commands;
pub use device::Ssd;
pub use doubts::Doubts;
pub use found::{OtherUse, PhaseOfUse, Use, reach, saved_in_checks, waiting};
pub use line::{Line, RolePartitions, Target};
pub use log_size::LogSize;
pub use plan::SsdPlan;
pub use pool::Redundancy;
pub use roles::{Roles, Split};
pub use trials::{ALIKE, SsdQuestion, Trials, comparisons, counted_phases, reference_arm};

use arcwright_units::Bytes;

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SsdError {
    /// No such device profile.
    #[error("there is no device profile {name}{}; SSDs are {known}", meant(.nearest.as_deref()))]
    UnknownProfile {
        /// The name.
        name: String,
        /// What may have been meant.
        nearest: Option<String>,
        /// The profiles of SSDs.
        known: String,
    },
    /// A file that is no profile.
    #[error("{name} is no device file: {why}; arcwright calibrate device writes one")]
    NoProfile {
        /// The file.
        name: String,
        /// Why not.
        why: String,
    },
    /// A profile of a disk.
    #[error("{name} is no SSD; SSDs are {known}")]
    NoSsd {
        /// The profile.
        name: String,
        /// The profiles of SSDs.
        known: String,
    },
    /// More of it than it has.
    #[error("{name} has {whole}, not {size}")]
    TooLarge {
        /// What it is called.
        name: String,
        /// What was asked for.
        size: Bytes,
        /// What it has.
        whole: Bytes,
    },
    /// Too small to be divided.
    #[error("{name} has {size}; less than {least} is no use as log or cache")]
    TooSmall {
        /// What it is called.
        name: String,
        /// Its size.
        size: Bytes,
        /// The least.
        least: Bytes,
    },
    /// Its size was not read.
    #[error("the size of {name} was not read; say it with --profile and --size")]
    UnknownSize {
        /// What it is called.
        name: String,
    },
    /// A disk.
    #[error("{name} turns: as log or cache it is no faster than the pool")]
    Turns {
        /// What it is called.
        name: String,
    },
    /// None, or too many.
    #[error("a plan is for one SSD or two, not {count}; name each with --device or --profile")]
    HowMany {
        /// How many were named.
        count: usize,
    },
    /// The scenario has no such arm.
    #[error("there is no arm {name}; there is {known}")]
    NoSuchArm {
        /// The name.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// The scenario has no such phase.
    #[error("there is no phase {name}; there is {known}")]
    NoSuchPhase {
        /// The name.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// The run was stopped before it was of use.
    #[error("the run ended before the pool without the SSD and with it were both done")]
    Unfinished,
}

fn meant(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!(" (did you mean {nearest}?)"))
}
