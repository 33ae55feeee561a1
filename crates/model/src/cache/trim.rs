//! The size of the dbuf cache: the thread that evicts dbufs, and those who evict one as they release one
//! (docs/model/dbuf-cache.md#cache-of-released-dbufs; `dbuf_evict_thread`, `dbuf_evict_notify`, module/zfs/dbuf.c).
//!
//! A release above the target calls the thread; one above the high water mark evicts a dbuf itself first. The thread
//! goes on until the cache is at the low water mark, and looks once a second even if nobody calls it.

use arcwright_units::Nanos;

use super::Cache;
use crate::clock::{Clock, Event};
use crate::pool::blocks::Blocks;
use crate::versions::work::Work;

/// How far the marks are from the target, in percent of it (`dbuf_cache_lowater_pct`, `dbuf_cache_hiwater_pct`).
const WATER_PERCENT: u64 = 10;
/// How long the thread sleeps if nobody calls it (`dbuf_evict_thread`).
const SLEEP: Nanos = Nanos::millis(1000);
/// What the thread evicts in one step of the model, of the target.
const STEP_SHIFT: u32 = 6;

/// The thread that evicts dbufs.
#[derive(Debug, Default)]
pub(super) struct Trimmer {
    is_awake: bool,
    /// It will look by itself.
    is_due: bool,
}

impl Cache {
    /// Keeps the dbuf cache at its size after holds have ended at `at`; returns how long the one who ended them was
    /// at work for that.
    ///
    /// Without a cache a dbuf of data stays for as long as the ARC has its data, and holds its indirect block for that
    /// long (docs/model/dbuf-cache.md#before-the-dbuf-cache); what else goes is part of the release.
    pub(crate) fn trim_dbufs(&mut self, clock: &mut Clock, blocks: &Blocks, at: Nanos) -> Nanos {
        while let Some(block) = self.arc.orphans.pop() {
            self.release_parent(blocks, block);
        }
        if !self.rules.has_dbuf_cache {
            while self.evict_dbuf(blocks) {}
            return Nanos::ZERO;
        }
        let target = self.dbuf_target();
        if self.dbufs.bytes() > target.high {
            return self.evict_as_released(clock, blocks, (at, target.high));
        }
        self.dbufs.take_released();
        self.call_trimmer(clock, at);
        Nanos::ZERO
    }

    /// The thread goes on: evicts some dbufs, and returns how many; none when it sleeps.
    pub(crate) fn trim_on(&mut self, blocks: &Blocks) -> u64 {
        let target = self.dbuf_target();
        let stop = target.low.max(self.dbufs.bytes().saturating_sub(target.step));
        let mut evicted = 0;
        while self.dbufs.bytes() > stop && self.evict_dbuf(blocks) {
            evicted += 1;
        }
        self.trimmer.is_awake = evicted > 0;
        evicted
    }

    /// The thread has slept for long enough; says whether it goes on.
    pub(crate) fn trimmer_is_due(&mut self) -> bool {
        self.trimmer.is_due = false;
        !std::mem::replace(&mut self.trimmer.is_awake, true)
    }

    /// Evicts one dbuf for each one that was released since, as long as the cache is above its high water mark.
    fn evict_as_released(
        &mut self,
        clock: &mut Clock,
        blocks: &Blocks,
        (at, high): (Nanos, u64),
    ) -> Nanos {
        let mut evicted = 0;
        for _ in 0..self.dbufs.take_released() {
            if self.dbufs.bytes() <= high || !self.evict_dbuf(blocks) {
                break;
            }
            evicted += 1;
        }
        self.call_trimmer(clock, at);
        clock.lock_ops(evicted * clock.counts.count(Work::DbufEvict))
    }

    /// Calls the thread if there is something for it.
    fn call_trimmer(&mut self, clock: &mut Clock, at: Nanos) {
        let (target, bytes) = (self.dbuf_target(), self.dbufs.bytes());
        if self.trimmer.is_awake {
            return;
        }
        if bytes > target.bytes {
            self.trimmer.is_awake = true;
            clock.wake(at, Event::TrimDbufs);
        } else if bytes > target.low && !self.trimmer.is_due {
            self.trimmer.is_due = true;
            clock.push(at + SLEEP, Event::TrimmerDue);
        }
    }

    fn dbuf_target(&self) -> Target {
        let bytes = self.arc.target.c >> self.rules.dbuf_cache_shift;
        let water = bytes * WATER_PERCENT / 100;
        Target {
            bytes,
            low: bytes - water,
            high: bytes + water,
            step: (bytes >> STEP_SHIFT).max(1),
        }
    }

    /// Evicts the oldest dbuf of the cache; says whether there was one.
    fn evict_dbuf(&mut self, blocks: &Blocks) -> bool {
        let Some(block) = self.dbufs.oldest() else { return false };
        let bytes = self.weight(blocks, block);
        self.dbufs.evict(block, bytes);
        self.dbuf_gone(blocks, block);
        true
    }
}

/// How large the dbuf cache is to be, in bytes.
#[derive(Debug, Clone, Copy)]
struct Target {
    bytes: u64,
    low: u64,
    high: u64,
    step: u64,
}
