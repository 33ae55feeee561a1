//! A worker's job on `zfs-fuse`: build the pool's image, or run the phases of an arm on it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use arcwright_scenario::AppliedSetting;
use arcwright_units::{Bytes, Nanos};

use super::contents::FileWriter;
use super::messages::MessageWriter;
use super::stage::Stage;
use super::{build, setup};
use crate::disks::Disks;
use crate::fuse::{File, daemon, kstats};
use crate::protocol::{Environment, Job, Message, RunTask, ScaledSetting, Task};
use crate::zpool::file::OpenFile;
use crate::{LabError, hooks, schedule};

/// Name of the daemon's list of pools.
const CACHE: &str = "zpool.cache";
/// Memory of the machine on which pools are built: enough that writes are not held back.
const BUILDER_MEMORY: Bytes = Bytes::gib(16);
/// The ARC of the daemon that builds, in MiB.
const BUILDER_ARC: &str = "512";
/// Longer than a transaction group waits to be closed (`zfs_txg_timeout` of 30 s), and is written.
const GROUP_TIME: Nanos = Nanos::secs(45);
/// Transaction groups after the last one with data: an import reads what the last few have written,
/// and would find the files' ends in the ARC (`spa_load_verify`).
const GROUPS_AFTER: u64 = 8;
/// Name of a file that is written to for their sake.
const SETTLED: &str = ".settled";

/// Does `job`.
///
/// # Errors
/// [`LabError`] of the system or of the daemon.
pub(super) fn perform(job: &Job, writer: &MessageWriter) -> Result<(), LabError> {
    match &job.task {
        Task::Build => build_image(job, writer),
        Task::Run(task) => run(job, task, writer),
        Task::Crash(_) | Task::Recover(_) => {
            Err(LabError::Worker { what: "supports no crash tests with zfs-fuse".to_owned() })
        }
    }
}

fn build_image(job: &Job, writer: &MessageWriter) -> Result<(), LabError> {
    setup::start_clock(job, None)?;
    for spec in setup::disks(job, &job.image, Environment::Instant)? {
        build::create_sparse(&spec.path, spec.size)?;
    }
    let cores = setup::processor_of(job)?.cores;
    hooks::machine::set(BUILDER_MEMORY.0, cores, setup::rng(job, Environment::Building));
    let options = ["--max-arc-size".to_owned(), BUILDER_ARC.to_owned()];
    start(job, &job.image, true, &options)?;
    let [data_vdevs, _no_special] = setup::pool_vdevs(job);
    daemon::create_pool(&data_vdevs, &job.system.pool)?;
    daemon::mount()?;
    write_files(job, writer)?;
    settle()
}

fn start(job: &Job, folder: &Path, building: bool, options: &[String]) -> Result<(), LabError> {
    daemon::start(daemon::Start { program: &job.library, folder, building, options })
}

fn wait_for_group() {
    schedule::sleep_until(schedule::now() + GROUP_TIME);
}

/// Lets transaction groups pass that hold next to nothing.
fn settle() -> Result<(), LabError> {
    let little = File::create(SETTLED)?;
    for place in 0..GROUPS_AFTER {
        little.write(place, b"-")?;
        wait_for_group();
    }
    Ok(())
}

fn write_files(job: &Job, writer: &MessageWriter) -> Result<(), LabError> {
    let total = job.files.iter().map(|file| file.size).sum();
    let mut files = FileWriter::new(job, total, writer);
    job.files.iter().try_for_each(|file| {
        files.write(&File::create(&file.name)?, (file.size, None), &wait_for_group)
    })
}

fn run(job: &Job, task: &RunTask, writer: &MessageWriter) -> Result<(), LabError> {
    if task.dilation.is_some() {
        return Err(LabError::Worker { what: "runs zfs-fuse by events only".to_owned() });
    }
    let clock = setup::start_clock(job, None)?;
    let specs = setup::disks(job, &task.folder, task.environment)?;
    let disks = setup::attach(Disks::new(specs)?)?;
    let failed = |source| LabError::Io { what: "reading the pool's image".to_owned(), source };
    std::fs::copy(job.image.join(CACHE), task.folder.join(CACHE)).map_err(failed)?;
    let cores = setup::processor_of(job)?.cores;
    let memory = job.system.memory.0.max(BUILDER_MEMORY.0);
    hooks::machine::set(memory, cores, setup::rng(job, task.environment));
    let (options, applied) = options(task);
    start(job, &task.folder, false, &options)?;
    writer.send(&Message::Applied(applied));
    daemon::mount()?;
    let mut files: BTreeMap<String, Box<dyn OpenFile>> = BTreeMap::new();
    for file in &job.files {
        files.insert(file.name.clone(), Box::new(File::open(&file.name)?));
    }
    // The import has written its own transaction group by then.
    wait_for_group();
    disks.arm();
    let stage = Stage {
        job,
        task,
        files,
        trees: BTreeMap::new(),
        always_synced: BTreeSet::new(),
        kstats,
        disks,
        clock,
    };
    stage.phases(writer)
}

/// Returns the daemon's options, and what was asked and set by them.
fn options(task: &RunTask) -> (Vec<String>, Vec<AppliedSetting>) {
    let mut options = Vec::new();
    let mut applied = Vec::new();
    for ScaledSetting { asked, scaled } in &task.tunables {
        let Some((words, set)) = option_of(&asked.name, *scaled) else { continue };
        options.extend(words);
        let (name, asked) = (asked.name.clone(), asked.value);
        applied.push(AppliedSetting { name, asked, read_back: set });
    }
    (options, applied)
}

/// Returns the daemon's option for a tunable and the value that it comes to.
///
/// The ARC and the vdev cache are set in whole MiB.
fn option_of(name: &str, value: u64) -> Option<(Vec<String>, u64)> {
    let in_mib = |option: &str| {
        let whole = Bytes::mib(1).0;
        (vec![option.to_owned(), (value / whole).to_string()], value / whole * whole)
    };
    match name {
        "zfs_prefetch_disable" if value != 0 => {
            Some((vec!["--zfs-prefetch-disable".to_owned()], 1))
        }
        "zfs_prefetch_disable" => Some((Vec::new(), 0)),
        "zfs_arc_max" => Some(in_mib("--max-arc-size")),
        "zfs_vdev_cache_size" => Some(in_mib("--vdev-cache-size")),
        _ => None,
    }
}
