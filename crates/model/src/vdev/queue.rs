//! The queue in front of a disk (docs/model/vdev-queues.md; module/zfs/vdev_queue.c 0.6.4 and later).
//!
//! Each class of requests has a maximum that may be active (`max_active`); the class with the highest priority
//! that is below its own goes first. Synchronous reads go in order of arrival, the others by offset. What is
//! picked takes its neighbours along, up to a span of 1 MiB on disks that turn and 128 KiB elsewhere,
//! over gaps of up to 32 KiB.
#![expect(clippy::indexing_slicing, reason = "indices are classes")]

mod alone;
mod neighbours;
mod turns;
#[cfg(test)]
mod vectors;

use std::collections::VecDeque;

pub(crate) use super::class::{Batch, Class, Waiting};
use super::sorted::{Entry, Place, Sorted};
use crate::ids::{IoId, number_of};
use crate::versions::rules::QueueOrder;
use crate::versions::settings::QueueSettings;
use alone::Alone;
use neighbours::{Gathered, Span};
use turns::Allowed;

/// A request that was picked, and where it stands among its neighbours if that is known.
#[derive(Debug, Clone, Copy)]
struct Picked {
    entry: Entry,
    place: Option<Place>,
}

/// How many requests of each class are active, and may be.
#[derive(Debug)]
struct Classes {
    active: [u64; 4],
    max_active: [u64; 4],
    min_active: [u64; 4],
    /// How many may be active of all.
    vdev_max_active: u64,
    /// Whether classes below their `min_active` go first; not on cache devices, a known debt
    /// (docs/model/constants.md#known-debts).
    keeps_min_active: bool,
    /// The class that was served last.
    served: usize,
}

/// How neighbours become one request.
#[derive(Debug)]
struct Spans {
    span_max: u64,
    gap_max: u64,
    /// Gaps between writes that are filled: the sectors that a raidz leaves out.
    write_gap_max: u64,
}

/// The queue.
#[derive(Debug)]
pub(crate) struct Queue {
    /// The one request that waits, as long as there is no other; it stands in none of the lists.
    alone: Option<Alone>,
    /// Reads and writes that somebody waits for.
    arrivals: [VecDeque<Entry>; 2],
    /// By time bucket, offset and number, where the order knows buckets.
    by_bucket: [Sorted; 4],
    /// All reads, and all writes, by offset; neighbours are found here.
    reads: Sorted,
    writes: Sorted,
    /// How many of each class wait, and how many in all.
    waiting: [usize; 4],
    waiting_count: usize,
    /// Lists of batches that are done, to use again.
    spare: Vec<Vec<IoId>>,
    classes: Classes,
    /// End of what was issued last, of any class.
    last: u64,
    order: QueueOrder,
    allowed: Allowed,
    spans: Spans,
}

impl Queue {
    pub(crate) fn new(settings: &QueueSettings, rotating: bool, order: QueueOrder) -> Self {
        let span_max =
            if rotating { settings.aggregation_rotating } else { settings.aggregation_solid };
        Self {
            alone: None,
            arrivals: Default::default(),
            by_bucket: Default::default(),
            reads: Sorted::default(),
            writes: Sorted::default(),
            waiting: [0; 4],
            waiting_count: 0,
            spare: Vec::new(),
            classes: Classes {
                active: [0; 4],
                // A class below its minimum has its turn even where its maximum is lower still.
                max_active: std::array::from_fn(|class| {
                    settings.max_active[class].max(settings.min_active[class])
                }),
                min_active: settings.min_active,
                vdev_max_active: settings.vdev_max_active,
                keeps_min_active: false,
                served: 0,
            },
            last: 0,
            order,
            allowed: Allowed::ON_ARRIVAL,
            spans: Spans {
                span_max: if order.is_by_deadlines() { 128 << 10 } else { span_max },
                gap_max: settings.read_gap,
                write_gap_max: 0,
            },
        }
    }

    /// Says how many asynchronous writes may be active (docs/model/vdev-queues.md#async-write-scaling).
    pub(crate) fn allow_writes(&mut self, count: u64) {
        self.set_max_active(Class::AsyncWrite, count);
    }

    /// Lets classes below their `min_active` go first.
    pub(crate) fn keep_min_active(&mut self) {
        self.classes.keeps_min_active = true;
    }

    fn set_max_active(&mut self, class: Class, count: u64) {
        self.classes.max_active[class as usize] = count;
    }

    /// Says that gaps of up to `bytes` between writes are filled.
    pub(crate) fn fill_gaps(&mut self, bytes: u64) {
        self.spans.write_gap_max = bytes;
    }

    /// Returns the request as it stands among its neighbours.
    fn entry(&self, io: IoId, waiting: &Waiting) -> Entry {
        let bucket = match self.order {
            QueueOrder::Elevator => 0,
            QueueOrder::Buckets => waiting.since.0 >> 29,
            QueueOrder::Deadlines { grain } => {
                waiting.since.0 / grain.0.max(1)
                    + match waiting.class {
                        Class::SyncRead | Class::SyncWrite => 0,
                        Class::AsyncWrite => 4,
                        Class::AsyncRead => 6,
                    }
            }
        };
        Entry {
            key: Entry::place_key(waiting.offset, io),
            size: waiting.size,
            bucket: number_of(bucket),
            class: waiting.class,
        }
    }

    /// Returns the list by buckets that a class is in, if it is in one.
    fn buckets(&mut self, class: Class) -> Option<&mut Sorted> {
        match (self.order, class) {
            (QueueOrder::Deadlines { .. }, _) => self.by_bucket.first_mut(),
            (QueueOrder::Elevator, _)
            | (QueueOrder::Buckets, Class::SyncRead | Class::SyncWrite) => None,
            (QueueOrder::Buckets, class) => self.by_bucket.get_mut(class as usize),
        }
    }

    /// Says whether requests of a class go by arrival.
    fn goes_by_arrival(&self, class: Class) -> bool {
        class.is_sync() && !self.order.is_by_deadlines()
    }

    fn arrivals(&mut self, class: Class) -> &mut VecDeque<Entry> {
        let [reads, writes] = &mut self.arrivals;
        if class.is_write() { writes } else { reads }
    }

    fn neighbours(&mut self, class: Class) -> &mut Sorted {
        if class.is_write() { &mut self.writes } else { &mut self.reads }
    }

    /// Enters a request into the lists that it belongs in.
    fn enter(&mut self, io: IoId, waiting: Waiting) {
        let entry = self.entry(io, &waiting);
        if self.goes_by_arrival(waiting.class) {
            self.arrivals(waiting.class).push_back(entry);
        } else if let Some(buckets) = self.buckets(waiting.class) {
            buckets.insert(entry.by_bucket());
        }
        self.neighbours(waiting.class).insert(entry);
    }

    /// Takes a request out of the list of its class.
    fn leave_class(&mut self, entry: &Entry) {
        self.leave(entry.class, 1);
        if self.goes_by_arrival(entry.class) {
            let arrivals = self.arrivals(entry.class);
            let place = arrivals.iter().position(|other| other.key == entry.key);
            debug_assert!(place.is_some(), "a request that waits is not among the arrivals");
            place.map(|place| arrivals.remove(place));
        } else if let Some(buckets) = self.buckets(entry.class) {
            buckets.take(buckets.place(entry.by_bucket().key), 1);
        }
    }

    /// Takes the requests of a batch, `count` neighbours from a place on, out of their class's list
    /// at once, if they stand in a row there.
    fn take_row(&mut self, class: Class, from: Place, count: usize) -> bool {
        let is_mixed = self.waiting[class.sync() as usize] > 0;
        if self.order == QueueOrder::Elevator && !class.is_sync() && !is_mixed {
            // They stand nowhere else.
            self.leave(class, count);
            return true;
        }
        let neighbours = if class.is_write() { &self.writes } else { &self.reads };
        let (mut first, mut last, mut same) = (u128::MAX, 0, true);
        let mut place = from;
        for _ in 0..count {
            let Some(entry) = neighbours.get(place) else { return false };
            let key = entry.by_bucket().key;
            same &= entry.class == class;
            (first, last) = (first.min(key), last.max(key));
            place = neighbours.after(place);
        }
        if !same || self.goes_by_arrival(class) {
            return false;
        }
        if let Some(buckets) = self.buckets(class) {
            let place = buckets.place(first);
            let end = buckets.get(buckets.further(place, count - 1));
            if end.is_none_or(|entry| entry.key != last) {
                return false;
            }
            buckets.take(place, count);
        }
        self.leave(class, count);
        true
    }

    /// Takes the requests of a batch out; among its neighbours they stand in a row.
    fn take(&mut self, class: Class, from: Place, count: usize) {
        if !self.take_row(class, from, count) {
            let mut place = from;
            for _ in 0..count {
                let neighbours = self.neighbours(class);
                let entry = neighbours.get(place).copied();
                debug_assert!(entry.is_some(), "a batch has more requests than its row");
                let Some(entry) = entry else { break };
                place = neighbours.after(place);
                self.leave_class(&entry);
            }
        }
        self.neighbours(class).take(from, count);
    }

    /// Makes a waiting prefetch a synchronous read, because somebody waits for it now.
    pub(crate) fn upgrade(&mut self, io: IoId, waiting: &mut Waiting) {
        if self.alone.take().is_some() {
            self.leave(waiting.class, 1);
        } else {
            let entry = self.entry(io, waiting);
            self.leave_class(&entry);
            let neighbours = self.neighbours(waiting.class);
            neighbours.take(neighbours.place(entry.key), 1);
        }
        waiting.class = Class::SyncRead;
        self.push(io, *waiting);
    }

    /// Returns how many are active, which mirrors weigh.
    pub(crate) fn load(&self) -> u64 {
        self.classes.active.iter().sum()
    }

    /// Returns the end of what was issued last.
    pub(crate) fn last_end(&self) -> u64 {
        self.last
    }

    /// Picks what goes to the disk next.
    pub(crate) fn pick(&mut self) -> Option<Batch> {
        if self.is_empty() {
            return None;
        }
        if self.alone.is_some() {
            return if self.may_add() { self.batch_of_one() } else { None };
        }
        let picked = match self.order {
            QueueOrder::Deadlines { .. } if !self.may_add() => return None,
            QueueOrder::Deadlines { .. } => {
                Picked { entry: *self.by_bucket[0].first()?, place: None }
            }
            QueueOrder::Elevator | QueueOrder::Buckets => self.choose(self.next_class()?)?,
        };
        let class = picked.entry.class;
        let mut ios = self.spare.pop().unwrap_or_default();
        let Gathered { first, span } =
            self.gather(&picked.entry.by_offset(), picked.place, &mut ios);
        self.take(class, first, ios.len());
        Some(self.batch(span, class, ios))
    }

    /// Makes a batch that goes to the disk now.
    fn batch(&mut self, span: Span, class: Class, ios: Vec<IoId>) -> Batch {
        self.last = span.end;
        self.classes.served = class as usize;
        self.allowed.add();
        self.classes.active[class as usize] += 1;
        let size = number_of(span.end - span.start);
        Batch { offset: span.start, size, class, ios, is_flush: false }
    }

    fn choose(&self, class: Class) -> Option<Picked> {
        if class.is_sync() {
            let [reads, writes] = &self.arrivals;
            let arrivals = if class.is_write() { writes } else { reads };
            return arrivals.front().map(|entry| Picked { entry: *entry, place: None });
        }
        if self.order == QueueOrder::Elevator {
            return self.choose_by_offset(class);
        }
        let sorted = self.by_bucket.get(class as usize)?;
        let first = sorted.first()?;
        if first.offset() >= self.last {
            return Some(Picked { entry: *first, place: None });
        }
        let from = Entry { key: Entry::place_key(self.last, IoId(0)), ..*first };
        let after = sorted.get(sorted.place(from.by_bucket().key));
        let after = after.filter(|entry| entry.bucket == first.bucket);
        Some(Picked { entry: *after.unwrap_or(first), place: None })
    }

    /// Returns the first request of a class behind what was issued last, or the very first. Those of
    /// other classes that are passed over are as many as readers wait.
    fn choose_by_offset(&self, class: Class) -> Option<Picked> {
        let sorted = if class.is_write() { &self.writes } else { &self.reads };
        let from = |mut place: Place| {
            while let Some(entry) = sorted.get(place) {
                if entry.class == class {
                    return Some(Picked { entry: *entry, place: Some(place) });
                }
                place = sorted.after(place);
            }
            None
        };
        let behind = from(sorted.place(Entry::place_key(self.last, IoId(0))));
        behind.or_else(|| from(sorted.place(0)))
    }

    /// Takes back the list of a batch that is done, emptied.
    pub(crate) fn take_back(&mut self, mut ios: Vec<IoId>) {
        ios.clear();
        self.spare.push(ios);
    }

    /// A batch is done.
    pub(crate) fn finish(&mut self, class: Class) {
        self.classes.active[class as usize] -= 1;
    }
}
