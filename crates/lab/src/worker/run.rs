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
    AppliedSetting, DeviceRun, Measured, Observation, Phase, PhaseRun, TreeSpec, until_first_feed,
};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Accesses, Action, Client, TreeFiles};

use super::clients::{self, Shared};
use super::trees::{self, Walk};
use super::{Voice, build, setup};
use crate::LabError;
use crate::clock::Clock;
use crate::disk::EmulatedDisk;
use crate::hooks;
use crate::protocol::{Job, Message, RunTask};
use crate::schedule::{self, ThreadId};
use crate::zpool::functions::{Functions, Handle};
use crate::zpool::object::Object;
use crate::zpool::pool;
use crate::zpool::znode::Dataset;

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
    for spec in specs.iter().filter(|spec| !spec.role.holds_pool()) {
        build::create_sparse(&spec.path, spec.size)?;
    }
    let started = setup::start(job, &task.folder, task.surroundings, &task.tunables, specs)?;
    voice.say(&Message::Applied(started.applied.clone()));
    let notes = [ignored_arc_max(&started.applied), ignored_meta_limit(&started.applied)];
    for note in notes.into_iter().flatten() {
        voice.say(&Message::Note(note));
    }
    let functions = &started.functions;
    import(job, functions)?;
    let cache = setup::cache_files(&pool_spec.cache, &task.folder);
    let log = setup::file_vdevs(&pool_spec.log, &task.folder, "log");
    pool::add(functions, &cache, &log, pool_spec.ashift)?;
    pool::set_properties(functions, pool_spec)?;
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
    let drawn = |tree: &TreeSpec| (tree.name.clone(), tree.drawn(job.seed));
    let trees = job.trees.iter().map(drawn).collect();
    let stage = Stage { job, task, functions, objset, disks: started.disks, clock, trees };
    stage.phases(voice)
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

/// Says so when OpenZFS did not take the limit of metadata, which lies between `zfs_arc_meta_min` and the
/// ARC's limit (`arc_tuning_update`, module/zfs/arc.c up to 2.1).
fn ignored_meta_limit(applied: &[AppliedSetting]) -> Option<String> {
    let asked = applied.iter().find(|setting| setting.name == "zfs_arc_meta_limit")?.read_back;
    let kstats = Snapshot::from_kstats(Nanos::ZERO, hooks::kstats::read_all());
    let held = kstats.get("zfs/arcstats", "arc_meta_limit")?;
    (asked != 0 && held != asked).then(|| {
        format!(
            "OpenZFS ignores zfs_arc_meta_limit={asked} here and keeps metadata up to {held} bytes: the \
             limit is at least 16777216 and at most that of the ARC; numbers as run, before they are \
             scaled back"
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
    /// The scenario's trees by name.
    trees: BTreeMap<String, TreeFiles>,
}

impl Stage<'_> {
    fn phases(&self, voice: &Voice) -> Result<(), LabError> {
        let failed = |source| LabError::Io { what: "reading the pool's image".to_owned(), source };
        let text = fs::read_to_string(self.job.image.join(build::OBJECTS)).map_err(failed)?;
        let numbers: BTreeMap<String, u64> =
            serde_json::from_str(&text).map_err(|error| failed(std::io::Error::other(error)))?;
        let mut objects = BTreeMap::new();
        for (name, number) in numbers {
            objects.insert(name, Object::open(self.functions, self.objset, number)?);
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
        thread::scope(|scope| {
            let mut threads = Vec::new();
            for (number, client) in phase.clients.iter().enumerate() {
                let Some(object) = objects.get(&client.file) else { continue };
                let size = self.size_of(&client.file);
                let name = format!("{} client {number}", phase.name);
                let accesses = Accesses::new(client, size, self.job.seed, &name);
                let walk = self.walk(client, (&name, object));
                let place = schedule::is_on().then(Place::new);
                let own = place.clone();
                let thread = scope.spawn(move || {
                    let _taken = own.map(Place::enter);
                    match walk {
                        Some(walk) => trees::run(&walk, (shared, progress)),
                        None => clients::run(client, object, accesses, (shared, progress)),
                    }
                });
                place.iter().for_each(Place::meet);
                threads.push((place, thread));
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
            let results = threads.into_iter().map(|(place, thread)| {
                place.iter().for_each(Place::join);
                thread.join().unwrap_or_else(|_| Err(gone()))
            });
            let results = results.collect();
            drop(over);
            results
        })
    }

    /// Returns how `client` walks its tree; none when it works on a file.
    fn walk<'a>(
        &'a self,
        client: &'a Client,
        (name, root): (&str, &Object<'_>),
    ) -> Option<Walk<'a>> {
        let files = self.trees.get(&client.file)?;
        Some(Walk {
            client,
            name: name.to_owned(),
            seed: self.job.seed,
            files,
            root: root.number(),
            dataset: Dataset { functions: self.functions, objset: self.objset },
            recordsize: self.job.system.pool.recordsize,
        })
    }

    fn size_of(&self, file: &str) -> Bytes {
        if let Some(tree) = self.trees.get(file) {
            return tree.bytes();
        }
        let files = &self.job.files;
        files.iter().find(|spec| spec.name == file).map_or(Bytes::ZERO, |spec| spec.size)
    }

    fn phase_bytes(&self, phase: &Phase) -> u64 {
        let bytes = |client: &Client| {
            if client.action == Action::TreeStat {
                return 0;
            }
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
            log_bytes_max: None,
        }
    }
}

/// A client's place in the schedule.
///
/// A thread takes and gives back memory while it starts and while it ends. Its maker waits for both,
/// so that neither happens beside other work, at a moment that depends on the machine.
#[derive(Debug, Clone)]
struct Place {
    id: ThreadId,
    met: Arc<Barrier>,
}

/// A place that its thread has taken, and leaves however the thread ends.
struct Taken(Place);

impl Place {
    fn new() -> Self {
        Self { id: schedule::announce(), met: Arc::new(Barrier::new(2)) }
    }

    /// Waits, as the maker, until the thread has started; or, as the thread, for its maker.
    fn meet(&self) {
        self.met.wait();
    }

    fn enter(self) -> Taken {
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
