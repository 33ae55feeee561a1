//! How far a run of an arm is, told to whoever watches: by the work that each phase was reckoned to take.
//!
//! Who watches may ask for an end at any time: a phase that was stopped in its middle is not a result.

use arcwright_kstat::Snapshot;
use arcwright_scenario::{
    CounterReading, DeviceRun, Event, Phase, Scenario, System, Transfers, Watch,
};
use arcwright_units::{Bytes, Nanos};

use super::need::{Contents, build_time, phase_time};
use super::phase::Follow;

/// The work of an arm: nanoseconds for what comes before the first phase, and for each phase.
pub(crate) struct Work {
    build: u64,
    phases: Vec<u64>,
}

impl Work {
    /// Returns what a scaled experiment is reckoned to take.
    pub(crate) fn of(small: &Scenario, system: &System, contents: &Contents) -> Self {
        let of = |phase: &Phase| phase_time(phase, small, system).max(1);
        let phases = small.phases.iter().map(of).collect();
        Self { build: build_time(small, system, contents), phases }
    }

    fn total(&self) -> u64 {
        self.phases.iter().fold(self.build, |sum, phase| sum.saturating_add(*phase))
    }
}

/// Which run of a request it is, and who watches.
pub(crate) struct RunPart<'a> {
    /// Runs of arms before it, of how many.
    pub(crate) runs_before: u64,
    pub(crate) runs: u64,
    pub(crate) watch: &'a mut dyn Watch,
}

/// Tells how far one arm is.
pub(crate) struct ArmProgress<'a> {
    arm: &'a str,
    work: Work,
    total: u64,
    part: RunPart<'a>,
    /// The phase that runs: its name, its number, and what its clients do.
    phase: String,
    number: usize,
    transfers: Transfers,
    /// The work of what is done.
    done: u64,
    is_stopped: bool,
}

impl<'a> ArmProgress<'a> {
    pub(crate) fn new(arm: &'a str, work: Work, part: RunPart<'a>) -> Self {
        Self {
            arm,
            total: work.total().max(1),
            work,
            part,
            phase: String::new(),
            number: 0,
            transfers: Transfers::default(),
            done: 0,
            is_stopped: false,
        }
    }

    /// Says that the pool is laid out.
    pub(crate) fn begin_building(&mut self) {
        self.part.watch.event(Event::Stage(format!("arm “{}”, building the pool", self.arm)));
        self.tell(0);
    }

    /// Says that a phase begins.
    pub(crate) fn begin(&mut self, phase: &Phase) {
        if self.number == 0 {
            self.done = self.work.build;
        }
        self.phase.clone_from(&phase.name);
        self.transfers = phase.transfers();
        self.part.watch.event(Event::Stage(format!("arm “{}”, {}", self.arm, phase.name)));
        self.tell(0);
    }

    /// Says that a phase has ended.
    pub(crate) fn end(&mut self) {
        self.done = self.done.saturating_add(self.of_phase());
        self.number += 1;
        self.tell(0);
        self.look();
    }

    fn of_phase(&self) -> u64 {
        self.work.phases.get(self.number).copied().unwrap_or(0)
    }

    fn tell(&mut self, more: u64) {
        let RunPart { runs_before, runs, .. } = self.part;
        let before = runs_before.saturating_mul(self.total);
        let done = self.done.saturating_add(more).min(self.total).saturating_add(before);
        let total = runs.max(1).saturating_mul(self.total);
        self.part.watch.event(Event::Progress { done, total, left: None });
    }

    fn look(&mut self) -> bool {
        self.is_stopped |= self.part.watch.stop();
        !self.is_stopped
    }
}

impl Follow for ArmProgress<'_> {
    fn every(&self) -> Option<Nanos> {
        self.part.watch.reading_every()
    }

    fn reading(&mut self, kstats: Snapshot, devices: Vec<DeviceRun>, moved: Bytes) -> bool {
        let (moved, written) = self.transfers.parts(moved);
        let (arm, phase) = (self.arm.to_owned(), self.phase.clone());
        let reading = CounterReading { arm, phase, kstats, devices, moved, written };
        self.part.watch.event(Event::Reading(Box::new(reading)));
        self.look()
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share from 0 to 1 of a whole number"
    )]
    fn share(&mut self, done: f64) -> bool {
        self.tell((self.of_phase() as f64 * done) as u64);
        self.look()
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped
    }
}
