//! The scenarios that come with the program, and with the page: their files, by name.

use crate::error::ScenarioError;
use crate::experiment::Scenario;

/// A scenario of the gallery.
#[derive(Debug, Clone, Copy)]
pub struct GalleryScenario {
    /// The name of its file, without the ending.
    pub name: &'static str,
    /// What the file holds.
    pub text: &'static str,
}

macro_rules! entries {
    ($($name:literal),* $(,)?) => {
        &[$(GalleryScenario {
            name: $name,
            text: include_str!(concat!("../scenarios/", $name, ".toml")),
        }),*]
    };
}

/// All of them, by name.
pub const GALLERY: &[GalleryScenario] = entries![
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
    &[("jobs/disk_perf.fio", include_str!("../scenarios/jobs/disk_perf.fio"))];

impl GalleryScenario {
    /// Returns the one of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        GALLERY.iter().find(|entry| entry.name == name)
    }

    /// Reads it, with the job files that it names.
    ///
    /// # Errors
    /// Those of any scenario; a test holds that there are none.
    pub fn scenario(&self) -> Result<Scenario, ScenarioError> {
        Scenario::parse_with(self.text, self.name, &gallery_job)
    }
}

/// Returns a file that a scenario of the gallery names.
///
/// # Errors
/// It is not part of the program.
pub fn gallery_job(path: &str) -> Result<String, String> {
    let found = JOBS.iter().find(|(name, _)| *name == path);
    found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| format!("{path}: not found"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::{GALLERY, JOBS};

    fn names(folder: &str, ending: &str) -> BTreeSet<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let names = std::fs::read_dir(folder).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter_map(|name| Some(name.strip_suffix(ending)?.to_owned())).collect()
    }

    #[test]
    fn every_scenario_of_the_repository_is_in_the_gallery() {
        let held: BTreeSet<String> = GALLERY.iter().map(|entry| entry.name.to_owned()).collect();
        assert_eq!(held, names("scenarios", ".toml"));
        let jobs: BTreeSet<String> = JOBS.iter().map(|(path, _)| (*path).to_owned()).collect();
        let there = names("scenarios/jobs", ".fio");
        assert_eq!(jobs, there.iter().map(|name| format!("jobs/{name}.fio")).collect());
    }

    #[test]
    fn every_scenario_is_valid_and_asks_something() {
        for entry in GALLERY {
            let scenario = entry.scenario().unwrap();
            assert!(!scenario.question.is_empty(), "{}", entry.name);
        }
    }
}
