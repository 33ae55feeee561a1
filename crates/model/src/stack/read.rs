//! A read on its way to the disks and back: who sends it, which disks it goes to, who is called.
//!
//! ```text
//!   hold ─> start_read ─ Enqueue ─> arrive ─ Queue ─> enqueue ─> disks ─> read_done ─ Arrived ─> slots
//! ```

use arcwright_units::Nanos;

use super::{Prefetchers, Waits};
use crate::cache::Cache;
use crate::cache::arc::{Kind, Lookup};
use crate::clock::{Clock, Event};
use crate::ids::{BlockId, RequestId};
use crate::io::{Extent, Finished, PoolIo, Purpose};
use crate::pool::blocks::Blocks;
use crate::versions::work::Work;

/// What a read passes: memory, prefetchers, the disks, and who waits; with the clock by which all of it goes.
#[derive(Debug)]
pub(crate) struct ReadPath {
    pub(crate) clock: Clock,
    pub(crate) blocks: Blocks,
    pub(crate) cache: Cache,
    pub(crate) prefetch: Prefetchers,
    pub(crate) io: PoolIo,
    pub(crate) waits: Waits,
    /// Whether those that wait for the same block are called in the order in which they came.
    pub(crate) waiters_in_order: bool,
}

impl ReadPath {
    /// Begins its own work at `first_feed` if there are cache devices.
    pub(crate) fn open(&mut self, first_feed: Nanos) {
        if !self.cache.l2arc.is_empty() {
            self.clock.push(first_feed, Event::Feed);
        }
        self.cache.open_trees(&self.blocks, &mut self.clock);
    }

    /// Returns when something happens next.
    pub(crate) fn next_event(&self) -> Nanos {
        self.clock.events.next().min(self.io.next_due())
    }

    /// Says that a thread now waits for a block that is being prefetched; its requests go first.
    pub(crate) fn raise_priority(&mut self, block: BlockId) {
        if self.io.raise_priority(block) {
            self.cache.arc.counters.async_upgrade_sync += 1;
        }
    }

    /// Reads a block that the ARC has just reported as missing; it is queued at `at`. Returns the lock
    /// operations that sending it takes.
    pub(crate) fn start_read(
        &mut self,
        block: BlockId,
        found: Lookup,
        is_demanded: bool,
        at: Nanos,
    ) -> u64 {
        let from_l2 = found == Lookup::FromL2;
        if !self.cache.l2arc.is_empty() {
            self.cache.arc.count_l2(from_l2, self.blocks.size(block));
        }
        self.cache.wake_eviction(&mut self.clock, at);
        let request = self.io.new_read(block, from_l2, is_demanded);
        let count = self.lock_ops_to_read(block);
        let sent = at + self.clock.lock_ops(count);
        self.clock.events.push_in_row(sent + self.clock.costs.switch, Event::Enqueue(request));
        count
    }

    /// Returns the lock operations of sending a read of `block` on its way: more when it has several
    /// columns.
    pub(crate) fn lock_ops_to_read(&self, block: BlockId) -> u64 {
        let columns = self.io.columns_of(self.blocks.place(block), self.blocks.size(block));
        let counts = self.clock.counts;
        counts.count(Work::ReadIssue) + counts.count(Work::ReadColumn) * (columns - 1)
    }

    /// The thread that queues a request has been called; it may have to wait for a core.
    pub(crate) fn arrive(&mut self, request: RequestId) {
        let at = self.clock.begin(self.clock.now, true);
        self.clock.cores.end(at);
        if at > self.clock.now {
            self.clock.push(at, Event::Queue(request));
        } else {
            self.enqueue(request);
        }
    }

    /// Puts a read into the queues of its disks. Writes are sent where they are made.
    pub(crate) fn enqueue(&mut self, request: RequestId) {
        let Purpose::Read { block, from_l2 } = self.io.purpose(request) else { return };
        let (now, bytes) = (self.clock.now, self.blocks.size(block));
        if !from_l2 {
            self.io.add_read(now, request, self.blocks.place(block), bytes);
            self.io.send(now, request);
        } else if let Some((leaf, offset)) = self.cache.l2arc.place(block) {
            self.io.add_part(now, request, leaf, Extent { offset, bytes });
            self.io.pump(now, leaf, false);
        }
    }

    /// A block is in memory: the ARC has it, its stream goes on, and the slots that wait are called.
    pub(crate) fn read_done(&mut self, request: RequestId, block: BlockId, finished: Finished) {
        let now = self.clock.now;
        // An indirect block that only prefetches wait for gets no dbuf (dbuf_prefetch_indirect_done).
        let is_held = finished.is_demanded && self.cache.dbufs.exists(block);
        self.cache.arc.complete(block, now, u16::from(is_held));
        if is_held {
            self.cache.add_copy(&mut self.clock, block, now);
        }
        if let Some(prefetch) = finished.prefetch {
            self.prefetch.arrived(prefetch);
        }
        let is_waited_for = self.blocks.is_indirect(block) && self.prefetch.has_deferred();
        let called = if is_waited_for { self.prefetch_deferred(block) } else { Nanos::ZERO };
        let mut through = self.clock.cores.work(now, self.clock.work(Work::ReadDone));
        let prefetched = self.clock.cores.work(through, called);
        if self.waiters_in_order {
            // Those that read came when the prefetches waited already.
            through = prefetched;
        }
        let mut waiting = self.io.take_waiting(request);
        for slot in waiting.drain(..) {
            if self.waits.end(slot) {
                self.clock.wake(through, Event::Arrived(slot));
            }
        }
        self.io.give_back(request, waiting);
        if !finished.is_demanded && self.cache.arc.cell(block).kind() == Kind::Metadata {
            self.cache.trim_dbufs(&self.blocks);
        }
    }
}
