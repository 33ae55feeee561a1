//! The rewriting of one band.

use super::map::Piece;
use crate::request::{Io, Request};

/// The most that one step reads or writes, after which requests of the host have their turn.
const STEP_MAX: u32 = 1 << 20;

/// A read in the cache goes on over so much that is not wanted: less than a fifth of a turn.
const GAP_MAX: u64 = 256 << 10;

/// A band, or the rest of one, on its way through the drive's memory: read with what of it lies in the cache,
/// written beside the cache so that a loss of power loses nothing, and written to its place.
#[derive(Debug, Clone)]
pub(super) struct Cleaning {
    pub(super) band: u64,
    /// What is written again.
    pub(super) start: u64,
    pub(super) end: u64,
    /// What was added from this number on is not in it.
    pub(super) before: u64,
    /// Last first.
    steps: Vec<Request>,
    is_step_under_way: bool,
}

impl Cleaning {
    /// Plans the rewriting of what `pieces` are; `place` says where an address of the host is on the platters, and
    /// `spare` is where on them the copy goes.
    pub(super) fn new(band: u64, before: u64, pieces: &[Piece], place: u64, spare: u64) -> Self {
        let start = pieces.first().map_or(0, |piece| piece.start);
        let end = pieces.last().map_or(start, |piece| piece.end);
        let mut reads: Vec<(u64, u64)> = Vec::with_capacity(pieces.len());
        let mut cached: Vec<(u64, u64)> = Vec::new();
        for piece in pieces {
            let size = piece.end - piece.start;
            match piece.cached_at {
                Some(at) => cached.push((at, at + size)),
                None => reads.push((place + piece.start, place + piece.end)),
            }
        }
        // A band is read from one end to the other, over what is not wanted of it.
        if let (Some(first), Some(last)) = (reads.first().copied(), reads.last().copied()) {
            reads.clear();
            reads.push((first.0, last.1));
        }
        cached.sort_unstable();
        for (from, to) in cached {
            match reads.last_mut() {
                Some(last) if from >= last.0 && from <= last.1 + GAP_MAX => last.1 = last.1.max(to),
                _ => reads.push((from, to)),
            }
        }
        let mut steps = Vec::new();
        for (from, to) in reads {
            steps.extend(steps_of(Io::Read, from, to));
        }
        let size = end - start;
        steps.extend(steps_of(Io::Write, spare, spare + size));
        steps.extend(steps_of(Io::Write, place + start, place + end));
        steps.reverse();
        Self { band, start, end, before, steps, is_step_under_way: false }
    }

    /// Takes the next step; none while one is under way, or after the last.
    pub(super) fn step(&mut self) -> Option<Request> {
        if self.is_step_under_way {
            return None;
        }
        let step = self.steps.pop()?;
        self.is_step_under_way = true;
        Some(step)
    }

    /// Notes that the step is done; says whether it was the last.
    pub(super) fn stepped(&mut self) -> bool {
        self.is_step_under_way = false;
        self.steps.is_empty()
    }

    pub(super) fn is_step_under_way(&self) -> bool {
        self.is_step_under_way
    }
}

fn steps_of(io: Io, from: u64, to: u64) -> impl Iterator<Item = Request> {
    let count = (to - from).div_ceil(u64::from(STEP_MAX));
    (0..count).map(move |step| from + step * u64::from(STEP_MAX)).map(move |offset| Request {
        io,
        offset,
        size: u32::try_from(to - offset).unwrap_or(STEP_MAX).min(STEP_MAX),
    })
}

#[cfg(test)]
mod tests {
    use super::{Cleaning, Io, Piece};

    const MIB: u64 = 1 << 20;

    fn steps(pieces: &[Piece]) -> Vec<(Io, u64, u64)> {
        let mut cleaning = Cleaning::new(0, 9, pieces, 1000 * MIB, 500 * MIB);
        let mut found = Vec::new();
        while let Some(step) = cleaning.step() {
            assert_eq!(cleaning.step(), None, "one at a time");
            found.push((step.io, step.offset / MIB, u64::from(step.size) / MIB));
            cleaning.stepped();
        }
        found
    }

    #[test]
    fn a_band_is_read_copied_and_written() {
        let pieces = [
            Piece { start: 0, end: MIB, cached_at: None },
            Piece { start: MIB, end: 2 * MIB, cached_at: Some(77 * MIB) },
        ];
        let expected = [
            (Io::Read, 1000, 1),
            (Io::Read, 77, 1),
            (Io::Write, 500, 1),
            (Io::Write, 501, 1),
            (Io::Write, 1000, 1),
            (Io::Write, 1001, 1),
        ];
        assert_eq!(steps(&pieces), expected);
    }

    #[test]
    fn what_is_all_in_the_cache_is_not_read_from_its_band() {
        let pieces = [
            Piece { start: 0, end: MIB, cached_at: Some(90 * MIB) },
            Piece { start: MIB, end: 2 * MIB, cached_at: Some(89 * MIB) },
        ];
        let reads: Vec<_> = steps(&pieces)
            .into_iter()
            .filter(|(io, ..)| *io == Io::Read)
            .map(|step| step.1)
            .collect();
        assert_eq!(reads, [89, 90]);
    }
}
