//! The queue of what happens next, in order of time, then of entry.
//!
//! Requests on their way to their queues mostly come in the order in which they will arrive; those
//! stand in a row. Everything else is mostly a handful of events at a time, for which a sorted list is
//! quicker than a heap; where there are more, a heap takes them. Disks are not in here: each knows itself
//! when it wants to be asked.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use arcwright_units::Nanos;

use crate::ids::{BatchId, BlockId, DatasetId, LeafId, LogId, RequestId, SlotId};

/// Something that happens at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Event {
    /// What a slot waited for has arrived.
    Arrived(SlotId),
    /// A slot goes on with what it was at.
    GoOn(SlotId),
    /// A read reaches its vdev queues.
    Enqueue(RequestId),
    /// The thread is there that takes what a device has done.
    Done { leaf: LeafId, batch: BatchId },
    /// What a request has read is decrypted.
    Decrypted(RequestId),
    /// The eviction thread goes on.
    Evict,
    /// The thread that evicts dbufs goes on.
    TrimDbufs,
    /// The thread that evicts dbufs has slept for long enough.
    TrimmerDue,
    /// The L2ARC's feed thread wakes.
    Feed,
    /// A slot that was held up goes on.
    Resume(SlotId),
    /// A slot comes to wait for the intent log.
    Commit(SlotId),
    /// It may be time for the open transaction group.
    Timeout,
    /// The open transaction group was asked for.
    Sync,
    /// The group that is being written goes on.
    Write,
    /// The next part of writing a group begins.
    Stage,
    /// A block of the intent log is sent.
    Log(LogId),
    /// A block of the intent log is written, and what that takes of the processor is done.
    LogWritten(LogId),
    /// The disks are flushed for a block of the intent log, and what that takes of the processor is done.
    LogFlushed(LogId),
    /// A block that the intent log points to is sent.
    WriteAhead { block: BlockId, id: LogId },
    /// The lock of the intent log of a dataset is let go.
    LogUnlock(DatasetId),
    /// A block of the intent log has waited for others long enough.
    LogTimeout(LogId),
}

/// An event with its instant and its place in the order of entry, which no two share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    at: Nanos,
    order: u64,
    event: Event,
}

/// What happens next, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Next {
    pub(crate) at: Nanos,
    pub(crate) event: Event,
}

/// The list is no longer than this: a longer one costs more to insert into than a heap.
const FEW: usize = 256;

/// The events to come.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// The next one last.
    few: Vec<Entry>,
    many: BinaryHeap<Reverse<Entry>>,
    row: VecDeque<Entry>,
    order: u64,
}

impl Events {
    /// Lets `event` happen at `at`.
    pub(crate) fn push(&mut self, at: Nanos, event: Event) {
        self.order += 1;
        let entry = Entry { at, order: self.order, event };
        if self.few.len() >= FEW {
            self.many.push(Reverse(entry));
            return;
        }
        // Among events of one instant the new one comes after all others.
        let later = self.few.partition_point(|other| other.at > at);
        self.few.insert(later, entry);
    }

    /// The same for events that mostly come in order.
    pub(crate) fn push_in_row(&mut self, at: Nanos, event: Event) {
        if self.row.back().is_some_and(|last| last.at > at) {
            self.push(at, event);
        } else {
            self.order += 1;
            self.row.push_back(Entry { at, order: self.order, event });
        }
    }

    /// Takes the next event, if it happens before `limit`.
    pub(crate) fn pop_before(&mut self, limit: Nanos) -> Option<Next> {
        let key = |entry: Option<&Entry>| {
            entry.map_or((Nanos::MAX, u64::MAX), |entry| (entry.at, entry.order))
        };
        let (few, row) = (key(self.few.last()), key(self.row.front()));
        let many = key(self.many.peek().map(|entry| &entry.0));
        if few.0.min(row.0).min(many.0) >= limit {
            return None;
        }
        let next = if row < few && row < many {
            self.row.pop_front()
        } else if many < few {
            self.many.pop().map(|entry| entry.0)
        } else {
            self.few.pop()
        };
        next.map(|entry| Next { at: entry.at, event: entry.event })
    }

    /// Returns when the next event happens.
    pub(crate) fn next(&self) -> Nanos {
        let of = |event: Option<&Entry>| event.map_or(Nanos::MAX, |entry| entry.at);
        let many = of(self.many.peek().map(|entry| &entry.0));
        of(self.few.last()).min(of(self.row.front())).min(many)
    }
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::{Event, Events, Next};
    use crate::ids::{RequestId, SlotId};

    #[test]
    fn a_crowd_of_events_comes_in_order_too() {
        let mut events = Events::default();
        let mut expected = Vec::new();
        for number in 0..5000_u32 {
            // Spread over the time without a pattern, several at one instant.
            let at = Nanos(u64::from(number.wrapping_mul(2_654_435_761) >> 24));
            events.push(at, Event::Arrived(SlotId(number)));
            expected.push(Next { at, event: Event::Arrived(SlotId(number)) });
        }
        expected.sort_by_key(|next| next.at);
        assert_eq!(events.next(), expected[0].at);
        let seen: Vec<_> = std::iter::from_fn(|| events.pop_before(Nanos::MAX)).collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn the_row_and_the_list_are_one_queue() {
        let mut events = Events::default();
        events.push_in_row(Nanos(5), Event::Enqueue(RequestId(1)));
        events.push(Nanos(5), Event::Arrived(SlotId(2)));
        events.push_in_row(Nanos(9), Event::Enqueue(RequestId(3)));
        events.push_in_row(Nanos(7), Event::Enqueue(RequestId(4)));
        events.push(Nanos(1), Event::Feed);
        let mut seen = Vec::new();
        assert_eq!(events.pop_before(Nanos(1)), None);
        while let Some(Next { at, event }) = events.pop_before(Nanos::MAX) {
            seen.push((at.0, event));
        }
        let expected = [
            (1, Event::Feed),
            (5, Event::Enqueue(RequestId(1))),
            (5, Event::Arrived(SlotId(2))),
            (7, Event::Enqueue(RequestId(4))),
            (9, Event::Enqueue(RequestId(3))),
        ];
        assert_eq!(seen, expected);
    }
}
