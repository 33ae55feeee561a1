//! The queue in front of a disk (openzfs-model.md §6.1; module/zfs/vdev_queue.c 0.6.4 and later).
//!
//! Each class of requests has a most that may be active; the class with the highest priority that is
//! below its own goes first. Synchronous reads go in order of arrival, the others by offset. What is
//! picked takes its neighbours along, up to a span of 1 MiB on disks that turn and 128 KiB elsewhere,
//! over gaps of up to 32 KiB.

use std::collections::VecDeque;

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

/// In which order requests of a class go to the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// By offset, round and round (0.6.4 to 2.1).
    Elevator,
    /// The same within half a second of arrivals (2.2 and later).
    Buckets,
    /// No classes at all: by arrival in half seconds plus a handicap, then by offset (FreeBSD before
    /// 10; §6.2).
    Deadlines,
}

/// Requests that may be active when one arrives, and when one is done, by deadlines.
const MIN_PENDING: u64 = 4;
const MAX_PENDING: u64 = 10;
/// New ones for each that is done, by deadlines.
const RAMP_RATE: u64 = 2;

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

/// Requests in order of a key; most arrive at the end and leave at the front.
#[derive(Debug)]
struct Sorted<K>(VecDeque<K>);

impl<K: Ord + Copy> Sorted<K> {
    fn new() -> Self {
        Self(VecDeque::new())
    }

    fn insert(&mut self, key: K) {
        if self.0.back().is_none_or(|last| *last < key) {
            self.0.push_back(key);
        } else {
            let place = self.0.partition_point(|other| *other < key);
            self.0.insert(place, key);
        }
    }

    fn remove(&mut self, key: K) {
        if let Ok(place) = self.0.binary_search(&key) {
            self.0.remove(place);
        }
    }

    /// Returns the place of the first key that is not below `key`.
    fn place(&self, key: K) -> usize {
        self.0.partition_point(|other| *other < key)
    }
}

/// The queue.
#[derive(Debug)]
pub(crate) struct Queue {
    arrivals: VecDeque<Io>,
    /// By time bucket, offset and number.
    by_offset: [Sorted<(u64, u64, Io)>; 3],
    /// All reads, and all writes, by offset, for finding neighbours.
    reads: Sorted<(u64, Io)>,
    writes: Sorted<(u64, Io)>,
    active: [u64; 3],
    most: [u64; 3],
    /// End of what was issued last, of any class.
    last: u64,
    order: Order,
    /// By deadlines: how many may be active now, and how many may be added.
    allowed: (u64, u64),
    span_max: u64,
    gap_max: u64,
}

impl Queue {
    pub(crate) fn new(settings: &Settings, rotating: bool, order: Order) -> Self {
        let span_max =
            if rotating { settings.aggregation_rotating } else { settings.aggregation_solid };
        Self {
            arrivals: VecDeque::new(),
            by_offset: std::array::from_fn(|_| Sorted::new()),
            reads: Sorted::new(),
            writes: Sorted::new(),
            active: [0; 3],
            most: [settings.sync_read_max, settings.async_read_max, settings.async_write_max],
            last: 0,
            order,
            allowed: (MIN_PENDING, MIN_PENDING),
            span_max: if order == Order::Deadlines { 128 << 10 } else { span_max },
            gap_max: settings.read_gap,
        }
    }

    fn key(&self, io: Io, waiting: &Waiting) -> (u64, u64, Io) {
        let half_seconds = waiting.since.0 >> 29;
        let bucket = match (self.order, waiting.class) {
            (Order::Elevator, _) => 0,
            (Order::Buckets, _) | (Order::Deadlines, Class::SyncRead) => half_seconds,
            (Order::Deadlines, Class::AsyncWrite) => half_seconds + 4,
            (Order::Deadlines, Class::AsyncRead) => half_seconds + 6,
        };
        (bucket, waiting.offset, io)
    }

    /// Returns the sorted list that a class is in; none for one that goes by arrival.
    fn sorted(&mut self, class: Class) -> Option<&mut Sorted<(u64, u64, Io)>> {
        match (self.order, class) {
            (Order::Deadlines, _) => self.by_offset.first_mut(),
            (_, Class::SyncRead) => None,
            (_, class) => self.by_offset.get_mut(class as usize),
        }
    }

    fn neighbours(&mut self, class: Class) -> &mut Sorted<(u64, Io)> {
        if class == Class::AsyncWrite { &mut self.writes } else { &mut self.reads }
    }

    pub(crate) fn push(&mut self, io: Io, waiting: &Waiting) {
        let key = self.key(io, waiting);
        match self.sorted(waiting.class) {
            None => self.arrivals.push_back(io),
            Some(sorted) => sorted.insert(key),
        }
        self.neighbours(waiting.class).insert((waiting.offset, io));
    }

    fn remove(&mut self, io: Io, waiting: &Waiting) {
        let key = self.key(io, waiting);
        if let Some(sorted) = self.sorted(waiting.class) {
            sorted.remove(key);
        } else if let Some(place) = self.arrivals.iter().position(|other| *other == io) {
            self.arrivals.remove(place);
        }
        self.neighbours(waiting.class).remove((waiting.offset, io));
    }

    /// Takes the requests of a batch out of their sorted list at once, if they stand in a row there.
    fn take_row(&mut self, batch: &Batch, waiting: &dyn Fn(Io) -> Waiting) -> bool {
        let keys = batch.ios.iter().map(|io| {
            let state = waiting(*io);
            (state.class, self.key(*io, &state))
        });
        let (mut first, mut last, mut same) = (None, None, true);
        for (class, key) in keys {
            same &= class == batch.class;
            first = Some(first.map_or(key, |other: (u64, u64, Io)| other.min(key)));
            last = Some(last.map_or(key, |other: (u64, u64, Io)| other.max(key)));
        }
        let (Some(first), Some(last), true) = (first, last, same) else { return false };
        let count = batch.ios.len();
        let Some(sorted) = self.sorted(batch.class) else { return false };
        let place = sorted.place(first);
        let is_row = count > 0 && sorted.0.get(place + count - 1) == Some(&last);
        if is_row {
            sorted.0.drain(place..place + count);
        }
        is_row
    }

    /// Takes the requests of a batch out; among its neighbours they stand in a row.
    fn take(&mut self, batch: &Batch, waiting: &dyn Fn(Io) -> Waiting) {
        if !self.take_row(batch, waiting) {
            for io in &batch.ios {
                let state = waiting(*io);
                let key = self.key(*io, &state);
                match self.sorted(state.class) {
                    Some(sorted) => sorted.remove(key),
                    None => self.arrivals.retain(|other| other != io),
                }
            }
        }
        let count = batch.ios.len();
        let first = batch.ios.iter().map(|io| (waiting(*io).offset, *io)).min();
        let row = self.neighbours(batch.class);
        if let Some(first) = first {
            let place = row.place(first);
            row.0.drain(place..(place + count).min(row.0.len()));
        }
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

    fn has_queued(&self, class: Class) -> bool {
        match class {
            Class::SyncRead => !self.arrivals.is_empty(),
            _ => self.by_offset.get(class as usize).is_some_and(|sorted| !sorted.0.is_empty()),
        }
    }

    /// Says why the queue is looked at: something arrived, or was done.
    pub(crate) fn look(&mut self, is_done: bool) {
        self.allowed = if is_done { (MAX_PENDING, RAMP_RATE) } else { (MIN_PENDING, MIN_PENDING) };
    }

    fn pick_by_deadline(&mut self, waiting: &dyn Fn(Io) -> Waiting) -> Option<(Class, Io)> {
        let (active, new) = self.allowed;
        if self.load() >= active || new == 0 {
            return None;
        }
        let first = self.by_offset.first()?.0.front()?.2;
        self.allowed = (active, new - 1);
        Some((waiting(first).class, first))
    }

    fn pick_by_class(&self) -> Option<(Class, Io)> {
        let class = CLASSES.into_iter().find(|class| {
            let index = *class as usize;
            self.has_queued(*class) && self.active.get(index) < self.most.get(index)
        })?;
        Some((class, self.choose(class)?))
    }

    /// Picks what goes to the disk next; `waiting` knows the requests.
    pub(crate) fn pick(&mut self, waiting: &dyn Fn(Io) -> Waiting) -> Option<Batch> {
        let (class, first) = match self.order {
            Order::Deadlines => self.pick_by_deadline(waiting)?,
            _ => self.pick_by_class()?,
        };
        let batch = self.gather(class, first, waiting);
        self.take(&batch, waiting);
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
        let sorted = self.by_offset.get(class as usize)?;
        let first = sorted.0.front()?;
        if first.1 >= self.last {
            return Some(first.2);
        }
        let after = sorted.0.get(sorted.place((first.0, self.last, 0)));
        Some(after.filter(|key| key.0 == first.0).unwrap_or(first).2)
    }

    fn gather(&self, class: Class, first: Io, waiting: &dyn Fn(Io) -> Waiting) -> Batch {
        let picked = waiting(first);
        let (mut start, mut end) = (picked.offset, picked.end());
        let mut ios = vec![first];
        let sorted = if class == Class::AsyncWrite { &self.writes } else { &self.reads };
        let gap_max = if class == Class::AsyncWrite { 0 } else { self.gap_max };
        let place = sorted.place((picked.offset, first));
        for (_, io) in sorted.0.range(..place).rev() {
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
        for (_, io) in sorted.0.range(place + 1..) {
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
