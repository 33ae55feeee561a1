//! Which library each arm runs on: the one nearest to the version that its system asks for, unless the
//! user named one for all.

use arcwright_scenario::{Arm, EngineError, Scenario, System};

use crate::openzfs::{self, Library, OpenzfsError, Wanted};

/// The libraries of a scenario.
#[derive(Debug)]
pub(crate) struct Libraries {
    /// The version asked for, as written, and what runs.
    known: Vec<(String, Library)>,
    /// What runs where the scenario's own system asks.
    main: Library,
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
        };
        let mut known: Vec<(String, Library)> = Vec::new();
        for zfs in versions(scenario) {
            known.push((zfs.clone(), find(&zfs)?));
        }
        let main = find(&scenario.system.zfs)?;
        Ok(Self { known, main })
    }

    /// Returns the library that `system` runs on.
    pub(crate) fn of(&self, system: &System) -> &Library {
        let of = self.known.iter().find(|(zfs, _)| *zfs == system.zfs);
        of.map_or(&self.main, |(_, library)| library)
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
        let OpenzfsError::NotFound { version } = &error else { return Err(missing(&error)) };
        let Some(root) = openzfs::fetch_root() else { return Err(missing(&error)) };
        if !openzfs::KNOWN.contains(&version.as_str()) {
            return Err(missing(&error));
        }
        openzfs::fetch(version, &root, say).map_err(|error| missing(&error))?;
    }
    Ok(())
}

/// Returns `scenario` with one arm alone, for what is checked arm by arm.
pub(crate) fn alone(scenario: &Scenario, arm: &Arm) -> Scenario {
    Scenario { arms: vec![arm.clone()], ..scenario.clone() }
}

fn missing(error: &OpenzfsError) -> EngineError {
    EngineError::Missing { what: error.to_string(), hint: error.hint() }
}

fn wanted(scenario: &Scenario, named: Option<&str>, zfs: &str) -> Wanted {
    match named.or(scenario.lab.openzfs.as_deref()) {
        Some(text) => Wanted::parse(text),
        None => Wanted::NearestTo(zfs.to_owned()),
    }
}

/// Returns the versions that the arms ask for, each once.
fn versions(scenario: &Scenario) -> Vec<String> {
    let mut versions = Vec::new();
    for arm in &scenario.arms {
        let zfs = scenario.system_of(arm).zfs;
        if !versions.contains(&zfs) {
            versions.push(zfs);
        }
    }
    versions
}
