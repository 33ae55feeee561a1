//! One emulated disk: its contents in memory, its speed from a device model.
//!
//! The contents are a mapping: private on top of the pool's image for a data disk, so that every
//! arm starts from the very same state and leaves no trace; plain memory for a fresh cache or log
//! device. The time of a request is asked of [`arcwright_device::Device`] at its virtual arrival,
//! and the calling thread waits until the model says it is done: by events in the schedule
//! ([`crate::schedule`]), by the real clock asleep.
//!
//! ```text
//!   real clock:
//!   thread ── submit(now) ──> Device          several threads wait on one disk; the one with the
//!          <── next_event ──                  earliest event sleeps with a deadline, the others
//!          ── sleep … advance(now) ──>        until they are woken
//!          <── completions: wakes the others
//! ```

use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use arcwright_device::{Counters, DeviceClass, Io, Request};
use arcwright_scenario::Role;
use arcwright_units::Nanos;

use super::durable::DurableImage;
use super::mapping::Mapping;
use super::queue::{Queue, Slot, WAITING_MAX};
use super::{Contents, DiskSpec};
use crate::LabError;
use crate::schedule::{self, Clock, ThreadId};

/// A disk of the lab.
#[derive(Debug)]
pub(crate) struct EmulatedDisk {
    /// Its name: `data-0-1`, `cache-0`.
    pub(crate) name: String,
    /// Its role in the pool.
    pub(crate) role: Role,
    /// Name of its profile.
    pub(crate) profile: String,
    path: PathBuf,
    rotational: bool,
    instant: bool,
    armed: AtomicBool,
    number: usize,
    memory: Mapping,
    durable: Option<DurableImage>,
    queue: Mutex<Queue>,
    wakers: Vec<Condvar>,
}

impl EmulatedDisk {
    /// Maps the contents and starts the device model.
    ///
    /// # Errors
    /// [`LabError`] when the file cannot be opened or mapped.
    pub(crate) fn new(spec: DiskSpec) -> Result<Self, LabError> {
        let memory = Mapping::new(&spec)?;
        let is_kept = spec.contents == Contents::Durable;
        let durable = is_kept.then(|| DurableImage::new(&spec)).transpose()?;
        let queue = Queue::new(&spec);
        Ok(Self {
            rotational: spec.profile.is_rotational(),
            instant: spec.profile.class() == DeviceClass::Instant,
            profile: spec.profile.name().to_owned(),
            armed: AtomicBool::new(false),
            number: spec.number,
            memory,
            durable,
            queue: Mutex::new(queue),
            wakers: (0..WAITING_MAX).map(|_| Condvar::new()).collect(),
            name: spec.name,
            role: spec.role,
            path: spec.path,
        })
    }

    /// Returns the path of its file as the library names it.
    pub(crate) fn path_bytes(&self) -> &[u8] {
        self.path.as_os_str().as_bytes()
    }

    /// Returns whether it turns.
    pub(crate) fn is_rotational(&self) -> bool {
        self.rotational
    }

    /// From now on requests take time and are counted; before, the pool is only being imported.
    pub(crate) fn arm(&self) {
        self.armed.store(true, Ordering::Release);
    }

    /// Returns what it has done so far.
    pub(crate) fn counters(&self) -> Counters {
        self.lock().device.counters()
    }

    /// Reads into `target` and returns how many bytes there were, once the device is done.
    pub(crate) fn read(&self, offset: u64, target: &mut [u8]) -> usize {
        let Some(part) = self.memory.part(offset, target.len()) else { return 0 };
        let ticket = self.submit(Io::Read, offset, part.size());
        part.read(target);
        self.wait(ticket);
        part.size()
    }

    /// Writes `source` and returns how many bytes fitted, once the device is done.
    pub(crate) fn write(&self, offset: u64, source: &[u8]) -> usize {
        let Some(part) = self.memory.part(offset, source.len()) else { return 0 };
        let size = part.size();
        let ticket = self.submit(Io::Write, offset, size);
        part.write(source);
        self.wait(ticket);
        if let Some(durable) = &self.durable {
            let is_armed = self.armed.load(Ordering::Acquire);
            durable.written(offset, source.get(..size).unwrap_or(source), is_armed);
        }
        size
    }

    /// Waits until everything written is stable.
    pub(crate) fn flush(&self) {
        let mark = self.durable.as_ref().map(DurableImage::mark);
        let ticket = self.submit(Io::Flush, 0, 0);
        self.wait(ticket);
        if let (Some(durable), Some(mark)) = (&self.durable, mark) {
            durable.flushed(mark);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands a request to the model; `None` when it took no time.
    fn submit(&self, io: Io, offset: u64, size: usize) -> Option<u32> {
        #[expect(clippy::expect_used, reason = "OpenZFS joins reads and writes up to 16 MiB")]
        let size = u32::try_from(size).expect("a request of 4 GiB or more");
        let request = Request { io, offset, size };
        if !self.armed.load(Ordering::Acquire) {
            return None;
        }
        let mut queue = self.lock();
        let now = Clock::get().now().max(queue.latest);
        queue.latest = now;
        if self.instant {
            queue.device.submit(now, 0, request);
            let Queue { device, done, .. } = &mut *queue;
            done.clear();
            device.advance(now, done);
            return None;
        }
        // The library has fewer threads than there are slots; see `hooks::machine`.
        let ticket = queue.free.pop()?;
        self.advance(&mut queue, now);
        queue.set(ticket, Slot::Waiting);
        queue.device.submit(now, ticket, request);
        if let (Clock::Events, Some(place)) = (Clock::get(), queue.waiting.get_mut(ticket as usize))
        {
            *place = schedule::me();
            drop(queue);
            schedule::device_changed(self.number);
        }
        Some(ticket)
    }

    /// Returns when the device model has its next event.
    pub(super) fn next_event(&self) -> Option<Nanos> {
        self.lock().device.next_event()
    }

    /// Advances the device model to `now`; appends which threads may go on from when.
    pub(super) fn advance_to(&self, now: Nanos, ready: &mut Vec<(ThreadId, Nanos)>) {
        let mut queue = self.lock();
        queue.latest = now.max(queue.latest);
        let latest = queue.latest;
        queue.complete(latest, |_, thread, at| ready.push((thread, at)));
    }

    fn wait(&self, ticket: Option<u32>) {
        let Some(ticket) = ticket else { return };
        if schedule::is_on() {
            schedule::wait_for_device();
            self.lock().release(ticket);
            return;
        }
        let Some(waker) = self.wakers.get(ticket as usize) else { return };
        let clock = Clock::get();
        let mut queue = self.lock();
        loop {
            let now = clock.now();
            self.advance(&mut queue, now);
            if queue.is_done(ticket) {
                break;
            }
            let next = queue.device.next_event().unwrap_or(Nanos::MAX);
            if next < queue.deadline {
                queue.deadline = next;
                let real = clock.real(next - now);
                (queue, _) =
                    waker.wait_timeout(queue, real).unwrap_or_else(PoisonError::into_inner);
                if queue.deadline == next {
                    queue.deadline = Nanos::MAX;
                }
            } else {
                queue = waker.wait(queue).unwrap_or_else(PoisonError::into_inner);
            }
        }
        queue.release(ticket);
        if queue.deadline == Nanos::MAX {
            self.wake_one(&queue);
        }
    }

    /// Advances the model to `now` and wakes those whose requests are done.
    fn advance(&self, queue: &mut MutexGuard<'_, Queue>, now: Nanos) {
        let by_events = schedule::is_on();
        queue.complete(now, |place, thread, at| match self.wakers.get(place) {
            _ if by_events => schedule::make_ready(thread, at),
            Some(waker) => waker.notify_one(),
            None => {}
        });
    }

    /// Wakes one waiting thread so that somebody sleeps with a deadline again.
    fn wake_one(&self, queue: &MutexGuard<'_, Queue>) {
        let waiting = queue.slots.iter().position(|slot| *slot == Slot::Waiting);
        if let Some(waker) = waiting.and_then(|place| self.wakers.get(place)) {
            waker.notify_one();
        }
    }
}
