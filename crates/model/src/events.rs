//! The queue of what happens next, in order of time, then of entry.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use arcwright_units::Nanos;

/// Something that happens at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Event {
    /// A client goes on.
    Client(u32),
    /// A request reaches its vdev queue.
    Enqueue(u32),
    /// A device may have finished something.
    Device(u32),
    /// A device's request is through the processor as well.
    Done { leaf: u32, slot: u32 },
    /// The L2ARC's feed thread wakes.
    Feed,
}

/// The events to come.
#[derive(Debug, Default)]
pub(crate) struct Events {
    heap: BinaryHeap<Reverse<(Nanos, u64, Event)>>,
    order: u64,
}

impl Events {
    /// Lets `event` happen at `at`.
    pub(crate) fn push(&mut self, at: Nanos, event: Event) {
        self.order += 1;
        self.heap.push(Reverse((at, self.order, event)));
    }

    /// Takes the next event.
    pub(crate) fn pop(&mut self) -> Option<(Nanos, Event)> {
        self.heap.pop().map(|Reverse((at, _, event))| (at, event))
    }

    /// Returns when the next event happens.
    pub(crate) fn next(&self) -> Nanos {
        self.heap.peek().map_or(Nanos::MAX, |Reverse((at, _, _))| *at)
    }
}
