//! What may stand on the command line.

mod advise;
mod calibrate;
mod capture;
mod completion;
mod doctor;
mod metrics;
mod page;
mod prices;
mod record;
mod record_files;
mod scenario;
mod serve;
mod ssd;
mod trace;
pub(crate) mod tune;
mod watch;
mod whatif;
mod who;

use std::path::PathBuf;

use arcwright_ssd::Doubts;
use arcwright_units::Bytes;
use clap::builder::RangedI64ValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use advise::AdviseArguments;
pub(crate) use calibrate::{CalibrateVerb, DeviceArguments, ProcessorArguments};
pub(crate) use capture::{CaptureArguments, window};
pub(crate) use doctor::{DoctorArguments, PolicyArguments};
pub(crate) use metrics::{MetricsArguments, MetricsFormat};
pub(crate) use page::{ChartName, Pages};
pub(crate) use prices::PriceArguments;
pub(crate) use record::{
    ReadsGuardArguments, RecordArguments, RecordCountersArguments, RecordReadsArguments,
    RecordShowArguments, RecordVerb,
};
pub(crate) use record_files::{FileNames, RecordFilesArguments};
pub(crate) use scenario::{MachineArguments, ScenarioArguments};
pub(crate) use serve::{HistoryArguments, ServeArguments};
pub(crate) use ssd::{SsdPlanArguments, SsdUndoArguments, SsdVerb};
pub(crate) use trace::{
    CacheChoice, TraceConvertArguments, TraceCurveArguments, TraceCutArguments, TraceFileArguments,
    TraceInfoArguments, TraceVerb,
};
pub(crate) use watch::WatchArguments;
pub(crate) use whatif::{Sizes, WhatIfArguments};
pub(crate) use who::WhoArguments;

/// What somebody tries who has just installed it.
const FIRST: &str = "\
First tries, which only read and need no root:
  arcwright doctor             where the pools are
  arcwright run steam-library  anywhere: a prediction, in seconds";

/// Explains, predicts and tunes ZFS caches: what they do, what a change would gain, and what it costs.
#[derive(Debug, Parser)]
#[command(
    name = "arcwright",
    after_help = FIRST,
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true
)]
pub(crate) struct Arguments {
    /// Print the version: of this program, of the ZFS module that is loaded, of the libraries for the lab.
    #[arg(short = 'V', long)]
    pub(crate) version: bool,

    /// Print the version as JSON.
    #[arg(short = 'j', long, requires = "version")]
    pub(crate) json: bool,

    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Run an experiment and compare its arms.
    Run(RunArguments),
    /// Show saved results.
    Show(ShowArguments),
    /// Show two saved results of one experiment side by side.
    Compare(CompareArguments),
    /// Diagnose this machine's caches and disks, and recommend changes.
    Doctor(DoctorArguments),
    /// Collect everything needed to diagnose this machine in one archive.
    Capture(CaptureArguments),
    /// Watch throughput and caches second by second, of this machine or of a running experiment.
    Watch(WatchArguments),
    /// Print counters and findings for Prometheus, write them to a file, or answer scrapes.
    Metrics(MetricsArguments),
    /// Show a page with this machine's caches, live and recorded, in a browser.
    Serve(ServeArguments),
    /// Record counters over hours and days in a bounded store, and show what is in it.
    Record(RecordArguments),
    /// Show OpenZFS's parameters, change them, and undo changes.
    Tune(tune::TuneArguments),
    /// Write this machine, or a captured one, as a scenario, with its load.
    Scenario(ScenarioArguments),
    /// Plan what an SSD should be for a pool.
    #[command(subcommand)]
    Ssd(SsdVerb),
    /// Try memory, L2ARC, log devices and parameters in all combinations, and rank what they bring.
    #[command(name = "whatif")]
    WhatIf(Box<WhatIfArguments>),
    /// Say what is worth changing on a machine: findings, a curve over memory, ranked changes, commands.
    Advise(Box<AdviseArguments>),
    /// Say which datasets, processes and files read, write and wait.
    Who(WhoArguments),
    /// Measure this machine's processor or a disk, for scenarios.
    #[command(subcommand)]
    Calibrate(CalibrateVerb),
    /// Look at a recorded trace, convert and cut it, and draw its miss-ratio curve.
    #[command(subcommand)]
    Trace(Box<TraceVerb>),
    /// List the scenarios that come with the program, or print one.
    Scenarios(ScenariosArguments),
    /// Write a scenario with comments, to start an experiment of your own.
    Init(InitArguments),
    /// Write man pages or shell completions of this program.
    #[command(subcommand)]
    Generate(GenerateVerb),
    /// Answer one question of the served page; started by `serve` itself.
    #[command(hide = true)]
    PageQuestion {
        /// Its name; what is asked comes on standard input.
        what: String,
    },

    /// Run one arm of the lab; started by the lab itself.
    #[cfg(feature = "lab-worker")]
    #[command(hide = true)]
    LabWorker,
}

#[derive(Debug, Args)]
#[command(after_long_help = columns())]
pub(crate) struct RunArguments {
    /// The scenario file, or a name from arcwright scenarios.
    #[arg(add = completion::scenarios())]
    pub(crate) scenario: PathBuf,

    #[command(flatten)]
    pub(crate) experiment: ExperimentArguments,

    /// Run each arm N times and show medians and their spread: interleaved in the lab, with a seed each on
    /// the model.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = repeats())]
    pub(crate) repeat: u32,

    /// Check the scenario and show what would run, without running it.
    #[arg(long, conflicts_with = "form")]
    pub(crate) check: bool,

    /// Save the result as JSON, for arcwright show.
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) pages: Pages,

    #[command(flatten)]
    pub(crate) form: Form,
}

/// What runs an experiment, and what of it.
#[derive(Debug, Clone, Args)]
pub(crate) struct ExperimentArguments {
    /// Engine that runs the experiment.
    #[arg(long, value_name = "ENGINE", value_enum, default_value = "model")]
    pub(crate) engine: EngineChoice,

    /// Run only this arm; may be given several times, the first in the file is the reference.
    #[arg(long = "arm", value_name = "NAME", add = completion::arms())]
    pub(crate) arms: Vec<String>,

    /// Replace a value of the scenario, such as system.memory=32GiB or 'arm."a=b".memory=8GiB'.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = override_of, add = completion::overrides())]
    pub(crate) overrides: Vec<Override>,

    /// OpenZFS version to model; for the lab 2.0.3 to 2.4.4, or the path of a libzpool.
    #[arg(long, value_name = "VERSION|PATH", add = completion::versions())]
    pub(crate) openzfs: Option<String>,

    /// Seed of every random stream, instead of the scenario's.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// Scale the experiment down: sizes and rates divided by N, durations unchanged.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=65_536))]
    pub(crate) scale: Option<u64>,

    /// Allow job and device files outside the scenario's folder.
    #[arg(long)]
    pub(crate) allow_outside_files: bool,

    /// Memory limit for a run, such as 8GiB; by default three quarters of the free memory.
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub(crate) max_memory: Option<Bytes>,

    /// Folder for the lab's disk images.
    #[arg(long, value_name = "DIR")]
    pub(crate) scratch: Option<PathBuf>,
}

impl ExperimentArguments {
    /// Returns the same for a load of which a part is simulated.
    pub(crate) fn for_load(&self, doubts: &Doubts) -> Self {
        Self { scale: doubts.one_place_in.or(self.scale), ..self.clone() }
    }
}

#[derive(Debug, Args)]
#[command(after_long_help = columns())]
pub(crate) struct ShowArguments {
    /// Results written by arcwright run --save.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) pages: Pages,

    #[command(flatten)]
    pub(crate) form: Form,
}

#[derive(Debug, Args)]
pub(crate) struct ScenariosArguments {
    /// Print this one, to keep and change: arcwright scenarios steam-library > mine.toml.
    #[arg(add = completion::scenarios())]
    pub(crate) name: Option<String>,

    /// Print names, titles and questions as JSON.
    #[arg(long, conflicts_with = "name")]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The file to write, which must not be there yet; - writes to standard output.
    #[arg(default_value = "experiment.toml")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GenerateVerb {
    /// Write a man page for each command into a folder.
    Man {
        /// The folder, which must be there.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Print the completions for a shell, to be sourced or installed.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: Shell,
    },
}

/// A shell that can complete arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    /// Bash.
    Bash,
    /// Zsh.
    Zsh,
    /// Fish.
    Fish,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// The result to compare with, written by arcwright run --save.
    #[arg(value_name = "A")]
    pub(crate) one: PathBuf,

    /// The other result.
    #[arg(value_name = "B")]
    pub(crate) other: PathBuf,

    /// Write both with charts to one HTML file as well.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Print exact numbers: bytes, nanoseconds, ratios from 0 to 1.
    #[arg(short = 'p')]
    pub(crate) exact: bool,
}

/// In which form a result is printed.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Form {
    /// Print the whole result as JSON.
    #[arg(long, group = "form")]
    pub(crate) json: bool,

    /// Print tab-separated lines without headers, one per arm and phase.
    #[arg(short = 'H', group = "form")]
    pub(crate) tabs: bool,

    /// Print the same columns as CSV, with a header and exact numbers.
    #[arg(long, group = "form")]
    pub(crate) csv: bool,

    /// Print Markdown, to put into a forum or an issue.
    #[arg(long, group = "form")]
    pub(crate) markdown: bool,

    /// Print exact numbers: bytes, nanoseconds, ratios from 0 to 1.
    #[arg(short = 'p')]
    pub(crate) exact: bool,

    /// Print what each client got as well, and how much of the devices is unverified.
    #[arg(short = 'v', long)]
    pub(crate) verbose: bool,
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
    match split_at_equals(text) {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok(Override { key: key.trim().to_owned(), value: value.trim().to_owned() })
        }
        _ => Err("expected KEY=VALUE, such as system.memory=32GiB".to_owned()),
    }
}

/// Splits a text at its first equals sign outside quotes, which a name between them may hold.
fn split_at_equals(text: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    let at = text.find(|c: char| {
        quoted ^= c == '"';
        c == '=' && !quoted
    })?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// Explains the columns of `-H`.
fn columns() -> String {
    let lines = arcwright_report::COLUMNS.iter().enumerate();
    let lines = lines.map(|(index, column)| {
        format!("  {:>2}  {:<16} {}", index + 1, column.name, column.meaning)
    });
    let lines: Vec<String> = lines.collect();
    format!("Columns of -H (- means absent):\n{}", lines.join("\n"))
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
