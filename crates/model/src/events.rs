//! The queue of what happens next, in order of time, then of entry.
//!
//! Requests on their way to their queues mostly come in the order in which they will arrive; those
//! stand in a row. Everything else is a handful of events at a time, for which a sorted list is
//! quicker than a heap. Disks are not in here: each knows itself when it wants to be asked.

use std::collections::VecDeque;

use arcwright_units::Nanos;

/// Something that happens at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Event {
    /// A client that was waiting is called.
    Client(u32),
    /// A client goes on with what it was at.
    GoOn(u32),
    /// A thread is there that puts a request into its vdev queues, if it gets a core.
    Enqueue(u32),
    /// A request reaches its vdev queue.
    Queue(u32),
    /// A device's request is through the processor as well.
    Done { leaf: u32, slot: u32 },
    /// The eviction thread goes on.
    Evict,
    /// The L2ARC's feed thread wakes.
    Feed,
    /// A lane of a client that was held up goes on.
    Resume(u32),
    /// A lane of a client comes to wait for the intent log.
    Commit(u32),
    /// It may be time for the open transaction group.
    Timeout,
    /// The open transaction group was asked for.
    Sync,
    /// The group that is being written goes on.
    Write,
    /// The next part of writing a group begins.
    Stage,
    /// A block of the intent log is sent.
    Log(u32),
    /// A block that the intent log points to is sent.
    WriteAhead { block: u32, number: u32 },
    /// A block of the intent log has waited for others long enough.
    LogTimeout(u32),
}

/// The events to come.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// The next one last.
    few: Vec<(Nanos, u64, Event)>,
    row: VecDeque<(Nanos, u64, Event)>,
    order: u64,
}

impl Events {
    /// Lets `event` happen at `at`.
    pub(crate) fn push(&mut self, at: Nanos, event: Event) {
        self.order += 1;
        // Among events of one instant the new one comes after all others.
        let later = self.few.partition_point(|other| other.0 > at);
        self.few.insert(later, (at, self.order, event));
    }

    /// The same for events that mostly come in order.
    pub(crate) fn push_in_row(&mut self, at: Nanos, event: Event) {
        if self.row.back().is_some_and(|last| last.0 > at) {
            self.push(at, event);
        } else {
            self.order += 1;
            self.row.push_back((at, self.order, event));
        }
    }

    /// Takes the next event, if it happens before `limit`.
    pub(crate) fn pop_before(&mut self, limit: Nanos) -> Option<(Nanos, Event)> {
        let never = (Nanos::MAX, u64::MAX);
        let few = self.few.last().map_or(never, |event| (event.0, event.1));
        let row = self.row.front().map_or(never, |event| (event.0, event.1));
        if few.0.min(row.0) >= limit {
            return None;
        }
        let next = if row < few { self.row.pop_front() } else { self.few.pop() };
        next.map(|(at, _, event)| (at, event))
    }

    /// Returns when the next event happens.
    pub(crate) fn next(&self) -> Nanos {
        let of = |event: Option<&(Nanos, u64, Event)>| event.map_or(Nanos::MAX, |event| event.0);
        of(self.few.last()).min(of(self.row.front()))
    }
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::{Event, Events};

    #[test]
    fn the_row_and_the_list_are_one_queue() {
        let mut events = Events::default();
        events.push_in_row(Nanos(5), Event::Enqueue(1));
        events.push(Nanos(5), Event::Client(2));
        events.push_in_row(Nanos(9), Event::Enqueue(3));
        events.push_in_row(Nanos(7), Event::Enqueue(4));
        events.push(Nanos(1), Event::Feed);
        let mut seen = Vec::new();
        assert_eq!(events.pop_before(Nanos(1)), None);
        while let Some((at, event)) = events.pop_before(Nanos::MAX) {
            seen.push((at.0, event));
        }
        let expected = [
            (1, Event::Feed),
            (5, Event::Enqueue(1)),
            (5, Event::Client(2)),
            (7, Event::Enqueue(4)),
            (9, Event::Enqueue(3)),
        ];
        assert_eq!(seen, expected);
    }
}
