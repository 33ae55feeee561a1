//! What the arm does next: the cheapest of what waits, by positioning time, with a bonus for age.

use arcwright_units::Nanos;

use super::buffer::Found;
use super::mechanism::Direction;
use super::model::{Hdd, Waiting};
use crate::request::Io;

/// A request that has waited 96 ms is preferred as if it were 1 ms closer: weak enough that 32
/// under way reach twice the rate of one, strong enough that none of them waits for a second.
const AGE_WEIGHT: u64 = 96;

/// Work for the arm.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) work: Work,
    /// When data begins to move.
    pub(super) begin: Nanos,
    /// When the arm is free again.
    pub(super) end: Nanos,
    pub(super) is_moved: bool,
    /// What is compared: the positioning time less the bonus for age, in nanoseconds.
    pub(super) score: i64,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Work {
    /// Waits for what the head passes anyway.
    Pass { index: usize },
    /// Reads from sector `from` on, what is before being in the buffer or not wanted.
    Fetch { index: usize, from: u64 },
    /// Writes a request through to the platter.
    WriteThrough { index: usize },
    /// Writes the beginning of a place in the write-back buffer.
    Destage { place: usize },
}

impl Hdd {
    /// Returns the work to do next, the best placed first, with a bonus for age.
    pub(super) fn choose(&self, at: Nanos) -> Option<Plan> {
        let eligible = self.eligible();
        let queued = self.queue.iter().take(eligible).enumerate();
        let through = !self.writes.is_enabled();
        let best = queued
            .filter_map(|(index, waiting)| match waiting.io {
                Io::Read => Some(self.plan_read(at, index, waiting)),
                Io::Write if through => Some(self.plan_write(at, index, waiting)),
                Io::Write | Io::Flush => None,
            })
            .min_by_key(|plan| plan.score);
        // Writes and flushes that the buffer could not take lend their age to destaging.
        let pressed = self.queue.iter().take(eligible.max(1)).find(|w| w.io != Io::Read);
        let is_forced = pressed.is_some() || self.writes.is_filling();
        let is_idle = best.is_none() && self.destage_at() <= at;
        if !(is_forced || is_idle) {
            return best;
        }
        let pressed_for = pressed.map_or(Nanos::ZERO, |waiting| at - waiting.arrived);
        let destage = self.plan_destage(at, pressed_for);
        [best, destage].into_iter().flatten().min_by_key(|plan| plan.score)
    }

    fn plan_read(&self, at: Nanos, index: usize, read: &Waiting) -> Plan {
        // The command of a request that waited was processed while the arm was at work.
        let start = at.max(read.arrived + self.timing.overhead_read);
        let score = |begin: Nanos| score(begin - at, at - read.arrived);
        let found = self.reads.find(&self.mechanism, at, read.start, read.end);
        let from = match found {
            Found::From(from) => from,
            Found::All | Found::Passing { .. } => read.start,
        };
        let access = self.mechanism.access(start, from, read.end - from, Direction::Read);
        let fetch = Plan {
            work: Work::Fetch { index, from: from - access.early },
            begin: access.begin,
            end: access.end,
            is_moved: access.is_moved,
            score: score(access.begin),
        };
        match found {
            Found::Passing { begin, end } if end <= fetch.end => Plan {
                work: Work::Pass { index },
                begin: begin.max(at),
                end: end.max(at),
                is_moved: false,
                score: score(begin.max(at)),
            },
            _ => fetch,
        }
    }

    fn plan_write(&self, at: Nanos, index: usize, write: &Waiting) -> Plan {
        let start = at.max(write.arrived + self.timing.overhead_write);
        let sectors = write.end - write.start;
        let access = self.mechanism.access(start, write.start, sectors, Direction::Write);
        Plan {
            work: Work::WriteThrough { index },
            begin: access.begin,
            end: access.end,
            is_moved: access.is_moved,
            score: score(access.begin - at, at - write.arrived),
        }
    }

    /// Returns the destaging of the best placed write near the head.
    fn plan_destage(&self, at: Nanos, pressed_for: Nanos) -> Option<Plan> {
        let near = self.writes.nearby(self.mechanism.sector());
        near.map(|(place, extent)| {
            let sectors = (extent.end - extent.start).min(self.destage_max());
            let access = self.mechanism.access(at, extent.start, sectors, Direction::Write);
            Plan {
                work: Work::Destage { place },
                begin: access.begin,
                end: access.end,
                is_moved: access.is_moved,
                score: score(access.begin - at, pressed_for),
            }
        })
        .min_by_key(|plan| plan.score)
    }

    /// Returns the requests that the drive looks at: those before the first flush, at most its
    /// queue depth of them. A flush is not queued with others, as in ATA.
    fn eligible(&self) -> usize {
        let flush = self.queue.iter().position(|waiting| waiting.io == Io::Flush);
        flush.unwrap_or(self.queue.len()).min(self.timing.queue_depth)
    }
}

fn score(positioning: Nanos, age: Nanos) -> i64 {
    let signed = |time: Nanos| i64::try_from(time.0).unwrap_or(i64::MAX);
    signed(positioning) - signed(Nanos(age.0 / AGE_WEIGHT))
}
