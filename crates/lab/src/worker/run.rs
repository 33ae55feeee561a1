//! One run of one arm: import the pool cold, add fresh cache and log devices, do the phases.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::thread;
use std::time::Duration;

use arcwright_kstat::Snapshot;
use arcwright_scenario::{AppliedSetting, TreeSpec};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::Client;

use super::messages::MessageWriter;
use super::stage::Stage;
use super::trees::PopulatedTree;
use super::{build, setup};
use crate::LabError;
use crate::disks::EmulatedDisk;
use crate::hooks;
use crate::openzfs::offers::IMMEDIATE_WRITE;
use crate::protocol::{Environment, Job, Message, RunTask};
use crate::zpool::dataset::{LabDataset, OpenDataset};
use crate::zpool::file::OpenFile;
use crate::zpool::functions::{Functions, Handle};
use crate::zpool::intent_log::{IntentLog, LoggedFile, Rules};
use crate::zpool::object::Object;
use crate::zpool::pool;
use crate::zpool::znode::Dataset;

/// How long the pool settles after the import before disks take time.
const SETTLE: Duration = Duration::from_millis(300);

/// Runs the phases of `task`.
///
/// # Errors
/// [`LabError`] of the system or of OpenZFS.
pub(super) fn run(job: &Job, task: &RunTask, writer: &MessageWriter) -> Result<(), LabError> {
    let clock = setup::start_clock(job, task.dilation)?;
    let pool_spec = &job.system.pool;
    let specs = setup::disks(job, &task.folder, task.environment)?;
    for spec in specs.iter().filter(|spec| !spec.role.holds_pool()) {
        build::create_sparse(&spec.path, spec.size)?;
    }
    let started = setup::start(job, &task.folder, task.environment, &task.tunables, specs)?;
    writer.send(&Message::Applied(started.applied.clone()));
    let notes = [ignored_arc_max(&started.applied)?, ignored_meta_limit(&started.applied)?];
    for note in notes.into_iter().flatten() {
        writer.send(&Message::Note(note));
    }
    if !pool_spec.log.is_empty() && task.environment != Environment::Bare {
        hooks::log_space::install(&started.library)?;
    }
    let functions = &started.functions;
    import(job, functions)?;
    let cache = setup::cache_files(&pool_spec.cache, &task.folder);
    let log = setup::file_vdevs(&pool_spec.log, &task.folder, "log");
    pool::add(functions, &cache, &log, pool_spec.ashift)?;
    let datasets = LabDataset::all(pool_spec);
    let mut objsets = Vec::new();
    for dataset in &datasets {
        dataset.set_properties(functions)?;
        dataset.set_sync(functions)?;
        if setup::prefetches_none(&started) {
            dataset.prefetch_none(functions)?;
        }
    }
    for dataset in &datasets {
        objsets.push(dataset.open(functions)?);
    }
    match task.dilation {
        Some(_) => thread::sleep(SETTLE),
        None => clock.sleep(Nanos::SECOND),
    }
    if started.disks.iter().any(EmulatedDisk::is_rotational) && !hooks::vdev::knows_rotation() {
        // It would take them for solid-state devices.
        return Err(LabError::Hook { name: "vdev_file_open".to_owned() });
    }
    started.disks.arm();
    let objects = objects(job)?;
    let (mut files, mut trees) = (BTreeMap::new(), BTreeMap::new());
    let mut always_synced = BTreeSet::new();
    for (dataset, objset) in datasets.iter().zip(objsets) {
        let log = open_log((job, task), &started, OpenDataset { dataset, objset }, &objects)?;
        let opened = Opened { functions, dataset, objset, log };
        files.extend(opened.files(job, &objects)?);
        if dataset.is_own() {
            trees = opened.trees(job, &objects);
        }
        if log.is_some_and(IntentLog::is_always) {
            always_synced.extend(opened.names(job));
        }
    }
    let stage = Stage {
        job,
        task,
        files,
        trees,
        always_synced,
        kstats: hooks::kstats::read_all,
        disks: started.disks,
        clock,
    };
    stage.phases(writer)
}

/// Returns the object number of every file.
///
/// # Errors
/// [`LabError::Io`] when the image has no list of them.
pub(super) fn objects(job: &Job) -> Result<BTreeMap<String, u64>, LabError> {
    let failed = |source| LabError::Io { what: "reading the pool's image".to_owned(), source };
    let text = fs::read_to_string(job.image.join(build::OBJECTS)).map_err(failed)?;
    serde_json::from_str(&text).map_err(|error| failed(std::io::Error::other(error)))
}

/// Opens the intent log of a dataset, when any client writes to a file in it.
fn open_log(
    (job, task): (&Job, &RunTask),
    started: &setup::Started,
    open: OpenDataset<'_>,
    objects: &BTreeMap<String, u64>,
) -> Result<Option<&'static IntentLog>, LabError> {
    let mut clients = task.phases.iter().flat_map(|phase| &phase.clients);
    let is_in_it = |client: &Client| {
        job.files.iter().any(|file| file.name == client.file && open.dataset.holds(file))
    };
    if !clients.any(|client| client.action.writes() && is_in_it(client)) {
        return Ok(None);
    }
    open_log_for(job, started, open, objects).map(Some)
}

/// Opens the intent log of the dataset for the files `objects`.
///
/// # Errors
/// [`LabError::Symbol`] when the library lacks a function.
pub(super) fn open_log_for(
    job: &Job,
    started: &setup::Started,
    open: OpenDataset<'_>,
    objects: &BTreeMap<String, u64>,
) -> Result<&'static IntentLog, LabError> {
    let record = |name: &str| {
        let file = job.files.iter().find(|file| file.name == name && open.dataset.holds(file))?;
        Some(job.system.pool.properties_of(file).recordsize)
    };
    let with_record = |(name, number): (&String, &u64)| Some((*number, record(name)?));
    let files: Vec<(u64, Bytes)> = objects.iter().filter_map(with_record).collect();
    let rules = Rules {
        immediate_write: setup::applied(&started.applied, IMMEDIATE_WRITE),
        ..Rules::of(open.dataset.properties, &job.version)
    };
    IntentLog::open(&started.library, &started.functions, open.objset, &files, rules)
}

/// Says so when OpenZFS did not take the ARC's limit, which it does without a word when the limit
/// does not lie between its minimum and the memory (`arc_tuning_update`, module/zfs/arc.c).
fn ignored_arc_max(applied: &[AppliedSetting]) -> Result<Option<String>, LabError> {
    let Some(asked) = read_back(applied, "zfs_arc_max") else { return Ok(None) };
    let kstats = counters();
    let (held, least) = (row(&kstats, "c_max")?, row(&kstats, "c_min")?);
    let note = format!(
        "OpenZFS ignores zfs_arc_max={asked} here and limits the ARC to {held} bytes: its \
         minimum is {least} bytes (zfs_arc_min); numbers as run, not scaled back"
    );
    Ok((held != asked).then_some(note))
}

/// Says so when OpenZFS did not take the limit of metadata, which lies between `zfs_arc_meta_min` and the
/// ARC's limit (`arc_tuning_update`, module/zfs/arc.c up to 2.1).
fn ignored_meta_limit(applied: &[AppliedSetting]) -> Result<Option<String>, LabError> {
    let Some(asked) = read_back(applied, "zfs_arc_meta_limit") else { return Ok(None) };
    let held = row(&counters(), "arc_meta_limit")?;
    let note = format!(
        "OpenZFS ignores zfs_arc_meta_limit={asked} here and limits metadata to {held} bytes: \
         the limit is at least 16777216 and at most that of the ARC; numbers as run, not \
         scaled back"
    );
    Ok((asked != 0 && held != asked).then_some(note))
}

fn read_back(applied: &[AppliedSetting], name: &str) -> Option<u64> {
    applied.iter().find(|setting| setting.name == name).map(|setting| setting.read_back)
}

/// Reads the counters: once for all that is asked of them, since the library takes time for it like for
/// everything else.
fn counters() -> Snapshot {
    Snapshot::from_kstats(Nanos::ZERO, hooks::kstats::read_all())
}

/// Returns a row of the ARC's statistics.
fn row(kstats: &Snapshot, row: &str) -> Result<u64, LabError> {
    const KSTAT: &str = "zfs/arcstats";
    let missing = || LabError::Statistic { kstat: KSTAT.to_owned(), row: row.to_owned() };
    kstats.get(KSTAT, row).ok_or_else(missing)
}

fn import(job: &Job, functions: &Functions) -> Result<(), LabError> {
    let failed = |source| LabError::Io { what: "reading the pool's image".to_owned(), source };
    let config = fs::read(job.image.join(build::CONFIG)).map_err(failed)?;
    pool::import(functions, &config)
}

/// A dataset as it is open.
struct Opened<'a> {
    functions: &'a Functions,
    dataset: &'a LabDataset,
    objset: Handle,
    log: Option<&'static IntentLog>,
}

impl<'a> Opened<'a> {
    /// Returns the names of its files.
    fn names(&self, job: &Job) -> Vec<String> {
        let held = job.files.iter().filter(|file| self.dataset.holds(file));
        held.map(|file| file.name.clone()).collect()
    }

    /// Opens every file of the job that it holds.
    fn files(
        &self,
        job: &Job,
        objects: &BTreeMap<String, u64>,
    ) -> Result<BTreeMap<String, Box<dyn OpenFile + 'a>>, LabError> {
        let mut files: BTreeMap<String, Box<dyn OpenFile + 'a>> = BTreeMap::new();
        let names = self.names(job);
        for (name, number) in objects.iter().filter(|(name, _)| names.contains(name)) {
            let object = Object::open(self.functions, self.objset, *number)?;
            let file: Box<dyn OpenFile + 'a> = match self.log {
                Some(log) => Box::new(LoggedFile::new(log, object)),
                None => Box::new(object),
            };
            files.insert(name.clone(), file);
        }
        Ok(files)
    }

    /// Returns the trees of the job with their roots.
    fn trees(
        &self,
        job: &Job,
        objects: &BTreeMap<String, u64>,
    ) -> BTreeMap<String, PopulatedTree<'a>> {
        let populated = |tree: &TreeSpec| {
            let dataset = Dataset { functions: self.functions, objset: self.objset };
            let root = *objects.get(&tree.name)?;
            Some((tree.name.clone(), PopulatedTree { files: tree.drawn(job.seed), root, dataset }))
        };
        job.trees.iter().filter_map(populated).collect()
    }
}
