//! What may stand on the command line.

mod capture;
mod doctor;
pub(crate) mod tune;
mod watch;

use std::path::PathBuf;

use arcwright_units::Bytes;
use clap::builder::RangedI64ValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use capture::CaptureArguments;
pub(crate) use doctor::{DoctorArguments, PolicyArguments};
pub(crate) use watch::WatchArguments;

/// What are my ZFS caches doing, what would happen if I changed something, and will it be worth it?
#[derive(Debug, Parser)]
#[command(name = "arcwright", version, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Run an experiment and compare its arms.
    Run(RunArguments),
    /// Show saved results.
    Show(ShowArguments),
    /// Show two saved results of one experiment side by side.
    Compare(CompareArguments),
    /// Say what this machine's caches and disks do, what is wrong, and what to do about it.
    Doctor(DoctorArguments),
    /// Collect everything that helps to explain this machine in one archive.
    Capture(CaptureArguments),
    /// Watch the caches second by second: of this machine, or of an experiment that runs.
    Watch(WatchArguments),
    /// Look at OpenZFS's parameters, change them, and take changes back.
    Tune(tune::TuneArguments),
    /// Run one arm of the lab; started by the lab itself.
    #[cfg(feature = "lab")]
    #[command(hide = true)]
    LabWorker,
}

#[derive(Debug, Args)]
#[command(after_long_help = columns())]
pub(crate) struct RunArguments {
    /// The scenario file.
    pub(crate) scenario: PathBuf,

    #[command(flatten)]
    pub(crate) experiment: ExperimentArguments,

    /// Run each arm N times and show medians and their spread: interleaved in the lab, with a seed each on
    /// the model.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = repeats())]
    pub(crate) repeat: u32,

    /// Check the scenario, say what would run, and run nothing.
    #[arg(long, conflicts_with_all = ["json", "tabs"])]
    pub(crate) check: bool,

    /// Save the result as JSON, for arcwright show.
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) form: Form,
}

/// What runs an experiment, and what of it.
#[derive(Debug, Args)]
pub(crate) struct ExperimentArguments {
    /// What runs it.
    #[arg(long, value_name = "ENGINE", value_enum, default_value = "model")]
    pub(crate) engine: EngineChoice,

    /// Run only this arm; may be given several times, the first in the file is the reference.
    #[arg(long = "arm", value_name = "NAME")]
    pub(crate) arms: Vec<String>,

    /// Replace a value of the scenario file, such as system.memory=32GiB.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = override_of)]
    pub(crate) overrides: Vec<Override>,

    /// Version that the model behaves like; for the lab 2.1.11, 2.3.2 or the path of a libzpool.
    #[arg(long, value_name = "VERSION|PATH")]
    pub(crate) openzfs: Option<String>,

    /// Seed of every random stream, instead of the scenario's.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// Run a uniformly scaled experiment: sizes and rates divided by N, durations as in life.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=65_536))]
    pub(crate) scale: Option<u64>,

    /// Let the scenario name job files outside of its own folder.
    #[arg(long)]
    pub(crate) allow_outside_files: bool,

    /// Most memory that a run on the model may take, such as 8GiB; three quarters of what is free by default.
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub(crate) max_memory: Option<Bytes>,

    /// Folder for the lab's disk images.
    #[arg(long, value_name = "DIR")]
    pub(crate) scratch: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_long_help = columns())]
pub(crate) struct ShowArguments {
    /// Results written by arcwright run --save.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) form: Form,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// The result to compare with, written by arcwright run --save.
    #[arg(value_name = "A")]
    pub(crate) one: PathBuf,

    /// The other result.
    #[arg(value_name = "B")]
    pub(crate) other: PathBuf,

    /// Print exact numbers: bytes, nanoseconds, ratios from 0 to 1.
    #[arg(short = 'p')]
    pub(crate) exact: bool,
}

/// In which form a result is printed.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Form {
    /// Print the whole result as JSON.
    #[arg(long, conflicts_with = "tabs")]
    pub(crate) json: bool,

    /// Print tab-separated lines without headers, one per arm and phase.
    #[arg(short = 'H')]
    pub(crate) tabs: bool,

    /// Print exact numbers: bytes, nanoseconds, ratios from 0 to 1.
    #[arg(short = 'p')]
    pub(crate) exact: bool,
}

/// Which engine runs the experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineChoice {
    /// A prediction, in seconds.
    Model,
    /// The real OpenZFS in user space, on emulated disks.
    Lab,
}

/// A value of the scenario file to be replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Override {
    pub(crate) key: String,
    pub(crate) value: String,
}

fn memory(text: &str) -> Result<Bytes, String> {
    match Bytes::parse(text) {
        Ok(Bytes::ZERO) | Err(_) => Err("expected a size with its unit, such as 8GiB".to_owned()),
        Ok(size) => Ok(size),
    }
}

/// Keeps the count of repeats in bounds.
fn repeats() -> RangedI64ValueParser<u32> {
    const REPEATS_MAX: i64 = 1000;
    clap::value_parser!(u32).range(1..=REPEATS_MAX)
}

fn override_of(text: &str) -> Result<Override, String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok(Override { key: key.trim().to_owned(), value: value.trim().to_owned() })
        }
        _ => Err("expected KEY=VALUE, such as system.memory=32GiB".to_owned()),
    }
}

/// Explains the columns of `-H`.
fn columns() -> String {
    let lines = arcwright_report::COLUMNS.iter().enumerate();
    let lines = lines.map(|(index, column)| {
        format!("  {:>2}  {:<16} {}", index + 1, column.name, column.meaning)
    });
    let lines: Vec<String> = lines.collect();
    format!("Columns of -H (what is absent is -):\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::{Arguments, override_of};

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn an_override_has_a_key_and_a_value() {
        assert_eq!(override_of("a.b = 1=2").unwrap().value, "1=2");
        assert!(override_of("=1").is_err());
        assert!(override_of("a").is_err());
    }
}
