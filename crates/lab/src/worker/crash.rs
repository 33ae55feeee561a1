//! The two workers of a crash test: one writes until it kills itself, the other looks what is left.

use std::fs;
use std::sync::{Mutex, PoisonError};
use std::thread;

use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Client, Durability, Waits};

use super::messages::MessageWriter;
use super::pattern::{self, Found};
use super::place::Place;
use super::run::{objects, open_log_for};
use super::{build, setup};
use crate::disks::{Contents, DiskSpec, Disks};
use crate::protocol::places::Places;
use crate::protocol::{CrashTask, Environment, Evidence, Job, Message, RecoverTask};
use crate::schedule::{self, Clock};
use crate::zpool::dataset::{LabDataset, OpenDataset};
use crate::zpool::intent_log::LoggedFile;
use crate::zpool::object::Object;
use crate::zpool::pool;
use crate::{LabError, os};

/// Name of the file with the configuration of the pool as it was when the power went.
const CONFIG: &str = "crash.nvlist";

/// A pool that is imported, with its dataset and the file that is written.
struct Opened {
    file: LoggedFile<'static>,
    size: Bytes,
    disks: &'static Disks,
}

/// Writes until the power goes, says what was acknowledged, and kills its own process.
///
/// # Errors
/// [`LabError`] of the system or of OpenZFS; it never returns without one.
pub(super) fn crash(job: &Job, task: &CrashTask, writer: &MessageWriter) -> Result<(), LabError> {
    let clock = setup::start_clock(job, None)?;
    let specs = setup::disks(job, &job.image, Environment::Emulated)?;
    for spec in specs.iter().filter(|spec| spec.role != arcwright_scenario::Role::Data) {
        build::create_sparse(&spec.path, spec.size)?;
    }
    let opened = open(job, task, (Environment::Emulated, Contents::Durable), specs)?;
    clock.sleep(Nanos::SECOND);
    opened.disks.arm();
    let slots = u64::from(task.client.depth.max(1));
    let acknowledged: Vec<Acknowledged> = (0..slots).map(|_| Mutex::default()).collect();
    let end = clock.now() + task.after;
    thread::scope(|scope| {
        for (slot, acknowledged) in (0..).zip(&acknowledged) {
            let place = Place::new();
            let own = place.clone();
            let (client, seed, opened) = (&task.client, job.seed, &opened);
            let writer = SlotWriter { client, seed, opened, slot, slots, acknowledged };
            scope.spawn(move || {
                let _taken = own.enter();
                writer.write();
            });
            place.meet();
        }
        clock.sleep_until(end);
        let lists = acknowledged.iter().map(|list| lock(list).clone()).collect();
        writer.send(&Message::Crashed(Box::new(Evidence { at: end, acknowledged: lists })));
        os::die();
    });
    Err(LabError::Worker { what: "survived its crash".to_owned() })
}

/// When each write of a slot was acknowledged.
type Acknowledged = Mutex<Vec<Nanos>>;

fn lock(list: &Acknowledged) -> std::sync::MutexGuard<'_, Vec<Nanos>> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One slot of the client that writes until the power goes.
struct SlotWriter<'a> {
    client: &'a Client,
    seed: u64,
    opened: &'a Opened,
    /// Its number among so many.
    slot: u64,
    slots: u64,
    acknowledged: &'a Acknowledged,
}

impl SlotWriter<'_> {
    /// Writes the slot's places until the process ends.
    fn write(&self) {
        let (clock, client) = (Clock::get(), self.client);
        let mut buffer = vec![0u8; usize::try_from(client.io.0).unwrap_or(0)];
        let count = (self.opened.size.0 / client.io.0.max(1)).max(1);
        let mut pending = 0u32;
        for (sequence, place) in (1..).zip(Places::new(self.seed, self.slot, self.slots, count)) {
            let offset = place * client.io.0;
            pattern::fill(&mut buffer, offset, sequence);
            let waits = match client.durability {
                Durability::EachWrite => Waits::Write,
                Durability::Later | Durability::AtEnd | Durability::Every(_) => Waits::No,
            };
            if self.opened.file.write(offset, &buffer, waits).is_err() {
                return;
            }
            schedule::spend_on_call(buffer.len());
            pending += 1;
            if let Durability::Every(count) = client.durability {
                if pending < count {
                    continue;
                }
                self.opened.file.fsync();
            }
            let now = clock.now();
            lock(self.acknowledged).extend((0..std::mem::take(&mut pending)).map(|_| now));
            clock.sleep(client.think);
        }
    }
}

/// Imports the pool of a crash, replays the log and says what is at every place.
///
/// # Errors
/// [`LabError`] of the system or of OpenZFS: the pool must come back.
pub(super) fn recover(
    job: &Job,
    task: &RecoverTask,
    writer: &MessageWriter,
) -> Result<(), LabError> {
    setup::start_clock(job, None)?;
    // With it the library would open the pool by itself, as a machine does when it starts.
    let _gone = fs::remove_file(job.image.join(setup::CACHE_FILE));
    let specs = setup::disks(job, &job.image, Environment::Instant)?;
    let environment = (Environment::Instant, Contents::PrivateCopy);
    let opened = open(job, &task.crash, environment, specs)?;
    let io = task.crash.client.io.0.max(1);
    let mut buffer = vec![0u8; usize::try_from(io).unwrap_or(0)];
    let mut found = Vec::new();
    for place in 0..(opened.size.0 / io).max(1) {
        opened.file.read(place * io, &mut buffer)?;
        found.push(match pattern::find(&buffer, place * io) {
            Found::Original => 0,
            Found::Write(sequence) => sequence,
            Found::Torn => u64::MAX,
        });
    }
    writer.send(&Message::Recovered(found));
    Ok(())
}

/// Imports the pool on `disks` whose contents are kept or not; with them fresh log devices, unless
/// the pool has crashed and knows its own.
fn open(
    job: &Job,
    task: &CrashTask,
    (environment, contents): (Environment, Contents),
    specs: Vec<DiskSpec>,
) -> Result<Opened, LabError> {
    let failed =
        |source| LabError::Io { what: "keeping the pool's configuration".to_owned(), source };
    let pool_spec = &job.system.pool;
    let specs = specs.into_iter().map(|spec| DiskSpec { contents, ..spec }).collect();
    let started = setup::start(job, &job.image, environment, &task.tunables, specs)?;
    let functions = &*Box::leak(Box::new(started.functions));
    let dataset = LabDataset::own(pool_spec);
    let crashed = job.image.join(CONFIG);
    if crashed.exists() {
        pool::import(functions, &fs::read(&crashed).map_err(failed)?)?;
    } else {
        pool::import(functions, &fs::read(job.image.join(build::CONFIG)).map_err(failed)?)?;
        let cache = setup::cache_files(&pool_spec.cache, &job.image);
        let log = setup::file_vdevs(&pool_spec.log, &job.image, "log");
        pool::add(functions, &cache, &log, pool_spec.ashift)?;
        dataset.set_sync(functions)?;
        let config = pool::configuration(&started.library, functions)?;
        fs::write(&crashed, config).map_err(failed)?;
    }
    let objset = dataset.open(functions)?;
    let numbers = objects(job)?;
    let log = open_log_for(job, &started, OpenDataset { dataset: &dataset, objset }, &numbers)?;
    let gone = || LabError::Worker { what: "has a client without a file".to_owned() };
    let number = numbers.get(&task.client.file).ok_or_else(gone)?;
    let spec = job.files.iter().find(|file| file.name == task.client.file).ok_or_else(gone)?;
    let object = Object::open(functions, objset, *number)?;
    Ok(Opened { file: LoggedFile::new(log, object), size: spec.size, disks: started.disks })
}
