//! The device behind one disk or several, or the devices behind a link: their model, and the threads that wait for it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use arcwright_device::{Counters, DeviceClass, DeviceGroup, GroupMember, LinkCounters, Request};
use arcwright_units::Nanos;

use super::DiskSpec;
use super::queue::{Queue, Slot, WAITING_MAX};
use crate::schedule::{self, Clock, ThreadId};

/// A device: disks hand requests to it, by the part of it that each is.
#[derive(Debug)]
pub(super) struct EmulatedDevice {
    number: usize,
    instant: bool,
    queue: Mutex<Queue>,
    wakers: Vec<Condvar>,
}

impl EmulatedDevice {
    /// Returns the device of such disks, of which the first is `spec`; none where there is no disk.
    pub(super) fn new(spec: &DiskSpec, members: &[GroupMember<'_>]) -> Option<Self> {
        let link = spec.link.as_ref().map(|link| link.scaled(spec.scale));
        let device = DeviceGroup::new(members, link)?;
        Some(Self {
            number: spec.on.group,
            instant: spec.profile.class() == DeviceClass::Instant,
            queue: Mutex::new(Queue::new(device)),
            wakers: (0..WAITING_MAX).map(|_| Condvar::new()).collect(),
        })
    }

    /// Returns what was asked of a part so far.
    pub(super) fn counters(&self, part: usize) -> Counters {
        self.lock().device.counters(part)
    }

    /// Returns what its link has carried so far; none without one.
    pub(super) fn link_counters(&self) -> Option<LinkCounters> {
        self.lock().device.link_counters()
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands a request of a part to the model; `None` when it took no time.
    pub(super) fn submit(&self, part: usize, request: Request) -> Option<u32> {
        let mut queue = self.lock();
        let now = Clock::get().now().max(queue.latest);
        queue.latest = now;
        if self.instant {
            queue.device.submit(now, 0, part, request);
            let Queue { device, done, .. } = &mut *queue;
            done.clear();
            device.advance(now, done);
            return None;
        }
        // The library has fewer threads than there are slots; see `hooks::machine`.
        let ticket = queue.free.pop()?;
        self.advance(&mut queue, now);
        queue.set(ticket, Slot::Waiting);
        queue.device.submit(now, ticket, part, request);
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

    /// Waits until a request is done.
    pub(super) fn wait(&self, ticket: Option<u32>) {
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
