//! What may stand after `arcwright tune`.

use std::path::PathBuf;

use arcwright_host::tune::UndoTarget;
use clap::{Args, Subcommand};

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
    /// List parameters: what is in force, the default, and where a setting comes from.
    List(ListArguments),
    /// Tell everything that is known of a parameter.
    Show(ShowTunableArguments),
    /// Show what settings or a profile would change.
    Diff(WantArguments),
    /// Set parameters of the running module; a boot takes it back.
    Apply(ApplyArguments),
    /// Show what would make settings outlive a boot, and with --write do it.
    Persist(PersistArguments),
    /// Compare what was changed with what is in force, as after a boot.
    Verify(JsonArguments),
    /// Take changes back.
    Undo(UndoArguments),
    /// List what was changed, by whom and why.
    Log(LogArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Only this family: arc, l2arc, dbuf, prefetch, dio, zil, txg, vdev, metaslab or memory.
    #[arg(value_name = "FAMILY")]
    pub(crate) family: Option<String>,

    /// Every parameter of the module, also those that arcwright knows nothing about.
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
    /// Names of parameters, as Linux or FreeBSD has them.
    #[arg(value_name = "NAME", required = true)]
    pub(crate) names: Vec<String>,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What is wanted.
#[derive(Debug, Args)]
pub(crate) struct WantArguments {
    /// Profiles (dumb-lru, metadata-first, prefetch-off, reset) and settings NAME=VALUE, where the
    /// value may have a unit, as 64MiB, or be “default”.
    #[arg(value_name = "PROFILE|NAME=VALUE", required = true)]
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

    /// Do not ask.
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PersistArguments {
    #[command(flatten)]
    pub(crate) want: WantArguments,

    #[command(flatten)]
    pub(crate) consent: ConsentArguments,

    /// Write it; without, only show what would be written.
    #[arg(long)]
    pub(crate) write: bool,

    /// Also run the commands that let the next boot see it, such as update-initramfs.
    #[arg(long, requires = "write")]
    pub(crate) run: bool,
}

/// What the owner says to it.
#[derive(Debug, Args)]
pub(crate) struct ConsentArguments {
    /// Set this parameter although it may do harm; may be given several times.
    #[arg(long = "accept", value_name = "NAME")]
    pub(crate) accepted: Vec<String>,

    /// Why, for the journal.
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct UndoArguments {
    /// The operation's number in the log, “last” or “all”.
    #[arg(value_name = "ID|last|all", default_value = "last", value_parser = which)]
    pub(crate) which: UndoTarget,

    /// Also run the commands that let the next boot see it, such as update-initramfs.
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
