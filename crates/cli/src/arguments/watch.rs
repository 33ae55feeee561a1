//! The arguments of `arcwright watch`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{ExperimentArguments, completion};

/// Columns and rows of a picture where no others are asked for.
const PICTURE: (u16, u16) = (100, 32);

#[derive(Debug, Args)]
#[command(after_long_help = "Keys: ? shows them; q ends.")]
pub(crate) struct WatchArguments {
    /// Show a capture, a copied kstat tree or pasted text (- for standard input) instead of this machine.
    #[arg(long, value_name = "CAPTURE", conflicts_with = "scenario")]
    pub(crate) from: Option<PathBuf>,

    /// Run this experiment and watch it; takes --engine, --arm, --set and so on like arcwright run.
    #[arg(long, value_name = "FILE", add = completion::scenarios())]
    pub(crate) scenario: Option<PathBuf>,

    /// Show a recorded run of the lab instead of this machine; needs no ZFS.
    #[arg(long, conflicts_with_all = ["from", "scenario"])]
    pub(crate) demo: bool,

    #[command(flatten)]
    pub(crate) experiment: ExperimentArguments,

    /// Time between two readings, such as 1s or 500ms.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = interval)]
    pub(crate) interval: Duration,

    /// Print the screen as text and exit: after two readings of a machine, or at the end of an
    /// experiment.
    #[arg(long, value_name = "COLSxROWS", num_args = 0..=1, value_parser = size,
          default_missing_value = "100x32")]
    pub(crate) picture: Option<(u16, u16)>,

    /// Print the picture after this many readings.
    #[arg(long, value_name = "N", requires = "picture", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) after: Option<u32>,
}

fn interval(text: &str) -> Result<Duration, String> {
    let asked: arcwright_units::Nanos = arcwright_units::Nanos::parse(text)
        .map_err(|_| "expected a time, such as 1s or 500ms".to_owned())?;
    let asked = Duration::from_nanos(asked.0);
    let bounds = Duration::from_millis(100)..=Duration::from_secs(3600);
    if bounds.contains(&asked) { Ok(asked) } else { Err("expected 100ms to 1h".to_owned()) }
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let (columns, rows) = text.split_once('x').unwrap_or_default();
    match (columns.parse(), rows.parse()) {
        (Ok(columns), Ok(rows)) if (20..=500).contains(&columns) && (4..=200).contains(&rows) => {
            Ok((columns, rows))
        }
        _ => {
            let (columns, rows) = PICTURE;
            Err(format!("expected columns and rows, such as {columns}x{rows}, up to 500x200"))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{interval, size};

    #[test]
    fn sizes_and_intervals_have_bounds() {
        assert_eq!(size("80x24"), Ok((80, 24)));
        for wrong in ["80", "x", "80x", "0x0", "80x24x2", "100000x2", "-1x9", ""] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert_eq!(interval("1s"), Ok(Duration::from_secs(1)));
        for wrong in ["0s", "1ms", "2h", "x", ""] {
            assert!(interval(wrong).is_err(), "{wrong}");
        }
    }
}
