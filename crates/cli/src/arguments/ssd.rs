//! What may stand on the command line of `arcwright ssd`.

use std::path::PathBuf;

use arcwright_units::Bytes;
use clap::{Args, Subcommand};

use super::{ExperimentArguments, MachineArguments, completion};

#[derive(Debug, Subcommand)]
pub(crate) enum SsdVerb {
    /// Say what one SSD or two should be for a pool: log, cache, special vdev, a split of them, or nothing.
    Plan(Box<SsdPlanArguments>),
    /// Take the SSD that was added last out of its pool again, and leave it empty.
    Undo(SsdUndoArguments),
}

#[derive(Debug, Args)]
pub(crate) struct SsdUndoArguments {
    /// Do it; without it only what would be done is shown.
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = PLAN)]
pub(crate) struct SsdPlanArguments {
    /// An SSD of the machine, as /dev or zpool name it; may be given twice.
    #[arg(long = "device", value_name = "DEV", conflicts_with = "scenario")]
    pub(crate) devices: Vec<String>,

    /// An SSD that is not there yet, by its device profile, or by a file of arcwright calibrate; may be given twice.
    #[arg(long = "profile", value_name = "NAME|FILE", add = completion::flash_profiles())]
    pub(crate) profiles: Vec<String>,

    /// How much of each profile's device there is, such as 250GB.
    #[arg(long, value_name = "SIZE", value_parser = size, requires = "profiles")]
    pub(crate) size: Option<Bytes>,

    /// Take pool and load from a scenario file, or a name from arcwright scenarios; --pool is its name in the commands.
    #[arg(long, value_name = "SCENARIO", add = completion::scenarios(), conflicts_with_all = ["from", "window"])]
    pub(crate) scenario: Option<PathBuf>,

    /// Play this trace in the place of the machine's or the scenario's own load; its first half warms the caches, its second half
    /// counts.
    #[arg(long, value_name = "TRACE")]
    pub(crate) trace: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) machine: MachineArguments,

    /// A phase that counts, of the scenario; may be given several times. Without it those that the scenario asks about.
    #[arg(long = "phase", value_name = "NAME")]
    pub(crate) phases: Vec<String>,

    /// Hours a day that this load goes on, for the years that the SSD lasts: 24 of a machine, 1 of a scenario.
    #[arg(long, value_name = "HOURS", value_parser = hours)]
    pub(crate) hours_a_day: Option<f64>,

    /// What `zdb -Lbbbs POOL` printed, for the size of a special vdev.
    #[arg(long, value_name = "FILE")]
    pub(crate) blocks: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) experiment: ExperimentArguments,

    /// Print the plan as JSON.
    #[arg(long)]
    pub(crate) json: bool,

    /// Carry the plan out on this machine: partitions, then zpool add. Each SSD has to be named again with --confirm, and
    /// must be empty and nobody's.
    #[arg(long, requires_all = ["devices", "confirm"], conflicts_with_all = ["profiles", "json"])]
    pub(crate) apply: bool,

    /// The SSD that --apply may write to, named again.
    #[arg(long, value_name = "DEV", requires = "apply")]
    pub(crate) confirm: Vec<String>,
}

/// What somebody tries first.
const PLAN: &str = "\
Examples:
  arcwright ssd plan --device /dev/disk/by-id/nvme-X       here, under the load of the next ten seconds
  arcwright ssd plan --from nas.tar.gz --profile nvme-plp  anywhere, before anything is bought
  arcwright ssd plan --scenario spare-ssd --profile ssd-sata-x25m-80";

pub(super) fn size(text: &str) -> Result<Bytes, String> {
    Bytes::parse(text).map_err(|error| error.to_string())
}

/// Reads hours of a day.
pub(super) fn hours(text: &str) -> Result<f64, String> {
    let hours = text.parse::<f64>().map_err(|error| error.to_string())?;
    match hours > 0.0 && hours <= 24.0 {
        true => Ok(hours),
        false => Err("a day has more than 0 and at most 24".to_owned()),
    }
}
