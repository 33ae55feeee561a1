//! What may stand on the command line of `arcwright scenario`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::capture::window;

/// Which machine, of which pool.
#[derive(Debug, Args)]
pub(crate) struct MachineArguments {
    /// Take the machine from a capture, a recording, a folder of files copied from it, or pasted text (`-` for standard
    /// input); this machine without it, or with `live`.
    #[arg(long, value_name = "CAPTURE|live")]
    pub(crate) from: Option<PathBuf>,

    /// The pool, where there are several.
    #[arg(long, value_name = "NAME")]
    pub(crate) pool: Option<String>,

    /// Time to watch this machine, 10s by default; longer catches more of the load. Of a recording: its busiest time of
    /// this length.
    #[arg(long, value_name = "TIME", value_parser = window)]
    pub(crate) window: Option<Duration>,
}

#[derive(Debug, Args)]
pub(crate) struct ScenarioArguments {
    #[command(flatten)]
    pub(crate) machine: MachineArguments,

    /// Play this trace in the place of the load that the counters tell; its first half warms the caches, its second half
    /// counts.
    #[arg(long, value_name = "TRACE")]
    pub(crate) trace: Option<PathBuf>,

    /// Write the scenario to a file, which must not be there yet, instead of to standard output.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
