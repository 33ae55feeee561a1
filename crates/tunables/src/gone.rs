//! Parameters outside the catalogue that some version had and a later one has not, so that a line
//! for them in an old file can be named.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::Version;
use crate::version::last_version;

const TEXT: &str = include_str!("../catalogue/gone.toml");

/// A test reads the file, so that nothing is ever left out here for being malformed.
static GONE: LazyLock<Vec<Removed>> =
    LazyLock::new(|| toml::from_str::<File>(TEXT).map(|file| file.gone).unwrap_or_default());

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    gone: Vec<Removed>,
}

/// A parameter that is no longer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Removed {
    /// Linux module parameter.
    pub name: String,
    /// The first version that had it, as far as the releases since 0.6.5 tell.
    pub from: Version,
    /// The last version that had it.
    #[serde(default, deserialize_with = "last_version")]
    pub to: Option<Version>,
    /// What took its place.
    pub successor: Option<String>,
    /// What to do instead, in a sentence.
    pub note: Option<String>,
}

/// Returns every parameter outside the catalogue that is gone.
#[must_use]
pub fn gone() -> &'static [Removed] {
    &GONE
}

#[cfg(test)]
mod tests {
    use super::{File, TEXT, gone};
    use crate::lookup;

    #[test]
    fn the_file_is_well_formed_and_names_what_the_catalogue_does_not() {
        assert_eq!(toml::from_str::<File>(TEXT).unwrap().gone.len(), gone().len());
        assert!(gone().len() > 20);
        assert!(gone().iter().all(|gone| lookup(&gone.name).is_none() && gone.to.is_some()));
    }

    #[test]
    fn a_successor_exists() {
        let known = |name: &String| {
            lookup(name).is_some() || !name.starts_with("l2arc") && name.starts_with("zfs_")
        };
        assert!(gone().iter().filter_map(|gone| gone.successor.as_ref()).all(known));
    }
}
