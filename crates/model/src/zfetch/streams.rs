//! The streams of a file, the newest first (docs/model/prefetch.md#streams-of-a-file).

use std::ops::Range;

use arcwright_units::Nanos;

use super::stream::{Fit, Stream};
use crate::ids::StreamId;

/// A stream may be taken over after so long without a hit.
const IDLE: Nanos = Nanos::SECOND;
/// A stream is forgotten after so long without an access.
const FORGOTTEN: Nanos = Nanos::secs(2);

/// Which streams give way to new ones when a file has as many as it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spare {
    /// None but those that are forgotten anyway (up to 2.1.5).
    Forgotten,
    /// The one that was idle longest. A new stream counts as idle until its first hit, and stands where the old one stood.
    Idle,
    /// The same, but the new stream is looked at first (2.2.4 and later).
    IdleToFront,
}

/// How many streams there may be, and which give way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) streams_max: u64,
    pub(super) spare: Spare,
}

/// The stream that an access belongs to, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) index: usize,
    pub(super) fit: Fit,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Streams {
    streams: Vec<Stream>,
    /// How many there were so far.
    count: u32,
}

impl Streams {
    pub(super) fn get(&mut self, index: usize) -> Option<&mut Stream> {
        self.streams.get_mut(index)
    }

    pub(super) fn by_id(&mut self, id: StreamId) -> Option<&mut Stream> {
        self.streams.iter_mut().find(|stream| stream.id == id)
    }

    pub(super) fn remove(&mut self, index: usize) {
        self.streams.remove(index);
    }

    /// Returns the stream that an access belongs to: one that expects it; or the first to which it is
    /// near, if accesses out of order are followed, within `reach` blocks.
    pub(super) fn find(
        &self,
        access: &Range<u64>,
        reach: Option<u64>,
        now: Nanos,
    ) -> Option<Found> {
        let exact = self.streams.iter().position(|stream| stream.expects(access.start));
        if let Some(index) = exact {
            return Some(Found { index, fit: Fit::On });
        }
        let reach = reach?;
        self.streams.iter().enumerate().find_map(|(index, stream)| {
            let was_used_lately = now <= stream.used + FORGOTTEN;
            let fit = stream.fit(access, reach, was_used_lately)?;
            Some(Found { index, fit })
        })
    }

    /// Begins a stream that expects `next`, in the place of a forgotten one, in a free one, or in that of a
    /// spare one; says whether there was one.
    pub(super) fn begin(&mut self, next: u64, now: Nanos, room: Room) -> bool {
        let Room { streams_max, spare } = room;
        let old = match self.forget(now) {
            Some(index) => Some(index),
            None if (self.streams.len() as u64) < streams_max => None,
            None if spare == Spare::Forgotten => return false,
            None => match self.longest_idle(now) {
                Some(index) => Some(index),
                None => return false,
            },
        };
        let id = StreamId::after(self.count);
        self.count += 1;
        let used = match spare {
            Spare::Forgotten => now,
            Spare::Idle | Spare::IdleToFront => Nanos(now.0.saturating_sub(IDLE.0)),
        };
        let stream = Stream::new(id, next, used);
        // Up to 2.2.3 it stands where the old one stood.
        let place = match old {
            Some(old) => {
                self.streams.remove(old);
                if spare == Spare::IdleToFront { 0 } else { old }
            }
            None => 0,
        };
        self.streams.insert(place, stream);
        true
    }

    /// Forgets streams that nobody has used for long, but for the first of them, whose place is returned.
    fn forget(&mut self, now: Nanos) -> Option<usize> {
        let is_forgotten = |stream: &Stream| stream.is_idle(FORGOTTEN, now);
        let first = self.streams.iter().position(is_forgotten)?;
        let mut forgotten = 0;
        self.streams.retain(|stream| {
            forgotten += usize::from(is_forgotten(stream));
            forgotten <= 1 || !is_forgotten(stream)
        });
        Some(first)
    }

    fn longest_idle(&self, now: Nanos) -> Option<usize> {
        // Of equals the last one.
        let streams = self.streams.iter().enumerate().rev();
        let idle = streams.filter(|(_, stream)| stream.is_idle(IDLE, now));
        idle.min_by_key(|(_, stream)| stream.used).map(|(index, _)| index)
    }
}
