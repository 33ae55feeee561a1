//! The event loop: clients above, the storage stack below, one queue of what happens next.

use arcwright_units::Nanos;

use crate::client::Clients;
use crate::clock::Event;
use crate::stack::Stack;

/// A machine with its clients.
pub(crate) struct Simulator {
    pub(crate) clients: Clients,
    pub(crate) stack: Stack,
}

impl Simulator {
    /// Works off so many events at most; returns false once the clients have come to their end, or nothing is left to
    /// happen.
    pub(crate) fn run_some(&mut self, events: u32) -> bool {
        (0..events).all(|_| !self.clients.are_done() && self.step(Nanos::MAX))
    }

    /// The same, but only until `instant`.
    pub(crate) fn run_to(&mut self, instant: Nanos) {
        while !self.clients.are_done() {
            if !self.step(instant) {
                self.pass(instant);
                return;
            }
        }
    }

    /// Lets time pass until `instant`, whatever clients do.
    pub(crate) fn run_until(&mut self, instant: Nanos) {
        while self.step(instant) {}
        self.pass(instant);
    }

    fn pass(&mut self, instant: Nanos) {
        let clock = &mut self.stack.clock;
        clock.now = clock.now.max(instant);
    }

    /// Does what happens next, if that is by `end`; says whether there was something.
    fn step(&mut self, end: Nanos) -> bool {
        let due = self.stack.io.next_due();
        // At one instant disks come first.
        if let Some((at, event)) = self.stack.clock.events.pop_before(due.min(end + Nanos(1))) {
            self.pass(at);
            self.handle(event);
        } else if due <= end && due < Nanos::MAX {
            self.pass(due);
            self.stack.io.device_event(&mut self.stack.clock);
        } else {
            return false;
        }
        if cfg!(debug_assertions) {
            self.stack.check_turn();
        }
        true
    }

    fn handle(&mut self, event: Event) {
        let Self { clients, stack } = self;
        match event {
            Event::Arrived(slot) => clients.go_on(stack, slot, true),
            Event::GoOn(slot) => clients.go_on(stack, slot, false),
            Event::Resume(slot) => clients.resume(stack, slot),
            Event::Commit(slot) => clients.wait_for_log(stack, slot),
            event => stack.handle(event),
        }
    }
}
