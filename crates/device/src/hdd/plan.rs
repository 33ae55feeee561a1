//! What the arm does next: the cheapest of what waits, by positioning time, with a bonus for age.

use arcwright_units::Nanos;

use super::buffer::Found;
use super::mechanism::Direction;
use super::model::Hdd;
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

/// A request that may be the next.
#[derive(Debug, Clone, Copy)]
enum Candidate {
    /// The buffer has to do with it: its plan is made.
    Planned(Plan),
    /// Its sectors are nowhere but on the platter.
    Far { index: usize, score: i64 },
}

impl Candidate {
    fn score(&self) -> i64 {
        match self {
            Self::Planned(plan) => plan.score,
            Self::Far { score, .. } => *score,
        }
    }
}

impl Hdd {
    /// Returns the work to do next, the best placed first, with a bonus for age.
    pub(super) fn choose(&mut self, at: Nanos) -> Option<Plan> {
        let eligible = self.eligible();
        let best = self.best_queued(at, eligible);
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

    /// Returns the best placed of the first `eligible` requests that go to the platter.
    fn best_queued(&mut self, at: Nanos, eligible: usize) -> Option<Plan> {
        let mut best: Option<Candidate> = None;
        for index in 0..eligible {
            let to_beat = best.map_or(i64::MAX, |best| best.score());
            best = self.candidate(at, index, to_beat).or(best);
        }
        match best? {
            Candidate::Planned(plan) => Some(plan),
            Candidate::Far { index, .. } => self.plan_far(at, index),
        }
    }

    /// Returns request `index` if it is better placed than a score of `to_beat`.
    fn candidate(&mut self, at: Nanos, index: usize, to_beat: i64) -> Option<Candidate> {
        let through = !self.writes.is_enabled();
        let waiting = self.queue.get_mut(index)?;
        let direction = waiting.direction(through)?;
        let (start, end) = (waiting.start, waiting.end);
        if direction == Direction::Read && !self.reads.is_far(&mut waiting.seen, start, end) {
            let plan = self.plan_read(at, index)?;
            return (plan.score < to_beat).then_some(Candidate::Planned(plan));
        }
        let place = waiting.stretch(&self.mechanism).place;
        let age = at - waiting.arrived;
        let within = u64::try_from(to_beat.saturating_add(bonus(age))).unwrap_or(0);
        let from = (waiting.ready(at, &self.timing), direction);
        let begin = self.mechanism.begin_before(at + Nanos(within), &place, from)?;
        Some(Candidate::Far { index, score: score(begin - at, age) })
    }

    /// Plans a request that the buffer has nothing to do with.
    fn plan_far(&mut self, at: Nanos, index: usize) -> Option<Plan> {
        let through = !self.writes.is_enabled();
        let waiting = self.queue.get_mut(index)?;
        let direction = waiting.direction(through)?;
        let stretch = waiting.stretch(&self.mechanism);
        let start = waiting.ready(at, &self.timing);
        let access = self.mechanism.access_to(&stretch, start, direction);
        let work = match direction {
            Direction::Read => Work::Fetch { index, from: waiting.start - access.early },
            Direction::Write => Work::WriteThrough { index },
        };
        Some(Plan {
            work,
            begin: access.begin,
            end: access.end,
            is_moved: access.is_moved,
            score: score(access.begin - at, at - waiting.arrived),
        })
    }

    /// Plans a read of which the buffer has something, or will have.
    fn plan_read(&mut self, at: Nanos, index: usize) -> Option<Plan> {
        let read = self.queue.get_mut(index)?;
        let (start, arrived) = (read.ready(at, &self.timing), read.arrived);
        let found = self.reads.find(&self.mechanism, at, read.start, read.end);
        let from = match found {
            Found::From(from) => from,
            Found::All | Found::Passing { .. } => read.start,
        };
        let stretch = if from == read.start {
            read.stretch(&self.mechanism)
        } else {
            self.mechanism.stretch(from, read.end - from)
        };
        let plan = |work: Work, (begin, end): (Nanos, Nanos), is_moved: bool| {
            let score = score(begin - at, at - arrived);
            Some(Plan { work, begin, end, is_moved, score })
        };
        let pass = |(begin, end): (Nanos, Nanos)| {
            plan(Work::Pass { index }, (begin.max(at), end.max(at)), false)
        };
        // No fetch is quicker than one with the head in front of it, and most need not be planned.
        if let Found::Passing { begin, end } = found
            && end <= start + stretch.pass
        {
            return pass((begin, end));
        }
        let access = self.mechanism.access_to(&stretch, start, Direction::Read);
        match found {
            Found::Passing { begin, end } if end <= access.end => pass((begin, end)),
            _ => {
                let work = Work::Fetch { index, from: from - access.early };
                plan(work, (access.begin, access.end), access.is_moved)
            }
        }
    }

    /// Returns the destaging of the best placed write near the head.
    fn plan_destage(&self, at: Nanos, pressed_for: Nanos) -> Option<Plan> {
        let (mut best, mut latest) = (None, Nanos::MAX);
        for (place, extent) in self.writes.nearby(self.mechanism.sector()) {
            let spot = self.mechanism.geometry.place(extent.start);
            let begin = self.mechanism.begin_before(latest, &spot, (at, Direction::Write));
            if let Some(begin) = begin {
                (best, latest) = (Some((place, extent)), begin);
            }
        }
        let (place, extent) = best?;
        let sectors = (extent.end - extent.start).min(self.destage_max());
        let access = self.mechanism.access(at, extent.start, sectors, Direction::Write);
        Some(Plan {
            work: Work::Destage { place },
            begin: access.begin,
            end: access.end,
            is_moved: access.is_moved,
            score: score(access.begin - at, pressed_for),
        })
    }

    /// Returns the requests that the drive looks at: those before the first flush, at most its
    /// queue depth of them. A flush is not queued with others, as in ATA.
    fn eligible(&self) -> usize {
        let flush = self.queue.iter().position(|waiting| waiting.io == Io::Flush);
        flush.unwrap_or(self.queue.len()).min(self.timing.queue_depth)
    }
}

fn score(positioning: Nanos, age: Nanos) -> i64 {
    i64::try_from(positioning.0).unwrap_or(i64::MAX) - bonus(age)
}

/// Returns what a request that has waited for `age` is preferred by, in nanoseconds.
fn bonus(age: Nanos) -> i64 {
    i64::try_from(age.0 / AGE_WEIGHT).unwrap_or(i64::MAX)
}
