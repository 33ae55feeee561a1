//! What may stand on the command line of `arcwright capture`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct CaptureArguments {
    /// Path of the archive (.tar.gz), or of the text.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Time between the two readings, 10s by default; 0s takes only one.
    #[arg(long, value_name = "TIME", value_parser = window)]
    pub(crate) window: Option<Duration>,

    /// Keep only what is known to identify nobody: names of pools, datasets, disks, mount points and
    /// serial numbers become numbers, unknown content is removed.
    #[arg(long)]
    pub(crate) redact: bool,

    /// Write one text instead of an archive: larger, but readable and comparable.
    #[arg(long)]
    pub(crate) text: bool,

    /// Do not query drives for their wear.
    #[arg(long)]
    pub(crate) no_smart: bool,

    /// Root of the machine's files, for a container that sees its host's below a folder.
    #[arg(long, value_name = "DIR", default_value = "/", hide_default_value = true)]
    pub(crate) root: PathBuf,

    /// Replace FILE if it exists.
    #[arg(long)]
    pub(crate) force: bool,
}

/// Reads a time: `10s`, `2m`, `500ms`.
pub(crate) fn window(text: &str) -> Result<Duration, String> {
    /// A day: longer than that nobody waits, and archives of it say no more.
    const WINDOW_MAX: Duration = Duration::from_secs(24 * 3600);
    let nanos = arcwright_units::Nanos::parse(text)
        .map_err(|_| "expected a time such as 10s, 500ms or 2m".to_owned())?;
    let window = Duration::from_nanos(nanos.0);
    match window <= WINDOW_MAX {
        true => Ok(window),
        false => Err("expected at most a day".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::window;

    #[test]
    fn a_window_is_a_time() {
        assert_eq!(window("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(window("0s"), Ok(Duration::ZERO));
        assert!(window("soon").is_err());
        assert!(window("25h").is_err());
    }
}
