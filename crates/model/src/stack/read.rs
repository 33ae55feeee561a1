//! A read on its way to the disks and back: a block is held, what is not in memory is sent for, what has
//! arrived calls those that wait (`dbuf_hold_impl`, `dbuf_findbp`, dbuf.c, and `arc_read`, arc.c, 0.7 to 2.3).
//!
//! ```text
//!   client ─> hold_block ─> look_up ─> ARC ─miss─> start_read ─ Enqueue ─> enqueue ─> I/O
//!   client <─ Arrived ─ read_done <─ Purpose::Read ─ I/O
//! ```
//!
//! A dbuf that is there is held, and the ARC is told of it. One that is not there is made: first the
//! indirect block that points to it is held in the same way, which then stays held as long as the new
//! dbuf exists; where the dnode itself points to it, the dnode's block is held, of which the ARC is not
//! told. A thread that has to wait for a block keeps it held meanwhile ([`Pins`]), and goes on with it when it
//! is there: that is no second access. One that was never written is made without reading.

use std::hint::black_box;

use arcwright_units::{Bytes, Nanos};

use super::seen::SentRead;
use super::{HoldOutcome, HoldReason, Moments, Prefetchers, RangeLocks, ReadsSeen, Waits};
use crate::cache::Cache;
use crate::cache::arc::{HAS_DBUF, Kind, Lookup};
use crate::cache::l2arc::OnDevice;
use crate::clock::{Clock, Event};
use crate::ids::{BlockId, FileId, RequestId, SlotId};
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
    pub(crate) locks: RangeLocks,
    /// Whether those that wait for the same block are called in the order in which they came.
    pub(crate) waiters_in_order: bool,
    /// What reports say of reads; nothing that happens depends on it.
    pub(crate) seen: ReadsSeen,
    /// When dbufs of data were made.
    pub(crate) made: Moments,
}

/// Blocks of metadata that a slot holds while it waits for them.
#[derive(Debug)]
pub(crate) struct Pins {
    pub(crate) slot: SlotId,
    blocks: Vec<BlockId>,
}

impl Pins {
    pub(crate) fn of(slot: SlotId) -> Self {
        Self { slot, blocks: Vec::new() }
    }
}

impl ReadPath {
    /// Brings what is known of blocks that will be held into the processor's caches: all loads at once instead of
    /// one after the other.
    pub(crate) fn warm(&self, blocks: impl Iterator<Item = BlockId> + Clone) {
        let own = blocks.clone().map(|block| {
            let is_held = self.cache.dbufs.exists(block) ^ self.io.read_of(block).is_some();
            self.blocks.size(block) ^ u64::from(is_held)
        });
        black_box(own.fold(0, u64::wrapping_add));
        black_box(self.cache.arc.warm(blocks));
    }

    /// Holds a block of a file, that of a number.
    pub(crate) fn hold_block(
        &mut self,
        pins: &mut Pins,
        (file, index): (FileId, u32),
        reason: HoldReason,
        now: Nanos,
    ) -> HoldOutcome {
        let block = self.blocks.file(file).block(index);
        if self.cache.dbufs.exists(block) {
            return self.hold_existing(pins.slot, block, now);
        }
        self.made.add(block, now);
        if !self.cache.arc.cell(block).is(HAS_DBUF)
            && let Some(parent) = self.blocks.file(file).indirect_of(index)
            && !self.hold(pins, parent, now)
        {
            return HoldOutcome::Later;
        }
        self.cache.hold_dbuf(&self.blocks, block);
        self.look_up(pins.slot, block, reason, now)
    }

    /// Holds the dbuf of a block of data once more, and waits for it where it is on its way.
    fn hold_existing(&mut self, slot: SlotId, block: BlockId, now: Nanos) -> HoldOutcome {
        self.cache.hold_again(&self.blocks, block, now);
        if self.cache.is_in_flight(block) {
            self.seen.joined(self.blocks.size(block));
            self.wait(slot, block);
            return HoldOutcome::OnItsWay;
        }
        self.seen.hit(self.blocks.size(block));
        HoldOutcome::There
    }

    /// Asks the ARC for a block whose dbuf is held, and waits for it where it is not there.
    fn look_up(
        &mut self,
        slot: SlotId,
        block: BlockId,
        reason: HoldReason,
        now: Nanos,
    ) -> HoldOutcome {
        match self.cache.read(block, reason == HoldReason::PartOfWrite, now) {
            Lookup::Hit => {
                self.seen.hit(self.blocks.size(block));
                let is_opened = self.cache.arc.open(block, now);
                self.cache.add_copy(&mut self.clock, block, now);
                match is_opened {
                    true => HoldOutcome::Opened(self.cipher(block)),
                    false => HoldOutcome::There,
                }
            }
            Lookup::InFlight => {
                self.seen.joined(self.blocks.size(block));
                self.raise_priority(block);
                self.wait(slot, block);
                HoldOutcome::OnItsWay
            }
            found => {
                let lock_ops = self.start_read(block, found, true, now);
                self.wait(slot, block);
                HoldOutcome::Sent { lock_ops }
            }
        }
    }

    /// Makes a slot wait for a block that is on its way.
    fn wait(&mut self, slot: SlotId, block: BlockId) {
        self.waits.add(slot);
        self.io.wait_for(block, slot);
    }

    /// Reads a block that the ARC has just reported as missing; it is queued at `at`. Returns the lock
    /// operations that sending it takes.
    pub(super) fn start_read(
        &mut self,
        block: BlockId,
        found: Lookup,
        is_demanded: bool,
        at: Nanos,
    ) -> u64 {
        let from_l2 = found == Lookup::FromL2;
        let (kind, bytes) = (self.cache.arc.cell(block).kind(), Bytes(self.blocks.size(block)));
        self.seen.sent(SentRead { from_l2, is_demanded, kind, bytes });
        if !self.cache.l2arc.is_empty() {
            self.cache.arc.count_l2(from_l2, self.blocks.size(block));
        }
        self.cache.wake_eviction(&mut self.clock, at);
        let request = self.io.new_read(block, from_l2, is_demanded);
        let count = self.lock_ops_to_read(block);
        let sent = at + self.clock.lock_ops(count);
        self.clock.events.push_in_row(sent, Event::Enqueue(request));
        count
    }

    /// Returns the lock operations of sending a read of `block` on its way: more when it has several
    /// columns.
    fn lock_ops_to_read(&self, block: BlockId) -> u64 {
        let columns = self.io.columns_of(self.blocks.place(block), self.blocks.size(block));
        let counts = self.clock.counts;
        counts.count(Work::ReadIssue) + counts.count(Work::ReadColumn) * (columns - 1)
    }

    /// Puts a read into the queues of its disks. Writes are sent where they are made.
    pub(crate) fn enqueue(&mut self, request: RequestId) {
        let Purpose::Read { block, from_l2 } = self.io.purpose(request) else { return };
        let (now, bytes) = (self.clock.now, self.blocks.size(block));
        if !from_l2 {
            self.io.add_read(now, request, self.blocks.place(block), bytes);
            self.io.send(now, request);
        } else if let Some(OnDevice { leaf, offset }) = self.cache.l2arc.place(block) {
            self.io.add_part(now, request, leaf, Extent { offset, bytes });
            self.io.pump(now, leaf, false);
        }
    }

    /// Returns the time of encrypting or decrypting a block: none where it stands in the clear.
    pub(crate) fn cipher(&self, block: BlockId) -> Nanos {
        match self.cache.arc.encrypts(block) {
            true => self.clock.costs.cipher(self.blocks.size(block)),
            false => Nanos::ZERO,
        }
    }

    /// Returns the time that a thread takes for a block that is to be written: of its checksum, and of encrypting it.
    pub(crate) fn sealing(&self, block: BlockId) -> Nanos {
        self.clock.costs.checksum(self.blocks.size(block)) + self.cipher(block)
    }

    /// Says whether what a request has read is to be decrypted first, for which a thread is at work from now on
    /// (docs/model/encryption.md#reads).
    pub(crate) fn decrypts(&mut self, request: RequestId) -> bool {
        if !self.cache.arc.encrypts_any() {
            return false;
        }
        let Purpose::Read { block, .. } = self.io.purpose(request) else { return false };
        let cipher = self.cipher(block);
        if cipher == Nanos::ZERO {
            return false;
        }
        let decrypted = self.clock.cores.work(self.clock.now, cipher);
        self.clock.push(decrypted, Event::Decrypted(request));
        true
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
        let checksum = self.clock.costs.checksum(self.blocks.size(block));
        let took = self.clock.work(Work::ReadDone) + checksum;
        let mut through = self.clock.cores.work(now, took);
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
            let trimmed = self.cache.trim_dbufs(&mut self.clock, &self.blocks, now);
            self.clock.cores.work(now, trimmed);
        }
    }

    /// Lets go of the dbuf of a block.
    pub(crate) fn release(&mut self, block: BlockId) {
        self.cache.release_dbuf(&self.blocks, block);
    }
}

/// Metadata, which a slot waits for block by block.
impl ReadPath {
    /// Holds a block of metadata; false when the slot has to wait and to ask again.
    pub(crate) fn hold(&mut self, pins: &mut Pins, block: BlockId, now: Nanos) -> bool {
        if pins.blocks.last() == Some(&block) {
            pins.blocks.pop();
            return true;
        }
        if self.cache.dbufs.exists(block) {
            self.cache.hold_again(&self.blocks, block, now);
            if self.cache.is_in_flight(block) {
                self.pin(pins, block);
                return false;
            }
            return true;
        }
        if !self.hold_parent(pins, block, now) {
            return false;
        }
        if !self.blocks.is_written(block) {
            self.cache.fill(&mut self.clock, &self.blocks, block, now);
            return true;
        }
        match self.cache.arc.read(block, now, false) {
            Lookup::Hit => {
                self.cache.hold_dbuf(&self.blocks, block);
                self.cache.add_copy(&mut self.clock, block, now);
                return true;
            }
            Lookup::InFlight => self.raise_priority(block),
            found => {
                self.start_read(block, found, true, now);
            }
        }
        self.cache.hold_dbuf(&self.blocks, block);
        self.pin(pins, block);
        false
    }

    /// Holds what points to a block; false when the slot has to wait and to ask again.
    fn hold_parent(&mut self, pins: &mut Pins, block: BlockId, now: Nanos) -> bool {
        match self.blocks.parent(block) {
            Some(parent) if self.blocks.is_indirect(parent) => self.hold(pins, parent, now),
            Some(parent) => {
                self.cache.hold_dbuf(&self.blocks, parent);
                true
            }
            None => true,
        }
    }

    fn pin(&mut self, pins: &mut Pins, block: BlockId) {
        pins.blocks.push(block);
        self.wait(pins.slot, block);
    }

    /// Lets go of what was held while its place was taken by another thread.
    pub(crate) fn release_pins(&mut self, pins: &mut Pins) {
        while let Some(block) = pins.blocks.pop() {
            self.release(block);
        }
    }

    /// Holds a block of data of a tree; it is waited for with others later.
    pub(crate) fn hold_data(&mut self, pins: &mut Pins, block: BlockId, now: Nanos) -> HoldOutcome {
        if self.cache.dbufs.exists(block) {
            return self.hold_existing(pins.slot, block, now);
        }
        if !self.hold_parent(pins, block, now) {
            return HoldOutcome::Later;
        }
        if !self.blocks.is_written(block) {
            self.cache.fill(&mut self.clock, &self.blocks, block, now);
            return HoldOutcome::There;
        }
        self.cache.hold_dbuf(&self.blocks, block);
        self.look_up(pins.slot, block, HoldReason::Access, now)
    }
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
    pub(super) fn raise_priority(&mut self, block: BlockId) {
        if self.io.raise_priority(block) {
            self.cache.arc.counters.async_upgrade_sync += 1;
        }
    }
}
