//! What may stand on the command line of `arcwright advise`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::capture::window;
use super::{ExperimentArguments, MachineArguments, PriceArguments, completion};

#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct AdviseArguments {
    /// Take the machine from a capture, a recording, a folder of files copied from it, or pasted text (`-` for standard
    /// input); this machine without it, or with `live`. Several, or a folder of captures and recordings, give one table, and
    /// with prices one plan of purchases.
    #[arg(long, value_name = "CAPTURE|DIR|live", num_args = 1..)]
    pub(crate) from: Vec<PathBuf>,

    /// The pool, where there are several.
    #[arg(long, value_name = "NAME")]
    pub(crate) pool: Option<String>,

    /// Time to watch this machine, 10s by default; longer catches more of the load. Of a recording: its busiest time of
    /// this length.
    #[arg(long, value_name = "TIME", value_parser = window)]
    pub(crate) window: Option<Duration>,

    /// Play this trace in the place of the machine's or the scenario's own load; its first half warms the caches, its second half
    /// counts.
    #[arg(long, value_name = "TRACE")]
    pub(crate) trace: Option<PathBuf>,

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

impl AdviseArguments {
    /// Returns which machine one of several is, or this one.
    pub(crate) fn machine(&self, from: Option<&Path>) -> MachineArguments {
        let (from, pool) = (from.map(Path::to_path_buf), self.pool.clone());
        MachineArguments { from, pool, window: self.window }
    }
}

const EXAMPLES: &str = "\
Looks at the machine's counters, models its load, tries memory, an L2ARC, a log device and what the findings recommend in
all combinations, and says what to do. Examples:
  arcwright advise                                          this machine, under the load of the next ten seconds
  arcwright advise --from /var/lib/arcwright/recording --window 1h   the busiest hour of a recording
  arcwright advise --from nas.tar.gz                        a capture
  arcwright advise --from captures/ --price memory=4 --price l2arc=0.1 --budget 500   what to buy for a fleet";
