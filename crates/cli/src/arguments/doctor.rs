//! What may stand on the command line of `arcwright doctor`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::commands::capture::window;

#[derive(Debug, Args)]
#[command(after_long_help = after_help())]
pub(crate) struct DoctorArguments {
    /// Judge a capture, a folder of files copied from a machine, or pasted text (`-` for standard input).
    #[arg(long, value_name = "CAPTURE|DIR|TEXT|-")]
    pub(crate) from: Option<PathBuf>,

    /// How long this machine is watched before it is judged; 0s judges all since the module was loaded.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = window, conflicts_with = "from")]
    pub(crate) window: Duration,

    /// Show all of every finding: cost, risk, how sure, sources, how to undo.
    #[arg(long, short = 'v', visible_alias = "verbose")]
    pub(crate) explain: bool,

    /// Ask no drive for its wear.
    #[arg(long)]
    pub(crate) no_smart: bool,

    /// Do not ask the model what a remedy would bring.
    #[arg(long)]
    pub(crate) no_model: bool,

    /// Print one line and end as monitoring plugins do: 0 fine, 1 worth a look, 2 hurts, 3 unknown.
    #[arg(long)]
    pub(crate) check: bool,

    /// Print the findings as JSON.
    #[arg(long, conflicts_with = "tabs")]
    pub(crate) json: bool,

    /// Print tab-separated lines without headers, one per finding.
    #[arg(short = 'H')]
    pub(crate) tabs: bool,
}

/// Explains the columns of `-H`.
fn after_help() -> String {
    let lines = arcwright_report::DOCTOR_COLUMNS.iter().enumerate();
    let lines: Vec<String> = lines
        .map(|(index, (name, meaning))| format!("  {:>2}  {name:<10} {meaning}", index + 1))
        .collect();
    format!("Columns of -H (what is absent is -):\n{}", lines.join("\n"))
}
