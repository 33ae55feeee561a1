//! Phases that are repeated until the caches are warm.
//!
//! A round is the phase once. Caches count as warm when two rounds in a row are alike: the ARC's hit ratio and the
//! shares of what was moved that came from cache devices and from disks differ by at most a point, and in the second
//! round neither the ARC nor the L2ARC grew by more than a hundredth of its size. A phase that is not warm after the
//! most rounds ends all the same, and its result says so.
//!
//! A small case: a file of 1 GiB, read in a row, with an ARC of 4 GiB. The first round has no hit, the second nothing
//! but hits, and the third is like the second: warm after three.
//!
//! Clients begin each round anew, with other places where they draw them. What a round is too short for cannot be
//! seen: a cache device that a round of a second fills by a thousandth looks as if it did not grow.

use arcwright_kstat::is_gauge;
use arcwright_units::{Bytes, Nanos};

use crate::experiment::Phase;
use crate::measure::Observation;
use crate::outcome::{PhaseRun, WarmUp};

/// Rounds at most where a scenario does not say how many.
pub const ROUNDS_MAX_DEFAULT: u32 = 20;

/// Difference of ratios between two rounds up to which they are alike.
const ALIKE: f64 = 0.01;
/// Growth of a cache in a round up to which it does not grow, of its size.
const GROWTH: f64 = 0.01;

/// The rounds of a phase.
#[derive(Debug)]
pub struct Rounds {
    rounds_max: u32,
    done: u32,
    before: Nanos,
    last: Option<PhaseRun>,
}

impl Phase {
    /// Returns the name of a client's random streams in a round, which is counted from 0: no two rounds draw the same.
    #[must_use]
    pub fn client_name(&self, round: u32, number: usize) -> String {
        match round {
            0 => format!("{} client {number}", self.name),
            _ => format!("{} round {round} client {number}", self.name),
        }
    }
}

impl Rounds {
    /// Returns the rounds of a phase, of which none is done.
    #[must_use]
    pub const fn of(phase: &Phase) -> Self {
        let rounds_max = match phase.until_warm {
            Some(most) => most,
            None => 1,
        };
        Self { rounds_max, done: 0, before: Nanos::ZERO, last: None }
    }

    /// Returns how many are done.
    #[must_use]
    pub const fn done(&self) -> u32 {
        self.done
    }

    /// Returns what share of the rounds that there are at most is done, given the share of the present one, 0 to 1.
    #[must_use]
    pub fn share(&self, of_round: f64) -> f64 {
        (f64::from(self.done) + of_round) / f64::from(self.rounds_max.max(1))
    }

    /// Returns how many bytes of a phase are done when `moved` of the `bytes` of the present round are, as its [`share`] says.
    ///
    /// [`share`]: Self::share
    #[must_use]
    pub fn bytes(&self, moved: u64, bytes: u64) -> u64 {
        let before = bytes.saturating_mul(u64::from(self.done));
        before.saturating_add(moved.min(bytes)) / u64::from(self.rounds_max.max(1))
    }

    /// Takes what a round measured, and what was seen at its end; returns the result of the phase when that was the last
    /// one. A phase that is done once has no [`WarmUp`].
    #[must_use]
    pub fn take(&mut self, mut run: PhaseRun, after: &Observation) -> Option<PhaseRun> {
        self.done += 1;
        if self.rounds_max <= 1 {
            return Some(run);
        }
        let grew = ["size", "l2_size"].iter().any(|row| grew(&run, after, row));
        let is_warm = !grew && self.last.as_ref().is_some_and(|last| are_alike(last, &run));
        if let Some(last) = &self.last {
            add_gauges(&mut run, last);
        }
        if is_warm || self.done >= self.rounds_max {
            let before_ns = self.before;
            run.warm_up = Some(WarmUp { rounds: self.done, is_warm, before_ns });
            return Some(run);
        }
        self.before += run.duration_ns;
        self.last = Some(run);
        None
    }
}

/// Says whether two rounds found what they read in the same places.
fn are_alike(one: &PhaseRun, other: &PhaseRun) -> bool {
    let share = |run: &PhaseRun, part: Bytes| part.0 as f64 / run.bytes.0.max(1) as f64;
    let shares = |run: &PhaseRun| {
        let hits = run.arc_hit_ratio.unwrap_or(0.0);
        [hits, share(run, run.l2arc_read_bytes), share(run, run.device_read_bytes)]
    };
    // Where nothing is moved, as when attributes are asked for, the hits alone tell.
    let count = if one.bytes.0 == 0 { 1 } else { 3 };
    let pairs = shares(one).into_iter().zip(shares(other)).take(count);
    pairs.into_iter().all(|(one, other)| (one - other).abs() <= ALIKE)
}

/// Says whether a cache grew in a round.
fn grew(run: &PhaseRun, after: &Observation, row: &str) -> bool {
    let by = run.kstats.get("arcstats").and_then(|rows| rows.get(row)).copied().unwrap_or(0);
    let size = after.kstats.get("zfs/arcstats", row).unwrap_or(0);
    by as f64 > size as f64 * GROWTH
}

/// Adds what earlier rounds changed of what is no count, so that the last round's differences are those of the phase.
fn add_gauges(run: &mut PhaseRun, earlier: &PhaseRun) {
    for (path, rows) in &mut run.kstats {
        let Some(before) = earlier.kstats.get(path) else { continue };
        for (row, value) in rows.iter_mut().filter(|(row, _)| is_gauge(row)) {
            *value = value.saturating_add(before.get(row).copied().unwrap_or(0));
        }
    }
}
