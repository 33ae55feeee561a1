//! Making room before FreeBSD 11: a new block takes the memory of an old one (openzfs-model.md §1.14;
//! `arc_get_data_buf` and `arc_reclaim_thread`, arc.c 2010 to 2014).
//!
//! There is no thread that keeps the ARC within its target, unless the kernel lacks memory. A block that is
//! read while the ARC is above its target evicts one of its size from the list that is above its share:
//! a new block takes from the MFU only while the MRU is below `p`, one that comes back to the MFU takes
//! from the MRU only while the MFU is below the rest. When all that could go is protected, memory is
//! taken all the same and the ARC is too large by that much. While the ARC fills, `p` follows
//! the MRU up, to the whole of the ARC if need be. Ghosts are trimmed once a second when both lists and
//! their ghosts are twice the target.
//!
//! Ghost hits do not move `p`: a block that comes back is given its new state first, and only then the
//! target is adapted, by a state that is no ghost any more (`arc_read`, in zfs-fuse 0.7.0).
//!
//! A small case: c = 100, p = 50, MRU 60, MFU 40: a new block of 1 takes from the MRU. With MRU 40 and MFU 60 it
//! takes from the MFU.

use arcwright_units::Nanos;

use super::{Arc, HAS_DBUF, Kind, State};
use crate::blocks::Block;

/// How often the reclaim thread looks.
const RECLAIM: Nanos = Nanos::SECOND;

/// What making room block by block has to remember.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Recycling {
    /// When the reclaim thread looks next.
    next: Nanos,
}

impl Arc {
    /// Makes room for a block of `bytes` that was in state `before`, where that is how room is made.
    pub(super) fn recycle(
        &mut self,
        (bytes, kind): (u64, Kind),
        (before, prefetch): (State, bool),
        now: Nanos,
    ) {
        let Some(recycling) = self.recycling else { return };
        if now >= recycling.next {
            self.recycling = Some(Recycling { next: now + RECLAIM });
            self.reclaim(now);
        }
        let to_mfu = matches!(before, State::MruGhost | State::MfuGhost) && !prefetch;
        if self.is_full(kind) {
            let victim = self.victim((bytes, kind), to_mfu);
            self.evict_list(victim, kind, i128::from(bytes), now);
        }
        let is_new = before == State::Absent;
        if is_new && self.size() < self.c && self.recent() + bytes > self.p {
            self.p = (self.p + bytes).min(self.c);
        }
    }

    /// Says that a block's dbuf stays for as long as its data.
    pub(crate) fn keep_dbuf(&mut self, block: Block) {
        self.set(block, HAS_DBUF);
    }

    /// The metadata limit is a quarter of the largest ARC (`arc_meta_limit`).
    fn is_full(&self, kind: Kind) -> bool {
        let is_limited = kind == Kind::Metadata && self.metadata_used() >= self.c_max / 4;
        is_limited || self.size() > self.c
    }

    fn recent(&self) -> u64 {
        self.bytes(State::Anon) + self.bytes(State::Mru)
    }

    /// Returns the list that gives way.
    fn victim(&self, (bytes, kind): (u64, Kind), to_mfu: bool) -> State {
        let can_give = |state: State| self.evictable_of(state, kind) >= bytes;
        if to_mfu {
            let is_below = self.c - self.p > self.bytes(State::Mfu);
            if can_give(State::Mru) && is_below { State::Mru } else { State::Mfu }
        } else {
            let is_below = self.p > self.recent();
            if can_give(State::Mfu) && is_below { State::Mfu } else { State::Mru }
        }
    }

    fn reclaim(&mut self, now: Nanos) {
        let ghosts = self.bytes(State::MruGhost) + self.bytes(State::MfuGhost);
        if 2 * self.c < self.size() + ghosts {
            self.evict_by_target(now);
        }
    }
}
