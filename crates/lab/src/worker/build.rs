//! Builds the pool's image: empty vdev files, a pool, a dataset, the files and trees of the scenario.
//!
//! The bare library writes it at full speed, in transaction groups of a fixed size, so that where
//! blocks lie depends on the scenario and not on how busy the machine was.

use std::collections::BTreeMap;
use std::fs::{self, File};

use arcwright_scenario::{DatasetProperties, Setting};
use arcwright_units::Bytes;
use arcwright_workload::Stream;

use super::contents::FileWriter;
use super::messages::MessageWriter;
use super::populate::TreeWriter;
use super::setup;
use crate::LabError;
use crate::protocol::{Environment, Job, Message, ScaledSetting};
use crate::zpool::dataset::LabDataset;
use crate::zpool::functions::{Functions, Handle};
use crate::zpool::object::{self, Object};
use crate::zpool::pool;
use crate::zpool::znode::Dataset;

/// Name of the file with the pool's configuration, beside the vdev files.
pub(super) const CONFIG: &str = "pool.nvlist";
/// Name of the file that says which object each file is, and each tree's root.
pub(super) const OBJECTS: &str = "objects.json";

/// Builds the image of `job`.
///
/// # Errors
/// [`LabError`] of the system or of OpenZFS.
pub(super) fn build(job: &Job, writer: &MessageWriter) -> Result<(), LabError> {
    setup::start_clock(job, None)?;
    for spec in setup::disks(job, &job.image, Environment::Instant)? {
        if spec.role.holds_pool() {
            create_sparse(&spec.path, spec.size)?;
        }
    }
    let started =
        setup::start(job, &job.image, Environment::Building, &builder_tunables(), Vec::new())?;
    let functions = &started.functions;
    let pool_spec = &job.system.pool;
    pool::create(functions, &setup::pool_vdevs(job), (pool_spec.ashift, pool_spec.encrypts()))?;
    let mut datasets = Vec::new();
    for dataset in LabDataset::all(&job.system.pool) {
        dataset.create(functions)?;
        let objset = dataset.open(functions)?;
        datasets.push((dataset, objset));
    }
    let mut objects = write_files(job, functions, &datasets, writer)?;
    for (_, objset) in datasets.iter().filter(|(dataset, _)| dataset.is_own()) {
        populate_trees(job, Dataset { functions, objset: *objset }, &mut objects, writer)?;
    }
    for (dataset, objset) in datasets {
        object::sync(functions, objset);
        dataset.close(functions, objset);
    }
    let config = pool::export(functions)?;
    let what = format!("writing the pool's image in {}", job.image.display());
    let failed = |source| LabError::Io { what: what.clone(), source };
    fs::write(job.image.join(CONFIG), config).map_err(failed)?;
    let text = serde_json::to_string(&objects).unwrap_or_default();
    fs::write(job.image.join(OBJECTS), text).map_err(failed)
}

/// Creates a file of `size` that takes no space yet.
pub(super) fn create_sparse(path: &std::path::Path, size: Bytes) -> Result<(), LabError> {
    let failed = |error: std::io::Error| LabError::Disk {
        path: path.to_path_buf(),
        reason: match error.kind() {
            std::io::ErrorKind::FileTooLarge => format!(
                "the file system there takes no files of {size}; name another folder (--scratch DIR; XFS and ZFS do), \
                 give disks a smaller size, or scale the lab down (lab.scale)"
            ),
            _ => error.to_string(),
        },
    };
    File::create(path).and_then(|file| file.set_len(size.0)).map_err(failed)
}

/// Room to write without being throttled, and no transaction group by the clock. Blocks go to the
/// top-level vdevs in turns of an aliquot: with the allocation throttle they would go to whichever
/// vdev has just finished something, and here all vdevs are one file system.
fn builder_tunables() -> Vec<ScaledSetting> {
    let settings = [
        ("zfs_arc_max", Bytes::mib(512).0),
        ("zfs_dirty_data_max", Bytes::gib(1).0),
        ("zfs_dirty_data_max_max", Bytes::gib(1).0),
        ("zfs_txg_timeout", 3600),
        ("zio_dva_throttle_enabled", 0),
    ];
    let asked = settings.map(|(name, value)| Setting { name: name.to_owned(), value });
    asked.iter().map(ScaledSetting::unscaled).collect()
}

fn write_files(
    job: &Job,
    functions: &Functions,
    datasets: &[(LabDataset, Handle)],
    writer: &MessageWriter,
) -> Result<BTreeMap<String, u64>, LabError> {
    let gone = || LabError::Worker { what: "has a file without a dataset".to_owned() };
    let mut objects = BTreeMap::new();
    let mut files = FileWriter::new(job, bytes(job), writer);
    for file in &job.files {
        let (_, objset) = datasets.iter().find(|(it, _)| it.holds(file)).ok_or_else(gone)?;
        let objset = *objset;
        let DatasetProperties { kind, recordsize, .. } = job.system.pool.properties_of(file);
        let number = object::create(functions, objset, kind, recordsize)?;
        let open = Object::open(functions, objset, number)?;
        let contents = (file.size, file.compressratio_percent);
        files.write(&open, contents, &|| object::sync(functions, objset))?;
        open.close();
        objects.insert(file.name.clone(), number);
    }
    Ok(objects)
}

/// Populates the trees and adds their roots to `objects`.
fn populate_trees(
    job: &Job,
    dataset: Dataset<'_>,
    objects: &mut BTreeMap<String, u64>,
    writer: &MessageWriter,
) -> Result<(), LabError> {
    let total = bytes(job).0;
    let mut done = job.files.iter().map(|file| file.size.0).sum();
    let random = Stream::new(job.seed, "tree contents");
    let recordsize = job.system.pool.recordsize;
    let mut tree_writer = TreeWriter { dataset, recordsize, percent: None, random };
    for tree in &job.trees {
        tree_writer.percent = tree.compressratio_percent;
        let root = tree_writer.populate(&tree.drawn(job.seed), &mut |bytes| {
            done += bytes;
            writer.send(&Message::Progress { done, total });
        })?;
        objects.insert(tree.name.clone(), root);
    }
    Ok(())
}

/// Returns what all files and trees of a job hold.
fn bytes(job: &Job) -> Bytes {
    let files: Bytes = job.files.iter().map(|file| file.size).sum();
    files + job.trees.iter().map(|tree| tree.drawn(job.seed).bytes()).sum()
}
