//! What may stand on the command line of `arcwright record files`.

use std::path::PathBuf;
use std::time::Duration;

use arcwright_units::{Bytes, Nanos};
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RecordFilesArguments {
    /// Datasets of this pool only.
    #[arg(long, value_name = "NAME")]
    pub(crate) pool: Option<String>,

    /// This dataset only, with those below it; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(crate) dataset: Vec<String>,

    /// How long, at most 24h; Ctrl-C ends it earlier and keeps what was recorded.
    #[arg(long = "for", value_name = "TIME", default_value = "60s", value_parser = up_to_a_day)]
    pub(crate) length: Duration,

    /// Write the accesses as a trace, for `arcwright trace`; the file must not be there yet.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// End when the trace has this size.
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = limit)]
    pub(crate) limit: Bytes,

    /// What files are called.
    #[arg(long, value_name = "HOW", default_value = "numbers")]
    pub(crate) names: FileNames,

    /// Rows of each table.
    #[arg(long, value_name = "N", default_value = "10")]
    pub(crate) top: usize,

    /// Print everything as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What files are called in a trace and in tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileNames {
    /// DATASET/INODE.
    Numbers,
    /// DATASET:/PATH where it is found afterwards, by listing the dataset's folders.
    Paths,
    /// Digits that stand for dataset and file, by a key that is thrown away.
    Hashed,
}

const EXAMPLES: &str = "\
It watches the entry points of ZFS's file systems and requests to zvols with bpftrace, which must be installed, and needs root. Nothing of ZFS is changed; while it
runs, each access costs some microseconds more. Examples:
  sudo arcwright record files --pool tank --for 60s -o files.csv
  arcwright trace curve files.csv                 what an ARC of each size would find in them
  arcwright trace convert files.csv --to iolog -o replay.log";

fn up_to_a_day(text: &str) -> Result<Duration, String> {
    let nanos =
        Nanos::parse(text).map_err(|_| "expected a time such as 60s, 5m or 12h".to_owned())?;
    let time = Duration::from_nanos(nanos.0);
    let bounds = Duration::from_secs(1)..=Duration::from_secs(24 * 3600);
    bounds.contains(&time).then_some(time).ok_or_else(|| "expected from 1s to 24h".to_owned())
}

fn limit(text: &str) -> Result<Bytes, String> {
    let size = Bytes::parse(text).map_err(|error| error.to_string())?;
    match size >= Bytes::mib(1) {
        true => Ok(size),
        false => Err("expected at least 1MiB".to_owned()),
    }
}
