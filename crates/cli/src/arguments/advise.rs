//! What may stand on the command line of `arcwright advise`.

use std::path::PathBuf;

use clap::Args;

use super::{ExperimentArguments, MachineArguments, PriceArguments, completion};

#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct AdviseArguments {
    #[command(flatten)]
    pub(crate) machine: MachineArguments,

    /// SSD to try as L2ARC, by its device profile.
    #[arg(long, value_name = "NAME", default_value = "nvme-consumer", add = completion::flash_profiles())]
    pub(crate) ssd: String,

    /// SSD to try as log device where synchronous writes were counted, by its device profile.
    #[arg(long, value_name = "NAME", default_value = "nvme-plp", add = completion::flash_profiles())]
    pub(crate) log_ssd: String,

    /// Hours a day that this load goes on, for the years that an SSD lasts.
    #[arg(long, value_name = "HOURS", default_value = "24", value_parser = super::ssd::hours)]
    pub(crate) hours_a_day: f64,

    #[command(flatten)]
    pub(crate) price: PriceArguments,

    #[command(flatten)]
    pub(crate) experiment: ExperimentArguments,

    /// Print all combinations, also those that others beat.
    #[arg(short = 'v', long)]
    pub(crate) verbose: bool,

    /// Write the answer with charts to one HTML file as well; it needs no network.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Print everything as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

const EXAMPLES: &str = "\
Looks at the machine's counters, models its load, tries memory, an L2ARC, a log device and what the findings recommend in
all combinations, and says what to do. Examples:
  arcwright advise                                          this machine, under the load of the next ten seconds
  arcwright advise --from /var/lib/arcwright/recording --window 1h   the busiest hour of a recording
  arcwright advise --from nas.tar.gz                        a capture";
