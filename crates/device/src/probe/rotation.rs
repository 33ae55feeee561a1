//! The time of a turn.
//!
//! # Theory
//!
//! After a read at a random place the head stays on its track. A page that lies a little *before* that place has just
//! passed: it comes back after a turn less the way between the two. Where the drive took the whole track on its way it
//! answers from its buffer at once; such answers are left out. Where a change of tracks lies between the two, the time
//! is shorter by the skew; so the upper part of the times is taken and not their median. From three distances a line
//! leads to the distance zero, where the time is a turn.
//!
//! Drives turn at one of few speeds, and hold it within a fraction of a percent: a result near one of them is that one.

use super::Budget;
use super::numbers::{Line, quantile};
use super::target::{ProbeError, ProbeRead, Reader};

/// Speeds that drives are made with, in turns per minute.
const SPEEDS: [f64; 9] =
    [4200.0, 5400.0, 5700.0, 5900.0, 7200.0, 10_000.0, 10_500.0, 15_000.0, 3600.0];
/// Within so much of a speed it is that one: half of what lies between 5700 and 5900.
const NEAR: f64 = 0.017;
/// Parts of a turn by which the second page lies before the first.
const PARTS: [f64; 3] = [0.15, 0.25, 0.35];
/// So few reads that waited for a turn say nothing.
const WAITED_MIN: usize = 8;

/// A turn as measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rotation {
    /// What is used from here on.
    pub(super) seconds: f64,
    /// What the reads said.
    measured: f64,
}

impl Rotation {
    fn of(measured: f64) -> Self {
        let off = |speed: &f64| (60.0 / speed / measured - 1.0).abs();
        let near = SPEEDS.into_iter().filter(|speed| off(speed) < NEAR);
        let nearest = near.min_by(|one, other| off(one).total_cmp(&off(other)));
        Self { seconds: nearest.map_or(measured, |speed| 60.0 / speed), measured }
    }

    /// Returns the turns per minute as a value of a file.
    pub(super) fn value(self) -> String {
        format!("{:.0}", 60.0 / self.seconds)
    }

    pub(super) fn note(self) -> String {
        let Self { seconds, measured } = self;
        let (turn, speed) = (measured * 1e3, 60.0 / measured);
        match (seconds - measured).abs() > f64::EPSILON {
            true => format!("a turn of {turn:.2} ms is {speed:.0}, the nearest speed of drives"),
            false => format!("a turn of {turn:.2} ms, no usual speed"),
        }
    }
}

/// Measures the time of a turn; `rates` is the rate in a row by place.
pub(super) fn measure(
    reader: &mut Reader<'_>,
    rates: &Line,
    budget: Budget,
) -> Result<Rotation, ProbeError> {
    reader.progress("the time of a turn", 0.15);
    let rough = rough(reader, budget)?;
    let mut points = Vec::new();
    for part in PARTS {
        reader.progress("the time of a turn", 0.2 + 0.1 * part);
        let waits = waits(reader, rates, (part * rough, rough), budget.count(80, 40))?;
        if waits.len() >= WAITED_MIN
            && let Some(upper) = quantile(&waits, 0.8)
        {
            points.push((part * rough, upper));
        }
    }
    let exact = Line::through(&points).map(|line| line.at_zero);
    // What is far from the rough value was not a turn.
    let is_near = |turn: &f64| (turn / rough - 1.0).abs() < 0.3;
    Ok(Rotation::of(exact.filter(is_near).unwrap_or(rough)))
}

/// Returns a turn in seconds by the spread of reads at random that hardly move the arm: from the tenth to the ninth
/// tenth lies four fifths of it.
fn rough(reader: &mut Reader<'_>, budget: Budget) -> Result<f64, ProbeError> {
    let from = reader.size() / 4;
    let places = reader.places(budget.count(200, 100), from, from + reader.size() / 100);
    let latencies = reader.pages(&places)?;
    let at = |share| quantile(&latencies, share).unwrap_or_default();
    let turn = (at(0.9) - at(0.1)) / 0.8;
    // From 60,000 to 600 turns a minute.
    match (0.001..=0.1).contains(&turn) {
        true => Ok(turn),
        false => Err(ProbeError::Strange {
            what: format!(
                "reads at random differ by {:.2} ms, which is no turn of a disk; is it flash, or behind a cache?",
                turn * 1e3
            ),
        }),
    }
}

/// Returns how long a page took that had just passed, in seconds, where it had to come back.
fn waits(
    reader: &mut Reader<'_>,
    rates: &Line,
    (back, turn): (f64, f64),
    count: usize,
) -> Result<Vec<f64>, ProbeError> {
    let half = reader.size() / 2;
    let mut waits = Vec::new();
    for place in reader.places(count, half / 16, half) {
        let rate = rates.at(place as f64 / reader.size() as f64);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "some megabytes"
        )]
        let distance = (back * rate) as u64;
        let pair: [ProbeRead; 2] =
            [reader.page(place), reader.page(place.saturating_sub(distance))];
        let times = reader.read(&pair, 1)?;
        let [first, second] = times.as_slice() else { continue };
        let wait = (second.end.saturating_sub(first.end)).as_secs_f64();
        if wait > turn / 4.0 && wait < turn * 1.5 {
            waits.push(wait);
        }
    }
    Ok(waits)
}

#[cfg(test)]
mod tests {
    use super::Rotation;

    #[test]
    fn what_is_near_a_speed_is_that_speed() {
        let check = |rpm: f64, expected: &str| {
            assert_eq!(Rotation::of(60.0 / rpm).value(), expected, "{rpm}");
        };
        check(7170.0, "7200");
        check(5660.0, "5700");
        check(5830.0, "5900");
        check(5400.0, "5400");
        check(6500.0, "6500");
    }
}
