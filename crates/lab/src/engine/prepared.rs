//! What is settled before the first worker starts: scaled experiment, libraries, processor, folder.

use std::path::{Path, PathBuf};

use arcwright_scenario::{Processor, Scenario, System};

use super::libraries::Libraries;
use super::program::WorkerProgram;
use crate::protocol::{self, Job, Task};

/// What every worker's job has in common.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    pub(super) program: &'a WorkerProgram,
    /// The experiment as asked.
    pub(super) full_scale: &'a Scenario,
    /// The experiment as run, scaled down.
    pub(super) scaled: Scenario,
    pub(super) libraries: Libraries,
    pub(super) processor: Processor,
    pub(super) scale: u64,
    pub(super) scratch: &'a Path,
}

impl Prepared<'_> {
    /// Returns a job for `system` without an image yet.
    pub(super) fn job(&self, system: &System, task: Task) -> Job {
        let library = self.libraries.of(system);
        Job {
            form: protocol::form(),
            task,
            library: library.libzpool.clone(),
            version: library.version.clone(),
            image: PathBuf::new(),
            system: system.clone(),
            files: self.scaled.files.clone(),
            trees: self.scaled.trees.clone(),
            scale: self.scale,
            seed: self.full_scale.seed,
        }
    }
}
