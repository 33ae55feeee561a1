//! Takes readings at their interval and hands them to what all share.

use std::path::PathBuf;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use arcwright_host::observe::Sampler;
use arcwright_machine::Machine;
use arcwright_web::LiveReading;

use super::shared::Shared;
use crate::commands::server::{Judgement, now, wait};
use crate::interrupt::Interrupt;
use crate::pool_disks::{self, Roles, roles_of};

/// Where readings come from.
pub(super) trait Readings: Send {
    /// Returns readings of the time before the first, which came `interval` apart.
    fn past(&mut self, _interval: Duration) -> Vec<LiveReading> {
        Vec::new()
    }

    /// Returns a reading; none where the clock of this machine is not set.
    fn read(&mut self) -> Option<LiveReading>;

    /// Takes note of the machine as it was looked at last.
    fn seen(&mut self, machine: &Machine);
}

/// Readings of a machine.
pub(super) struct MachineReadings {
    sampler: Sampler,
    root: PathBuf,
    roles: Roles,
}

impl MachineReadings {
    pub(super) fn new(sampler: Sampler, root: PathBuf) -> Self {
        Self { sampler, root, roles: Roles::new() }
    }
}

impl Readings for MachineReadings {
    fn read(&mut self) -> Option<LiveReading> {
        let sample = self.sampler.sample_with_pools();
        let disks = pool_disks::counts(&self.root, &self.roles);
        Some(LiveReading { at: now()?, sample, disks, ..LiveReading::default() })
    }

    fn seen(&mut self, machine: &Machine) {
        self.roles = roles_of(machine);
    }
}

/// Takes readings until the program is to end.
pub(super) fn collect(
    mut readings: Box<dyn Readings>,
    interval: Duration,
    (judgements, shared): (&Receiver<Judgement>, &Shared),
    end: &Interrupt,
) {
    for reading in readings.past(interval) {
        shared.take(reading);
    }
    let mut next = Instant::now();
    while !end.asked() {
        if let Some(judgement) = judgements.try_iter().last() {
            readings.seen(&judgement.machine);
            shared.judge(judgement);
        }
        if let Some(reading) = readings.read() {
            shared.take(reading);
        }
        // A machine that slept is not made up for by a burst.
        next = (next + interval).max(Instant::now());
        wait(next, end);
    }
}
