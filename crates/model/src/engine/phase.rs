//! A phase of an experiment: its clients begin, work until the last is done, and are measured.

use arcwright_kstat::Snapshot;
use arcwright_scenario::{
    DeviceRun, Observation, Phase, PhaseRun, Rounds, Sampler, Scenario, SeriesSample,
};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Accesses, Action, Client as Spec};

use super::simulator::{Pause, Simulator};
use super::{kstats, need};
use crate::client::{Client, Clients, Times, Walk};
use crate::clock::Event;
use crate::ids::{FileId, SlotId};
use crate::pool::blocks::Blocks;
use crate::stack::Stack;

/// Events between two looks at how far a phase is: some hundredths of a second of work.
const EVENTS_PER_LOOK: u32 = 1 << 14;

/// Follows a phase while it runs.
pub(crate) trait Follow {
    /// Returns how much virtual time lies between two readings; none when nobody wants any.
    fn every(&self) -> Option<Nanos>;

    /// Takes the counters, and what was moved; says whether to go on.
    fn reading(&mut self, kstats: Snapshot, devices: Vec<DeviceRun>, moved: Bytes) -> bool;

    /// Takes how much of the phase is done, 0 to 1; says whether to go on.
    fn share(&mut self, done: f64) -> bool;

    /// Returns whether the run is to end.
    fn is_stopped(&self) -> bool;
}

impl Simulator {
    /// Runs a phase and returns what it measured.
    pub(crate) fn run_phase(
        &mut self,
        phase: &Phase,
        scenario: &Scenario,
        follow: &mut dyn Follow,
    ) -> PhaseRun {
        self.run_until(self.stack.reads.clock.now + phase.pause);
        let mut rounds = Rounds::of(phase);
        loop {
            let (run, after) = self.run_round(phase, scenario, &rounds, &mut *follow);
            // A phase that was stopped is no result.
            if follow.is_stopped() {
                return run;
            }
            if let Some(run) = rounds.take(run, &after) {
                return run;
            }
        }
    }

    /// Runs a round of a phase, the next of `rounds`, and returns what it measured, and what was seen at its end.
    fn run_round(
        &mut self,
        phase: &Phase,
        scenario: &Scenario,
        rounds: &Rounds,
        follow: &mut dyn Follow,
    ) -> (PhaseRun, Observation) {
        let start = self.stack.reads.clock.now;
        let before = observe(&mut self.stack);
        self.clients.clear();
        for (number, spec) in phase.clients.iter().enumerate() {
            let start = Start {
                name: &phase.client_name(rounds.done(), number),
                seed: scenario.seed,
                begins: start + spec.start,
                limit: phase.limit.map(|limit| start + limit),
            };
            self.add_client(spec, &start);
        }
        self.stack.reads.waits.begin(self.clients.slots());
        let files = self.stack.reads.blocks.files.len();
        self.stack.reads.locks.begin(files, may_meet(&phase.clients));
        let bounds = Bounds::of(phase, scenario, start);
        let first = phase.clients.iter().map(|client| client.start).min().unwrap_or_default();
        let sampler = self.run_clients(&bounds, start + first, (rounds, follow));
        // A phase without clients, or stopped before one was done, ends as it began.
        self.run_until(self.clients.end().unwrap_or(start));
        if cfg!(debug_assertions) {
            self.stack.check();
        }
        let after = observe(&mut self.stack);
        let series = sampler.end(self.stack.reads.clock.now, &self.sample());
        let run = PhaseRun::measured(phase, start, &self.clients.measured(), (&before, &after));
        (PhaseRun { series: series.map(Box::new), ..run }, after)
    }

    /// Adds a client, whose slots begin to work when it does.
    fn add_client(&mut self, spec: &Spec, start: &Start<'_>) {
        let Stack { reads, .. } = &mut self.stack;
        let slots = match spec.action.is_on_tree() {
            true => add_walk(&mut self.clients, spec, start),
            false => add_requests(&mut self.clients, &reads.blocks, spec, start),
        };
        for slot in slots {
            reads.clock.push(start.begins, Event::Arrived(slot));
        }
    }

    /// Runs the clients to their end, telling `follow` of the counters meanwhile, or of how far they are.
    ///
    /// The sampler that it returns, which began at `from`, is told of the counters at times of its own.
    fn run_clients(
        &mut self,
        bounds: &Bounds,
        from: Nanos,
        (rounds, follow): (&Rounds, &mut dyn Follow),
    ) -> Sampler {
        let mut sampler = Sampler::new(from);
        let Some(every) = follow.every() else {
            loop {
                match self.run_some(EVENTS_PER_LOOK, sampler.due()) {
                    Pause::Over => return sampler,
                    Pause::Instant => sampler.take(sampler.due(), &self.sample()),
                    Pause::Events => {
                        let done = bounds.share(self.clients.moved(), self.stack.reads.clock.now);
                        if !follow.share(rounds.share(done)) {
                            return sampler;
                        }
                    }
                }
            }
        };
        let mut next = self.stack.reads.clock.now;
        while !self.clients.are_done() && self.stack.reads.next_event() < Nanos::MAX {
            next += every;
            // Samples are taken at the same instants whether somebody follows or not.
            while sampler.due() <= next {
                self.run_to(sampler.due());
                if self.clients.are_done() || self.stack.reads.next_event() == Nanos::MAX {
                    break;
                }
                sampler.take(sampler.due(), &self.sample());
            }
            self.run_to(next);
            let Stack { reads, writes, log } = &self.stack;
            let devices = reads.io.runs();
            let moved = self.clients.moved();
            if !follow.reading(kstats::snapshot(reads, writes, log), devices, moved) {
                return sampler;
            }
        }
        sampler
    }

    /// Returns what a series of samples is made of.
    fn sample(&self) -> SeriesSample {
        let reads = &self.stack.reads;
        let has_l2arc = !reads.cache.l2arc.is_empty();
        SeriesSample {
            moved: self.clients.moved(),
            written: self.clients.written(),
            demand: Some(reads.seen.demand()),
            l2arc_size: has_l2arc.then(|| Bytes(reads.cache.arc.l2_bytes())),
            devices: reads.io.runs(),
        }
    }
}

/// What ends a phase: all that its clients move, or its time.
struct Bounds {
    start: Nanos,
    limit: Option<Nanos>,
    moves: u64,
}

impl Bounds {
    fn of(phase: &Phase, scenario: &Scenario, start: Nanos) -> Self {
        let moves = phase.clients.iter().map(|client| need::moved(client, scenario));
        Self { start, limit: phase.limit, moves: moves.fold(0, u64::saturating_add) }
    }

    /// Returns how much of the phase is done, 0 to 1; nothing where nobody can tell.
    fn share(&self, moved: Bytes, now: Nanos) -> f64 {
        let of = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
        let by_time = self.limit.map(|limit| of((now - self.start).0, limit.0)).unwrap_or_default();
        let by_bytes = if self.moves > 0 { of(moved.0, self.moves) } else { 0.0 };
        by_time.max(by_bytes).clamp(0.0, 1.0)
    }
}

fn observe(stack: &mut Stack) -> Observation {
    let Stack { reads, writes, log } = stack;
    Observation {
        kstats: kstats::snapshot(reads, writes, log),
        devices: reads.io.runs(),
        log_bytes_max: log.vdevs.held_max(),
        reads_by_class: Some(reads.seen.by_class),
    }
}

/// Where a client's accesses come from, and when it works.
struct Start<'a> {
    name: &'a str,
    seed: u64,
    begins: Nanos,
    limit: Option<Nanos>,
}

/// Adds a client that walks a tree, and returns its slots.
fn add_walk(clients: &mut Clients, spec: &Spec, start: &Start<'_>) -> Vec<SlotId> {
    let found = clients.trees.iter().enumerate().find(|(_, tree)| tree.name == spec.file);
    debug_assert!(found.is_some(), "the scenario has no tree “{}”", spec.file);
    let Some((number, tree)) = found else { return Vec::new() };
    let visits = tree.files.visits(spec, start.seed, start.name).collect();
    let directories = tree.directories.len();
    let walk = Walk::new(number, visits);
    let walk = match spec.action {
        Action::TreeCopy { scan_first } => {
            walk.into_tree(clients.next_copy(), directories, scan_first)
        }
        _ => walk,
    };
    let accesses = Accesses::new(spec, Bytes::ZERO, start.seed, start.name);
    let times = Times { began: start.begins, limit: start.limit };
    let client = clients.add(Client::new(spec, Vec::new(), accesses, times));
    vec![clients.add_slot(client, Some(walk))]
}

/// Says whether several requests may be under way in files at a time, of which some write.
fn may_meet(clients: &[Spec]) -> bool {
    let on_files = || clients.iter().filter(|client| !client.action.is_on_tree());
    let slots: u64 = on_files().map(|client| u64::from(client.depth.max(1))).sum();
    slots > 1 && on_files().any(|client| client.action.writes())
}

/// Adds a client that reads or writes files, and returns as many slots as it keeps requests outstanding.
fn add_requests(
    clients: &mut Clients,
    blocks: &Blocks,
    spec: &Spec,
    start: &Start<'_>,
) -> Vec<SlotId> {
    let names = [&spec.file].into_iter().chain(&spec.more_files);
    let files: Vec<FileId> = names.filter_map(|name| blocks.file_named(name)).collect();
    debug_assert_eq!(files.len(), 1 + spec.more_files.len(), "the scenario lacks a file");
    let Some(first) = files.first() else { return Vec::new() };
    let size = blocks.file(*first).size;
    let accesses = Accesses::new(spec, size, start.seed, start.name);
    let times = Times { began: start.begins, limit: start.limit };
    let client = clients.add(Client::new(spec, files, accesses, times));
    (0..spec.depth.max(1)).map(|_| clients.add_slot(client, None)).collect()
}
