//! A device that takes no time: for building pools and for measuring everything else.

use arcwright_units::Nanos;

use crate::ledger::Ledger;
use crate::request::{Completion, Counters, Request};

/// Completes every request when it arrives.
#[derive(Debug, Clone)]
pub(crate) struct Immediate {
    ledger: Ledger,
}

impl Immediate {
    pub(crate) fn new() -> Self {
        Self { ledger: Ledger::new(1) }
    }

    pub(crate) fn submit(&mut self, now: Nanos, ticket: u32, request: Request) {
        let arrival = self.ledger.arrive(now, &request);
        self.ledger.finish(ticket, arrival);
    }

    pub(crate) fn next_event(&self) -> Nanos {
        self.ledger.next()
    }

    pub(crate) fn advance(&mut self, now: Nanos, done: &mut Vec<Completion>) {
        self.ledger.collect(now, done);
    }

    pub(crate) fn counters(&self) -> Counters {
        self.ledger.counters()
    }
}
