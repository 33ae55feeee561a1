//! Checks that the vdev files fit before anything is written.

use std::path::Path;

use arcwright_scenario::{EngineError, PoolSpec, Scenario, System, VdevLayout, VdevSpec};
use arcwright_units::Bytes;

use super::image::key_of;
use crate::os::free_in;

/// Room for labels, metadata and transaction groups beside the files themselves.
const SPARE: Bytes = Bytes::mib(256);

/// Trees of more files are reckoned from the mean of their sizes instead of drawn.
const DRAWN_MAX: u64 = 1 << 20;

/// Returns the bytes that all images of an experiment take, one for each system that is built.
#[must_use]
pub fn room(scenario: &Scenario) -> Bytes {
    let small = scenario.scaled(scenario.lab.scale);
    let systems: Vec<System> = small.arms.iter().map(|arm| small.system_of(arm)).collect();
    let mut built: Vec<System> = Vec::new();
    for key in systems.iter().map(key_of) {
        if !built.contains(&key) {
            built.push(key);
        }
    }
    built.iter().map(|system| needed(&small, system)).sum()
}

/// Returns the bytes that a pool's image takes: files and trees, their redundancy, and some spare.
fn needed(scenario: &Scenario, system: &System) -> Bytes {
    let files: Bytes = scenario.files.iter().map(|file| file.size).sum();
    let recordsize = system.pool.recordsize;
    let trees = scenario.trees.iter().map(|tree| match tree.files {
        0..=DRAWN_MAX => tree.drawn(scenario.seed).blocks_bytes(recordsize),
        files => {
            // Whole sectors, or whole records.
            let mean = tree.size_min.0.midpoint(tree.size_max.0);
            let more = if tree.size_max > recordsize { recordsize.0 / 2 } else { 256 };
            Bytes(mean.saturating_add(more)).saturating_mul(files)
        }
    });
    let files = files + trees.sum();
    let worst = system.pool.data.iter().map(|vdev| stored(files, vdev, &system.pool)).max();
    let stored = worst.unwrap_or(files);
    stored + Bytes(stored.0 / 50) + SPARE
}

/// Returns what `files` take on the disks of `vdev`, for whole records; of dRAID, whole rows of a group for each.
pub(super) fn stored(files: Bytes, vdev: &VdevSpec, pool: &PoolSpec) -> Bytes {
    if let VdevLayout::Draid { parity, data, .. } = vdev.layout {
        let records = pool.datasets.iter().map(|it| it.properties_in(pool).recordsize);
        let record = records.fold(pool.recordsize, Bytes::min).0.max(512);
        let rows = record.div_ceil(u64::from(data.max(1)) << pool.ashift);
        let row = (u64::from(parity) + u64::from(data)) << pool.ashift;
        return Bytes(files.0.div_ceil(record)).saturating_mul(rows * row);
    }
    let disks = vdev.disks.len() as u64;
    Bytes(files.saturating_mul(disks).0.div_ceil(vdev.data_disks().max(1)))
}

/// Refuses when `folder` has less than `needed` free.
///
/// # Errors
/// [`EngineError::Failed`] with what is needed, what is there, and how to choose another folder.
pub(crate) fn check(folder: &Path, needed: Bytes) -> Result<(), EngineError> {
    let free = free_in(folder).map_err(|error| EngineError::Failed {
        what: format!("cannot use the scratch folder {}: {error}", folder.display()),
        hint: Some("name another with --scratch DIR".to_owned()),
    })?;
    if free >= needed {
        return Ok(());
    }
    Err(EngineError::Failed {
        what: format!(
            "no space for the vdev files: {needed} are needed in {}, {free} are free",
            folder.display()
        ),
        hint: Some(
            "name a folder with more space (--scratch DIR) or scale down further (--set \
             lab.scale=64)"
                .to_owned(),
        ),
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use arcwright_units::Bytes;

    use super::{check, room};

    const SCENARIO: &str = "title = 't'\n[system]\nzfs = '2.1.11'\nmemory = '4GiB'\n[system.pool]\n\
                            data = [{ mirror = ['hdd-nas-7200', 'hdd-nas-7200'] }]\n";
    const PHASE: &str = "[[phase]]\nname = 'p'\nclients = [{ read = 'f' }]\n\
                         [[file]]\nname = 'f'\nsize = '1GiB'\n";

    #[test]
    fn every_system_that_is_built_takes_room() {
        let of = |more: &str| {
            let text = format!("{SCENARIO}{PHASE}{more}");
            room(&arcwright_scenario::Scenario::parse(&text, "t").unwrap())
        };
        let one = of("");
        assert!(one > Bytes::gib(2) && one < Bytes::gib(3), "{one}");
        let arms = |second: &str| format!("[[arm]]\nname = 'a'\n[[arm]]\nname = 'b'\n{second}");
        assert_eq!(of(&arms("memory = '8GiB'")), one);
        assert_eq!(of(&arms("recordsize = '16KiB'")), Bytes(one.0 * 2));
    }

    #[test]
    fn a_tree_is_reckoned_as_it_would_be_drawn_and_never_drawn_when_it_is_absurd() {
        let of = |files: u64| {
            let tree = format!(
                "[[tree]]\nname = 't'\nfiles = {files}\nfiles_per_directory = 1000\n\
                 size_min = '1KiB'\nsize_max = '7KiB'\n"
            );
            let text = format!("{SCENARIO}{PHASE}{tree}");
            room(&arcwright_scenario::Scenario::parse(&text, "t").unwrap()).0
        };
        let (drawn, reckoned) = (of(1 << 20), of((1 << 20) + 1));
        assert!(drawn.abs_diff(reckoned) < drawn / 100, "{drawn} and {reckoned}");
        assert!(of(800_000_000) > 6 << 40);
    }

    #[test]
    fn an_absurd_need_is_refused_with_both_figures_and_a_way_out() {
        let error = check(Path::new("/"), Bytes(u64::MAX)).unwrap_err().to_string();
        assert!(error.contains("no space for the vdev files"), "{error}");
        assert!(check(Path::new("/"), Bytes::ZERO).is_ok());
    }

    #[test]
    fn a_missing_folder_is_an_error_not_a_panic() {
        let error = check(Path::new("/does/not/exist"), Bytes(1)).unwrap_err().to_string();
        assert!(error.contains("/does/not/exist"), "{error}");
    }
}
