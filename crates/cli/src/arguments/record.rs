//! What may stand on the command line of `arcwright record`.

use std::path::PathBuf;
use std::time::Duration;

use arcwright_units::{Bytes, Nanos};
use clap::{Args, Subcommand};

use super::RecordFilesArguments;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_long_help = EXAMPLES)]
pub(crate) struct RecordArguments {
    #[command(subcommand)]
    pub(crate) verb: Option<RecordVerb>,

    #[command(flatten)]
    pub(crate) counters: RecordCountersArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RecordVerb {
    /// Show what a recording has: when, how busy, which gaps.
    Show(RecordShowArguments),
    /// Record every read of a pool's ARC for a while, as a trace, and say whose of them missed. Needs root.
    Reads(RecordReadsArguments),
    /// Record every access to files and zvols of ZFS for a while, as a trace with dataset, file, offset and size. Needs root and bpftrace.
    Files(RecordFilesArguments),
    /// Switch the read history off when its input ends; started by the recorder.
    #[command(hide = true)]
    ReadsGuard(ReadsGuardArguments),
}

#[derive(Debug, Args)]
#[command(after_long_help = READS)]
pub(crate) struct RecordReadsArguments {
    /// The pool.
    #[arg(long, value_name = "NAME")]
    pub(crate) pool: String,

    /// How long, at most an hour.
    #[arg(long = "for", value_name = "TIME", default_value = "60s", value_parser = a_while)]
    pub(crate) length: Duration,

    /// Write the reads as a trace, for `arcwright trace`; the file must not be there yet.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Begin without asking.
    #[arg(long)]
    pub(crate) yes: bool,

    /// Rows of each table.
    #[arg(long, value_name = "N", default_value = "10")]
    pub(crate) top: usize,

    /// Write whose reads missed, with charts, to one HTML file as well; it needs no network.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Print everything as JSON.
    #[arg(long)]
    pub(crate) json: bool,

    /// Root of the machine's files, for a container that sees its host's below a folder.
    #[arg(long, value_name = "DIR", default_value = "/", hide_default_value = true)]
    pub(crate) root: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ReadsGuardArguments {
    #[arg(long)]
    pub(crate) root: PathBuf,
    #[arg(long)]
    pub(crate) pool: String,
    #[arg(long)]
    pub(crate) hits: String,
    #[arg(long)]
    pub(crate) seconds: u64,
}

const READS: &str = "\
It switches on zfs_read_history and zfs_read_history_hits, and off again: at the end, at Ctrl-C, and when it is killed, by a
process of its own. While it is on, each read of the ARC costs more; and a fault of OpenZFS, https://github.com/openzfs/zfs/issues/15068
(open), may let the kernel touch freed memory while files are read ahead, which has been seen to give wrong records. Do not
use it on a machine that must not fail. Examples:
  arcwright record reads --pool tank --for 60s -o reads.csv
  arcwright trace curve reads.csv                 what an ARC of each size would find in them";

#[derive(Debug, Args)]
pub(crate) struct RecordCountersArguments {
    /// Folder of the recording, made when it is not there; by default /var/lib/arcwright/recording for root, else
    /// arcwright/recording in $XDG_STATE_HOME.
    #[arg(long = "to", value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,

    /// Time between two readings, from 1s to 1h.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = interval)]
    pub(crate) interval: Duration,

    /// End after this time, such as 7d; without it Ctrl-C ends it.
    #[arg(long = "for", value_name = "TIME", value_parser = time, conflicts_with = "once")]
    pub(crate) length: Option<Duration>,

    /// Take one reading and end, for a timer or cron.
    #[arg(long, conflicts_with = "interval")]
    pub(crate) once: bool,

    /// Room for the recording on disk; beyond it old readings are thinned, then dropped.
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = limit)]
    pub(crate) limit: Bytes,

    /// Do not query drives for their wear.
    #[arg(long)]
    pub(crate) no_smart: bool,

    /// Write the recording with charts and findings to one HTML file when it ends; it needs no network.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Root of the machine's files, for a container that sees its host's below a folder.
    #[arg(long, value_name = "DIR", default_value = "/", hide_default_value = true)]
    pub(crate) root: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct RecordShowArguments {
    /// Folder of the recording; by default the one that arcwright record writes to.
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,

    /// Write the recording with charts and findings to one HTML file as well; it needs no network.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Print everything as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

const EXAMPLES: &str = "\
Counters of the caches, disks and memory are recorded, no names of files. Needs no root; a reading takes some
milliseconds. Examples:
  arcwright record --for 7d                       a week, then decide
  arcwright record show                           what is in it
  arcwright record show --html week.html          the same as a page with charts and findings
  arcwright doctor --from ~/.local/state/arcwright/recording
  arcwright advise --from ~/.local/state/arcwright/recording";

fn time(text: &str) -> Result<Duration, String> {
    let nanos =
        Nanos::parse(text).map_err(|_| "expected a time such as 60s, 5m, 12h or 7d".to_owned())?;
    Ok(Duration::from_nanos(nanos.0))
}

fn interval(text: &str) -> Result<Duration, String> {
    let interval = time(text)?;
    let bounds = Duration::from_secs(1)..=Duration::from_secs(3600);
    if bounds.contains(&interval) { Ok(interval) } else { Err("expected 1s to 1h".to_owned()) }
}

fn limit(text: &str) -> Result<Bytes, String> {
    let size = Bytes::parse(text).map_err(|error| error.to_string())?;
    match size >= Bytes::mib(1) {
        true => Ok(size),
        false => Err("expected at least 1MiB".to_owned()),
    }
}

/// Reads a time for which something may be on that costs and has a risk.
fn a_while(text: &str) -> Result<Duration, String> {
    let time = time(text)?;
    let bounds = Duration::from_secs(1)..=Duration::from_secs(3600);
    bounds.contains(&time).then_some(time).ok_or_else(|| "expected from 1s to 1h".to_owned())
}
