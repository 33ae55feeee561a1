//! What may stand on the command line of `arcwright doctor`.

use arcwright_units::Nanos;
use clap::Args;

#[derive(Debug, Args)]
#[command(after_long_help = after_help())]
pub(crate) struct DoctorArguments {
    /// Judge a capture, a folder of files copied from a machine, or pasted text (`-` for standard input).
    #[arg(long, value_name = "CAPTURE|DIR|TEXT|-")]
    pub(crate) from: Option<String>,

    /// How long this machine is watched before it is judged.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = window, conflicts_with = "from")]
    pub(crate) window: Nanos,

    /// Show all of every finding: cost, risk, how sure, sources, how to undo.
    #[arg(long, short = 'v', visible_alias = "verbose")]
    pub(crate) explain: bool,

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

/// Parses the length of a window, which must not be nothing nor all night.
fn window(text: &str) -> Result<Nanos, String> {
    const MAX: Nanos = Nanos::secs(24 * 3600);
    let span = Nanos::parse(text).map_err(|error| error.to_string())?;
    if span < Nanos::SECOND || span > MAX {
        return Err("a window lasts between 1s and 24h".to_owned());
    }
    Ok(span)
}

/// Explains the columns of `-H`.
fn after_help() -> String {
    let lines = arcwright_report::DOCTOR_COLUMNS.iter().enumerate();
    let lines: Vec<String> = lines
        .map(|(index, (name, meaning))| format!("  {:>2}  {name:<10} {meaning}", index + 1))
        .collect();
    format!("Columns of -H (what is absent is -):\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::window;

    #[test]
    fn a_window_has_a_unit_and_bounds() {
        assert_eq!(window("10s"), Ok(Nanos::secs(10)));
        assert_eq!(window("2m"), Ok(Nanos::secs(120)));
        for text in ["10", "0s", "100ms", "25h", ""] {
            assert!(window(text).is_err(), "{text}");
        }
    }
}
