//! The disk at work: which request is next, and when each is done.
//!
//! ```text
//!   queue ──> served at once (buffer hit, buffered write) ────────────> done
//!     └────> the arm is free: the cheapest of reads, and of writes
//!            when they must or may go ──> platter, busy until … ──────> done
//! ```

use arcwright_units::{Bytes, Nanos, Rate};

use super::buffer::{ReadBuffer, Seen};
use super::mechanism::{Direction, Mechanism, Stretch};
use super::plan::{Plan, Work};
use super::writes::{Extent, WriteBuffer};
use crate::ledger::{Ledger, UNDER_WAY_MAX};
use crate::profile::HddSpec;
use crate::request::{Completion, Counters, Io, Request};

/// The most that one destaging writes before the drive looks at its queue again.
const DESTAGE_MAX: u64 = 1 << 20;

/// A scaled write-back buffer keeps at least this much, eight blocks of 128 KiB.
///
/// With fewer there is nothing to reorder; with more, a flush of a full buffer takes longer still.
/// At a factor of 32 and this value random writes run at half their rate (hdd-nas-7200, 128 KiB,
/// ten under way: 113 instead of 212 per second), so that a full buffer takes 8 / 113 * 32 = 2.3 s
/// instead of 256 / 212 = 1.2 s.
const WRITE_BUFFER_MIN: u64 = 1 << 20;

/// A disk at work, in inner time.
#[derive(Debug, Clone)]
pub(crate) struct Hdd {
    pub(super) ledger: Ledger,
    pub(super) timing: Timing,
    pub(super) mechanism: Mechanism,
    pub(super) reads: ReadBuffer,
    pub(super) writes: WriteBuffer,
    pub(super) queue: Vec<Waiting>,
    sequence: u64,
    /// Until then the arm is at work.
    arm_free: Nanos,
    /// Sectors being written until then.
    in_flight: u64,
    link_free: Nanos,
    /// When to look again; never, when nothing is to be done.
    wake: Nanos,
}

/// The times and limits of the electronics.
#[derive(Debug, Clone)]
pub(super) struct Timing {
    pub(super) overhead_read: Nanos,
    pub(super) overhead_write: Nanos,
    pub(super) overhead_hit: Nanos,
    pub(super) interface: Rate,
    pub(super) sector: u64,
    pub(super) turn: Nanos,
    pub(super) queue_depth: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    pub(super) ticket: u32,
    pub(super) io: Io,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) arrived: Nanos,
    pub(super) sequence: u64,
    pub(super) seen: Seen,
    /// Its sectors, once somebody has asked for them.
    stretch: Option<Stretch>,
}

impl Waiting {
    /// Returns what is done at the platter for it, if anything: writes go there when `through`.
    pub(super) fn direction(&self, through: bool) -> Option<Direction> {
        match self.io {
            Io::Read => Some(Direction::Read),
            Io::Write if through => Some(Direction::Write),
            Io::Write | Io::Flush => None,
        }
    }

    /// Returns its sectors as the arm sees them.
    pub(super) fn stretch(&mut self, mechanism: &Mechanism) -> Stretch {
        let (start, sectors) = (self.start, self.end - self.start);
        *self.stretch.get_or_insert_with(|| mechanism.stretch(start, sectors))
    }

    /// Returns when the arm can begin with it: the command of one that waited was processed while the
    /// arm was at work.
    pub(super) fn ready(&self, at: Nanos, timing: &Timing) -> Nanos {
        let overhead =
            if self.io == Io::Read { timing.overhead_read } else { timing.overhead_write };
        at.max(self.arrived + overhead)
    }
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
            wake: Nanos::MAX,
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
            seen: Seen::default(),
            stretch: None,
        });
        self.dispatch(arrived);
    }

    pub(crate) fn next_event(&self) -> Nanos {
        self.ledger.next().min(self.ledger.outer(self.wake))
    }

    pub(crate) fn advance(&mut self, now: Nanos, done: &mut Vec<Completion>) {
        self.run_until(self.ledger.inner(now));
        self.ledger.collect(now, done);
    }

    pub(crate) fn counters(&self) -> Counters {
        self.ledger.counters()
    }

    fn run_until(&mut self, end: Nanos) {
        while self.wake < Nanos::MAX && self.wake <= end {
            self.dispatch(self.wake);
        }
    }

    /// Serves what can be served at `at`, puts the arm to work, and sets the next `wake`.
    fn dispatch(&mut self, at: Nanos) {
        self.wake = Nanos::MAX;
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
        if is_work_left && self.arm_free > at {
            self.wake = self.arm_free;
        } else if is_work_left {
            self.wake = self.destage_at().max(at + Nanos(1));
        }
    }

    /// Returns when an idle drive begins to write what it holds: a turn after its last work.
    pub(super) fn destage_at(&self) -> Nanos {
        self.arm_free.max(self.link_free) + self.timing.turn
    }

    /// Finishes what needs no arm: hits, writes that fit, flushes with nothing left to write.
    fn serve_from_buffers(&mut self, at: Nanos) {
        let mut index = 0;
        let mut is_write_held = false;
        while let Some(waiting) = self.queue.get_mut(index) {
            let is_served = match waiting.io {
                Io::Flush if index == 0 => {
                    let waiting = *waiting;
                    self.serve_flush(at, &waiting)
                }
                Io::Flush => return,
                _ if index >= self.timing.queue_depth => return,
                Io::Read => {
                    let range = (waiting.start, waiting.end);
                    let is_here = self.writes.covers(range.0, range.1)
                        || self.reads.holds(&self.mechanism, at, range, &mut waiting.seen);
                    if is_here {
                        let waiting = *waiting;
                        self.serve_hit(at, &waiting);
                    }
                    is_here
                }
                Io::Write => {
                    let waiting = *waiting;
                    let is_served = !is_write_held && self.serve_write(at, &waiting);
                    is_write_held |= !is_served;
                    is_served
                }
            };
            if is_served {
                self.taken(index);
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

    fn serve_hit(&mut self, at: Nanos, read: &Waiting) {
        let end = self.link(at, self.timing.overhead_hit, read);
        self.ledger.finish(read.ticket, end);
        self.reads.extend(&mut self.mechanism, at, read.start, read.end);
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

    pub(super) fn destage_max(&self) -> u64 {
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
                self.reads.begin(&self.mechanism, (from, read.end), plan.end);
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
        if index + 1 == self.queue.len() {
            return self.queue.pop();
        }
        (index < self.queue.len()).then(|| self.queue.remove(index))
    }

    /// The last sector crosses the interface after it was read.
    fn last_sector(&self) -> Nanos {
        self.timing.interface.time_for(Bytes(self.timing.sector))
    }
}
