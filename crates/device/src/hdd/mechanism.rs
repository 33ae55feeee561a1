//! Arm and spindle: how long it takes until a sector is under the head, and to read from there.

use std::ops::Range;

use arcwright_units::{Bytes, Nanos};

use super::geometry::{Geometry, Place, float, sectors_in};
use super::seek::SeekCurve;
use crate::profile::HddSpec;

/// A wait this close to a whole turn is none: what is left over when an angle computed in floating
/// point meets a time rounded to a nanosecond. 1e-5 of a turn of 8.33 ms is 83 ns.
const ANGLE_ROUNDING: f64 = 1e-5;

/// A wait that counts as a movement in the statistics.
const WAIT_COUNTED_MIN: f64 = 0.1;

/// Arm and spindle of a disk.
#[derive(Debug, Clone)]
pub(super) struct Mechanism {
    pub(super) geometry: Geometry,
    seek: SeekCurve,
    turn: Nanos,
    /// Where in its turn the spindle is at time zero; the drives of a pool do not turn together.
    phase: u64,
    head_switch: f64,
    write_settle: f64,
    zero_latency: bool,
    sector: u64,
    cylinder: u64,
    track: u64,
    /// What was done last.
    last: Direction,
}

/// What is done at the platter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Read,
    Write,
}

/// Sectors in a row, with what does not depend on where arm and spindle are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    /// Where the first one is.
    pub(super) place: Place,
    sectors: u64,
    /// The time in which they pass.
    pub(super) pass: Nanos,
}

/// A planned access to the platter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Access {
    /// When the first sector comes under the head.
    pub(super) begin: Nanos,
    /// When the last one has passed.
    pub(super) end: Nanos,
    /// Sectors before the first that a drive which takes them in any order gets on the way.
    pub(super) early: u64,
    /// Whether the arm moves, or the wait is long enough to be counted as if it did.
    pub(super) is_moved: bool,
}

impl Mechanism {
    pub(super) fn new(spec: &HddSpec, factor: u64, size: Bytes, seed: u64) -> Self {
        Self {
            geometry: Geometry::new(spec, factor, size),
            seek: SeekCurve::new(&spec.seek, factor),
            turn: Nanos(spec.turn.0.max(1)),
            phase: mixed(seed) % spec.turn.0.max(1),
            head_switch: spec.head_switch.0 as f64,
            write_settle: spec.write_settle.0 as f64,
            zero_latency: spec.zero_latency,
            sector: 0,
            cylinder: 0,
            track: 0,
            last: Direction::Read,
        }
    }

    /// Returns the access to `sectors` from `sector` on by an arm that is free at `start`.
    pub(super) fn access(
        &self,
        start: Nanos,
        sector: u64,
        sectors: u64,
        direction: Direction,
    ) -> Access {
        self.access_to(&self.stretch(sector, sectors), start, direction)
    }

    /// Returns `sectors` from `sector` on as the arm sees them.
    pub(super) fn stretch(&self, sector: u64, sectors: u64) -> Stretch {
        let place = self.geometry.place(sector);
        let pass = self.time_of(self.geometry.turns(&place, sector, sectors));
        Stretch { place, sectors, pass }
    }

    /// Returns when the sector at `place` comes under the head of an arm that is free at `start`, if
    /// that is before `latest`; most are ruled out by the way of the arm alone.
    pub(super) fn begin_before(
        &self,
        latest: Nanos,
        place: &Place,
        (start, direction): (Nanos, Direction),
    ) -> Option<Nanos> {
        let on_track = start + nanos(self.travel(place, direction));
        if on_track >= latest {
            return None;
        }
        let wait = turns_until(place.angle, self.angle(on_track));
        Some(on_track + self.time_of(wait)).filter(|begin| *begin < latest)
    }

    /// Returns the access to a stretch by an arm that is free at `start`.
    pub(super) fn access_to(
        &self,
        stretch: &Stretch,
        start: Nanos,
        direction: Direction,
    ) -> Access {
        let Stretch { place, sectors, pass } = stretch;
        let on_track = start + nanos(self.travel(place, direction));
        let wait = turns_until(place.angle, self.angle(on_track));
        let begin = on_track + self.time_of(wait);
        // The head lands inside what is wanted: a drive that takes sectors in any order needs one
        // turn from here, no matter where the first one is.
        let is_inside = self.zero_latency
            && *sectors <= place.left_in_track
            && 1.0 - wait < float(*sectors) / float(place.sectors_per_track);
        let end = if is_inside { on_track + self.turn } else { begin + *pass };
        let is_moved = place.cylinder != self.cylinder || wait > WAIT_COUNTED_MIN;
        let early = if self.zero_latency {
            sectors_in(place.sectors_per_track, wait).min(place.index_in_track)
        } else {
            0
        };
        Access { begin, end, early, is_moved }
    }

    /// Returns the time that the head takes over `sectors`, without interruption; `first` is the place
    /// of the first one.
    pub(super) fn pass(&self, first: &Place, sectors: Range<u64>) -> Nanos {
        let count = sectors.end.saturating_sub(sectors.start);
        self.time_of(self.geometry.turns(first, sectors.start, count))
    }

    /// Returns how many of `sectors` pass in `time`; `first` is the place of the first one.
    pub(super) fn passed(&self, first: &Place, sectors: Range<u64>, time: Nanos) -> u64 {
        let turns = float(time.0) / float(self.turn.0) + ANGLE_ROUNDING;
        self.geometry.passed(first, sectors, turns)
    }

    /// Puts the head on the track of `sector`.
    pub(super) fn settle(&mut self, sector: u64, direction: Direction) {
        self.last = direction;
        let place = self.geometry.place(sector);
        self.sector = sector;
        self.cylinder = place.cylinder;
        self.track = place.track;
    }

    /// Returns the sector at which the head was put last.
    pub(super) fn sector(&self) -> u64 {
        self.sector
    }

    fn travel(&self, place: &Place, direction: Direction) -> f64 {
        if place.track == self.track {
            // The elements that read and write lie side by side on the head, which must jog.
            return if direction == self.last { 0.0 } else { self.head_switch };
        }
        let arm = self.seek.time(place.cylinder.abs_diff(self.cylinder));
        let settle = if direction == Direction::Write { self.write_settle } else { 0.0 };
        arm.max(self.head_switch) + settle
    }

    fn angle(&self, at: Nanos) -> f64 {
        float((at.0 + self.phase) % self.turn.0) / float(self.turn.0)
    }

    fn time_of(&self, turns: f64) -> Nanos {
        nanos(turns * float(self.turn.0))
    }
}

/// Returns the part of a turn until `target` comes by when `now` is under the head.
fn turns_until(target: f64, now: f64) -> f64 {
    // Both are parts of a turn, so the rest of a division by one needs no division.
    let ahead = target - now;
    let wait = if ahead < 0.0 { ahead + 1.0 } else { ahead };
    if wait > 1.0 - ANGLE_ROUNDING { 0.0 } else { wait }
}

#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and no time is negative")]
fn nanos(value: f64) -> Nanos {
    Nanos(((value + 0.5) as i64).cast_unsigned())
}

/// Spreads a seed over all bits (the finisher of `SplitMix64`, Steele et al. 2014).
fn mixed(seed: u64) -> u64 {
    let a = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let b = (a ^ (a >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    b ^ (b >> 31)
}
