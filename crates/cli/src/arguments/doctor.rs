//! What may stand on the command line of `arcwright doctor`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::capture::window;
use super::completion;

#[derive(Debug, Args)]
#[command(after_long_help = after_help())]
pub(crate) struct DoctorArguments {
    /// Diagnose a capture, a folder of files copied from a machine, or pasted text (`-` for standard
    /// input); several, or a folder of captures, give a table with the worst finding of each machine.
    #[arg(long, value_name = "CAPTURE|DIR|TEXT|-", num_args = 1..)]
    pub(crate) from: Vec<PathBuf>,

    /// Time to watch this machine, 10s by default; 0s uses the counters since the module was loaded.
    #[arg(long, value_name = "TIME", value_parser = window, conflicts_with = "from")]
    pub(crate) window: Option<Duration>,

    /// Show every finding in full (evidence, risk, confidence, sources, undo), and why something was not
    /// judged.
    #[arg(long, short = 'v', visible_alias = "verbose")]
    pub(crate) explain: bool,

    /// Do not query drives for their wear.
    #[arg(long)]
    pub(crate) no_smart: bool,

    /// Do not run the model to estimate what a remedy would gain.
    #[arg(long)]
    pub(crate) no_model: bool,

    /// Run the model in the cases that remedies are for, and not under this machine's own load; quicker.
    #[arg(long, conflicts_with = "no_model")]
    pub(crate) no_own_load: bool,

    /// Print one line with performance data and exit like a monitoring plugin: 0 fine, 1 warning, 2 data
    /// at risk, 3 unknown.
    #[arg(long)]
    pub(crate) check: bool,

    #[command(flatten)]
    pub(crate) policy: PolicyArguments,

    /// List all possible findings with their meaning, without diagnosing anything.
    #[arg(long, conflicts_with_all = ["from", "check"])]
    pub(crate) list: bool,

    /// Print the findings as JSON.
    #[arg(long, conflicts_with_all = ["tabs", "check"])]
    pub(crate) json: bool,

    /// Print tab-separated lines without headers, one per finding.
    #[arg(short = 'H', conflicts_with = "check")]
    pub(crate) tabs: bool,

    /// Write every finding in full to one HTML file as well, with its evidence and commands to copy.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["check", "list", "write_baseline"])]
    pub(crate) html: Option<PathBuf>,
}

/// What the owner says about findings.
#[derive(Debug, Default, Args)]
pub(crate) struct PolicyArguments {
    /// Ignore a finding, everywhere or for one pool, dataset or drive; may be given several times.
    #[arg(long = "ignore", value_name = "ID[:SUBJECT]", add = completion::findings())]
    pub(crate) ignored: Vec<String>,

    /// Ignore the findings listed in a file, one ID or ID:SUBJECT per line; # starts a comment.
    #[arg(long, value_name = "FILE")]
    pub(crate) ignore_file: Option<PathBuf>,

    /// TOML file with findings to ignore and severities (see below), beside those in your own
    /// config.toml.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Ignore findings accepted in FILE, unless they have become worse.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,

    /// Accept today's findings: write them to FILE, for --baseline.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["check", "baseline"])]
    pub(crate) write_baseline: Option<PathBuf>,
}

/// Explains `-H`, the files, and what may be ignored.
fn after_help() -> String {
    let listed = |columns: &[(&str, &str)]| {
        let lines = columns.iter().enumerate();
        let lines: Vec<String> = lines
            .map(|(index, (name, meaning))| format!("  {:>2}  {name:<10} {meaning}", index + 1))
            .collect();
        lines.join("\n")
    };
    let findings: Vec<String> = arcwright_advice::KNOWN
        .iter()
        .map(|known| format!("  {:<24} {}", known.id, known.meaning))
        .collect();
    format!(
        "Columns of -H (- means absent):\n{}\n\nColumns of -H of several \
         machines:\n{}\n\n{CONFIG}\n\nFindings (--list also says which of them --check may call \
         critical):\n{}",
        listed(&arcwright_report::DOCTOR_COLUMNS),
        listed(&arcwright_report::FLEET_COLUMNS),
        findings.join("\n")
    )
}

const CONFIG: &str = "\
A file for --config:
  ignore = [\"atime\", \"pool-full:backup\"]
  [severity]                          # hurts-now, worth-a-look, note or ignore
  slog-alone = \"ignore\"
  \"pool-full:tank\" = \"hurts-now\"";
