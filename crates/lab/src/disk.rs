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

use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use arcwright_device::{Class, Completion, Counters, Device, Io, Profile, Request};
use arcwright_scenario::Role;
use arcwright_units::{Bytes, Nanos};

use crate::LabError;
use crate::clock::Clock;
use crate::schedule::{self, ThreadId};
use crate::stable::Stable;

/// The most requests that wait on one disk at a time; the library's threads bound it.
const WAITING_MAX: usize = 256;

/// Which contents a disk starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Those of the file at its path, which is never changed.
    PrivateCopy,
    /// Those of the file at its path, which keeps what is stable: a crash may come.
    Kept,
    /// Zeroes.
    Empty,
}

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
    stable: Option<Stable>,
    queue: Mutex<Queue>,
    wakers: Vec<Condvar>,
}

#[derive(Debug)]
struct Queue {
    device: Device,
    slots: Vec<Slot>,
    /// By events: which thread waits for which slot.
    waiting: Vec<ThreadId>,
    /// The latest instant that the device has heard of; threads' clocks differ a little.
    latest: Nanos,
    free: Vec<u32>,
    /// The instant for which a thread sleeps with a deadline; `Nanos::MAX` when none does.
    deadline: Nanos,
    done: Vec<Completion>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    Free,
    Waiting,
    Done,
}

#[derive(Debug)]
struct Mapping {
    start: NonNull<u8>,
    size: usize,
}

// SAFETY: the mapping is plain memory that lives as long as the process. Concurrent requests to the
// same bytes are the library's to order, as they are on a real disk; copies go through raw pointers.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

/// What a disk is made of.
#[derive(Debug, Clone)]
pub(crate) struct DiskSpec {
    /// Its number among the disks of the pool.
    pub(crate) number: usize,
    /// Its name.
    pub(crate) name: String,
    /// Its role.
    pub(crate) role: Role,
    /// The vdev file, already of the disk's size.
    pub(crate) path: PathBuf,
    /// Its size.
    pub(crate) size: Bytes,
    /// How fast it is, after scaling.
    pub(crate) profile: Profile,
    /// What is on it.
    pub(crate) contents: Contents,
    /// Seed of its random streams.
    pub(crate) seed: u64,
}

impl EmulatedDisk {
    /// Maps the contents and starts the device model.
    ///
    /// # Errors
    /// [`LabError`] when the file cannot be opened or mapped.
    pub(crate) fn new(spec: DiskSpec) -> Result<Self, LabError> {
        let memory = Mapping::new(&spec)?;
        let stable = (spec.contents == Contents::Kept).then(|| Stable::new(&spec)).transpose()?;
        let slots = vec![Slot::Free; WAITING_MAX];
        let free = (0..u32::try_from(WAITING_MAX).unwrap_or(0)).rev().collect();
        Ok(Self {
            rotational: spec.profile.is_rotational(),
            instant: spec.profile.class() == Class::Instant,
            profile: spec.profile.name().to_owned(),
            armed: AtomicBool::new(false),
            number: spec.number,
            memory,
            stable,
            queue: Mutex::new(Queue {
                device: Device::new(&spec.profile, spec.size, spec.seed),
                slots,
                waiting: vec![ThreadId::MAIN; WAITING_MAX],
                latest: Nanos::ZERO,
                free,
                deadline: Nanos::MAX,
                done: Vec::with_capacity(WAITING_MAX),
            }),
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
        let Some((start, size)) = self.memory.part(offset, target.len()) else { return 0 };
        let ticket = self.submit(Io::Read, offset, size);
        // SAFETY: `part` checked the bounds; the buffer belongs to the caller.
        unsafe { std::ptr::copy_nonoverlapping(start, target.as_mut_ptr(), size) };
        self.wait(ticket);
        size
    }

    /// Writes `source` and returns how many bytes fitted, once the device is done.
    pub(crate) fn write(&self, offset: u64, source: &[u8]) -> usize {
        let Some((start, size)) = self.memory.part(offset, source.len()) else { return 0 };
        let ticket = self.submit(Io::Write, offset, size);
        // SAFETY: `part` checked the bounds; the mapping is writable memory of this process.
        unsafe { std::ptr::copy_nonoverlapping(source.as_ptr(), start, size) };
        self.wait(ticket);
        if let Some(stable) = &self.stable {
            let is_armed = self.armed.load(Ordering::Acquire);
            stable.written(offset, source.get(..size).unwrap_or(source), is_armed);
        }
        size
    }

    /// Waits until everything written is stable.
    pub(crate) fn flush(&self) {
        let mark = self.stable.as_ref().map(Stable::mark);
        let ticket = self.submit(Io::Flush, 0, 0);
        self.wait(ticket);
        if let (Some(stable), Some(mark)) = (&self.stable, mark) {
            stable.flushed(mark);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands a request to the model; `None` when it took no time.
    fn submit(&self, io: Io, offset: u64, size: usize) -> Option<u32> {
        let request = Request { io, offset, size: u32::try_from(size).unwrap_or(u32::MAX) };
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
            let next = queue.device.next_event();
            drop(queue);
            schedule::disk_event(self.number, next);
        }
        Some(ticket)
    }

    /// Brings the model up to `now`; appends which threads may go on from when, and returns when
    /// it wants to be asked next.
    pub(crate) fn advance_events(
        &self,
        now: Nanos,
        ready: &mut Vec<(ThreadId, Nanos)>,
    ) -> Option<Nanos> {
        let mut queue = self.lock();
        queue.latest = now.max(queue.latest);
        let latest = queue.latest;
        queue.complete(latest, |_, thread, at| ready.push((thread, at)));
        queue.device.next_event()
    }

    fn wait(&self, ticket: Option<u32>) {
        let Some(ticket) = ticket else { return };
        if schedule::is_on() {
            schedule::wait_for_disk();
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

    /// Brings the model up to `now` and wakes those whose requests are done.
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

impl Queue {
    /// Brings the device up to `now` and hands every request that is done to `tell`: its slot, the
    /// thread that waits for it by events, and when it was done.
    fn complete(&mut self, now: Nanos, mut tell: impl FnMut(usize, ThreadId, Nanos)) {
        self.done.clear();
        self.device.advance(now, &mut self.done);
        for completion in &self.done {
            let place = completion.ticket as usize;
            if let (Some(slot), Some(thread)) = (self.slots.get_mut(place), self.waiting.get(place))
            {
                *slot = Slot::Done;
                tell(place, *thread, completion.at);
            }
        }
    }

    fn release(&mut self, ticket: u32) {
        self.set(ticket, Slot::Free);
        self.free.push(ticket);
    }

    fn set(&mut self, ticket: u32, slot: Slot) {
        if let Some(place) = self.slots.get_mut(ticket as usize) {
            *place = slot;
        }
    }

    fn is_done(&self, ticket: u32) -> bool {
        self.slots.get(ticket as usize) == Some(&Slot::Done)
    }
}

impl Mapping {
    fn new(spec: &DiskSpec) -> Result<Self, LabError> {
        let failed = |error: std::io::Error| LabError::Disk {
            path: spec.path.clone(),
            reason: error.to_string(),
        };
        let size = usize::try_from(spec.size.0).unwrap_or(usize::MAX);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let base = libc::MAP_PRIVATE | libc::MAP_NORESERVE;
        // SAFETY: a new mapping chosen by the kernel; the file, if any, is open for reading.
        let address = unsafe {
            match spec.contents {
                Contents::PrivateCopy | Contents::Kept => {
                    let file = File::open(&spec.path).map_err(failed)?;
                    libc::mmap(std::ptr::null_mut(), size, protection, base, file.as_raw_fd(), 0)
                }
                Contents::Empty => {
                    let flags = base | libc::MAP_ANONYMOUS;
                    libc::mmap(std::ptr::null_mut(), size, protection, flags, -1, 0)
                }
            }
        };
        if address == libc::MAP_FAILED {
            return Err(failed(std::io::Error::last_os_error()));
        }
        let start = NonNull::new(address.cast::<u8>())
            .ok_or_else(|| failed(std::io::Error::last_os_error()))?;
        Ok(Self { start, size })
    }

    /// Returns the place of `size` bytes at `offset`, cut at the end of the disk.
    fn part(&self, offset: u64, size: usize) -> Option<(*mut u8, usize)> {
        let offset = usize::try_from(offset).ok().filter(|offset| *offset < self.size)?;
        // SAFETY: the offset is inside the mapping.
        let start = unsafe { self.start.as_ptr().add(offset) };
        Some((start, size.min(self.size - offset)))
    }
}
