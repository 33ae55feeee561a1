//! One run of one arm: import the pool cold, add fresh cache and log devices, do the phases.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use arcwright_kstat::Snapshot;
use arcwright_scenario::{
    AppliedSetting, DeviceRun, Measured, Observation, Phase, PhaseRun, Role, until_first_feed,
};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Accesses, Client};

use super::clients::{self, LaneRun, Shared};
use super::lanes::{Lanes, OpenFile};
use super::{Voice, build, setup};
use crate::LabError;
use crate::clock::Clock;
use crate::disk::EmulatedDisk;
use crate::hooks;
use crate::protocol::{Job, Message, RunTask, Surroundings};
use crate::schedule::{self, ThreadId};
use crate::support;
use crate::zpool::functions::{Functions, Handle};
use crate::zpool::intent_log::{IntentLog, LoggedFile, Rules};
use crate::zpool::object::Object;
use crate::zpool::pool;

/// How often progress is told.
const PROGRESS_EVERY: Duration = Duration::from_millis(200);
/// How long the pool settles after the import before disks take time.
const SETTLE: Duration = Duration::from_millis(300);

/// Runs the phases of `task`.
///
/// # Errors
/// [`LabError`] of the system or of OpenZFS.
pub(super) fn run(job: &Job, task: &RunTask, voice: &Voice) -> Result<(), LabError> {
    let clock = setup::start_clock(job, task.motion)?;
    let pool_spec = &job.system.pool;
    let specs = setup::disks(job, &task.folder, task.surroundings)?;
    for spec in specs.iter().filter(|spec| spec.role != Role::Data) {
        build::create_sparse(&spec.path, spec.size)?;
    }
    let started = setup::start(job, &task.folder, task.surroundings, &task.tunables, specs)?;
    voice.say(&Message::Applied(started.applied.clone()));
    if let Some(note) = ignored_arc_max(&started.applied) {
        voice.say(&Message::Note(note));
    }
    if !pool_spec.log.is_empty() && task.surroundings != Surroundings::Bare {
        hooks::log_space::install(&started.library)?;
    }
    let functions = &started.functions;
    import(job, functions)?;
    let cache = setup::cache_files(&pool_spec.cache, &task.folder);
    let log = setup::file_vdevs(&pool_spec.log, &task.folder, "log");
    pool::add(functions, &cache, &log, pool_spec.ashift)?;
    pool::set_properties(functions, pool_spec)?;
    pool::set_sync(functions, pool_spec)?;
    let objset = pool::own_dataset(functions)?;
    match task.motion {
        Some(_) => thread::sleep(SETTLE),
        None => clock.sleep(Nanos::SECOND),
    }
    if started.disks.iter().any(EmulatedDisk::is_rotational) && !hooks::vdev::knows_rotation() {
        voice.say(&Message::Note(
            "OpenZFS takes the disks for solid-state devices: the place of its flag was not found"
                .to_owned(),
        ));
    }
    started.disks.iter().for_each(EmulatedDisk::arm);
    let objects = objects(job)?;
    let log = open_log((job, task), &started, objset, &objects)?;
    let stage = Stage { job, task, functions, objset, disks: started.disks, clock, log };
    stage.phases(&objects, voice)
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

/// Opens the intent log, when any client writes.
fn open_log(
    (job, task): (&Job, &RunTask),
    started: &setup::Started,
    objset: Handle,
    objects: &BTreeMap<String, u64>,
) -> Result<Option<&'static IntentLog>, LabError> {
    let mut clients = task.phases.iter().flat_map(|phase| &phase.clients);
    if !clients.any(|client| client.action.writes() && !client.action.is_on_tree()) {
        return Ok(None);
    }
    open_log_for(job, started, objset, objects).map(Some)
}

/// Opens the intent log of the dataset for the files `objects`.
///
/// # Errors
/// [`LabError::Symbol`] when the library lacks a function.
pub(super) fn open_log_for(
    job: &Job,
    started: &setup::Started,
    objset: Handle,
    objects: &BTreeMap<String, u64>,
) -> Result<&'static IntentLog, LabError> {
    let record = |name: &str| {
        let file = job.files.iter().find(|file| file.name == name)?;
        Some(file.recordsize.unwrap_or(job.system.pool.recordsize))
    };
    let with_record = |(name, number): (&String, &u64)| Some((*number, record(name)?));
    let files: Vec<(u64, Bytes)> = objects.iter().filter_map(with_record).collect();
    let rules = Rules {
        immediate_write: setup::applied(&started.applied, support::IMMEDIATE_WRITE),
        ..Rules::of(&job.system.pool, &job.version)
    };
    IntentLog::open(&started.library, &started.functions, objset, &files, rules)
}

/// Says so when OpenZFS did not take the ARC's limit, which it does without a word when the limit
/// does not lie between its minimum and the memory (`arc_tuning_update`, module/zfs/arc.c).
fn ignored_arc_max(applied: &[AppliedSetting]) -> Option<String> {
    let asked = applied.iter().find(|setting| setting.name == "zfs_arc_max")?.read_back;
    let kstats = Snapshot::from_kstats(Nanos::ZERO, hooks::kstats::read_all());
    let held = kstats.get("zfs/arcstats", "c_max")?;
    let least = kstats.get("zfs/arcstats", "c_min").unwrap_or(0);
    (held != asked).then(|| {
        format!(
            "OpenZFS ignores zfs_arc_max={asked} here and keeps the ARC at up to {held} bytes: its \
             minimum is {least} bytes (zfs_arc_min); numbers as run, before they are scaled back"
        )
    })
}

fn import(job: &Job, functions: &Functions) -> Result<(), LabError> {
    let failed = |source| LabError::Io { what: "reading the pool's image".to_owned(), source };
    let config = fs::read(job.image.join(build::CONFIG)).map_err(failed)?;
    pool::import(functions, &config)
}

struct Stage<'a> {
    job: &'a Job,
    task: &'a RunTask,
    functions: &'a Functions,
    objset: Handle,
    disks: &'static [EmulatedDisk],
    clock: Clock,
    log: Option<&'static IntentLog>,
}

impl Stage<'_> {
    fn phases(&self, numbers: &BTreeMap<String, u64>, voice: &Voice) -> Result<(), LabError> {
        let mut objects = BTreeMap::new();
        for (name, number) in numbers {
            objects.insert(name.clone(), Object::open(self.functions, self.objset, *number)?);
        }
        let total = self.total_bytes();
        let mut done = 0;
        self.wait_for_feed();
        for phase in &self.task.phases {
            self.clock.sleep(phase.pause);
            let run = self.phase(phase, &objects, &|moved| {
                voice.say(&Message::Progress { done: done + moved, total });
            })?;
            done += self.phase_bytes(phase);
            voice.say(&Message::Phase(Box::new(run)));
        }
        Ok(())
    }

    /// The feed thread wakes with every full second of the clock, which it began with; waits until
    /// that is as far off as the seed says.
    fn wait_for_feed(&self) {
        let second = Nanos::SECOND.0;
        let next = (self.clock.now().0 / second + 2) * second;
        self.clock.sleep_until(Nanos(next) - until_first_feed(self.job.seed));
        hooks::luck::begin(self.job.seed);
    }

    fn phase(
        &self,
        phase: &Phase,
        objects: &BTreeMap<String, Object<'_>>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<PhaseRun, LabError> {
        let before = self.observe();
        let shared = Shared {
            start: self.clock.now(),
            limit: phase.limit,
            moved: AtomicU64::new(0),
            failed: AtomicBool::new(false),
        };
        let results = self.run_clients(phase, objects, &shared, progress);
        let after = self.observe();
        let results = results.into_iter().collect::<Result<Vec<Measured>, LabError>>()?;
        Ok(PhaseRun::measured(phase, shared.start, &results, (&before, &after)))
    }

    fn run_clients(
        &self,
        phase: &Phase,
        objects: &BTreeMap<String, Object<'_>>,
        shared: &Shared,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Vec<Result<Measured, LabError>> {
        let all = self.lanes(phase, objects);
        thread::scope(|scope| {
            let mut threads = Vec::new();
            for lanes in &all {
                for _ in 0..lanes.client.depth.max(1) {
                    let place = schedule::is_on().then(Place::new);
                    let own = place.clone();
                    let thread = scope.spawn(move || {
                        let _taken = own.map(Place::enter);
                        clients::run(lanes, (shared, progress))
                    });
                    place.iter().for_each(Place::meet);
                    threads.push((lanes.client, place, thread));
                }
            }
            let (over, end) = mpsc::channel::<()>();
            // By events, clients tell how far they are: a thread of its own would take memory at
            // moments that depend on the machine.
            if !schedule::is_on() {
                scope.spawn(move || {
                    while end.recv_timeout(PROGRESS_EVERY) == Err(RecvTimeoutError::Timeout) {
                        progress(shared.moved.load(Ordering::Relaxed));
                    }
                });
            }
            let gone = || LabError::Worker { what: "lost a client thread".to_owned() };
            let results = threads.into_iter().map(|(client, place, thread)| {
                place.iter().for_each(Place::join);
                (client, thread.join().unwrap_or_else(|_| Err(gone())))
            });
            let results = by_client(results.collect());
            drop(over);
            results
        })
    }

    /// Returns the lanes of every client of `phase`.
    fn lanes<'a>(
        &'a self,
        phase: &'a Phase,
        objects: &BTreeMap<String, Object<'a>>,
    ) -> Vec<Lanes<'a>> {
        let open = |name: &String| {
            let object = *objects.get(name)?;
            let logged = |log| OpenFile::Logged(LoggedFile::new(log, object));
            Some(self.log.map_or(OpenFile::Plain(object), logged))
        };
        let lanes = |(number, client): (usize, &'a Client)| {
            let names = std::iter::once(&client.file).chain(&client.more_files);
            let files = names.map(open).collect::<Option<Vec<OpenFile<'a>>>>()?;
            let size = self.size_of(&client.file);
            let (seed, name) = (self.job.seed, format!("{} client {number}", phase.name));
            let accesses = Accesses::new(client, size, seed, &name);
            Some(Lanes::new(client, files, self.log, (accesses, seed)))
        };
        phase.clients.iter().enumerate().filter_map(lanes).collect()
    }

    fn size_of(&self, file: &str) -> Bytes {
        let files = &self.job.files;
        files.iter().find(|spec| spec.name == file).map_or(Bytes::ZERO, |spec| spec.size)
    }

    fn phase_bytes(&self, phase: &Phase) -> u64 {
        let bytes = |client: &arcwright_workload::Client| {
            client.amount.unwrap_or_else(|| self.size_of(&client.file)).0
        };
        phase.clients.iter().map(bytes).sum()
    }

    fn total_bytes(&self) -> u64 {
        self.task.phases.iter().map(|phase| self.phase_bytes(phase)).sum()
    }

    fn observe(&self) -> Observation {
        let kstats = hooks::kstats::read_all();
        Observation {
            kstats: Snapshot::from_kstats(self.clock.now(), kstats),
            devices: self.disks.iter().map(device_run).collect(),
            log_bytes_max: (!self.job.system.pool.log.is_empty())
                .then(|| Bytes(hooks::log_space::take_max())),
        }
    }
}

/// Joins the lanes of each client, which stand side by side.
fn by_client(lanes: Vec<(&Client, Result<LaneRun, LabError>)>) -> Vec<Result<Measured, LabError>> {
    let mut done: Vec<(&Client, LaneRun)> = Vec::new();
    let mut failures = Vec::new();
    for (client, lane) in lanes {
        match (lane, done.last_mut()) {
            (Err(error), _) => failures.push(Err(error)),
            (Ok(lane), Some((last, run))) if std::ptr::eq(*last, client) => run.join(&lane),
            (Ok(lane), _) => done.push((client, lane)),
        }
    }
    let done = done.iter().map(|(client, run)| Ok(run.measured(client)));
    done.chain(failures).collect()
}

/// A client's place in the schedule.
///
/// A thread takes and gives back memory while it starts and while it ends. Its maker waits for both,
/// so that neither happens beside other work, at a moment that depends on the machine.
#[derive(Debug, Clone)]
pub(super) struct Place {
    id: ThreadId,
    met: Arc<Barrier>,
}

/// A place that its thread has taken, and leaves however the thread ends.
pub(super) struct Taken(Place);

impl Place {
    pub(super) fn new() -> Self {
        Self { id: schedule::announce(), met: Arc::new(Barrier::new(2)) }
    }

    /// Waits, as the maker, until the thread has started; or, as the thread, for its maker.
    pub(super) fn meet(&self) {
        self.met.wait();
    }

    pub(super) fn enter(self) -> Taken {
        self.meet();
        schedule::enter(self.id);
        Taken(self)
    }

    /// Waits until the thread has left the schedule, and lets it end.
    fn join(&self) {
        schedule::join(self.id);
        self.meet();
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        schedule::leave();
        self.0.meet();
    }
}

fn device_run(disk: &EmulatedDisk) -> DeviceRun {
    DeviceRun::of(&disk.name, disk.role, &disk.profile, disk.counters())
}
