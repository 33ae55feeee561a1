//! From the write of a log block to those that go on: its flushes, in the order of the chain
//! (docs/model/zil.md#flushes-of-log-blocks).

use arcwright_units::Nanos;

use super::LogPath;
use crate::clock::{Clock, Event};
use crate::ids::{LogId, VdevId};
use crate::io::Purpose;
use crate::stack::ReadPath;
use crate::vdev::queue::Class;
use crate::versions::work::Work;
use crate::zil::State;

impl LogPath {
    /// A part of a log block is written.
    pub(crate) fn written(&mut self, id: LogId, reads: &mut ReadPath) {
        let Some(block) = self.zil(id).under_way(id) else { return };
        block.pending -= 1;
        if block.pending == 0 {
            let clock = &mut reads.clock;
            let through = clock.cores.work(clock.now, clock.work(Work::LwbWritten));
            clock.push(through, Event::LogWritten(id));
        }
    }

    /// Whoever took what the disks have written of a log block is through with it.
    pub(crate) fn through(&mut self, id: LogId, reads: &mut ReadPath) {
        if let Some(block) = self.zil(id).under_way(id) {
            block.is_through = true;
            self.pass_on(id, reads);
        }
    }

    /// Flushes for a block that is written, as soon as those before it are; then for those behind.
    fn pass_on(&mut self, mut id: LogId, reads: &mut ReadPath) {
        let (flushes, waits_for_next) = (self.flushes, self.behaviour.flush_waits_for_next);
        loop {
            let before = id.before().and_then(|before| self.zil(before).get(before));
            if before.is_some_and(|before| {
                matches!(before.state, State::New | State::Opened | State::Issued)
            }) {
                return;
            }
            let next_is_issued =
                self.zil(id).get(id.next()).is_some_and(|next| next.state == State::Issued);
            let Some(block) = self.zil(id).get(id) else { return };
            if !block.is_through || block.state != State::Issued {
                return;
            }
            block.state = State::Written;
            if block.waiting.is_empty() && (next_is_issued || waits_for_next) {
                let flush = std::mem::take(&mut block.flush);
                if let Some(next) = self.zil(id).get(id.next()) {
                    next.flush |= flush;
                }
                self.finish(id, &mut reads.clock);
            } else if flushes {
                self.flush_for(id, reads);
            } else {
                block.flush = 0;
                self.finish(id, &mut reads.clock);
            }
            id = id.next();
        }
    }

    fn flush_for(&mut self, id: LogId, reads: &mut ReadPath) {
        let ReadPath { clock, io, .. } = reads;
        let Some(block) = self.zil(id).under_way(id) else { return };
        let mut flush = std::mem::take(&mut block.flush);
        block.pending = 1;
        let request = io.new_request(Purpose::LogFlush { id }, Class::SyncWrite);
        while flush != 0 {
            let bit = flush.trailing_zeros();
            flush &= flush - 1;
            let top = self.vdevs.of_flush(bit).unwrap_or_else(|| io.top(VdevId(bit)));
            for leaf in top.leaves() {
                io.add_flush(clock.now, request, leaf);
            }
        }
    }

    /// The disks are flushed for a log block.
    pub(crate) fn flushed(&self, id: LogId, clock: &mut Clock) {
        let taken = if self.behaviour.done_by_another { clock.costs.switch } else { Nanos::ZERO };
        let through = clock.cores.work(clock.now + taken, clock.work(Work::LwbFlushed));
        clock.push(through, Event::LogFlushed(id));
    }

    /// The flushes for a log block are done.
    pub(crate) fn stable(&mut self, id: LogId, clock: &mut Clock) {
        if let Some(block) = self.zil(id).under_way(id) {
            block.pending = 0;
        }
        self.finish(id, clock);
    }

    /// Ends a log block whose own parts are done, as soon as those before it have ended; then those
    /// behind it.
    fn finish(&mut self, mut id: LogId, clock: &mut Clock) {
        loop {
            let before = id.before().and_then(|before| self.zil(before).get(before));
            if before.is_some_and(|before| before.state != State::Done) {
                return;
            }
            let now = clock.now;
            let Some(block) = self.zil(id).get(id) else { return };
            if block.state != State::Written || block.pending > 0 {
                return;
            }
            block.state = State::Done;
            let span = now - block.issued;
            let waiting = std::mem::take(&mut block.waiting);
            self.zil(id).note_latency(span);
            for slot in waiting {
                clock.wake(now, Event::Resume(slot));
            }
            id = id.next();
        }
    }
}
