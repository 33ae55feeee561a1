//! The event loop: clients above, the storage stack below, one queue of what happens next; and the table of
//! all messages, with whom each is for.

use arcwright_units::Nanos;

use crate::client::Clients;
use crate::clock::{Event, Next};
use crate::ids::{BatchId, LeafId, RequestId};
use crate::io::Purpose;
use crate::stack::Stack;

/// A machine with its clients.
pub(crate) struct Simulator {
    pub(crate) clients: Clients,
    pub(crate) stack: Stack,
}

/// Why the event loop has paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pause {
    /// It has worked off as many events as it was to.
    Events,
    /// What happens next is after the instant that it was to go to.
    Instant,
    /// The clients have come to their end, or nothing is left to happen.
    Over,
}

impl Simulator {
    /// Works off so many events at most, none after `end`; says why it went no further.
    pub(crate) fn run_some(&mut self, events: u32, end: Nanos) -> Pause {
        for _ in 0..events {
            if self.clients.are_done() {
                return Pause::Over;
            }
            if !self.step(end) {
                let is_over = self.stack.reads.next_event() == Nanos::MAX;
                return if is_over { Pause::Over } else { Pause::Instant };
            }
        }
        Pause::Events
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
        let clock = &mut self.stack.reads.clock;
        clock.now = clock.now.max(instant);
    }

    /// Does what happens next, if that is by `end`; says whether there was something.
    fn step(&mut self, end: Nanos) -> bool {
        let reads = &mut self.stack.reads;
        let due = reads.io.next_due();
        // At one instant disks come first.
        if let Some(Next { at, event }) = reads.clock.events.pop_before(due.min(end + Nanos(1))) {
            self.pass(at);
            self.hand_over(event);
        } else if due <= end && due < Nanos::MAX {
            self.pass(due);
            let reads = &mut self.stack.reads;
            reads.io.device_event(&mut reads.clock);
        } else {
            return false;
        }
        if cfg!(debug_assertions) {
            self.stack.check_turn();
        }
        true
    }

    /// Hands an event to whom it is for.
    fn hand_over(&mut self, event: Event) {
        let Self { clients, stack } = self;
        let Stack { reads, writes, log } = &mut *stack;
        match event {
            Event::Arrived(slot) => clients.go_on(stack, slot, true),
            Event::GoOn(slot) => clients.go_on(stack, slot, false),
            Event::Resume(slot) => {
                if reads.waits.end(slot) {
                    clients.go_on(stack, slot, true);
                }
            }
            Event::Commit(slot) => clients.wait_for_log(slot, reads, writes, log),
            Event::Enqueue(request) => reads.enqueue(request),
            Event::Done { leaf, batch } => self.batch_done(leaf, batch),
            Event::Decrypted(request) => self.hand_back(request),
            Event::Evict => reads.evict(),
            Event::TrimDbufs => reads.trim_dbufs(),
            Event::TrimmerDue => reads.trimmer_due(),
            Event::Feed => reads.feed(),
            Event::Timeout => writes.txg_timeout(reads, log),
            Event::Sync => writes.begin_sync(reads, log),
            Event::Write => writes.write_on(reads, log),
            Event::Stage => writes.next_stage(reads, log),
            Event::Log(id) => log.write(id, reads, writes),
            Event::LogWritten(id) => log.through(id, reads),
            Event::LogFlushed(id) => log.stable(id, &mut reads.clock),
            Event::WriteAhead { block, id } => log.write_ahead(id, block, reads),
            Event::LogTimeout(id) => log.timeout(&mut reads.clock, id),
            Event::LogUnlock(dataset) => log.unlock(dataset, reads, writes),
        }
    }

    /// What a disk has done is through the processor as well.
    fn batch_done(&mut self, leaf: LeafId, batch: BatchId) {
        let batch = self.stack.reads.io.finish(leaf, batch);
        debug_assert!(batch.is_some(), "{leaf:?} has done what it was never given");
        let Some(batch) = batch else { return };
        for io in &batch.ios {
            if let Some(request) = self.stack.reads.io.part_done(*io)
                && !self.stack.reads.decrypts(request)
            {
                self.hand_back(request);
            }
        }
        let reads = &mut self.stack.reads;
        reads.io.go_on(reads.clock.now, leaf, batch);
    }

    /// Hands a request whose parts are all done back to whoever made it.
    fn hand_back(&mut self, id: RequestId) {
        let Stack { reads, writes, log } = &mut self.stack;
        let finished = reads.io.finished(id);
        match finished.purpose {
            Purpose::Read { block, .. } => reads.read_done(id, block, finished),
            Purpose::Feed => reads.feed_done(),
            Purpose::Write { block, vdev } => writes.write_done(reads, log, block, vdev),
            Purpose::Txg => writes.part_done(&mut reads.clock),
            Purpose::Log { id } => log.written(id, reads),
            Purpose::LogFlush { id } => log.flushed(id, &mut reads.clock),
        }
        reads.io.free(id);
    }
}
