//! What may stand on the command line of `arcwright who`.

use clap::Args;

use super::MachineArguments;

#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct WhoArguments {
    #[command(flatten)]
    pub(crate) machine: MachineArguments,

    /// List files too, by their blocks that are in use: needs root, takes seconds on a large ARC.
    #[arg(long)]
    pub(crate) files: bool,

    /// Rows of each table.
    #[arg(long, value_name = "N", default_value = "10")]
    pub(crate) top: usize,

    /// Print everything as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

const EXAMPLES: &str = "\
Examples:
  arcwright who                            this machine, over the next ten seconds
  sudo arcwright who --files               with the processes of others, and files
  arcwright who --from nas.tar.gz          datasets of a captured machine";
