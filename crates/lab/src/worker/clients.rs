//! The clients of a phase: a thread for each of their slots, one request at a time, in virtual time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use arcwright_scenario::{Measured, Tally};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::Client;

use super::io_slots::IoSlots;
use super::samples::PhaseSamples;
use crate::LabError;
use crate::schedule::{self, Clock};

/// By events, progress is reported whenever so much more has been moved.
const PROGRESS_BYTES: u64 = 64 << 20;

/// What the clients of a phase share.
#[derive(Debug)]
pub(super) struct Shared {
    /// When the phase began.
    pub(super) start: Nanos,
    /// When it must end at the latest.
    pub(super) limit: Option<Nanos>,
    /// Bytes moved so far by all clients of the run, for progress.
    pub(super) moved: AtomicU64,
    /// Set when one client failed, so that the others stop.
    pub(super) failed: AtomicBool,
    /// Whether progress is reported with every request, because somebody reads the counters meanwhile.
    pub(super) is_read: bool,
    /// How the phase goes over time.
    pub(super) samples: PhaseSamples,
}

/// What one slot of a client did, and when.
#[derive(Debug)]
pub(super) struct SlotRun {
    pub(super) done: Tally,
    pub(super) began: Nanos,
    pub(super) end: Nanos,
}

impl SlotRun {
    /// Adds what another slot of the same client did.
    pub(super) fn join(&mut self, other: &Self) {
        self.done.add(&other.done);
        self.began = self.began.min(other.began);
        self.end = self.end.max(other.end);
    }

    /// Returns what `client` did.
    pub(super) fn measured(&self, client: &Client) -> Measured {
        self.done.measured(client, self.began, self.end)
    }
}

/// Runs one slot of a client to the end.
///
/// # Errors
/// [`LabError::Zfs`] when OpenZFS refuses a read or write.
pub(super) fn run(
    slots: &IoSlots<'_>,
    (shared, progress): (&Shared, &(dyn Fn(u64) + Sync)),
) -> Result<SlotRun, LabError> {
    let (clock, client) = (Clock::get(), slots.client);
    clock.sleep_until(shared.start + client.start);
    let began = clock.now();
    let mut buffer = slots.buffer();
    let mut done = Tally::default();
    while !shared.is_over(clock)
        && let Some(access) = slots.take()
    {
        let at = shared.start + client.start + access.at;
        if shared.is_late(at) {
            break;
        }
        clock.sleep_until(at);
        let size = (access.size as usize).min(buffer.len());
        let (part, _) = buffer.split_at_mut(size);
        let asked = clock.now();
        let result = slots.perform(&access, part);
        schedule::spend_on_call(size);
        if let Err(error) = result {
            shared.failed.store(true, Ordering::Relaxed);
            return Err(error);
        }
        slots.finish(&access);
        let size = Bytes(u64::from(access.size));
        clock.sleep_until(slots.through_link(size, clock.now()));
        let latency = clock.now() - asked;
        if slots.waits(&access) {
            done.count_sync(size, latency);
        } else {
            done.count(size, latency);
        }
        if access.write {
            shared.samples.wrote(size);
        }
        shared.moved(size, progress);
        clock.sleep(client.think);
        let all = slots.note(size);
        if let Some(rate) = client.rate {
            clock.sleep_until(began + rate.time_for(all));
        }
    }
    Ok(SlotRun { done, began, end: clock.now() })
}

impl Shared {
    /// Counts what a client has moved, and tells by events how far all are.
    pub(super) fn moved(&self, size: Bytes, progress: &(dyn Fn(u64) + Sync)) {
        let moved = self.moved.fetch_add(size.0, Ordering::Relaxed);
        self.samples.look(Clock::get().now(), moved + size.0);
        let is_further = moved / PROGRESS_BYTES != (moved + size.0) / PROGRESS_BYTES;
        if schedule::is_on() && (is_further || self.is_read) {
            progress(moved);
        }
    }

    pub(super) fn is_over(&self, clock: Clock) -> bool {
        self.is_late(clock.now()) || self.failed.load(Ordering::Relaxed)
    }

    /// Says whether an instant lies behind the phase's end.
    fn is_late(&self, at: Nanos) -> bool {
        self.limit.is_some_and(|limit| at >= self.start + limit)
    }
}
