//! The books of a device: what is under way, what was done, and the slower time of a scaled one.

use arcwright_units::{Bytes, Nanos};

use crate::request::{Completion, Counters, Request};

/// Requests that one device is meant to hold; more are taken, but room is made for them.
pub(crate) const UNDER_WAY_MAX: usize = 1024;

/// The books of a device.
///
/// Uniform scaling makes every request take `factor` times as long, so a scaled device is the
/// full-scale one in a time that runs that much slower. Models compute in that inner time; only this
/// file knows the caller's.
#[derive(Debug, Clone)]
pub(crate) struct Ledger {
    factor: u64,
    under_way: Vec<Completion>,
    /// When the first of them is done.
    next: Nanos,
    counters: Counters,
    waiting: u64,
    busy_since: Nanos,
}

impl Ledger {
    pub(crate) fn new(factor: u64) -> Self {
        Self {
            factor: factor.max(1),
            under_way: Vec::with_capacity(UNDER_WAY_MAX),
            next: Nanos::MAX,
            counters: Counters::default(),
            waiting: 0,
            busy_since: Nanos::ZERO,
        }
    }

    /// Counts a request on arrival and returns when that is in inner time, rounded up.
    pub(crate) fn arrive(&mut self, now: Nanos, request: &Request) -> Nanos {
        self.counters.count(request);
        if self.waiting == 0 {
            self.busy_since = self.busy_since.max(now);
        }
        self.waiting += 1;
        // Most are of full scale, and a division is slow.
        if self.factor == 1 { now } else { Nanos(now.0.div_ceil(self.factor)) }
    }

    /// Notes that `ticket` is done at `inner`.
    pub(crate) fn finish(&mut self, ticket: u32, inner: Nanos) {
        let at = self.outer(inner);
        self.next = self.next.min(at);
        self.under_way.push(Completion { ticket, at });
    }

    /// Counts a movement of the head.
    pub(crate) fn seek(&mut self) {
        self.counters.seeks += 1;
    }

    /// Counts wear.
    pub(crate) fn wear(&mut self, bytes: Bytes) {
        self.counters.worn_bytes += bytes;
    }

    /// Returns inner time, rounded down: the last inner nanosecond that is over at `now`.
    pub(crate) fn inner(&self, now: Nanos) -> Nanos {
        if self.factor == 1 { now } else { Nanos(now.0 / self.factor) }
    }

    /// Returns the caller's time of an inner one.
    pub(crate) fn outer(&self, inner: Nanos) -> Nanos {
        Nanos(inner.0.saturating_mul(self.factor))
    }

    /// Returns when the next request is done, among those whose end is known; never, if there is none.
    pub(crate) fn next(&self) -> Nanos {
        self.next
    }

    /// Appends what is done at or before `now` to `done`, in order of time, then of tickets.
    pub(crate) fn collect(&mut self, now: Nanos, done: &mut Vec<Completion>) {
        if now < self.next {
            return;
        }
        let first = done.len();
        self.next = Nanos::MAX;
        let mut index = 0;
        while let Some(completion) = self.under_way.get(index).copied() {
            if completion.at <= now {
                done.push(completion);
                self.under_way.swap_remove(index);
            } else {
                self.next = self.next.min(completion.at);
                index += 1;
            }
        }
        let Some(new) = done.get_mut(first..) else { return };
        if new.len() > 1 {
            new.sort_unstable_by_key(|completion| (completion.at, completion.ticket));
        }
        for completion in new {
            self.counters.busy += completion.at - self.busy_since;
            self.busy_since = self.busy_since.max(completion.at);
            self.waiting -= 1;
        }
    }

    /// Returns what was done so far. Busy time counts up to the last completion.
    pub(crate) fn counters(&self) -> Counters {
        self.counters
    }
}
