//! The scenarios that come with the program: they run by name from any folder.
//!
//! A bare word is such a name, in whatever folder the user stands; a file with that very name is meant by
//! `./NAME`.

use std::path::Path;

use arcwright_scenario::{Scenario, ScenarioError};

/// A scenario of the gallery.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The name of its file, without the ending.
    pub(crate) name: &'static str,
    /// What the file holds.
    pub(crate) text: &'static str,
}

macro_rules! entries {
    ($($name:literal),* $(,)?) => {
        &[$(Entry { name: $name, text: include_str!(concat!("../../scenarios/", $name, ".toml")) }),*]
    };
}

/// All of them, by name.
pub(crate) const ENTRIES: &[Entry] = entries![
    "home-nas",
    "media-and-backup",
    "png-tree",
    "png-tree-now",
    "png-tree-records",
    "prefetch-matrix",
    "prefetch-matrix-now",
    "spare-ssd",
    "steam-library",
    "steam-library-squeezed",
    "vm-sync-writes",
];

/// The job files that they name.
const JOBS: &[(&str, &str)] =
    &[("jobs/disk_perf.fio", include_str!("../../scenarios/jobs/disk_perf.fio"))];

/// What `arcwright init` writes.
pub(crate) const TEMPLATE: &str = include_str!("template.toml");

/// Returns the scenario that an argument names, if it is a bare word.
pub(crate) fn find(argument: &Path) -> Option<&'static Entry> {
    let name = argument.to_str()?;
    ENTRIES.iter().find(|entry| entry.name == name)
}

/// Says whether an argument is a bare word, as names of the gallery are.
pub(crate) fn is_bare(argument: &Path) -> bool {
    argument.extension().is_none() && argument.components().count() == 1
}

/// Returns the name that was probably meant where there is no such file.
pub(crate) fn nearest(argument: &Path) -> Option<&'static str> {
    let stem = argument.file_stem()?.to_str()?;
    arcwright_units::nearest(stem, ENTRIES.iter().map(|entry| entry.name))
}

impl Entry {
    /// Reads it, with the job files that it names.
    ///
    /// # Errors
    /// Those of any scenario; a test holds that there are none.
    pub(crate) fn scenario(&self) -> Result<Scenario, ScenarioError> {
        Scenario::parse_with(self.text, self.name, &job)
    }
}

/// Returns a file that a scenario of the gallery names.
///
/// # Errors
/// It is not part of the program.
pub(crate) fn job(path: &str) -> Result<String, String> {
    let found = JOBS.iter().find(|(name, _)| *name == path);
    found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| format!("{path}: not found"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use arcwright_scenario::Scenario;

    use super::{ENTRIES, JOBS, TEMPLATE, find, nearest};

    fn names(folder: &str, ending: &str) -> BTreeSet<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let names = std::fs::read_dir(folder).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter_map(|name| Some(name.strip_suffix(ending)?.to_owned())).collect()
    }

    #[test]
    fn every_scenario_of_the_repository_is_in_the_gallery() {
        let held: BTreeSet<String> = ENTRIES.iter().map(|entry| entry.name.to_owned()).collect();
        assert_eq!(held, names("scenarios", ".toml"));
        let jobs: BTreeSet<String> = JOBS.iter().map(|(path, _)| (*path).to_owned()).collect();
        let there = names("scenarios/jobs", ".fio");
        assert_eq!(jobs, there.iter().map(|name| format!("jobs/{name}.fio")).collect());
    }

    #[test]
    fn every_scenario_is_valid_and_asks_something() {
        for entry in ENTRIES {
            let scenario = entry.scenario().unwrap();
            assert!(!scenario.question.is_empty(), "{}", entry.name);
        }
        Scenario::parse(TEMPLATE, "template.toml").unwrap();
    }

    #[test]
    fn a_bare_word_is_a_name_and_a_path_is_a_file() {
        assert!(find(Path::new("steam-library")).is_some());
        for path in ["./steam-library", "steam-library.toml", "scenarios/steam-library", ""] {
            assert!(find(Path::new(path)).is_none(), "{path}");
        }
        assert_eq!(nearest(Path::new("steam-libary.toml")), Some("steam-library"));
        assert_eq!(nearest(Path::new("entirely-else")), None);
    }
}
