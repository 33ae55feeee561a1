//! What may stand on the command line of `arcwright doctor`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::capture::window;

#[derive(Debug, Args)]
#[command(after_long_help = after_help())]
pub(crate) struct DoctorArguments {
    /// Judge a capture, a folder of files copied from a machine, or pasted text (`-` for standard input);
    /// several, or a folder of captures, give one table with the worst finding of each machine.
    #[arg(long, value_name = "CAPTURE|DIR|TEXT|-", num_args = 1..)]
    pub(crate) from: Vec<PathBuf>,

    /// How long this machine is watched before it is judged; 0s judges all since the module was loaded.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = window, conflicts_with = "from")]
    pub(crate) window: Duration,

    /// Show all of every finding: what it rests on, risk, how sure, sources, how to undo; and why
    /// something was not judged.
    #[arg(long, short = 'v', visible_alias = "verbose")]
    pub(crate) explain: bool,

    /// Ask no drive for its wear.
    #[arg(long)]
    pub(crate) no_smart: bool,

    /// Do not ask the model what a remedy would bring.
    #[arg(long)]
    pub(crate) no_model: bool,

    /// Print one line with performance data and end as monitoring plugins do: 0 fine, 1 warning, 2 data at
    /// risk, 3 unknown.
    #[arg(long)]
    pub(crate) check: bool,

    #[command(flatten)]
    pub(crate) policy: PolicyArguments,

    /// List every finding that there is, with its meaning, and judge nothing.
    #[arg(long, conflicts_with_all = ["from", "check"])]
    pub(crate) list: bool,

    /// Print the findings as JSON.
    #[arg(long, conflicts_with_all = ["tabs", "check"])]
    pub(crate) json: bool,

    /// Print tab-separated lines without headers, one per finding.
    #[arg(short = 'H', conflicts_with = "check")]
    pub(crate) tabs: bool,
}

/// What the owner says about findings.
#[derive(Debug, Default, Args)]
pub(crate) struct PolicyArguments {
    /// Leave a finding out, everywhere or of one pool, dataset or drive; may be given several times.
    #[arg(long = "ignore", value_name = "ID[:SUBJECT]")]
    pub(crate) ignored: Vec<String>,

    /// Leave out the findings in a file, one ID or ID:SUBJECT a line; # begins a comment.
    #[arg(long, value_name = "FILE")]
    pub(crate) ignore_file: Option<PathBuf>,

    /// A TOML file that says what to ignore and how much findings matter (see below); never looked for,
    /// only read when given.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Leave out what was known and accepted when FILE was written, unless it has become worse.
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
        "Columns of -H (what is absent is -):\n{}\n\nColumns of -H of several machines:\n{}\n\n{CONFIG}\n\n\
         Findings (--list also says which of them --check may call critical):\n{}",
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
