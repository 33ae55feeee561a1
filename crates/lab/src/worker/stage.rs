//! The phases of an arm: clients at work, and what was counted meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use arcwright_kstat::{NamedKstat, Snapshot};
use arcwright_scenario::{
    CounterReading, Measured, Observation, Phase, PhaseRun, Rounds, until_first_feed,
};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Accesses, Action, Client};

use super::clients::{self, Shared, SlotRun};
use super::io_slots::{IoSlots, WrittenContents};
use super::messages::MessageWriter;
use super::place::Place;
use super::samples::PhaseSamples;
use super::trees::{self, PopulatedTree, Walk};
use crate::LabError;
use crate::disks::{Disks, EmulatedDisk};
use crate::hooks;
use crate::protocol::{Job, Message, RunTask};
use crate::schedule::{self, Clock};
use crate::zpool::file::OpenFile;

/// How often progress is reported.
const PROGRESS_EVERY: Duration = Duration::from_millis(200);

/// What a client does.
enum Work<'a> {
    /// It works on files, with as many requests at once as it has slots.
    IoSlots(Box<IoSlots<'a>>),
    /// It walks a tree.
    Walk(Walk<'a>),
}

impl Work<'_> {
    fn client(&self) -> &Client {
        match self {
            Self::IoSlots(slots) => slots.client,
            Self::Walk(walk) => walk.client,
        }
    }
}

/// Everything is ready for the phases of an arm.
pub(super) struct Stage<'a> {
    pub(super) job: &'a Job,
    pub(super) task: &'a RunTask,
    pub(super) files: BTreeMap<String, Box<dyn OpenFile + 'a>>,
    /// The scenario's trees by name.
    pub(super) trees: BTreeMap<String, PopulatedTree<'a>>,
    /// Files of which every write waits, as the `sync` of their dataset says.
    pub(super) always_synced: BTreeSet<String>,
    /// Reads the kernel's statistics.
    pub(super) kstats: fn() -> Vec<NamedKstat>,
    pub(super) disks: &'static Disks,
    pub(super) clock: Clock,
}

impl Stage<'_> {
    /// Runs the phases and tells what they found.
    ///
    /// # Errors
    /// [`LabError::Zfs`] when a read or write is refused.
    pub(super) fn phases(&self, writer: &MessageWriter) -> Result<(), LabError> {
        let total = self.total_bytes();
        let mut done = 0;
        self.wait_for_feed();
        for phase in &self.task.phases {
            self.clock.sleep(phase.pause);
            let readings =
                self.task.readings.map(|every| Readings { every, next: AtomicU64::new(0) });
            let bytes = self.phase_bytes(phase);
            let mut rounds = Rounds::of(phase);
            let run = loop {
                let (run, after) = self.round(phase, rounds.done(), &|moved| match &readings {
                    None => {
                        let done = done + rounds.bytes(moved, bytes);
                        writer.send(&Message::Progress { done, total });
                    }
                    Some(readings) if readings.is_due(self.clock.now()) => {
                        writer.send(&Message::Reading(Box::new(self.reading(phase, moved))));
                    }
                    Some(_) => {}
                })?;
                if let Some(run) = rounds.take(run, &after) {
                    break run;
                }
            };
            done += bytes;
            writer.send(&Message::Phase(Box::new(run)));
        }
        Ok(())
    }

    /// Returns all counters as they are now, after `moved` bytes of `phase`.
    fn reading(&self, phase: &Phase, moved: u64) -> CounterReading {
        let kstats = Snapshot::from_kstats(self.clock.now(), (self.kstats)());
        let devices = self.disks.iter().map(EmulatedDisk::run).collect();
        let (moved, written) = phase.transfers().parts(Bytes(moved));
        CounterReading {
            arm: self.task.arm.clone(),
            phase: phase.name.clone(),
            kstats,
            devices,
            moved,
            written,
        }
    }

    /// The feed thread wakes with every full second of the clock, which it began with; waits until
    /// that is as far off as the seed says.
    fn wait_for_feed(&self) {
        let second = Nanos::SECOND.0;
        let next = (self.clock.now().0 / second + 2) * second;
        self.clock.sleep_until(Nanos(next) - until_first_feed(self.job.seed));
        hooks::feed::begin(self.job.seed);
    }

    /// Runs a phase once; returns what it measured, and what was seen at its end.
    fn round(
        &self,
        phase: &Phase,
        number: u32,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<(PhaseRun, Observation), LabError> {
        let before = self.observe();
        let first = phase.clients.iter().map(|client| client.start).min().unwrap_or_default();
        let shared = Shared {
            start: self.clock.now(),
            limit: phase.limit,
            moved: AtomicU64::new(0),
            failed: AtomicBool::new(false),
            is_read: self.task.readings.is_some(),
            samples: PhaseSamples::new(self.disks, self.clock.now() + first),
        };
        let results = self.run_clients(&self.work(phase, number), &shared, progress);
        let after = self.observe();
        let results = results.into_iter().collect::<Result<Vec<Measured>, LabError>>()?;
        let run = PhaseRun::measured(phase, shared.start, &results, (&before, &after));
        let moved = shared.moved.load(Ordering::Relaxed);
        let series = shared.samples.end(self.clock.now(), moved).map(Box::new);
        Ok((PhaseRun { series, ..run }, after))
    }

    fn run_clients(
        &self,
        all: &[Work<'_>],
        shared: &Shared,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Vec<Result<Measured, LabError>> {
        thread::scope(|scope| {
            let mut threads = Vec::new();
            for work in all {
                for _ in 0..work.client().depth.max(1) {
                    let place = schedule::is_on().then(Place::new);
                    let own = place.clone();
                    let thread = scope.spawn(move || {
                        let _taken = own.map(Place::enter);
                        match work {
                            Work::IoSlots(slots) => clients::run(slots, (shared, progress)),
                            Work::Walk(walk) => trees::run(walk, (shared, progress)),
                        }
                    });
                    place.iter().for_each(Place::meet);
                    threads.push((work.client(), place, thread));
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

    /// Returns what every client of `phase` does in a round.
    fn work<'a>(&'a self, phase: &'a Phase, round: u32) -> Vec<Work<'a>> {
        let one = |(number, client): (usize, &'a Client)| {
            let name = phase.client_name(round, number);
            let walk = self.walk(client, &name).map(Work::Walk);
            walk.or_else(|| self.slots(client, &name).map(|slots| Work::IoSlots(Box::new(slots))))
        };
        phase.clients.iter().enumerate().filter_map(one).collect()
    }

    /// Returns the slots of a client that works on files.
    fn slots<'a>(&'a self, client: &'a Client, name: &str) -> Option<IoSlots<'a>> {
        let open = |name: &String| self.files.get(name).map(|file| &**file as &'a dyn OpenFile);
        let names = std::iter::once(&client.file).chain(&client.more_files);
        let files = names.map(open).collect::<Option<Vec<&'a dyn OpenFile>>>()?;
        let seed = self.job.seed;
        let accesses = Accesses::new(client, self.size_of(&client.file), seed, name);
        let file = self.job.files.iter().find(|file| file.name == client.file);
        let contents = WrittenContents {
            is_always_synced: self.always_synced.contains(&client.file),
            percent: file.and_then(|file| file.compressratio_percent),
        };
        Some(IoSlots::new(client, files, contents, accesses, seed))
    }

    /// Returns how `client` walks its tree; none when it works on a file.
    fn walk<'a>(&'a self, client: &'a Client, name: &str) -> Option<Walk<'a>> {
        Some(Walk {
            client,
            name: name.to_owned(),
            seed: self.job.seed,
            tree: self.trees.get(&client.file)?,
            recordsize: self.job.system.pool.recordsize,
        })
    }

    fn size_of(&self, file: &str) -> Bytes {
        if let Some(tree) = self.trees.get(file) {
            return tree.files.bytes();
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
        let kstats = (self.kstats)();
        Observation {
            kstats: Snapshot::from_kstats(self.clock.now(), kstats),
            devices: self.disks.iter().map(EmulatedDisk::run).collect(),
            log_bytes_max: (!self.job.system.pool.log.is_empty())
                .then(|| Bytes(hooks::log_space::take_max())),
            reads_by_class: None,
        }
    }
}

/// How often the counters are reported while a phase runs.
struct Readings {
    every: Nanos,
    /// When they are reported next.
    next: AtomicU64,
}

impl Readings {
    /// Returns whether it is time to; of several threads that ask at once, for one.
    fn is_due(&self, now: Nanos) -> bool {
        let (due, order) = (self.next.load(Ordering::Relaxed), Ordering::Relaxed);
        let later = now.0 + self.every.0;
        now.0 >= due && self.next.compare_exchange(due, later, order, order).is_ok()
    }
}

/// Joins the slots of each client, which stand side by side.
fn by_client(slots: Vec<(&Client, Result<SlotRun, LabError>)>) -> Vec<Result<Measured, LabError>> {
    let mut done: Vec<(&Client, SlotRun)> = Vec::new();
    let mut failures = Vec::new();
    for (client, slot) in slots {
        match (slot, done.last_mut()) {
            (Err(error), _) => failures.push(Err(error)),
            (Ok(slot), Some((last, run))) if std::ptr::eq(*last, client) => run.join(&slot),
            (Ok(slot), _) => done.push((client, slot)),
        }
    }
    let done = done.iter().map(|(client, run)| Ok(run.measured(client)));
    done.chain(failures).collect()
}
