//! The queue in front of a disk (openzfs-model.md §6.1; module/zfs/vdev_queue.c 0.6.4 and later).
//!
//! Each class of requests has a most that may be active; the class with the highest priority that is
//! below its own goes first. Synchronous reads go in order of arrival, the others by offset. What is
//! picked takes its neighbours along, up to a span of 1 MiB on disks that turn and 128 KiB elsewhere,
//! over gaps of up to 32 KiB.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Bound;

use arcwright_units::Nanos;

use crate::settings::Settings;

/// A request's number.
pub(crate) type Io = u32;

/// Classes of requests, by priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    SyncRead,
    AsyncRead,
    AsyncWrite,
}

const CLASSES: [Class; 3] = [Class::SyncRead, Class::AsyncRead, Class::AsyncWrite];

/// A waiting request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waiting {
    pub(crate) offset: u64,
    pub(crate) size: u32,
    pub(crate) class: Class,
    pub(crate) since: Nanos,
}

impl Waiting {
    fn end(&self) -> u64 {
        self.offset + u64::from(self.size)
    }
}

/// Several requests that go to the disk as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(crate) offset: u64,
    pub(crate) size: u32,
    pub(crate) class: Class,
    pub(crate) ios: Vec<Io>,
}

/// The queue.
#[derive(Debug)]
pub(crate) struct Queue {
    arrivals: VecDeque<Io>,
    /// By time bucket, offset and number.
    by_offset: [BTreeSet<(u64, u64, Io)>; 3],
    /// All reads, and all writes, by offset, for finding neighbours.
    reads: BTreeSet<(u64, Io)>,
    writes: BTreeSet<(u64, Io)>,
    active: [u64; 3],
    most: [u64; 3],
    /// End of what was issued last, of any class.
    last: u64,
    buckets: bool,
    span_max: u64,
    gap_max: u64,
}

impl Queue {
    pub(crate) fn new(settings: &Settings, rotating: bool, buckets: bool) -> Self {
        let span_max =
            if rotating { settings.aggregation_rotating } else { settings.aggregation_solid };
        Self {
            arrivals: VecDeque::new(),
            by_offset: std::array::from_fn(|_| BTreeSet::new()),
            reads: BTreeSet::new(),
            writes: BTreeSet::new(),
            active: [0; 3],
            most: [settings.sync_read_max, settings.async_read_max, settings.async_write_max],
            last: 0,
            buckets,
            span_max,
            gap_max: settings.read_gap,
        }
    }

    fn key(&self, io: Io, waiting: &Waiting) -> (u64, u64, Io) {
        let bucket = if self.buckets { waiting.since.0 >> 29 } else { 0 };
        (bucket, waiting.offset, io)
    }

    fn neighbours(&mut self, class: Class) -> &mut BTreeSet<(u64, Io)> {
        if class == Class::AsyncWrite { &mut self.writes } else { &mut self.reads }
    }

    pub(crate) fn push(&mut self, io: Io, waiting: &Waiting) {
        let key = self.key(io, waiting);
        if let Some(set) = self.by_offset.get_mut(waiting.class as usize) {
            set.insert(key);
        }
        if waiting.class == Class::SyncRead {
            self.arrivals.push_back(io);
        }
        self.neighbours(waiting.class).insert((waiting.offset, io));
    }

    fn remove(&mut self, io: Io, waiting: &Waiting) {
        let key = self.key(io, waiting);
        if let Some(set) = self.by_offset.get_mut(waiting.class as usize) {
            set.remove(&key);
        }
        if waiting.class == Class::SyncRead
            && let Some(place) = self.arrivals.iter().position(|other| *other == io)
        {
            self.arrivals.remove(place);
        }
        self.neighbours(waiting.class).remove(&(waiting.offset, io));
    }

    /// Makes a waiting prefetch a synchronous read, because somebody waits for it now.
    pub(crate) fn upgrade(&mut self, io: Io, waiting: &mut Waiting) {
        self.remove(io, waiting);
        waiting.class = Class::SyncRead;
        self.push(io, waiting);
    }

    /// Returns how many are active, which mirrors weigh.
    pub(crate) fn load(&self) -> u64 {
        self.active.iter().sum()
    }

    /// Returns the end of what was issued last.
    pub(crate) fn last_end(&self) -> u64 {
        self.last
    }

    /// Picks what goes to the disk next; `waiting` knows the requests.
    pub(crate) fn pick(&mut self, waiting: &dyn Fn(Io) -> Waiting) -> Option<Batch> {
        let class = CLASSES.into_iter().find(|class| {
            let index = *class as usize;
            let queued = self.by_offset.get(index).is_some_and(|set| !set.is_empty());
            queued && self.active.get(index) < self.most.get(index)
        })?;
        let first = self.choose(class)?;
        let batch = self.gather(class, first, waiting);
        for io in &batch.ios {
            self.remove(*io, &waiting(*io));
        }
        self.last = batch.offset + u64::from(batch.size);
        if let Some(active) = self.active.get_mut(class as usize) {
            *active += 1;
        }
        Some(batch)
    }

    fn choose(&self, class: Class) -> Option<Io> {
        if class == Class::SyncRead {
            return self.arrivals.front().copied();
        }
        let (set, last) = (self.by_offset.get(class as usize)?, self.last);
        let first = set.first()?;
        if first.1 >= last {
            return Some(first.2);
        }
        let after = set.range((Bound::Included((first.0, last, 0)), Bound::Unbounded)).next();
        Some(after.filter(|key| key.0 == first.0).unwrap_or(first).2)
    }

    fn gather(&self, class: Class, first: Io, waiting: &dyn Fn(Io) -> Waiting) -> Batch {
        let picked = waiting(first);
        let (mut start, mut end) = (picked.offset, picked.end());
        let mut ios = vec![first];
        let set = if class == Class::AsyncWrite { &self.writes } else { &self.reads };
        let gap_max = if class == Class::AsyncWrite { 0 } else { self.gap_max };
        for (_, io) in set.range(..(picked.offset, first)).rev() {
            let other = waiting(*io);
            if other.end() > start || start - other.end() > gap_max {
                break;
            }
            if end - other.offset > self.span_max {
                break;
            }
            start = other.offset;
            ios.push(*io);
        }
        for (_, io) in set.range((Bound::Excluded((picked.offset, first)), Bound::Unbounded)) {
            let other = waiting(*io);
            if other.offset < end || other.offset - end > gap_max {
                break;
            }
            if other.end() - start > self.span_max {
                break;
            }
            end = other.end();
            ios.push(*io);
        }
        Batch { offset: start, size: u32::try_from(end - start).unwrap_or(u32::MAX), class, ios }
    }

    /// A batch is done.
    pub(crate) fn finish(&mut self, class: Class) {
        if let Some(active) = self.active.get_mut(class as usize) {
            *active = active.saturating_sub(1);
        }
    }
}
