//! Changes: whose turn it is to make one, and what it makes dirty. The doorway for whatever writes.
//!
//! ```text
//!   may_change ──Now / At / Called──> hold the dbufs ──> change(block) ──> let go of them
//! ```
//!
//! A block that has its number and no place yet (`Blocks::is_written`) gets one when its transaction group
//! is written; until then it can only be filled.

use arcwright_units::Nanos;

use super::Stack;
use super::sync::TxgSync;
use crate::clock::{Clock, Event};
use crate::ids::{BlockId, SlotId};
use crate::versions::settings::Settings;
use crate::writes::dirty::Dirty;
use crate::writes::throttle::{Admission, Throttle};
use crate::writes::txg::Txgs;

/// What was changed and is on its way to the disks.
#[derive(Debug)]
pub(crate) struct WritePath {
    pub(crate) dirty: Dirty,
    pub(crate) throttle: Throttle,
    pub(crate) txgs: Txgs,
    /// When the next group is written if nothing asks for it; never, while nothing is dirty.
    timeout: Nanos,
    pub(super) sync: TxgSync,
}

impl WritePath {
    /// Makes the write path of a machine whose pool's last group began to be written at `opened`.
    pub(crate) fn new(dirty: Dirty, settings: &Settings, cores: u32, opened: Nanos) -> Self {
        Self {
            dirty,
            throttle: Throttle::new(settings.txg.dirty.delay_scale),
            txgs: Txgs::new(Nanos::secs(settings.txg.timeout_secs), opened),
            timeout: Nanos::MAX,
            sync: TxgSync::new(cores),
        }
    }

    /// Sets the timer of the open group to `due`.
    pub(super) fn set_timeout(&mut self, clock: &mut Clock, due: Nanos) {
        self.timeout = due;
        clock.push(due, Event::Timeout);
    }

    /// Takes the timer back: the group is being written.
    pub(super) fn clear_timeout(&mut self) {
        self.timeout = Nanos::MAX;
    }

    /// Sets the timer of the open group, if it has none.
    fn expect_txg(&mut self, clock: &mut Clock, now: Nanos) {
        if self.timeout == Nanos::MAX && self.txgs.syncing.is_none() {
            let due = self.txgs.due(now);
            self.set_timeout(clock, due);
        }
    }

    /// Calls the slots that waited for room.
    pub(super) fn call_writers(&mut self, clock: &mut Clock) {
        while let Some((slot, at)) = self.throttle.call(clock.now, &self.dirty) {
            clock.wake(at, Event::Resume(slot));
        }
    }
}

impl Stack {
    /// Asks for `slot`, which began its change at `asked`, whether it may make it now. Where the answer is
    /// not `Now` it goes on with [`Event::Resume`], and need not ask again.
    pub(crate) fn may_change(&mut self, slot: SlotId, asked: Nanos, now: Nanos) -> Admission {
        let admission = self.writes.throttle.ask(slot, asked, now, &self.writes.dirty);
        if let Admission::At(at) = admission {
            self.clock.wake(at, Event::Resume(slot));
        }
        admission
    }

    /// Says whether the open transaction group has changed a block already.
    pub(crate) fn is_changed(&self, block: BlockId) -> bool {
        self.writes.dirty.is_dirty_in(block, self.writes.txgs.open)
    }

    /// Changes a block whose dbuf the caller holds: it is dirty in the open group, and so is what
    /// points to it.
    pub(crate) fn change(&mut self, block: BlockId, now: Nanos) {
        let txg = self.writes.txgs.open;
        if !self.mark_dirty(block, txg) {
            return;
        }
        if self.blocks.is_content(block) {
            self.cache.l2arc.forget(block, &mut self.cache.arc);
            self.cache.arc.rewrite(block);
        }
        // What points to it is dirty as well, all the way up.
        let mut above = self.blocks.parent(block);
        while let Some(parent) = above.filter(|parent| self.mark_dirty(*parent, txg)) {
            above = self.blocks.parent(parent);
        }
        self.io.allow_async_writes(self.writes.dirty.active_writes());
        self.writes.expect_txg(&mut self.clock, now);
        if self.writes.dirty.asks_for_sync(txg) && self.writes.txgs.ask() {
            self.clock.wake(now, Event::Sync);
        }
    }

    /// Counts a block as dirty in a group, which holds its dbuf; false when it is already.
    fn mark_dirty(&mut self, block: BlockId, txg: u64) -> bool {
        let is_new = self.writes.dirty.mark(block, self.blocks.length(block), txg);
        if is_new {
            self.cache.hold_dbuf(&self.blocks, block);
        }
        is_new
    }

    /// Lets `slot` wait until `txg` is on the disks (`txg_wait_synced`).
    pub(super) fn wait_for_txg(&mut self, slot: SlotId, txg: u64, now: Nanos) {
        if self.writes.txgs.wait_for(txg, slot) {
            self.clock.wake(now, Event::Sync);
        }
    }

    pub(super) fn txg_timeout(&mut self) {
        if self.writes.timeout == self.clock.now {
            self.begin_sync();
        }
    }
}
