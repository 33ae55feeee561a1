//! Which core is free, who wants one, and who stays on one without being at work.

use std::cmp::Reverse;

use arcwright_units::Nanos;

use super::{State, first};
use crate::schedule::thread::{Kind, Presence, ThreadId};

impl State<'_> {
    /// Says that the running thread waits or ends at `now`, which frees its core.
    pub(in crate::schedule) fn free_core(&mut self, id: ThreadId, now: Nanos) {
        if let Some(thread) = self.thread(id) {
            (thread.presence, thread.since) = (Presence::Away, now);
        }
        if let Some(core) = self.cores.get_mut(self.core) {
            *core = now;
        }
    }

    /// Returns whether somebody who is ready at `now` finds no core.
    pub(in crate::schedule) fn is_core_wanted(&self, now: Nanos) -> bool {
        let (_, free) = self.first_free_core();
        free > now && self.first_ready() <= now
    }

    /// Returns since when a thread that goes before one of this kind finds no core; never, when none does.
    pub(in crate::schedule) fn claimed_since(&self, kind: Kind) -> Nanos {
        let before = self.ready.iter().take(kind.rank()).map(first).min();
        let (_, free) = self.first_free_core();
        before.filter(|_| free == Nanos::MAX).unwrap_or(Nanos::MAX)
    }

    /// Returns since when the first of those that want a core has been ready.
    pub(in crate::schedule) fn first_ready(&self) -> Nanos {
        self.ready.iter().map(first).min().unwrap_or(Nanos::MAX)
    }

    /// Lets the running thread leave its core at `now`, and wait for one behind those that are ready.
    pub(in crate::schedule) fn give_way(&mut self, id: ThreadId, now: Nanos) {
        self.free_core(id, now);
        let order = self.next_order();
        if let Some(thread) = self.thread(id) {
            thread.gave_way = true;
        }
        self.want_core(now, order, id);
    }

    /// Lets the running thread stay on its core at `now` while those behind it catch up.
    pub(in crate::schedule) fn stay(&mut self, id: ThreadId, now: Nanos) {
        let (order, core) = (self.next_order(), self.core);
        if let Some(thread) = self.thread(id) {
            thread.core = core;
            thread.presence = Presence::Stays;
        }
        self.running.push(Reverse((now, order, id)));
    }

    /// Returns whether `id` is at work, so that waiting for it on a core is worth while.
    pub(in crate::schedule) fn is_at_work(&self, id: ThreadId) -> bool {
        self.threads.get(id.index()).is_some_and(|thread| thread.presence != Presence::Away)
    }

    /// Lets the running thread wait for a lock without leaving its core.
    pub(in crate::schedule) fn spin(&mut self, id: ThreadId, now: Nanos) {
        let core = self.core;
        if let Some(thread) = self.thread(id) {
            (thread.core, thread.since, thread.spins) = (core, now, true);
        }
        self.spinning.push_back(id);
    }

    /// Sends one that waits on its core to sleep, when those that are ready find no core.
    pub(in crate::schedule) fn make_room(&mut self) -> bool {
        let is_full = self.running.is_empty() && self.cores.iter().all(|free| *free == Nanos::MAX);
        if self.first_ready() == Nanos::MAX || !is_full {
            return false;
        }
        let Some(id) = self.spinning.pop_front() else { return false };
        let Some(thread) = self.thread(id) else { return false };
        (thread.presence, thread.spins) = (Presence::Away, false);
        let (core, since) = (thread.core, thread.since);
        if let Some(core) = self.cores.get_mut(core) {
            *core = since;
        }
        true
    }

    /// Returns when the first of those that are ready could start, and on which core.
    pub(in crate::schedule) fn first_start(&self) -> (usize, Nanos) {
        let (core, free) = self.first_free_core();
        let ready = self.first_ready();
        (core, if ready == Nanos::MAX { ready } else { ready.max(free) })
    }

    pub(in crate::schedule) fn first_free_core(&self) -> (usize, Nanos) {
        let cores = self.cores.iter().copied().enumerate();
        cores.min_by_key(|(_, free)| *free).unwrap_or((0, Nanos::ZERO))
    }
}
