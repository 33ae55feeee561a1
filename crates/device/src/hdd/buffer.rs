//! The read buffer of a disk: segments, one of which may still be filling.
//!
//! After a read the drive goes on reading. What has passed under the head is served at the speed of
//! the interface; what will pass soon is waited for without moving the arm. The reading on stops
//! when it is `ahead` behind the last request, or when the arm is needed elsewhere.

use std::cell::Cell;

use arcwright_units::Nanos;

use super::geometry::Place;
use super::mechanism::{Direction, Mechanism};

/// The read buffer.
#[derive(Debug, Clone)]
pub(super) struct ReadBuffer {
    segments: Vec<Segment>,
    stream: Option<Stream>,
    ahead: u64,
    /// Sectors that a segment holds; what is further behind the head is overwritten.
    held: u64,
    uses: u64,
    /// Base and base time of the stream, an instant, and how far it has come then.
    known: Cell<(u64, Nanos, Nanos, u64)>,
    /// How often a segment has come to stand still, and which one did last.
    stops: u64,
    stopped: usize,
    /// What lies in any segment that stands still lies between these.
    bounds: (u64, u64),
}

/// What a request that waits knows of the segments that stand still: they get nothing new, so it need
/// not look through them again.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Seen {
    /// The value of [`ReadBuffer::stops`] when it looked last; none of those is zero.
    stops: u64,
    /// One of them may have what it wants.
    is_near: bool,
}

/// Sectors `start..end` are in the buffer.
#[derive(Debug, Clone, Copy, Default)]
struct Segment {
    start: u64,
    end: u64,
    used: u64,
}

/// The head goes on reading into a segment.
#[derive(Debug, Clone, Copy)]
struct Stream {
    segment: usize,
    /// The sector that came under the head at `base_at`, and where it is.
    base: u64,
    place: Place,
    base_at: Nanos,
    /// The sector before which it stops.
    limit: u64,
}

/// What the buffer says to a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// All of it is here.
    All,
    /// The head is on its way over it: the first sector not yet here passes at `begin`, all of it
    /// is here at `end`.
    Passing { begin: Nanos, end: Nanos },
    /// Everything before `from` is here, the rest must be fetched.
    From(u64),
}

impl ReadBuffer {
    /// A buffer of `count` segments of `held` sectors that reads `ahead` sectors on.
    pub(super) fn new(count: u32, held: u64, ahead: u64) -> Self {
        let count = usize::try_from(count).unwrap_or(1).max(1);
        Self {
            segments: vec![Segment::default(); count],
            stream: None,
            ahead,
            held,
            uses: 0,
            known: Cell::new((u64::MAX, Nanos::ZERO, Nanos::ZERO, 0)),
            // A request that never looked must not seem to be one behind.
            stops: 2,
            stopped: usize::MAX,
            bounds: (u64::MAX, 0),
        }
    }

    /// Returns whether all of `start..end` is here at time `at`; `seen` is what its reader knew of the
    /// segments so far.
    pub(super) fn holds(
        &self,
        mechanism: &Mechanism,
        at: Nanos,
        (start, end): (u64, u64),
        seen: &mut Seen,
    ) -> bool {
        let is_in = |index: usize, segment: &Segment| {
            let (first, filled) = self.window(mechanism, at, index, segment);
            start >= first && end <= filled
        };
        let filling = self.filling();
        if let Some(segment) = self.segments.get(filling)
            && start >= segment.start
            && self.stream.as_ref().is_some_and(|stream| end <= stream.limit.max(stream.base))
            && is_in(filling, segment)
        {
            return true;
        }
        self.look(seen, start, end);
        seen.is_near
            && self.segments.iter().enumerate().any(|(index, segment)| {
                let may = start >= segment.start && end <= segment.end;
                may && index != filling && is_in(index, segment)
            })
    }

    /// Looks whether a segment that stands still may have something of `start..end`: in the one that
    /// has come to stand still since the last look, if there was but one, else in all.
    fn look(&self, seen: &mut Seen, start: u64, end: u64) {
        if seen.stops == self.stops {
            return;
        }
        let filling = self.filling();
        let has = |segment: &Segment| segment.start <= start && start < segment.end;
        seen.is_near |= if start == end {
            true
        } else if seen.stops + 1 == self.stops {
            self.stopped != filling && self.segments.get(self.stopped).is_some_and(has)
        } else {
            let mut segments = self.segments.iter().enumerate();
            segments.any(|(index, segment)| index != filling && has(segment))
        };
        seen.stops = self.stops;
    }

    /// Says whether no segment has anything of what begins at `start`, nor will have it soon.
    pub(super) fn is_far(&self, seen: &mut Seen, start: u64, end: u64) -> bool {
        self.look(seen, start, end);
        !seen.is_near && !self.is_passing(start)
    }

    /// Says whether the segment that fills may have something of what begins at `start`, now or soon.
    fn is_passing(&self, start: u64) -> bool {
        self.stream.as_ref().is_some_and(|stream| {
            let begins = self.segments.get(stream.segment).is_some_and(|it| it.start <= start);
            begins && start <= stream.limit.max(stream.base) + self.ahead
        })
    }

    /// Looks for sectors `start..end` at time `at`.
    pub(super) fn find(&self, mechanism: &Mechanism, at: Nanos, start: u64, end: u64) -> Found {
        let filling = self.filling();
        let mut from = start;
        for (index, segment) in self.segments.iter().enumerate() {
            // Most segments are out of the question before anything is computed.
            if start < segment.start || (segment.end <= start && index != filling) {
                continue;
            }
            let (first, filled) = self.window(mechanism, at, index, segment);
            if start < first {
                continue;
            }
            if end <= filled {
                return Found::All;
            }
            let stream = self.stream.as_ref().filter(|stream| stream.segment == index);
            if let Some(stream) = stream.filter(|stream| start < stream.limit + self.ahead)
                && filled < stream.limit
            {
                let begin = stream.time_of(mechanism, start.max(filled));
                return Found::Passing { begin, end: stream.time_of(mechanism, end) };
            }
            if start < filled {
                from = from.max(filled);
            }
        }
        Found::From(from)
    }

    /// Returns the sectors of a segment that are here at `at`: the first, and the one behind the
    /// last.
    fn window(
        &self,
        mechanism: &Mechanism,
        at: Nanos,
        index: usize,
        segment: &Segment,
    ) -> (u64, u64) {
        let filled = match self.stream.as_ref().filter(|stream| stream.segment == index) {
            Some(stream) => self.filled(mechanism, stream, at),
            None => segment.end,
        };
        (segment.start.max(filled.saturating_sub(self.held)), filled)
    }

    /// Returns how far the stream has come at `at`; asked for once per request that waits.
    fn filled(&self, mechanism: &Mechanism, stream: &Stream, at: Nanos) -> u64 {
        let (base, base_at, when, known) = self.known.get();
        if (base, base_at, when) == (stream.base, stream.base_at, at) {
            return known.min(stream.limit);
        }
        let filled = stream.filled(mechanism, at);
        if filled < stream.limit {
            self.known.set((stream.base, stream.base_at, at, filled));
        }
        filled
    }

    /// Returns the number of the segment that is filling; none has the number that stands for none.
    fn filling(&self) -> usize {
        self.stream.as_ref().map_or(usize::MAX, |stream| stream.segment)
    }

    /// Keeps the reading on going behind a request that ends at `end`, if it was served by it.
    pub(super) fn extend(&mut self, mechanism: &mut Mechanism, at: Nanos, start: u64, end: u64) {
        self.uses += 1;
        let (uses, ahead) = (self.uses, self.ahead);
        let Some(stream) = &mut self.stream else { return self.touch(start, end) };
        let Some(segment) = self.segments.get_mut(stream.segment) else { return };
        if start < segment.start || end > stream.limit.max(stream.base) + ahead {
            return self.touch(start, end);
        }
        segment.used = uses;
        let limit = stream.limit.max(end + ahead);
        let filled = stream.filled(mechanism, at);
        if filled == stream.limit && limit > filled {
            // The head stood still behind the limit and waits for the next sector to come by.
            mechanism.settle(filled, Direction::Read);
            stream.base_at = mechanism.access(at, filled, 0, Direction::Read).begin;
        } else {
            stream.base_at = stream.time_of(mechanism, filled);
        }
        stream.base = filled;
        stream.place = mechanism.geometry.place(filled);
        stream.limit = limit;
    }

    /// Notes that `start..end` was read from the platter until `at`, and reads on.
    pub(super) fn begin(&mut self, mechanism: &Mechanism, (start, end): (u64, u64), at: Nanos) {
        debug_assert!(self.stream.is_none(), "what went on before must be stopped");
        self.uses += 1;
        let continued =
            self.segments.iter().position(|segment| segment.start <= start && start <= segment.end);
        let oldest = || {
            let by_use = self.segments.iter().enumerate().min_by_key(|(_, segment)| segment.used);
            by_use.map_or(0, |(index, _)| index)
        };
        let index = continued.unwrap_or_else(oldest);
        let Some(segment) = self.segments.get_mut(index) else { return };
        if continued.is_none() {
            segment.start = start;
        }
        segment.end = end;
        segment.used = self.uses;
        let room = if continued.is_none() { start + self.held } else { u64::MAX };
        let limit = room.min(end + self.ahead).max(end);
        let place = mechanism.geometry.place(end);
        self.stream = Some(Stream { segment: index, base: end, place, base_at: at, limit });
    }

    /// Stops the reading on at time `at` and leaves the head where it is.
    pub(super) fn stop(&mut self, mechanism: &mut Mechanism, at: Nanos) {
        let Some(stream) = self.stream.take() else { return };
        (self.stops, self.stopped) = (self.stops + 1, stream.segment);
        let filled = stream.filled(mechanism, at);
        mechanism.settle(filled, Direction::Read);
        if let Some(segment) = self.segments.get_mut(stream.segment) {
            segment.end = filled;
            segment.start = segment.start.max(filled.saturating_sub(self.held));
            self.bounds = (self.bounds.0.min(segment.start), self.bounds.1.max(segment.end));
        }
    }

    /// Forgets everything that overlaps `start..end`, which is being written.
    pub(super) fn forget(&mut self, mechanism: &mut Mechanism, at: Nanos, start: u64, end: u64) {
        if let Some(stream) = self.stream {
            let segment = self.segments.get(stream.segment).copied().unwrap_or_default();
            if start < stream.limit && end > segment.start {
                self.stop(mechanism, at);
            }
        }
        if start >= self.bounds.1 || end <= self.bounds.0 {
            return;
        }
        for segment in &mut self.segments {
            if start < segment.end && end > segment.start {
                *segment = Segment::default();
            }
        }
    }

    fn touch(&mut self, start: u64, end: u64) {
        let uses = self.uses;
        let holder =
            self.segments.iter_mut().find(|segment| segment.start <= start && end <= segment.end);
        if let Some(segment) = holder {
            segment.used = uses;
        }
    }
}

impl Stream {
    /// Returns the sector before which everything has passed at `at`.
    fn filled(&self, mechanism: &Mechanism, at: Nanos) -> u64 {
        self.base + mechanism.passed(&self.place, self.base..self.limit, at - self.base_at)
    }

    /// Returns when everything before `sector` has passed.
    fn time_of(&self, mechanism: &Mechanism, sector: u64) -> Nanos {
        self.base_at + mechanism.pass(&self.place, self.base..sector)
    }
}
