//! Which library each arm runs on: the one nearest to the version that its system asks for, unless the
//! user named one for all.

use arcwright_scenario::{EngineError, Scenario, System};
use arcwright_tunables::Version;

use crate::openzfs::{self, Library, LibraryChoice, OpenzfsError, UNKNOWN};

/// The libraries of a scenario.
#[derive(Debug)]
pub(crate) struct Libraries {
    /// What the scenario's own system runs on.
    main: Library,
    /// Versions that arms ask for beside its own, as written, and what runs.
    others: Vec<(String, Library)>,
}

impl Libraries {
    /// Finds the library of each arm of `scenario`; `named` is what the user wants for all.
    ///
    /// # Errors
    /// [`EngineError::Missing`] with the one command that brings it.
    pub(crate) fn locate(scenario: &Scenario, named: Option<&str>) -> Result<Self, EngineError> {
        let find = |zfs: &str| {
            openzfs::locate(&wanted(scenario, named, zfs), &openzfs::search_roots())
                .map_err(|error| missing(&error))
                .and_then(understood)
        };
        let main = find(&scenario.system.zfs)?;
        let others = versions(scenario).into_iter().skip(1);
        let others = others.map(|zfs| find(&zfs).map(|library| (zfs, library)));
        Ok(Self { main, others: others.collect::<Result<_, _>>()? })
    }

    /// Returns the library that `system` runs on.
    pub(crate) fn of(&self, system: &System) -> &Library {
        let other = self.others.iter().find(|(zfs, _)| *zfs == system.zfs);
        other.map_or(&self.main, |(_, library)| library)
    }

    /// Returns the library of the scenario's own system.
    pub(crate) fn main(&self) -> &Library {
        &self.main
    }

    /// Returns what is to be said where other code runs than is asked for, or other code in one arm than
    /// in others.
    pub(crate) fn notes(&self, scenario: &Scenario) -> Vec<String> {
        let (wanted, version) = (&scenario.system.zfs, &self.main.version);
        let mut notes = Vec::new();
        if wanted != version {
            notes.push(format!(
                "the scenario asks for OpenZFS {wanted}; the code that ran is {version}"
            ));
        }
        for arm in &scenario.arms {
            let system = scenario.system_of(arm);
            let runs = &self.of(&system).version;
            if system.zfs == *wanted {
                continue;
            }
            notes.push(if system.zfs == *runs {
                format!("arm “{}” ran the code of OpenZFS {runs}", arm.name)
            } else {
                let (arm, asks) = (&arm.name, &system.zfs);
                format!("arm “{arm}” asks for OpenZFS {asks}; the code that ran is {runs}")
            });
        }
        notes
    }
}

/// Makes sure that the libraries for `scenario` are on this machine, and fetches those that are not.
///
/// # Errors
/// [`EngineError::Missing`] when one is not there and cannot be brought.
pub(crate) fn provide(
    scenario: &Scenario,
    named: Option<&str>,
    say: &mut dyn FnMut(&str),
) -> Result<(), EngineError> {
    for zfs in versions(scenario) {
        let wanted = wanted(scenario, named, &zfs);
        let Err(error) = openzfs::locate(&wanted, &openzfs::search_roots()) else { continue };
        let (OpenzfsError::NotFound { version } | OpenzfsError::Altered { version, .. }) = &error
        else {
            return Err(missing(&error));
        };
        let Some(root) = openzfs::fetch_root() else { return Err(missing(&error)) };
        if !openzfs::KNOWN.contains(&version.as_str()) {
            return Err(missing(&error));
        }
        openzfs::fetch(version, &root, say).map_err(|error| missing(&error))?;
    }
    Ok(())
}

fn missing(error: &OpenzfsError) -> EngineError {
    EngineError::Missing { what: error.to_string(), hint: error.hint() }
}

/// Refuses a library of a series that is not known: its calls and structures may be others.
fn understood(library: Library) -> Result<Library, EngineError> {
    if Version::parse(library.behaviour()).is_some() {
        return Ok(library);
    }
    let what = match library.version.as_str() {
        UNKNOWN => format!("{}, which does not say its release,", library.libzpool.display()),
        version => format!("OpenZFS {version} ({})", library.libzpool.display()),
    };
    Err(EngineError::Unsupported {
        engine: "lab",
        what: format!("{what} is not loaded: its calls may differ from those that are known"),
        hint: Some("the lab knows OpenZFS 2.0 to 2.4".to_owned()),
    })
}

fn wanted(scenario: &Scenario, named: Option<&str>, zfs: &str) -> LibraryChoice {
    match named.or(scenario.lab.openzfs.as_deref()) {
        Some(text) => LibraryChoice::parse(text),
        None => LibraryChoice::NearestTo(zfs.to_owned()),
    }
}

/// Returns the versions that are asked for, each once: the scenario's own, then those of its arms.
fn versions(scenario: &Scenario) -> Vec<String> {
    let mut versions = vec![scenario.system.zfs.clone()];
    for arm in &scenario.arms {
        let zfs = scenario.system_of(arm).zfs;
        if !versions.contains(&zfs) {
            versions.push(zfs);
        }
    }
    versions
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::understood;
    use crate::openzfs::Library;

    #[test]
    fn a_library_of_an_unknown_series_is_refused() {
        let check = |version: &str, expected: bool| {
            let libzpool = PathBuf::from("/lib/libzpool.so.9");
            let library = Library { version: version.to_owned(), libzpool, folder: "/lib".into() };
            assert_eq!(understood(library).is_ok(), expected, "{version}");
        };
        for version in ["2.0.3", "2.1", "2.4.4", "zfs-fuse-0.7.0"] {
            check(version, true);
        }
        for version in ["2.5.0", "3.0", "unknown"] {
            check(version, false);
        }
    }
}
