//! Changes: who may make one now, and what it makes dirty. The doorway for whatever writes.
//!
//! ```text
//!   may_change ──Now / At / Called──> hold the dbufs ──> change(block) ──> let go of them
//! ```
//!
//! A block that has its number and no place yet (`Blocks::is_written`) gets one when its group is
//! written; until then it can only be filled.

use arcwright_units::Nanos;

use super::World;
use crate::blocks::Block;
use crate::events::Event;
use crate::throttle::Turn;

impl World {
    /// Asks for `lane`, which began its change at `asked`, whether it may make it now. Who is not told
    /// `Now` goes on with [`Event::Resume`], and needs not ask again.
    pub(crate) fn may_change(&mut self, lane: u32, asked: Nanos, now: Nanos) -> Turn {
        let turn = self.throttle.ask(lane, asked, now, &self.dirty);
        if let Turn::At(at) = turn {
            self.events.push(at + self.costs.switch, Event::Resume(lane));
        }
        turn
    }

    /// Says whether the open transaction group has changed a block already.
    pub(crate) fn is_changed(&self, block: Block) -> bool {
        self.dirty.is_dirty_in(block, self.groups.open)
    }

    /// Gives a block new content without a look at the old: its dbuf, which must not be there, is made
    /// and held. What the dbuf has is all there is of it until it is written, when the ARC makes a copy of
    /// its own (`arc_write_ready`, arc.c).
    pub(crate) fn fill(&mut self, block: Block, now: Nanos) {
        self.hold_dbuf(block);
        self.l2arc.forget(block, &mut self.arc);
        self.arc.fill(block, now);
        self.filled[block as usize] = true;
    }

    /// Changes a block whose dbuf the caller holds: it is dirty in the open group, and so is what
    /// points to it.
    pub(crate) fn change(&mut self, block: Block, now: Nanos) {
        let group = self.groups.open;
        let bytes = self.blocks.length(block);
        if !self.dirty.mark(block, bytes, group) {
            return;
        }
        self.hold_dbuf(block);
        if self.blocks.is_content(block) {
            self.l2arc.forget(block, &mut self.arc);
            self.arc.rewrite(block);
        }
        if let Some(parent) = self.blocks.parent(block) {
            self.change_above(parent, group);
        }
        self.expect_group(now);
        if self.dirty.asks_for_sync(group) && self.groups.ask() {
            self.events.push(now + self.costs.switch, Event::Sync);
        }
    }

    /// Makes what points to a changed block dirty, all the way up; the dbufs are held by those below.
    fn change_above(&mut self, mut parent: Block, group: u64) {
        while self.dirty.mark(parent, self.blocks.length(parent), group) {
            self.hold_dbuf(parent);
            let Some(above) = self.blocks.parent(parent) else { return };
            parent = above;
        }
    }

    /// Lets `lane` wait until `group` is on the disks (`txg_wait_synced`).
    pub(crate) fn wait_for_group(&mut self, lane: u32, group: u64, now: Nanos) {
        if self.groups.wait_for(group, lane) {
            self.events.push(now + self.costs.switch, Event::Sync);
        }
    }

    /// Calls those that waited for room.
    pub(super) fn call_writers(&mut self) {
        while let Some((lane, at)) = self.throttle.call(self.now, &self.dirty) {
            self.events.push(at + self.costs.switch, Event::Resume(lane));
        }
    }

    /// Sets the timer of the open group, if nobody has.
    fn expect_group(&mut self, now: Nanos) {
        if self.timeout == Nanos::MAX && self.groups.syncing.is_none() {
            self.timeout = self.groups.due(now);
            self.events.push(self.timeout, Event::Timeout);
        }
    }

    pub(super) fn group_timeout(&mut self) {
        if self.timeout == self.now {
            self.begin_sync();
        }
    }
}
