//! What may stand on the command line of `arcwright trace`.

use std::path::PathBuf;

use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::traces::{Columns, TraceFormat};
use clap::{Args, Subcommand, ValueEnum};

use super::completion;

const FORMATS: &str = "\
Formats: oracleGeneral, lcs (1 to 8), vscsi (1, 2), csv, msr, alibaba, tencent, spc, iolog (fio 2, 3),
blkparse, lis (ARC paper), pages, numbers (4 bytes each), compiled; packed with gzip, xz or Zstandard.
Columns of csv without a line of names: --columns time:us,volume,op,offset,bytes (also object, -).
- reads standard input:  blkparse -i sda | arcwright trace curve -";

#[derive(Debug, Subcommand)]
pub(crate) enum TraceVerb {
    /// Say what a trace holds: requests, sizes, blocks, how much is used again.
    Info(TraceInfoArguments),
    /// Draw what caches of each size would find: OpenZFS's ARC and L2ARC, or an LRU.
    Curve(TraceCurveArguments),
    /// Write a trace in another format: csv, iolog, oracleGeneral, compiled, parquet.
    Convert(TraceConvertArguments),
    /// Write a part of a trace: a time, a device, the first requests.
    Cut(TraceCutArguments),
}

/// Which trace, and how it is read.
#[derive(Debug, Args)]
pub(crate) struct TraceFileArguments {
    /// The trace; - reads standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Format of the trace, where its beginning does not tell it.
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub(crate) format: Option<TraceFormat>,

    /// What stands in which column, where no line of names says so.
    #[arg(long, value_name = "ROLES", value_parser = Columns::parse)]
    pub(crate) columns: Option<Columns>,

    /// Event of blkparse that is a request: Q (asked for), D (sent to the device), C (completed).
    #[arg(long, value_name = "LETTER", default_value = "Q", value_parser = event)]
    pub(crate) event: u8,

    /// Size of the blocks into which requests are cut, and of objects whose size is not said.
    #[arg(long, value_name = "SIZE", default_value = "128KiB", value_parser = block)]
    pub(crate) recordsize: Bytes,
}

#[derive(Debug, Args)]
#[command(after_long_help = FORMATS)]
pub(crate) struct TraceInfoArguments {
    #[command(flatten)]
    pub(crate) trace: TraceFileArguments,

    /// Print everything as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = FORMATS)]
pub(crate) struct TraceConvertArguments {
    #[command(flatten)]
    pub(crate) trace: TraceFileArguments,

    /// The file to write.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// Format to write: csv, iolog, oracleGeneral, compiled, parquet.
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub(crate) to: TraceFormat,
}

#[derive(Debug, Args)]
#[command(after_long_help = FORMATS)]
pub(crate) struct TraceCutArguments {
    #[command(flatten)]
    pub(crate) convert: TraceConvertArguments,

    /// Leave out requests before this time after the first.
    #[arg(long, value_name = "TIME", value_parser = Nanos::parse)]
    pub(crate) since: Option<Nanos>,

    /// Leave out requests from this time after the first on.
    #[arg(long, value_name = "TIME", value_parser = Nanos::parse)]
    pub(crate) until: Option<Nanos>,

    /// Take only requests to this device or file; may be given several times.
    #[arg(long = "volume", value_name = "NAME")]
    pub(crate) volumes: Vec<String>,

    /// End after so many requests.
    #[arg(long, value_name = "N")]
    pub(crate) first: Option<u64>,
}

#[derive(Debug, Args)]
#[command(after_long_help = FORMATS)]
pub(crate) struct TraceCurveArguments {
    #[command(flatten)]
    pub(crate) trace: TraceFileArguments,

    /// Cache whose hits are computed.
    #[arg(long, value_name = "CACHE", value_enum, default_value = "openzfs")]
    pub(crate) cache: CacheChoice,

    /// OpenZFS version whose ARC it is, such as 2.1.11.
    #[arg(long, value_name = "VERSION", value_parser = version, add = completion::versions())]
    pub(crate) openzfs: Option<Version>,

    /// Sizes of the ARC, such as 4GiB,8GiB,16GiB; by default some up to all blocks.
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = size)]
    pub(crate) arc: Vec<Bytes>,

    /// An L2ARC behind it; several sizes are tried with each of the ARC's.
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = size)]
    pub(crate) l2arc: Vec<Bytes>,

    /// Bytes that one feed pass of the L2ARC writes (l2arc_write_max), instead of the version's default.
    #[arg(long, value_name = "SIZE", value_parser = size, requires = "l2arc")]
    pub(crate) write_max: Option<Bytes>,

    /// Accesses a second, for a trace without times.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(crate) rate: Option<u64>,

    /// Simulate all blocks of a long trace, not a sample.
    #[arg(long)]
    pub(crate) exact: bool,

    /// Of an LRU (--cache lru): look at some blocks of a long trace, not at all of them.
    #[arg(long)]
    pub(crate) sampled: bool,

    /// Write the curve with its chart to one HTML file as well; it needs no network.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Write the chart to an SVG file as well.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,

    /// Print everything as JSON.
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,

    /// Print the points as CSV.
    #[arg(long)]
    pub(crate) csv: bool,
}

/// Whose hits are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CacheChoice {
    /// OpenZFS's ARC and L2ARC, by simulation.
    Openzfs,
    /// An LRU, exactly or --sampled.
    Lru,
}

fn format(text: &str) -> Result<TraceFormat, String> {
    TraceFormat::parse(text)
}

fn event(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [letter @ b'A'..=b'Z'] => Ok(*letter),
        _ => Err("expected one capital letter, such as Q or D".to_owned()),
    }
}

fn block(text: &str) -> Result<Bytes, String> {
    let size = size(text)?;
    let is_record = size.0.is_power_of_two() && (512..=16 << 20).contains(&size.0);
    match is_record {
        true => Ok(size),
        false => Err("expected a power of two from 512 bytes to 16MiB".to_owned()),
    }
}

fn size(text: &str) -> Result<Bytes, String> {
    match Bytes::parse(text) {
        Ok(Bytes::ZERO) => Err("expected a size above zero".to_owned()),
        Ok(size) if size > Bytes::OFFSET_MAX => {
            Err("expected a size that a disk can have".to_owned())
        }
        Ok(size) => Ok(size),
        Err(error) => Err(error.to_string()),
    }
}

fn version(text: &str) -> Result<Version, String> {
    Version::parse(text).ok_or_else(|| "expected a version such as 2.3.2".to_owned())
}
