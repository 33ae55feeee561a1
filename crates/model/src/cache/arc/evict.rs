//! Making room: growth of the target, when eviction runs, and evicting from one list
//! (docs/model/arc.md#when-eviction-runs).
#![expect(clippy::indexing_slicing, reason = "indices are block numbers and sublists")]

use arcwright_units::Nanos;

use super::{ArcCache, HAS_DBUF, HAS_L2, Kind, L2_WRITING, L2CACHE, METADATA, PREFETCH, State};
use crate::ids::BlockId;
use crate::versions::rules::ArcRules;

/// The largest block (`SPA_MAXBLOCKSIZE`).
pub(super) const BLOCK_MAX: u64 = 16 << 20;
/// Headers taken from a sublist before it is the next one's turn (`zfs_arc_evict_batch_limit`).
const BATCH: usize = 10;
/// Fewer bytes to evict are too few blocks for a walk ahead.
const WARM_BYTES_MIN: u64 = 4 << 20;
/// Sublists that are walked side by side.
const WARM_MAX: usize = 8;

/// What the eviction thread is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Eviction {
    /// There is no thread: room is made where it is needed, in no time.
    AtOnce,
    Asleep,
    /// It was called and has not begun.
    Called,
    OfMru,
    /// The MRU has its turn behind it.
    OfMfu {
        freed: u64,
    },
}

impl ArcCache {
    /// Makes a cache of one in so many bytes go as little beyond its target as the whole one would.
    pub(crate) fn scale_overshoot(&mut self, one_in: u64) {
        self.evictor.block_max = BLOCK_MAX / one_in.max(1);
    }

    /// Makes room for `bytes` of new data; `fresh` says that the block was not known before.
    pub(super) fn make_room(&mut self, bytes: u64, fresh: bool, now: Nanos) {
        if self.recycling.is_some() {
            return;
        }
        self.grow(bytes, fresh);
        let over = self.usage.sum.lower_bound() - self.target.c.cast_signed();
        let slack = match self.policy.rules {
            ArcRules::Target => self.evictor.block_max.max(self.target.c >> 8) / 2,
            ArcRules::Fractions => self.evictor.block_max,
        };
        if over < slack.cast_signed() {
            return;
        }
        match self.evictor.eviction {
            Eviction::AtOnce => self.evict(now),
            Eviction::Asleep => self.evictor.eviction = Eviction::Called,
            Eviction::Called | Eviction::OfMru | Eviction::OfMfu { .. } => {}
        }
    }

    /// Says whether the eviction thread has just been called, and wakes it.
    pub(crate) fn wakes_eviction(&mut self) -> bool {
        let called = self.evictor.eviction == Eviction::Called;
        if called {
            self.evictor.eviction = Eviction::OfMru;
        }
        called
    }

    /// Does the next half of a pass of the eviction thread; returns how many blocks it went through,
    /// none when the thread sleeps again.
    ///
    /// Up to 2.1 the second half looks at the size anew: what was read while the first half was at
    /// work goes from the MFU, although the MRU is above its target (arc_evict, arc.c 2.0 and 2.1).
    pub(crate) fn evict_on(&mut self, now: Nanos) -> Option<u64> {
        self.read_size();
        let before = self.evictor.evicted;
        match self.evictor.eviction {
            Eviction::OfMru => {
                let freed = self.evict_mru_by_target(now);
                self.evictor.eviction = Eviction::OfMfu { freed };
            }
            Eviction::OfMfu { freed } => {
                let freed = freed + self.evict_mfu_by_target(now);
                if freed == 0 || self.size() <= self.target.c {
                    self.evictor.eviction = Eviction::Asleep;
                    return None;
                }
                self.evictor.eviction = Eviction::OfMru;
            }
            Eviction::AtOnce | Eviction::Asleep | Eviction::Called => return None,
        }
        Some(self.evictor.evicted - before)
    }

    fn grow(&mut self, bytes: u64, fresh: bool) {
        if self.target.c < self.target.c_max && self.size() + 2 * BLOCK_MAX >= self.target.c {
            let more = match self.policy.rules {
                ArcRules::Target => bytes,
                ArcRules::Fractions => bytes.max(128 << 10),
            };
            self.target.c = (self.target.c + more).min(self.target.c_max);
            if self.policy.rules == ArcRules::Target && fresh && self.target.p < self.target.c / 2 {
                self.target.p = (self.target.p + bytes).min(self.target.c);
            }
        }
        if self.policy.rules == ArcRules::Target
            && fresh
            && self.target.p < self.target.c / 2
            && self.bytes(State::Anon) + self.bytes(State::Mru) > self.target.p
            && self.size() < self.target.c
        {
            self.target.p = (self.target.p + bytes).min(self.target.c);
        }
    }

    /// Returns what the ARC has above its target, negative below it.
    pub(super) fn excess_bytes(&self) -> i128 {
        i128::from(self.size()) - i128::from(self.target.c)
    }

    /// Reads the size exactly, which empties the lagging sum.
    fn read_size(&mut self) {
        self.usage.sum.read(self.size().cast_signed());
    }

    /// Evicts until the ARC is within its target, or nothing more can go.
    fn evict(&mut self, now: Nanos) {
        // As many passes as the kernel's thread makes; each one frees something or is the last.
        while self.size() > self.target.c {
            self.read_size();
            let freed = match self.policy.rules {
                ArcRules::Target => self.evict_by_target(now),
                ArcRules::Fractions => self.evict_by_fractions(now),
            };
            if freed == 0 {
                break;
            }
        }
        self.read_size();
    }

    /// Evicts up to `wanted` bytes from a list and returns how many went.
    pub(super) fn evict_list(&mut self, state: State, kind: Kind, wanted: i128, now: Nanos) -> u64 {
        let Some(wanted) = positive(wanted) else { return 0 };
        let wanted = wanted.min(self.evictable_of(state, kind));
        if wanted == 0 {
            return 0;
        }
        let list = Self::list(state, kind);
        let mut cursors = std::mem::take(&mut self.evictor.cursors);
        cursors.clear();
        cursors.extend((0..self.lists.sublists()).map(|sublist| self.lists.tail(list, sublist)));
        let freed = self.evict_from(&mut cursors, wanted, now);
        self.evictor.cursors = cursors;
        freed
    }

    /// Evicts `wanted` bytes from where the cursors stand, a batch from each sublist in turn.
    fn evict_from(&mut self, cursors: &mut [Option<BlockId>], wanted: u64, now: Nanos) -> u64 {
        let sublists = self.lists.sublists();
        let start = self.random_sublist();
        let mut freed = 0;
        loop {
            let before = freed;
            if wanted - freed > WARM_BYTES_MIN {
                std::hint::black_box(self.warm_ahead(cursors));
            }
            for turn in 0..sublists {
                let sublist = (start + turn) % sublists;
                let mut cursor = cursors[sublist as usize];
                let mut taken = 0;
                while let Some(block) = cursor {
                    if taken == BATCH || freed >= wanted {
                        break;
                    }
                    cursor = self.lists.before(block);
                    if let Some(bytes) = self.evict_block(block, now) {
                        freed += bytes;
                        taken += 1;
                    }
                }
                cursors[sublist as usize] = cursor;
                if freed >= wanted {
                    return freed;
                }
            }
            if freed == before {
                self.counters.evict_not_enough += 1;
                return freed;
            }
        }
    }

    /// Walks the sublists side by side as far as the next round will go, so that the processor fetches
    /// from all of them at once; one after the other, each block waits for the one before.
    fn warm_ahead(&self, cursors: &[Option<BlockId>]) -> u64 {
        let mut seen = 0;
        let mut ahead = [None; WARM_MAX];
        for (place, cursor) in ahead.iter_mut().zip(cursors) {
            *place = *cursor;
        }
        for _ in 0..BATCH {
            for cursor in &mut ahead {
                if let Some(block) = *cursor {
                    seen += u64::from(self.lists[block].flags);
                    *cursor = self.lists.before(block);
                }
            }
        }
        seen
    }

    /// Evicts one block: to its ghost list, or out of it; none when its time has not come.
    fn evict_block(&mut self, block: BlockId, now: Nanos) -> Option<u64> {
        let cell = self.lists[block];
        let size = u64::from(cell.size);
        let to = match cell.state {
            State::Mru => State::MruGhost,
            State::Mfu => State::MfuGhost,
            _ => return self.forget(block),
        };
        let life = Nanos::millis(self.settings.arc.min_prefetch_ms);
        if (cell.is(PREFETCH) || self.kinds.is_indirect(block)) && now < cell.access + life {
            self.counters.evict_skip += 1;
            return None;
        }
        // Counted as it was before compression.
        let length = self.length(block);
        match (cell.is(HAS_L2), cell.is(L2CACHE)) {
            (true, _) => self.counters.evict_l2_cached += length,
            (false, true) => self.counters.evict_l2_eligible += length,
            (false, false) => self.counters.evict_l2_ineligible += length,
        }
        self.evictor.evicted += 1;
        if cell.is(HAS_DBUF) {
            self.clear(block, HAS_DBUF);
            self.orphans.push(block);
        }
        self.change(block, |cell| cell.state = to);
        Some(size)
    }

    fn forget(&mut self, block: BlockId) -> Option<u64> {
        let cell = self.lists[block];
        let size = self.counted(block, &cell);
        if cell.is(L2_WRITING) {
            return None;
        }
        self.counters.deleted += 1;
        self.change(block, |cell| {
            if cell.is(HAS_L2) {
                cell.state = State::L2Only;
            } else {
                cell.state = State::Absent;
                cell.flags &= METADATA;
            }
        });
        Some(size)
    }
}

/// Returns so many bytes if they are more than none.
fn positive(bytes: i128) -> Option<u64> {
    debug_assert!(bytes <= i128::from(u64::MAX), "{bytes} are more bytes than any memory has");
    u64::try_from(bytes).ok().filter(|bytes| *bytes > 0)
}
