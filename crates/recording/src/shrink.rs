//! How a recording stays within its bounds: the older a part is, the coarser it becomes; what is oldest goes last.
//!
//! A part's spacing is the time between its readings. The part whose age is largest in comparison with its spacing loses every
//! second reading, so that a recording has about as many readings of the last hour as of the hours before it, the last day,
//! the days before. When even the oldest part has but a reading an hour, it is dropped.

use arcwright_units::Nanos;

/// A part of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Its first reading.
    pub first: Nanos,
    /// Its last reading.
    pub last: Nanos,
    /// Its readings.
    pub readings: u64,
    /// Its bytes on disk.
    pub bytes: u64,
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shrink {
    /// Nothing: it fits.
    Nothing,
    /// Take every second reading out of the part of this number.
    Thin(usize),
    /// Make one part of this one and the next.
    Merge(usize),
    /// Drop the part of this number.
    Drop(usize),
}

/// Readings of a part that is full.
const FULL: u64 = 3600;
/// Coarser than this a part is of no use.
const SPACING_MAX_NS: u64 = 3_600_000_000_000;

impl Segment {
    fn spacing_ns(&self) -> u64 {
        let span = self.last.saturating_sub(self.first).0;
        span / self.readings.saturating_sub(1).max(1)
    }
}

/// Returns what brings parts, oldest first, closer to a limit in bytes.
#[must_use]
pub fn shrink(segments: &[Segment], limit: u64) -> Shrink {
    let bytes = segments.iter().fold(0_u64, |sum, segment| sum.saturating_add(segment.bytes));
    let Some(youngest) = segments.last() else { return Shrink::Nothing };
    if bytes <= limit {
        return Shrink::Nothing;
    }
    // Parts that became small cost more than their readings.
    let pairs = segments.iter().zip(segments.iter().skip(1));
    let small = pairs
        .enumerate()
        .find(|(_, (one, next))| one.readings.saturating_add(next.readings) <= FULL / 2);
    if let Some((number, _)) = small {
        return Shrink::Merge(number);
    }
    let now = youngest.last;
    let thinnable = segments
        .iter()
        .enumerate()
        .filter(|(_, segment)| segment.readings > 2 && segment.spacing_ns() < SPACING_MAX_NS);
    let old_for_its_spacing = |(_, segment): &(usize, &Segment)| {
        let age = now.saturating_sub(segment.first).0;
        age / segment.spacing_ns().max(1)
    };
    match thinnable.max_by_key(old_for_its_spacing) {
        Some((number, _)) => Shrink::Thin(number),
        None => Shrink::Drop(0),
    }
}
