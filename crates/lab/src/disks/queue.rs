//! The requests that wait on one device: who waits for which, and the device model that finishes them.

use arcwright_device::{Completion, DeviceGroup};
use arcwright_units::Nanos;

use crate::schedule::ThreadId;

/// The most requests that wait on one device at a time; the library's threads bound it.
pub(super) const WAITING_MAX: usize = 256;

#[derive(Debug)]
pub(super) struct Queue {
    pub(super) device: DeviceGroup,
    pub(super) slots: Vec<Slot>,
    /// By events: which thread waits for which slot.
    pub(super) waiting: Vec<ThreadId>,
    /// The latest instant that the device has heard of; threads' clocks differ a little.
    pub(super) latest: Nanos,
    pub(super) free: Vec<u32>,
    /// The instant for which a thread sleeps with a deadline; `Nanos::MAX` when none does.
    pub(super) deadline: Nanos,
    pub(super) done: Vec<Completion>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Free,
    Waiting,
    Done,
}

impl Queue {
    pub(super) fn new(device: DeviceGroup) -> Self {
        Self {
            device,
            slots: vec![Slot::Free; WAITING_MAX],
            waiting: vec![ThreadId::MAIN; WAITING_MAX],
            latest: Nanos::ZERO,
            free: (0..u32::try_from(WAITING_MAX).unwrap_or(0)).rev().collect(),
            deadline: Nanos::MAX,
            done: Vec::with_capacity(WAITING_MAX),
        }
    }

    /// Advances the device to `now` and hands every request that is done to `tell`: its slot, the
    /// thread that waits for it by events, and when it was done.
    pub(super) fn complete(&mut self, now: Nanos, mut tell: impl FnMut(usize, ThreadId, Nanos)) {
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

    pub(super) fn release(&mut self, ticket: u32) {
        self.set(ticket, Slot::Free);
        self.free.push(ticket);
    }

    pub(super) fn set(&mut self, ticket: u32, slot: Slot) {
        if let Some(place) = self.slots.get_mut(ticket as usize) {
            *place = slot;
        }
    }

    pub(super) fn is_done(&self, ticket: u32) -> bool {
        self.slots.get(ticket as usize) == Some(&Slot::Done)
    }
}
