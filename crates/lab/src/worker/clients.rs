//! The clients of a phase: one thread each, one request at a time, in virtual time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use arcwright_scenario::{Measured, Tally};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Accesses, Client};

use crate::LabError;
use crate::clock::Clock;
use crate::schedule;
use crate::zpool::object::Object;

/// By events, progress is told whenever so much more has been moved.
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
}

/// Runs `client` on its open file to the end.
///
/// # Errors
/// [`LabError::Zfs`] when OpenZFS refuses a read or write.
pub(super) fn run(
    client: &Client,
    object: &Object<'_>,
    accesses: Accesses,
    (shared, progress): (&Shared, &(dyn Fn(u64) + Sync)),
) -> Result<Measured, LabError> {
    let clock = Clock::get();
    clock.sleep_until(shared.start + client.start);
    let began = clock.now();
    let mut buffer = vec![0u8; usize::try_from(client.io.0).unwrap_or(0)];
    let mut done = Tally::default();
    for access in accesses {
        if shared.is_over(clock) {
            break;
        }
        let size = (access.size as usize).min(buffer.len());
        let (part, _) = buffer.split_at_mut(size);
        let asked = clock.now();
        let result = if access.write {
            object.write(access.offset, part)
        } else {
            object.read(access.offset, part)
        };
        schedule::spend_on_call(size);
        if let Err(error) = result {
            shared.failed.store(true, Ordering::Relaxed);
            return Err(error);
        }
        let size = Bytes(u64::from(access.size));
        clock.sleep(client.link.map_or(Nanos::ZERO, |link| link.time(size)));
        done.count(size, clock.now() - asked);
        shared.moved(size, progress);
        clock.sleep(client.think);
        if let Some(rate) = client.rate {
            clock.sleep_until(began + rate.time_for(done.bytes));
        }
    }
    Ok(done.measured(client, began, clock.now()))
}

impl Shared {
    /// Counts what a client has moved, and tells by events how far all are.
    pub(super) fn moved(&self, size: Bytes, progress: &(dyn Fn(u64) + Sync)) {
        let moved = self.moved.fetch_add(size.0, Ordering::Relaxed);
        if schedule::is_on() && moved / PROGRESS_BYTES != (moved + size.0) / PROGRESS_BYTES {
            progress(moved);
        }
    }

    pub(super) fn is_over(&self, clock: Clock) -> bool {
        let late = self.limit.is_some_and(|limit| clock.now() >= self.start + limit);
        late || self.failed.load(Ordering::Relaxed)
    }
}
