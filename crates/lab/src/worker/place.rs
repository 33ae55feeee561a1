//! A thread's way into the schedule and out of it.

use std::sync::{Arc, Barrier};

use crate::schedule::{self, ThreadId};

/// A client's place in the schedule.
///
/// A thread takes and gives back memory while it starts and while it ends. Its maker waits for both,
/// so that neither happens beside other work, at a moment that depends on the machine.
#[derive(Debug, Clone)]
pub(super) struct Place {
    id: ThreadId,
    met: Arc<Barrier>,
}

/// A place that its thread has taken, and leaves however the thread ends.
pub(super) struct Taken(Place);

impl Place {
    pub(super) fn new() -> Self {
        Self { id: schedule::announce(schedule::Kind::Processor), met: Arc::new(Barrier::new(2)) }
    }

    /// Waits, as the maker, until the thread has started; or, as the thread, for its maker.
    pub(super) fn meet(&self) {
        self.met.wait();
    }

    pub(super) fn enter(self) -> Taken {
        self.meet();
        schedule::enter(self.id);
        Taken(self)
    }

    /// Waits until the thread has left the schedule, and lets it end.
    pub(super) fn join(&self) {
        schedule::join(self.id);
        self.meet();
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        schedule::leave();
        self.0.meet();
    }
}
