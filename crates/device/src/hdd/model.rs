//! The disk at work: which request is next, and when each is done.
//!
//! ```text
//!   queue ──> served at once (buffer hit, buffered write) ────────────> done
//!     └────> the arm is free: the cheapest of reads, and of writes
//!            when they must or may go ──> platter, busy until … ──────> done
//! ```

use arcwright_units::{Bytes, Nanos, Rate};

use super::buffer::{Found, ReadBuffer};
use super::mechanism::{Direction, Mechanism};
use super::writes::{Extent, WriteBuffer};
use crate::ledger::{Ledger, UNDER_WAY_MAX};
use crate::profile::HddSpec;
use crate::request::{Completion, Counters, Io, Request};

/// The most that one destaging writes before the drive looks at its queue again.
const DESTAGE_MAX: u64 = 1 << 20;

/// A scaled write-back buffer keeps at least this much, eight blocks of 128 KiB.
const WRITE_BUFFER_MIN: u64 = 1 << 20;

/// A request that has waited 96 ms is preferred as if it were 1 ms closer: weak enough that 32 under
/// way reach twice the rate of one, strong enough that none of them waits for a second.
const AGE_WEIGHT: u64 = 96;

/// A disk at work, in inner time.
#[derive(Debug, Clone)]
pub(crate) struct Hdd {
    ledger: Ledger,
    timing: Timing,
    mechanism: Mechanism,
    reads: ReadBuffer,
    writes: WriteBuffer,
    queue: Vec<Waiting>,
    sequence: u64,
    /// Until then the arm is at work.
    arm_free: Nanos,
    /// Sectors being written until then.
    in_flight: u64,
    link_free: Nanos,
    /// When to look again; none when nothing is to be done.
    wake: Option<Nanos>,
}

/// The times and limits of the electronics.
#[derive(Debug, Clone)]
struct Timing {
    overhead_read: Nanos,
    overhead_write: Nanos,
    overhead_hit: Nanos,
    interface: Rate,
    sector: u64,
    turn: Nanos,
    queue_depth: usize,
}

#[derive(Debug, Clone, Copy)]
struct Waiting {
    ticket: u32,
    io: Io,
    start: u64,
    end: u64,
    arrived: Nanos,
    sequence: u64,
}

/// Work for the arm.
#[derive(Debug, Clone, Copy)]
struct Plan {
    work: Work,
    /// When data begins to move.
    begin: Nanos,
    /// When the arm is free again.
    end: Nanos,
    is_moved: bool,
    /// What is compared: the positioning time less the bonus for age, in nanoseconds.
    score: i64,
}

#[derive(Debug, Clone, Copy)]
enum Work {
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
    pub(crate) fn new(spec: &HddSpec, factor: u64, size: Bytes, seed: u64) -> Self {
        let sector = u64::from(spec.sector.max(1));
        let scaled = (spec.write_buffer.0 / factor.max(1)).max(WRITE_BUFFER_MIN);
        Self {
            ledger: Ledger::new(factor),
            timing: Timing {
                overhead_read: spec.overhead_read,
                overhead_write: spec.overhead_write,
                overhead_hit: spec.overhead_hit,
                interface: spec.interface,
                sector,
                turn: spec.turn,
                queue_depth: usize::try_from(spec.queue_depth).unwrap_or(1).max(1),
            },
            mechanism: Mechanism::new(spec, factor, size, seed),
            reads: ReadBuffer::new(
                spec.segments,
                spec.segment_size.0 / sector,
                spec.read_ahead.0 / sector,
            ),
            writes: WriteBuffer::new(scaled.min(spec.write_buffer.0) / sector),
            queue: Vec::with_capacity(UNDER_WAY_MAX),
            sequence: 0,
            arm_free: Nanos::ZERO,
            in_flight: 0,
            link_free: Nanos::ZERO,
            wake: None,
        }
    }

    pub(crate) fn submit(&mut self, now: Nanos, ticket: u32, request: Request) {
        let arrived = self.ledger.arrive(now, &request);
        self.run_until(arrived);
        debug_assert!(self.queue.len() < UNDER_WAY_MAX, "more than {UNDER_WAY_MAX} requests wait");
        let end = request.offset.saturating_add(u64::from(request.size));
        self.sequence += 1;
        self.queue.push(Waiting {
            ticket,
            io: request.io,
            start: request.offset / self.timing.sector,
            end: end.div_ceil(self.timing.sector),
            arrived,
            sequence: self.sequence,
        });
        self.dispatch(arrived);
    }

    pub(crate) fn next_event(&self) -> Option<Nanos> {
        let wake = self.wake.map(|inner| self.ledger.outer(inner));
        [self.ledger.next(), wake].into_iter().flatten().min()
    }

    pub(crate) fn advance(&mut self, now: Nanos, done: &mut Vec<Completion>) {
        self.run_until(self.ledger.inner(now));
        self.ledger.collect(now, done);
    }

    pub(crate) fn counters(&self) -> Counters {
        self.ledger.counters()
    }

    fn run_until(&mut self, end: Nanos) {
        while let Some(at) = self.wake.filter(|at| *at <= end) {
            self.dispatch(at);
        }
    }

    /// Serves what can be served at `at`, puts the arm to work, and sets the next `wake`.
    fn dispatch(&mut self, at: Nanos) {
        self.wake = None;
        if self.arm_free <= at {
            self.in_flight = 0;
        }
        self.serve_from_buffers(at);
        if self.arm_free <= at
            && let Some(plan) = self.choose(at)
        {
            self.carry_out(at, plan);
        }
        let is_work_left = !self.queue.is_empty() || !self.writes.is_empty();
        if self.arm_free > at {
            self.wake = is_work_left.then_some(self.arm_free);
        } else if is_work_left {
            self.wake = Some(self.destage_at().max(at + Nanos(1)));
        }
    }

    /// Returns when an idle drive begins to write what it holds: a turn after its last work.
    fn destage_at(&self) -> Nanos {
        self.arm_free.max(self.link_free) + self.timing.turn
    }

    /// Returns the requests that the drive looks at: those before the first flush, at most its
    /// queue depth of them. A flush is not queued with others, as in ATA.
    fn eligible(&self) -> usize {
        let flush = self.queue.iter().position(|waiting| waiting.io == Io::Flush);
        flush.unwrap_or(self.queue.len()).min(self.timing.queue_depth)
    }

    /// Finishes what needs no arm: hits, writes that fit, flushes with nothing left to write.
    fn serve_from_buffers(&mut self, at: Nanos) {
        let mut index = 0;
        let mut is_write_held = false;
        while let Some(waiting) = self.queue.get(index).copied() {
            let is_served = match waiting.io {
                Io::Flush if index == 0 => self.serve_flush(at, &waiting),
                Io::Flush => return,
                _ if index >= self.timing.queue_depth => return,
                Io::Read => self.serve_hit(at, &waiting),
                Io::Write => {
                    let is_served = !is_write_held && self.serve_write(at, &waiting);
                    is_write_held |= !is_served;
                    is_served
                }
            };
            if is_served {
                self.queue.remove(index);
            } else {
                index += 1;
            }
        }
    }

    fn serve_flush(&mut self, at: Nanos, flush: &Waiting) -> bool {
        let is_clean = self.in_flight == 0 && !self.writes.holds_before(flush.sequence);
        if is_clean {
            self.ledger.finish(flush.ticket, at.max(self.link_free) + self.timing.overhead_hit);
        }
        is_clean
    }

    fn serve_hit(&mut self, at: Nanos, read: &Waiting) -> bool {
        let is_here = self.writes.covers(read.start, read.end)
            || self.reads.find(&self.mechanism, at, read.start, read.end) == Found::All;
        if is_here {
            let end = self.link(at, self.timing.overhead_hit, read);
            self.ledger.finish(read.ticket, end);
            self.reads.extend(&mut self.mechanism, at, read.start, read.end);
        }
        is_here
    }

    fn serve_write(&mut self, at: Nanos, write: &Waiting) -> bool {
        let sectors = write.end - write.start;
        if !self.writes.is_enabled() || !self.writes.fits(sectors, self.in_flight) {
            return false;
        }
        self.reads.forget(&mut self.mechanism, at, write.start, write.end);
        if sectors > 0 {
            let Waiting { start, end, sequence, .. } = *write;
            self.writes.add(Extent { start, end, sequence });
        }
        let end = self.link(at, self.timing.overhead_write, write);
        self.ledger.finish(write.ticket, end);
        true
    }

    /// Occupies the interface with `request` after `overhead` and returns when it is through.
    fn link(&mut self, at: Nanos, overhead: Nanos, request: &Waiting) -> Nanos {
        self.link_free = self.link_free.max(at) + overhead + self.transfer(request);
        self.link_free
    }

    fn transfer(&self, request: &Waiting) -> Nanos {
        let sectors = request.end - request.start;
        self.timing.interface.time_for(Bytes(sectors.saturating_mul(self.timing.sector)))
    }

    /// Returns the work to do next, the best placed first, with a bonus for age.
    fn choose(&self, at: Nanos) -> Option<Plan> {
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

    fn destage_max(&self) -> u64 {
        DESTAGE_MAX / self.timing.sector
    }

    fn carry_out(&mut self, at: Nanos, plan: Plan) {
        if plan.is_moved {
            self.ledger.seek();
        }
        match plan.work {
            Work::Pass { index } => {
                let Some(read) = self.taken(index) else { return };
                self.reads.extend(&mut self.mechanism, at, read.start, read.end);
                self.mechanism.settle(read.end, Direction::Read);
                let quickest = at + self.timing.overhead_hit + self.transfer(&read);
                self.ledger.finish(read.ticket, quickest.max(plan.end + self.last_sector()));
            }
            Work::Fetch { index, from } => {
                let Some(read) = self.taken(index) else { return };
                self.reads.stop(&mut self.mechanism, at);
                self.mechanism.settle(read.end, Direction::Read);
                self.reads.begin(from, read.end, plan.end);
                let quickest = plan.begin + self.transfer(&read);
                self.ledger.finish(read.ticket, quickest.max(plan.end + self.last_sector()));
            }
            Work::WriteThrough { index } => {
                let Some(write) = self.taken(index) else { return };
                self.reads.forget(&mut self.mechanism, at, write.start, write.end);
                self.reads.stop(&mut self.mechanism, at);
                self.mechanism.settle(write.end, Direction::Write);
                self.ledger.finish(write.ticket, plan.end);
            }
            Work::Destage { place } => {
                self.reads.stop(&mut self.mechanism, at);
                let Some(extent) = self.writes.take(place, self.destage_max()) else { return };
                self.in_flight = extent.end - extent.start;
                self.mechanism.settle(extent.end, Direction::Write);
            }
        }
        self.arm_free = plan.end.max(at + Nanos(1));
    }

    fn taken(&mut self, index: usize) -> Option<Waiting> {
        (index < self.queue.len()).then(|| self.queue.remove(index))
    }

    /// The last sector crosses the interface after it was read.
    fn last_sector(&self) -> Nanos {
        self.timing.interface.time_for(Bytes(self.timing.sector))
    }
}

fn score(positioning: Nanos, age: Nanos) -> i64 {
    let signed = |time: Nanos| i64::try_from(time.0).unwrap_or(i64::MAX);
    signed(positioning) - signed(Nanos(age.0 / AGE_WEIGHT))
}
