//! Changes: whose turn it is to make one, and what it makes dirty. The doorway for whatever writes.
//!
//! ```text
//!   may_change ──Now / At / Called──> hold the dbufs ──> change(block) ──> let go of them
//! ```
//!
//! A block that has its number and no place yet (`Blocks::is_written`) gets one when its transaction group
//! is written; until then it can only be filled.

use arcwright_units::Nanos;

use super::Moments;
use super::sync::TxgSync;
use super::{LogPath, ReadPath};
use crate::cache::arc::{ArcCache, State};
use crate::clock::{Clock, Event};
use crate::ids::{BlockId, SlotId};
use crate::versions::behaviour::Behaviour;
use crate::versions::settings::Settings;
use crate::writes::copies::Copies;
use crate::writes::dirty::Dirty;
use crate::writes::throttle::{Admission, Throttle, Writer};
use crate::writes::txg::Txgs;

/// How much of the ARC may be new, and how much of that must be dirty for a change to wait, percent
/// (`zfs_arc_dirty_limit_percent`, `zfs_arc_pool_dirty_percent`). A second limit, of half as much, always holds then.
const ARC_PERCENT: u64 = 50;
const DIRTY_PERCENT: u64 = 20;

/// What was changed and is on its way to the disks.
#[derive(Debug)]
pub(crate) struct WritePath {
    pub(crate) dirty: Dirty,
    pub(crate) throttle: Throttle,
    pub(crate) txgs: Txgs,
    /// When the next group is written if nothing asks for it; never, while nothing is dirty.
    timeout: Nanos,
    pub(super) sync: TxgSync,
    /// Second copies of what is new in the ARC.
    pub(super) copies: Copies,
    /// When content was changed.
    changes: Moments,
    /// Whether a transaction holds many records of a request, or one.
    pub(crate) long_transactions: bool,
    /// Whether what is new in the ARC is held against the most that the ARC may have, or against its target.
    counts_arc_max: bool,
}

impl WritePath {
    /// Makes the write path of a machine with so many `cores`, whose pool's last group began to be written at
    /// `opened`.
    pub(crate) fn new(
        dirty: Dirty,
        behaviour: &Behaviour,
        settings: &Settings,
        cores: u32,
        opened: Nanos,
    ) -> Self {
        Self {
            dirty,
            throttle: Throttle::new(settings.txg.dirty.delay_scale),
            txgs: Txgs::new(Nanos::secs(settings.txg.timeout_secs), opened),
            timeout: Nanos::MAX,
            sync: TxgSync::new(behaviour.txg, settings.txg.flushes, cores),
            copies: Copies::default(),
            changes: Moments::default(),
            long_transactions: behaviour.long_transactions,
            counts_arc_max: behaviour.txg.counts_arc_max,
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
        while let Some(Writer { slot, at }) = self.throttle.call(clock.now, &self.dirty) {
            clock.wake(at, Event::Resume(slot));
        }
    }

    /// Asks for `slot`, which began its change at `asked`, whether it may make it now. Where the answer is
    /// not `Now` it goes on with [`Event::Resume`], and need not ask again.
    pub(crate) fn may_change(
        &mut self,
        reads: &mut ReadPath,
        slot: SlotId,
        asked: Nanos,
        now: Nanos,
    ) -> Admission {
        let ReadPath { clock, cache, .. } = reads;
        if self.fills_arc(&cache.arc) {
            self.throttle.hold(slot, asked);
            if self.txgs.syncing.is_none() && self.txgs.ask() {
                clock.wake(now, Event::Sync);
            }
            return Admission::Called;
        }
        let admission = self.throttle.ask(slot, asked, now, &self.dirty);
        if let Admission::At(at) = admission {
            clock.wake(at, Event::Resume(slot));
        }
        admission
    }

    /// Says whether so much of the ARC is new that a change waits for the end of a group
    /// (docs/model/txg.md#anonymous-data-in-the-arc; `arc_tempreserve_space`, arc.c).
    fn fills_arc(&self, arc: &ArcCache) -> bool {
        let new = arc.bytes(State::Anon) + self.copies.bytes();
        let base = if self.counts_arc_max { arc.target.c_max } else { arc.target.c };
        let is_much = new > base / 100 * ARC_PERCENT;
        // Otherwise it is what is on its way from the disks.
        is_much && self.dirty.total() > new / 100 * DIRTY_PERCENT
    }

    /// A group is on the disks: lets those go on who were held for the ARC, as far as the throttle lets them, or says that
    /// the open group is to be written for them.
    pub(super) fn admit_held(&mut self, clock: &mut Clock, arc: &ArcCache) -> bool {
        let now = clock.now;
        for _ in 0..self.throttle.held() {
            if self.fills_arc(arc) {
                return self.txgs.ask();
            }
            if let Some(Writer { slot, at }) = self.throttle.admit(now, &self.dirty) {
                clock.wake(at, Event::Resume(slot));
            }
        }
        false
    }

    /// Says whether the open transaction group has changed a block already.
    pub(crate) fn is_changed(&self, block: BlockId) -> bool {
        self.dirty.is_dirty_in(block, self.txgs.open)
    }

    /// Says whether a block that is changed in the open group was not yet at `now`.
    pub(crate) fn was_unchanged(&self, block: BlockId, now: Nanos) -> bool {
        self.changes.is_later(block, now)
    }

    /// Changes a block whose dbuf the caller holds: it is dirty in the open group, and so is what
    /// points to it.
    pub(crate) fn change(&mut self, reads: &mut ReadPath, block: BlockId, now: Nanos) {
        let txg = self.txgs.open;
        if !self.mark_dirty(reads, block, txg) {
            return;
        }
        if reads.blocks.is_content(block) {
            self.changes.add(block, now);
            reads.cache.l2arc.forget(block, &mut reads.cache.arc);
            let cell = reads.cache.arc.cell(block);
            if cell.state != State::Anon {
                // All that the ARC has of it, where it is encrypted both ways.
                self.copies.changed(u64::from(cell.size));
            }
            reads.cache.arc.rewrite(block);
        }
        // What points to it is dirty as well, all the way up.
        let mut above = reads.blocks.parent(block);
        while let Some(parent) = above.filter(|parent| self.mark_dirty(reads, *parent, txg)) {
            above = reads.blocks.parent(parent);
        }
        reads.io.allow_async_writes(self.dirty.active_writes());
        self.expect_txg(&mut reads.clock, now);
        if self.dirty.asks_for_sync(txg) && self.txgs.ask() {
            reads.clock.wake(now, Event::Sync);
        }
    }

    /// Counts a block as dirty in a group, which holds its dbuf; false when it is already.
    fn mark_dirty(&mut self, reads: &mut ReadPath, block: BlockId, txg: u64) -> bool {
        let is_new = self.dirty.mark(block, reads.blocks.length(block), txg);
        if is_new {
            reads.cache.hold_dbuf(&reads.blocks, block);
        }
        is_new
    }

    /// Lets `slot` wait until `txg` is on the disks (`txg_wait_synced`).
    pub(super) fn wait_for_txg(&mut self, clock: &mut Clock, slot: SlotId, txg: u64) {
        if self.txgs.wait_for(txg, slot) {
            clock.wake(clock.now, Event::Sync);
        }
    }

    /// It may be time for the open group: begins to write it, unless its timer was set anew.
    pub(crate) fn txg_timeout(&mut self, reads: &mut ReadPath, log: &mut LogPath) {
        if self.timeout == reads.clock.now {
            self.begin_sync(reads, log);
        }
    }
}
