//! Virtual time: the present instant, what happens next, the processor, and what its work costs.

mod cores;
mod events;

use arcwright_scenario::Costs;
use arcwright_units::Nanos;

use cores::Cores;
use events::Events;
pub(crate) use events::{Event, Next};

use crate::versions::work::{LockOps, Work};

/// The clock of a run, which every subsystem is handed.
#[derive(Debug)]
pub(crate) struct Clock {
    pub(crate) now: Nanos,
    pub(crate) events: Events,
    pub(crate) cores: Cores,
    pub(crate) costs: Costs,
    /// How many lock operations each piece of work takes.
    pub(crate) counts: LockOps,
}

impl Clock {
    pub(crate) fn new(epoch: Nanos, cores: u32, costs: Costs, counts: LockOps) -> Self {
        Self { now: epoch, events: Events::default(), cores: Cores::new(cores), costs, counts }
    }

    /// Returns the time that a piece of work takes.
    pub(crate) fn work(&self, work: Work) -> Nanos {
        self.lock_ops(self.counts.count(work))
    }

    /// Returns the time that `count` lock operations take, which is what work is counted in.
    pub(crate) fn lock_ops(&self, count: u64) -> Nanos {
        Nanos(self.costs.step.0 * count)
    }

    /// Lets `event` happen at `at`.
    pub(crate) fn push(&mut self, at: Nanos, event: Event) {
        self.events.push(at, event);
    }

    /// Lets `event` happen as soon as the thread that it is for has been switched to, from `at` on.
    pub(crate) fn wake(&mut self, at: Nanos, event: Event) {
        self.events.push(at + self.costs.switch, event);
    }

    /// Returns when a thread may run that is ready at `ready`; one that was called has to be switched
    /// to first.
    pub(crate) fn begin(&mut self, ready: Nanos, is_called: bool) -> Nanos {
        let switch = if is_called { self.costs.switch } else { Nanos::ZERO };
        self.cores.begin_called(ready, switch)
    }
}
