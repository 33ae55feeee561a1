//! Devices that say on a request's arrival when it will be done: flash, and one that takes no time, for building pools and
//! for measuring everything else. Not disks, which choose among the requests that wait (`hdd/model.rs`).

use arcwright_units::Nanos;

use crate::flash::Flash;
use crate::ledger::Ledger;
use crate::profile::FlashSpec;
use crate::request::{Completion, Counters, Request};

/// Such a device at work.
#[derive(Debug, Clone)]
pub(crate) struct Foreseen {
    ledger: Ledger,
    service: Service,
}

/// What decides when a request is done.
#[derive(Debug, Clone)]
enum Service {
    /// Nothing: it is done when it arrives.
    Immediate,
    Flash(Box<Flash>),
}

impl Foreseen {
    pub(crate) fn immediate() -> Self {
        Self { ledger: Ledger::new(1), service: Service::Immediate }
    }

    pub(crate) fn flash(spec: &FlashSpec, factor: u64) -> Self {
        let service = Service::Flash(Box::new(Flash::new(spec, factor)));
        Self { ledger: Ledger::new(factor), service }
    }

    /// Lets a link carry one direction at a time.
    pub(crate) fn share_link(&mut self) {
        match &mut self.service {
            Service::Immediate => {}
            Service::Flash(flash) => flash.share_link(),
        }
    }

    pub(crate) fn submit(&mut self, now: Nanos, ticket: u32, request: Request) {
        let arrival = self.ledger.arrive(now, &request);
        let end = match &mut self.service {
            Service::Immediate => arrival,
            Service::Flash(flash) => {
                self.ledger.wear(flash.wear_of(&request));
                flash.serve(arrival, &request)
            }
        };
        self.ledger.finish(ticket, end);
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
