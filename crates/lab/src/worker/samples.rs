//! How a phase goes over time, looked at whenever a request is done.
//!
//! Only counters of the lab's own disks and clients are read, never the library's: reading those would do work in it,
//! and the run would be another one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use arcwright_scenario::{Sampler, Series, SeriesSample};
use arcwright_units::{Bytes, Nanos};

use crate::disks::{Disks, EmulatedDisk};

/// Takes samples while the clients of a phase work.
#[derive(Debug)]
pub(super) struct PhaseSamples {
    disks: &'static Disks,
    /// Bytes that were written by clients.
    written: AtomicU64,
    /// When the next sample is due.
    due: AtomicU64,
    sampler: Mutex<Sampler>,
}

impl PhaseSamples {
    /// Returns one for a phase whose first client begins at `start`.
    pub(super) fn new(disks: &'static Disks, start: Nanos) -> Self {
        let (written, due) = (AtomicU64::new(0), AtomicU64::new(0));
        let samples = Self { disks, written, due, sampler: Mutex::new(Sampler::new(start)) };
        // Nothing that the first request does is counted before it began.
        samples.look(start, 0);
        samples
    }

    /// Counts what a client has written.
    pub(super) fn wrote(&self, size: Bytes) {
        self.written.fetch_add(size.0, Ordering::Relaxed);
    }

    /// Takes a sample if one is due.
    pub(super) fn look(&self, now: Nanos, moved: u64) {
        if now.0 < self.due.load(Ordering::Relaxed) {
            return;
        }
        let mut sampler = self.sampler.lock().unwrap_or_else(PoisonError::into_inner);
        sampler.take(now, &self.sample(moved));
        self.due.store(sampler.due().0, Ordering::Relaxed);
    }

    /// Returns what was seen of a phase that ended at `now`.
    pub(super) fn end(&self, now: Nanos, moved: u64) -> Option<Series> {
        let sampler = self.sampler.lock().unwrap_or_else(PoisonError::into_inner);
        sampler.clone().end(now, &self.sample(moved))
    }

    fn sample(&self, moved: u64) -> SeriesSample {
        SeriesSample {
            moved: Bytes(moved),
            written: Bytes(self.written.load(Ordering::Relaxed)),
            demand: None,
            l2arc_size: None,
            devices: self.disks.iter().map(EmulatedDisk::run).collect(),
        }
    }
}
