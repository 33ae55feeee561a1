//! The engine's side of the lab, in the process of whoever asked: checks, prepares, starts workers.
//!
//! [`Lab`] is what callers see; a request in progress is a [`session`]. Nothing here touches the library:
//! that is the business of worker processes (`worker`), which get a job each and tell what they found
//! ([`crate::protocol`]).

mod calibrate;
mod crash;
mod image;
mod libraries;
mod memory;
mod overhead;
mod prepared;
mod program;
mod scratch;
mod session;
mod space;
mod support;
mod workers;

use std::path::{Path, PathBuf};
use std::time::Instant;

use arcwright_scenario::{Engine, EngineError, Outcome, RunRequest, Scenario, Watch};
use arcwright_units::Nanos;

use self::libraries::Libraries;
use self::prepared::Prepared;
use self::scratch::Scratch;
use self::session::Session;
use crate::LabError;
use crate::openzfs::zfs_fuse;

pub use crash::CrashReport;
pub use memory::memory;
pub use overhead::{Overhead, measure as measure_overhead};
pub use program::WorkerProgram;
pub use space::room;
pub use support::check;

/// How the lab is set up.
#[derive(Debug, Clone)]
pub struct Options {
    /// Library to use instead of the one nearest to the scenario's version: a version or a path.
    pub openzfs: Option<String>,
    /// Folder for vdev files; the system's temporary folder when absent.
    pub scratch: Option<PathBuf>,
    /// What is started for every arm.
    pub worker: WorkerProgram,
}

/// The real OpenZFS in user space on emulated disks.
#[derive(Debug)]
pub struct Lab {
    options: Options,
}

impl Lab {
    /// Returns a lab.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { options }
    }

    /// Makes sure that the libraries for `scenario` are on this machine, and fetches those that are not.
    ///
    /// Nothing is fetched when the user named a path or a place of their own
    /// (`ARCWRIGHT_OPENZFS`); then a missing library is an error that says what to do.
    ///
    /// # Errors
    /// [`EngineError::Missing`] when it is not there and cannot be brought.
    pub fn provide_library(
        &self,
        scenario: &Scenario,
        say: &mut dyn FnMut(&str),
    ) -> Result<(), EngineError> {
        libraries::provide(scenario, self.options.openzfs.as_deref(), say)
    }

    /// Returns the version of OpenZFS whose code runs the scenario's own system.
    ///
    /// # Errors
    /// [`EngineError::Missing`] when its library is not on this machine.
    pub fn version(&self, scenario: &Scenario) -> Result<String, EngineError> {
        Ok(self.libraries(scenario)?.main().version.clone())
    }

    fn libraries(&self, scenario: &Scenario) -> Result<Libraries, EngineError> {
        Libraries::locate(scenario, self.options.openzfs.as_deref())
    }

    fn prepare<'a>(
        &'a self,
        scenario: &'a Scenario,
        scratch: &'a Path,
    ) -> Result<Prepared<'a>, EngineError> {
        Ok(Prepared {
            program: &self.options.worker,
            full_scale: scenario,
            scaled: scenario.scaled(scenario.lab.scale),
            libraries: self.libraries(scenario)?,
            processor: scenario.system.required_processor("lab")?,
            scale: scenario.lab.scale,
            scratch,
        })
    }

    /// Runs the first arm in turns on the bare library and on instant disks.
    pub(crate) fn compare_surroundings(
        &self,
        scenario: &Scenario,
        turns: u32,
        watch: &mut dyn Watch,
    ) -> Result<Overhead, EngineError> {
        self.check(scenario)?;
        let folder = self.scratch_folder()?;
        let prepared = self.prepare(scenario, folder.path())?;
        let mut session = Session::new(&prepared, turns, watch);
        session.compare_surroundings(turns).map_err(|error| failed(&error))
    }

    fn scratch_folder(&self) -> Result<Scratch, EngineError> {
        let scratch = self.scratch();
        let what = format!("making a folder in {}", scratch.display());
        Scratch::make(&scratch).map_err(|source| failed(&LabError::Io { what, source }))
    }

    fn scratch(&self) -> PathBuf {
        self.options.scratch.clone().unwrap_or_else(std::env::temp_dir)
    }
}

impl Engine for Lab {
    fn name(&self) -> &'static str {
        "lab"
    }

    fn check(&self, scenario: &Scenario) -> Result<(), EngineError> {
        support::check(scenario)?;
        let libraries = self.libraries(scenario)?;
        for arm in &scenario.arms {
            let library = libraries.of(&scenario.system_of(arm));
            let alone = scenario.alone(arm);
            if library.is_zfs_fuse() {
                zfs_fuse::check(&alone)?;
                zfs_fuse::check_tunables(&alone)?;
            } else {
                support::check_tunables(&alone, library)?;
            }
            support::check_memory(&alone, library)?;
        }
        space::check(&self.scratch(), space::room(scenario))
    }

    fn run(&mut self, request: &RunRequest, watch: &mut dyn Watch) -> Result<Outcome, EngineError> {
        let scenario = &request.scenario;
        self.check(scenario)?;
        let begun = Instant::now();
        let folder = self.scratch_folder()?;
        let prepared = self.prepare(scenario, folder.path())?;
        let mut session = Session::new(&prepared, request.repeats, watch);
        session.perform().map_err(|error| failed(&error))?;
        Ok(session.outcome(Nanos(u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX))))
    }
}

fn failed(error: &LabError) -> EngineError {
    let is_full = matches!(error, LabError::Full { .. });
    let hint = is_full.then(|| {
        "name a folder with more space (--scratch DIR), or free some: other programs have used the \
         space that was free when the run began"
            .to_owned()
    });
    EngineError::Failed { what: error.to_string(), hint }
}
