//! The pool's image: built once per system and reused by every arm that has the same disks.

use std::path::{Path, PathBuf};

use arcwright_scenario::{Properties, Scenario, System};

use super::prepared::Prepared;
use super::workers::{self, End};
use crate::LabError;
use crate::protocol::{Job, Message, Task};

/// An image in the scratch folder.
#[derive(Debug, Clone)]
pub(crate) struct Image {
    /// Its folder.
    pub(crate) folder: PathBuf,
    /// The system it was built for, without what an arm may change.
    key: System,
}

impl Image {
    /// Returns whether `system` can run on this image.
    pub(crate) fn fits(&self, system: &System) -> bool {
        self.key == key_of(system)
    }
}

/// Builds the image for `system` in a new folder below `scratch`.
///
/// # Errors
/// [`LabError`] of the worker or of the system.
pub(crate) fn build(
    prepared: &Prepared<'_>,
    system: &System,
    folder: &Path,
    hear: &mut dyn FnMut(u64, u64),
    stop: &dyn Fn() -> bool,
) -> Result<Option<Image>, LabError> {
    let failed = |source| LabError::Io { what: "making the image's folder".to_owned(), source };
    std::fs::create_dir_all(folder).map_err(failed)?;
    let job = Job { image: folder.to_path_buf(), ..prepared.job(system, Task::Build) };
    let end = workers::run(prepared.program, &job, stop, &mut |message| {
        if let Message::Progress { done, total } = message {
            hear(done, total);
        }
    })?;
    let image = Image { folder: folder.to_path_buf(), key: key_of(system) };
    Ok((end == End::Done).then_some(image))
}

/// Returns the bytes that every image of `scenario` writes.
pub(crate) fn bytes(scenario: &Scenario) -> u64 {
    let files: u64 = scenario.files.iter().map(|file| file.size.0).sum();
    files + scenario.trees.iter().map(|tree| tree.drawn(scenario.seed).bytes().0).sum::<u64>()
}

/// What the image depends on: the data and special disks and how blocks are written, nothing else.
pub(crate) fn key_of(system: &System) -> System {
    let mut key = system.clone();
    key.tunables.clear();
    key.pool.cache.clear();
    key.pool.log.clear();
    key.memory = arcwright_units::Bytes::ZERO;
    key.cpu.clear();
    key.cpu_figures = None;
    key.pool.sync = arcwright_scenario::SyncMode::Standard;
    key.pool.logbias = arcwright_scenario::Logbias::Latency;
    key.pool.primarycache = arcwright_scenario::CacheContent::All;
    key.pool.secondarycache = arcwright_scenario::CacheContent::All;
    for dataset in &mut key.pool.datasets {
        let Properties { recordsize, compression, special_small_blocks, .. } = dataset.properties;
        let written =
            Properties { recordsize, compression, special_small_blocks, ..Default::default() };
        dataset.properties = written;
    }
    key
}
