//! The reading side of a recording.

use std::path::Path;

use arcwright_capture::open_bytes;
use arcwright_kstat::Snapshot;
use arcwright_machine::Sources;
use arcwright_recording::{Block, Counts, Tail, Timeline, TimelineSpan, busiest, longest, sources};
use arcwright_units::{Bytes, Nanos, visible};

use super::error::RecordError;
use super::folder::{Folder, PartFile};

/// Samples that a capture made of a recording has at most.
const SAMPLES_MAX: usize = 25;

/// What was recorded until now.
#[derive(Debug)]
pub struct Recording {
    folder: Folder,
    parts: Vec<PartFile>,
    tail: Block,
}

/// Which time of a recording is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// The longest time that went on without a gap in the counters.
    Whole,
    /// The time of this length in which the caches were asked most.
    Busiest(Nanos),
    /// From one moment since 1970 to another.
    Between(Nanos, Nanos),
}

/// What a recording has, for whoever asks what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// Of each reading the counters that tell how busy the machine was, oldest first.
    pub counts: Vec<Counts>,
    /// Bytes of all readings on disk.
    pub bytes: Bytes,
    /// Parts that cannot be read, and why.
    pub unreadable: Vec<String>,
}

impl Recording {
    /// Opens the recording in a folder; a recorder may write to it meanwhile.
    ///
    /// # Errors
    /// [`RecordError`] when it is none, or cannot be read.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let folder = Folder::open(path)?;
        // The tail first: what is packed meanwhile is then in both, and told by its time.
        let bytes = folder.tail().bytes();
        let bytes = bytes.map_err(|error| folder.failed("read", "tail", error))?;
        let (tail, _) = Tail::read(&bytes.unwrap_or_default());
        let (parts, _) = folder.parts();
        Ok(Self::of(folder, parts, tail.block().clone()))
    }

    pub(super) const fn of(folder: Folder, parts: Vec<PartFile>, tail: Block) -> Self {
        Self { folder, parts, tail }
    }

    /// Calls `see` with each part that lies in a span, oldest first, and the tail; what cannot be read is named.
    fn blocks(&self, from: Nanos, to: Nanos, see: &mut dyn FnMut(&Block)) -> Vec<String> {
        let mut unreadable = Vec::new();
        // The names of parts have whole seconds.
        let second = 1_000_000_000;
        let meets = |part: &&PartFile| {
            part.segment.last.0 / second >= from.0 / second && part.segment.first <= to
        };
        let mut packed = None;
        for part in self.parts.iter().filter(meets) {
            match self.part(part) {
                Ok(block) => {
                    packed = block.times().last();
                    see(&block);
                }
                Err(error) => unreadable.push(error.to_string()),
            }
        }
        let is_packed =
            self.tail.times().last().zip(packed).is_some_and(|(tail, last)| tail <= last);
        if !is_packed && !self.tail.is_empty() {
            see(&self.tail);
        }
        unreadable
    }

    fn part(&self, part: &PartFile) -> Result<Block, RecordError> {
        let name = &part.name;
        let read = self.folder.part(name).bytes();
        let bytes = read.map_err(|error| self.folder.failed("read", name, error))?;
        // One that was packed anew meanwhile has another name by now; the next look sees that.
        let bytes = bytes.unwrap_or_default();
        Block::from_bytes(&bytes)
            .map_err(|error| RecordError::Part { path: visible(name).into_owned(), error })
    }

    /// Returns of each reading the counters that tell how busy the machine was.
    #[must_use]
    pub fn recorded(&self) -> Recorded {
        let mut counts: Vec<Counts> = Vec::new();
        let unreadable = self.blocks(Nanos::ZERO, Nanos(u64::MAX), &mut |block| {
            let last = counts.last().map(|last| last.at);
            let new = block.counts().into_iter();
            counts.extend(new.filter(|count| last.is_none_or(|last| last < count.at)));
        });
        let parts = self.parts.iter().map(|part| part.segment.bytes);
        let tail = self.folder.tail().length().unwrap_or_default();
        Recorded { counts, bytes: Bytes(parts.fold(tail, u64::saturating_add)), unreadable }
    }

    /// Returns readings between two moments since 1970, oldest first: all of them, or so many at even distances with the first and
    /// the last.
    #[must_use]
    pub fn readings(&self, from: Nanos, to: Nanos, at_most: usize) -> Vec<Snapshot> {
        let within = |at: &Nanos| (from..=to).contains(at);
        let mut times: Vec<Nanos> = Vec::new();
        self.blocks(from, to, &mut |block| {
            let last = times.last().copied();
            times.extend(block.times().filter(within).filter(|at| last.is_none_or(|l| l < *at)));
        });
        let wanted = evenly(times.len(), at_most).filter_map(|number| times.get(number).copied());
        let mut wanted = wanted.peekable();
        let mut readings = Vec::new();
        self.blocks(from, to, &mut |block| {
            for (number, at) in block.times().enumerate() {
                if wanted.next_if(|next| *next <= at).is_some() {
                    readings.extend(block.reading(number));
                }
            }
        });
        readings
    }

    /// Returns when the oldest reading was taken, within a second; no block is unpacked for it.
    #[must_use]
    pub fn first(&self) -> Option<Nanos> {
        let part = self.parts.iter().map(|part| part.segment.first).min();
        part.into_iter().chain(self.tail.times().next()).min()
    }

    /// Returns for how long of a range there are readings, from the first of each part to its last; no block is unpacked for it.
    #[must_use]
    pub fn covered(&self, from: Nanos, to: Nanos) -> Nanos {
        let tail = self.tail.times().next().zip(self.tail.times().last());
        let parts = self.parts.iter().map(|part| (part.segment.first, part.segment.last));
        let within =
            parts.chain(tail).map(|(first, last)| last.min(to).saturating_sub(first.max(from)).0);
        Nanos(within.fold(0, u64::saturating_add))
    }

    /// Hands over the first reading of each step between two moments since 1970, oldest first; every block is unpacked once, and no
    /// reading stays in memory.
    pub fn each_step(
        &self,
        (from, to): (Nanos, Nanos),
        step: Nanos,
        hear: &mut dyn FnMut(Snapshot),
    ) {
        let step = step.0.max(1);
        let mut next = from;
        self.blocks(from, to, &mut |block| {
            for (number, at) in block.times().enumerate() {
                if at < next || at > to {
                    continue;
                }
                let steps = at.saturating_sub(from).0 / step + 1;
                next = Nanos(from.0.saturating_add(steps.saturating_mul(step)));
                if let Some(reading) = block.reading(number) {
                    hear(reading);
                }
            }
        });
    }

    /// Returns what went on in a span in so many columns, and which parts cannot be read.
    #[must_use]
    pub fn timeline(&self, span: TimelineSpan, columns: usize) -> (Timeline, Vec<String>) {
        let (from, to) = (span.from, span.to);
        let mut timeline = Timeline::new(span, columns);
        let unreadable = self.blocks(from, to, &mut |block| timeline.take(block));
        (timeline, unreadable)
    }

    /// Returns the machine as it was seen last, with readings of a time as its samples, as a capture has them.
    ///
    /// # Errors
    /// [`RecordError::Empty`] when no two readings of that time go on from each other.
    pub fn sources(&self, window: Window) -> Result<Sources, RecordError> {
        let Recorded { counts, .. } = self.recorded();
        let within = match window {
            Window::Whole => longest(&counts),
            Window::Busiest(length) => busiest(&counts, length),
            Window::Between(from, to) => {
                let first = counts.partition_point(|count| count.at < from);
                let end = counts.partition_point(|count| count.at <= to);
                let chosen = counts.get(first..end).unwrap_or_default();
                longest(chosen).map(|(begin, end)| (first + begin, first + end))
            }
        };
        let times =
            within.and_then(|(begin, end)| Some((counts.get(begin)?.at, counts.get(end)?.at)));
        let (from, to) = times.ok_or_else(|| RecordError::Empty { path: self.folder.shown() })?;
        let readings = self.readings(from, to, SAMPLES_MAX);
        let look = self.folder.look();
        let look = look.map_err(|error| self.folder.failed("read", "machine", error))?;
        // A recording whose looks are damaged still has its counters.
        let look = look.and_then(|(name, packed)| open_bytes(&name, &packed).ok());
        Ok(sources(&look.unwrap_or_default(), &readings))
    }
}

/// Returns so many numbers below `count` at even distances, the first and the last among them.
fn evenly(count: usize, at_most: usize) -> impl Iterator<Item = usize> {
    let chosen = count.min(at_most);
    let last = count.saturating_sub(1);
    (0..chosen).map(move |number| match chosen {
        0 | 1 => last,
        _ => number * last / (chosen - 1),
    })
}
