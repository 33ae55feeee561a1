//! What a user always wants, from `$XDG_CONFIG_HOME/arcwright/config.toml`; everything in it is optional.
//!
//! ```toml
//! units = "binary"                  # or "decimal": sizes as GiB or as GB
//! colour = "auto"                   # or "never", "always"
//! window = "10s"                    # how long doctor and capture watch a machine
//!
//! [findings]                        # as in a file for doctor --config
//! ignore = ["atime", "pool-full:backup"]
//! severity = { slog-alone = "note" }
//! ```
//!
//! The folder is the user's own; the working directory is never looked into.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::anyhow;
use arcwright_host::plain::read_text;
use arcwright_units::visible_path;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::arguments::window;

/// No file of preferences is longer.
const BYTES_MAX: u64 = 1 << 20;
/// How long a machine is watched where nobody says anything else.
const WINDOW_DEFAULT: Duration = Duration::from_secs(10);

static PREFERENCES: OnceLock<Preferences> = OnceLock::new();

/// What the file may hold.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Preferences {
    /// The base of sizes that are printed.
    #[serde(default)]
    units: Units,
    /// When text is coloured.
    #[serde(default)]
    pub(crate) colour: Colour,
    /// How long a machine is watched.
    #[serde(default, deserialize_with = "time")]
    window: Option<Duration>,
    /// What the owner says about findings.
    #[serde(default)]
    pub(crate) findings: Findings,
}

/// The base of sizes that are printed; what is read has a unit of its own.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Units {
    #[default]
    Binary,
    Decimal,
}

/// When text is coloured.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Colour {
    /// On a terminal, unless `NO_COLOR` says otherwise.
    #[default]
    Auto,
    Always,
    Never,
}

/// What the owner says about findings, here and in a file for `doctor --config`.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Findings {
    #[serde(default)]
    pub(crate) ignore: Vec<String>,
    #[serde(default)]
    pub(crate) severity: BTreeMap<String, String>,
}

impl Preferences {
    /// Returns how long a machine is watched: as `asked`, or as the user always wants it.
    pub(crate) fn window(&self, asked: Option<Duration>) -> Duration {
        asked.or(self.window).unwrap_or(WINDOW_DEFAULT)
    }
}

/// Reads the user's file, if there is one, for all that follows.
///
/// # Errors
/// What is wrong with it, and where it lies.
pub(crate) fn load() -> anyhow::Result<()> {
    let Some(path) = path() else { return Ok(()) };
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    let wrong = |why: String| anyhow!("{}: {why}", visible_path(&path));
    let text = read_text(&path, BYTES_MAX).map_err(|error| wrong(error.to_string()))?;
    let preferences = parse(&text).map_err(wrong)?;
    arcwright_units::show_decimal(preferences.units == Units::Decimal);
    // It is read once, before anything else is done.
    PREFERENCES.get_or_init(|| preferences);
    Ok(())
}

/// Returns what the user always wants.
pub(crate) fn preferences() -> &'static Preferences {
    PREFERENCES.get_or_init(Preferences::default)
}

/// Returns where the user's file lies.
pub(crate) fn path() -> Option<PathBuf> {
    // A relative folder would be found in the working directory.
    let folder =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute());
    let config = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))?;
    Some(config.join("arcwright/config.toml"))
}

fn parse(text: &str) -> Result<Preferences, String> {
    toml::from_str(text).map_err(|error| error.to_string().trim().to_owned())
}

fn time<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Duration>, D::Error> {
    window(&String::deserialize(value)?).map(Some).map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Colour, parse};

    #[test]
    fn everything_is_optional() {
        let nothing = parse("").unwrap();
        assert_eq!(nothing.window(None), Duration::from_secs(10));
        assert_eq!(nothing.colour, Colour::Auto);
        let all = parse(
            "units = \"decimal\"\ncolour = \"never\"\nwindow = \"2s\"\n[findings]\nignore = [\"atime\"]",
        );
        let all = all.unwrap();
        assert_eq!(all.window(None), Duration::from_secs(2));
        assert_eq!(all.window(Some(Duration::from_secs(5))), Duration::from_secs(5));
        assert_eq!(all.findings.ignore, ["atime"]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let check = |text: &str, expected: &str| {
            let error = parse(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        };
        check("color = \"never\"", "expected one of `units`, `colour`");
        check("units = \"metric\"", "expected `binary` or `decimal`");
        check("window = \"soon\"", "expected a time");
        check("window = 10", "invalid type");
        check("[findings]\nhide = []", "unknown field");
    }
}
