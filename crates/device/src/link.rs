//! A link that several devices share: a controller, an expander, a port multiplier, a USB bridge.
//!
//! # Theory
//!
//! What a device reads crosses the link while it is read, and is there when both are done; what is written, likewise. A
//! link carries one transfer after the other, in the order in which devices are through with them, each for its bytes
//! divided by the rate; most carry both directions at once, some one at a time. Some take only so many requests at a time;
//! the others wait in front of it, first come, first served.
//!
//! Simplifications: transfers are not cut into frames, so a short one waits for a long one; a device does not stop for lack of
//! buffer while the link is busy, but gets no more requests than its queue lets it have.
//!
//! Small case: four disks of 200 MB/s each read 1 MB at the same time behind 400 MB/s. Each needs 5 ms, the link 2.5 ms
//! for each: they are there after 5, 7.5, 10 and 12.5 ms.

use std::collections::VecDeque;

use arcwright_units::{Bytes, Nanos, Rate};

use crate::request::{Io, Request};

/// What a link can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceLink {
    /// Bytes per second in each direction.
    pub rate: Rate,
    /// Whether it carries one direction at a time.
    pub one_way: bool,
    /// The most requests that are under way behind it; any number when absent.
    pub requests_max: Option<u32>,
    /// By how much it is slower than at full scale.
    pub factor: u64,
}

/// What a link has carried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinkCounters {
    /// Bytes from the devices.
    pub read_bytes: Bytes,
    /// Bytes to the devices.
    pub write_bytes: Bytes,
    /// Time in which it carried bytes from devices.
    pub read_busy: Nanos,
    /// Time in which it carried bytes to devices.
    pub write_busy: Nanos,
    /// Whether it carries one direction at a time.
    pub one_way: bool,
}

/// A link at work.
#[derive(Debug, Clone)]
pub(crate) struct Carrier {
    link: DeviceLink,
    /// When it is free: from the devices, and to them.
    free: [Nanos; 2],
    /// Requests behind it.
    under_way: u32,
    /// Requests in front of it, by their numbers.
    waiting: VecDeque<u32>,
    counters: LinkCounters,
}

impl Carrier {
    pub(crate) fn new(link: DeviceLink) -> Self {
        let counters = LinkCounters { one_way: link.one_way, ..LinkCounters::default() };
        Self { link, free: [Nanos::ZERO; 2], under_way: 0, waiting: VecDeque::new(), counters }
    }

    /// Says whether a request may pass now; else it waits.
    pub(crate) fn admits(&mut self, number: u32) -> bool {
        let has_room = self.link.requests_max.is_none_or(|most| self.under_way < most.max(1));
        match has_room {
            true => self.under_way += 1,
            false => self.waiting.push_back(number),
        }
        has_room
    }

    /// A request is through; returns the one that passes in its place.
    pub(crate) fn leave(&mut self) -> Option<u32> {
        let next = self.waiting.pop_front();
        if next.is_none() {
            self.under_way = self.under_way.saturating_sub(1);
        }
        next
    }

    /// Carries what a request asks for, with which its device is through at `at`; returns when it is there.
    pub(crate) fn carry(&mut self, at: Nanos, request: &Request) -> Nanos {
        let bytes = Bytes(u64::from(request.size));
        let span = Nanos(self.link.rate.time_for(bytes).0.saturating_mul(self.link.factor.max(1)));
        let [read, write] = &mut self.free;
        let (free, busy, moved) = match request.io {
            Io::Read => (read, &mut self.counters.read_busy, &mut self.counters.read_bytes),
            _ if self.link.one_way => {
                (read, &mut self.counters.write_busy, &mut self.counters.write_bytes)
            }
            _ => (write, &mut self.counters.write_busy, &mut self.counters.write_bytes),
        };
        let begin = (*free).max(Nanos(at.0.saturating_sub(span.0)));
        *free = begin + span;
        *busy += span;
        *moved += bytes;
        at.max(*free)
    }

    pub(crate) fn counters(&self) -> LinkCounters {
        self.counters
    }
}
