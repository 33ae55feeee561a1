//! What may stand after `arcwright tune`.

use std::path::PathBuf;

use arcwright_host::tune::UndoTarget;
use clap::{Args, Subcommand};

use super::completion;

#[derive(Debug, Args)]
pub(crate) struct TuneArguments {
    #[command(subcommand)]
    pub(crate) verb: TuneVerb,

    /// Work on a copy of a machine's files below this folder instead of this machine.
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) root: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TuneVerb {
    /// List parameters: value in force, default, and source of the setting.
    List(ListArguments),
    /// Show everything known about a parameter.
    Show(ShowTunableArguments),
    /// Show what settings or a profile would change.
    Diff(WantArguments),
    /// Set parameters of the loaded module until the next boot.
    Apply(ApplyArguments),
    /// Show how to make settings persistent; --write does it.
    Persist(PersistArguments),
    /// Compare changes made with the values in force, for example after a boot.
    Verify(JsonArguments),
    /// Undo changes.
    Undo(UndoArguments),
    /// List what was changed, by whom and why.
    Log(LogArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Only this family: arc, l2arc, dbuf, prefetch, dio, zil, txg, vdev, metaslab or memory.
    #[arg(value_name = "FAMILY", add = completion::families())]
    pub(crate) family: Option<String>,

    /// Every parameter of the module, including those unknown to arcwright.
    #[arg(long, conflicts_with_all = ["family", "changed"])]
    pub(crate) all: bool,

    /// Only what is not at its default, or is set by a file.
    #[arg(long)]
    pub(crate) changed: bool,

    /// Print tab-separated lines without headers: name, current, default, source.
    #[arg(short = 'H', conflicts_with = "json")]
    pub(crate) tabs: bool,

    /// Print exact numbers without units.
    #[arg(short = 'p')]
    pub(crate) exact: bool,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowTunableArguments {
    /// Names of parameters on Linux or FreeBSD.
    #[arg(value_name = "NAME", required = true, add = completion::tunables())]
    pub(crate) names: Vec<String>,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The requested settings.
#[derive(Debug, Args)]
pub(crate) struct WantArguments {
    /// Profiles (dumb-lru, metadata-first, prefetch-off, reset) and settings NAME=VALUE, where the
    /// value may have a unit, such as 64MiB, or be “default”.
    #[arg(value_name = "PROFILE|NAME=VALUE", required = true, add = completion::settings())]
    pub(crate) wants: Vec<String>,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApplyArguments {
    #[command(flatten)]
    pub(crate) want: WantArguments,

    #[command(flatten)]
    pub(crate) consent: ConsentArguments,

    /// Do not ask for confirmation.
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PersistArguments {
    #[command(flatten)]
    pub(crate) want: WantArguments,

    #[command(flatten)]
    pub(crate) consent: ConsentArguments,

    /// Write the files; otherwise only show what would be written.
    #[arg(long)]
    pub(crate) write: bool,

    /// Also run the commands that the next boot needs, such as update-initramfs.
    #[arg(long, requires = "write")]
    pub(crate) run: bool,
}

/// What the owner says to it.
#[derive(Debug, Args)]
pub(crate) struct ConsentArguments {
    /// Set this parameter although it may do harm; may be given several times.
    #[arg(long = "accept", value_name = "NAME", add = completion::tunables())]
    pub(crate) accepted: Vec<String>,

    /// Reason, for the journal.
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct UndoArguments {
    /// Number of the operation in the log, “last” or “all”.
    #[arg(value_name = "ID|last|all", default_value = "last", value_parser = which)]
    pub(crate) which: UndoTarget,

    /// Also run the commands that the next boot needs, such as update-initramfs.
    #[arg(long)]
    pub(crate) run: bool,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LogArguments {
    /// Print tab-separated lines without headers: operation, time, who, why, state, what.
    #[arg(short = 'H', conflicts_with = "json")]
    pub(crate) tabs: bool,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct JsonArguments {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

fn which(text: &str) -> Result<UndoTarget, String> {
    match text {
        "last" => Ok(UndoTarget::Last),
        "all" => Ok(UndoTarget::All),
        number => number
            .parse()
            .map(UndoTarget::One)
            .map_err(|_| "expected the number of an operation, last or all".to_owned()),
    }
}
