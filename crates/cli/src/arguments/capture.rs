//! What may stand on the command line of `arcwright capture`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct CaptureArguments {
    /// Where to put the archive (.tar.gz), or the text.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Time between the two readings; 0s for one reading alone.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = window)]
    pub(crate) window: Duration,

    /// Keep only what is known to tell nothing of you: names of pools, datasets, disks, mount points and
    /// serial numbers become numbers, what is not known goes.
    #[arg(long)]
    pub(crate) redact: bool,

    /// Write one text instead of an archive: longer, and to be read and compared as it is.
    #[arg(long)]
    pub(crate) text: bool,

    /// Ask no drive for its wear.
    #[arg(long)]
    pub(crate) no_smart: bool,

    /// Where the machine's files begin, for a container that sees its host's below a folder.
    #[arg(long, value_name = "DIR", default_value = "/", hide_default_value = true)]
    pub(crate) root: PathBuf,

    /// Replace FILE if it is there.
    #[arg(long)]
    pub(crate) force: bool,
}

/// Reads a time: `10s`, `2m`, `500ms`.
pub(super) fn window(text: &str) -> Result<Duration, String> {
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
