//! Holding the dbufs of metadata and data: an indirect block, a block of dnodes, of a directory, of a file
//! (`dbuf_hold_impl` and `dbuf_findbp`, dbuf.c 0.7 to 2.3).
//!
//! A dbuf that is there is held, and the ARC is told of it. One that is not there is made: first the
//! indirect block that points to it is held in the same way, which then stays held as long as the new
//! dbuf exists; where the dnode itself points to it, the dnode's block is held, of which the ARC is not
//! told. A thread that has to wait for a block keeps it held meanwhile ([`Pins`]), and goes on with it when it
//! is there: that is no second access. One that was never written is made without reading.

use arcwright_units::Nanos;

use super::ReadPath;
use crate::cache::arc::{HAS_DBUF, Lookup};
use crate::ids::{BlockId, FileId, SlotId};
use crate::versions::work::Work;

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

/// What came of holding a block of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HoldOutcome {
    /// It is there.
    There,
    /// It is held and on its way, because of an earlier request.
    OnItsWay,
    /// It is held, and a read was sent.
    Sent,
    /// What points to it has to come first: ask again.
    Later,
}

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
            self.cache.fill(&self.blocks, block, now);
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

    /// Lets go of the dbuf of a block.
    pub(crate) fn release(&mut self, block: BlockId) {
        self.cache.release_dbuf(&self.blocks, block);
    }

    /// Lets go of what was held while its place was taken by another thread.
    pub(crate) fn release_pins(&mut self, pins: &mut Pins) {
        while let Some(block) = pins.blocks.pop() {
            self.release(block);
        }
    }

    fn pin(&mut self, pins: &mut Pins, block: BlockId) {
        pins.blocks.push(block);
        self.wait(pins.slot, block);
    }

    /// Makes a slot wait for a block that is on its way.
    fn wait(&mut self, slot: SlotId, block: BlockId) {
        self.waits.add(slot);
        self.io.wait_for(block, slot);
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
            self.cache.fill(&self.blocks, block, now);
            return HoldOutcome::There;
        }
        self.cache.hold_dbuf(&self.blocks, block);
        self.look_up(pins.slot, block, now)
    }

    /// Holds a block of a file.
    pub(crate) fn hold_block(
        &mut self,
        pins: &mut Pins,
        file: FileId,
        index: u32,
        now: Nanos,
    ) -> HoldOutcome {
        let block = self.blocks.file(file).block(index);
        if self.cache.dbufs.exists(block) {
            return self.hold_existing(pins.slot, block, now);
        }
        if !self.cache.arc.cell(block).is(HAS_DBUF)
            && let Some(parent) = self.blocks.file(file).indirect_of(index)
            && !self.hold(pins, parent, now)
        {
            return HoldOutcome::Later;
        }
        self.cache.hold_dbuf(&self.blocks, block);
        self.look_up(pins.slot, block, now)
    }

    /// Holds the dbuf of a block of data once more, and waits for it where it is on its way.
    fn hold_existing(&mut self, slot: SlotId, block: BlockId, now: Nanos) -> HoldOutcome {
        self.cache.hold_again(&self.blocks, block, now);
        if self.cache.is_in_flight(block) {
            self.wait(slot, block);
            return HoldOutcome::OnItsWay;
        }
        HoldOutcome::There
    }

    /// Asks the ARC for a block whose dbuf is held, and waits for it where it is not there.
    fn look_up(&mut self, slot: SlotId, block: BlockId, now: Nanos) -> HoldOutcome {
        match self.cache.arc.read(block, now, false) {
            Lookup::Hit => {
                self.cache.add_copy(&mut self.clock, block, now);
                HoldOutcome::There
            }
            Lookup::InFlight => {
                self.raise_priority(block);
                self.wait(slot, block);
                HoldOutcome::OnItsWay
            }
            found => {
                self.start_read(block, found, true, now);
                self.wait(slot, block);
                HoldOutcome::Sent
            }
        }
    }

    /// Asks for a block of metadata ahead, as urgently as if a thread waited for it (`dmu_prefetch` with
    /// `ZIO_PRIORITY_SYNC_READ`); returns the lock operations of its read.
    pub(crate) fn look_ahead(&mut self, block: BlockId, now: Nanos) -> u64 {
        if self.cache.dbufs.exists(block) {
            return 0;
        }
        let mut count = 0;
        if let Some(parent) = self.blocks.parent(block)
            && self.cache.dbufs.exists(parent)
            && !self.cache.is_in_flight(parent)
        {
            self.cache.arc.touch(parent, now);
            count += self.clock.counts.count(Work::MetadataHold);
        }
        match self.cache.arc.read(block, now, true) {
            Lookup::Hit | Lookup::InFlight => count,
            found => {
                let read = self.start_read(block, found, false, now);
                self.io.send_urgently(block);
                count + self.clock.counts.count(Work::Prefetch) + read
            }
        }
    }
}
