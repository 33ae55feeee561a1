//! Making room before FreeBSD 11: a new block takes the memory of an old one (docs/model/arc.md#recycling-eviction;
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
//! From changeset 11805 of OpenSolaris on (2010; zfs-fuse 0.7.0 has it, FreeBSD 8 does not) a block that comes
//! back is given its new state first, which counts its size, and then its memory, which counts it again.
//! So ghost hits do not move `p` any more, and the MRU seems larger with each one that a prefetch
//! has: once it seems larger than `p` it pays for everything, and the MFU for nothing.
//!
//! A small case: c = 100, p = 50, MRU 60, MFU 40: a new block of 1 takes from the MRU. With MRU 40 and MFU 60 it
//! takes from the MFU.
#![expect(clippy::indexing_slicing, reason = "an array of two by a flag")]

use arcwright_units::Nanos;

use super::{ArcCache, HAS_DBUF, Kind, State};
use crate::ids::BlockId;
use crate::versions::behaviour::ArcBehaviour;

/// How often the reclaim thread looks.
const RECLAIM: Nanos = Nanos::SECOND;

/// What making room block by block has to remember.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Recycling {
    /// When the reclaim thread looks next.
    next: Nanos,
    /// Whether blocks that come back are counted twice.
    twice: bool,
    /// What the MRU and the MFU seem larger by.
    excess: [u64; 2],
}

impl Recycling {
    /// Returns what there is to remember where room is made so.
    pub(super) fn of(behaviour: &ArcBehaviour) -> Option<Self> {
        let twice = behaviour.counts_ghosts_twice;
        behaviour.recycles.then_some(Self { twice, ..Self::default() })
    }
}

/// A block that room is made for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Comer {
    pub(super) bytes: u64,
    pub(super) kind: Kind,
    /// What it was in so far.
    pub(super) before: State,
    pub(super) is_prefetched: bool,
}

impl ArcCache {
    /// Makes room for a block, where this is how room is made.
    pub(super) fn recycle(&mut self, comer: Comer, now: Nanos) {
        let Comer { bytes, kind, before, is_prefetched } = comer;
        let Some(recycling) = self.recycling else { return };
        if now >= recycling.next {
            self.recycling = Some(Recycling { next: now + RECLAIM, ..recycling });
            self.reclaim(now);
        }
        let was_ghost = matches!(before, State::MruGhost | State::MfuGhost);
        let is_mfu = before == State::MfuGhost || (recycling.twice && was_ghost);
        let to_mfu = is_mfu && !is_prefetched;
        if self.is_full(kind) {
            let victim = self.victim(comer, to_mfu);
            self.evict_list(victim, kind, i128::from(bytes), now);
        }
        if was_ghost && let Some(recycling) = self.recycling.as_mut().filter(|it| it.twice) {
            recycling.excess[usize::from(to_mfu)] += bytes;
        }
        let is_new = before == State::Absent;
        if is_new && self.size() < self.target.c && self.recent() + bytes > self.target.p {
            self.target.p = (self.target.p + bytes).min(self.target.c);
        }
    }

    /// Says that a block's dbuf stays for as long as its data.
    pub(crate) fn keep_dbuf(&mut self, block: BlockId) {
        self.set(block, HAS_DBUF);
    }

    /// Says whether a block of `kind` has to take the place of another one.
    fn is_full(&self, kind: Kind) -> bool {
        let is_limited = kind == Kind::Metadata && self.metadata_used() >= self.target.limits.max;
        is_limited || self.size() > self.target.c
    }

    /// Returns whether a hit on a ghost list moves the target.
    pub(super) fn ghosts_move_target(&self) -> bool {
        self.recycling.is_none_or(|recycling| !recycling.twice)
    }

    fn excess(&self) -> [u64; 2] {
        self.recycling.map_or([0; 2], |recycling| recycling.excess)
    }

    fn recent(&self) -> u64 {
        self.bytes(State::Anon) + self.bytes(State::Mru) + self.excess()[0]
    }

    /// Returns the list that gives way: the other one, as long as the block's own is below its share of the
    /// target and the other has that much to give.
    fn victim(&self, comer: Comer, to_mfu: bool) -> State {
        let (mru, mfu) = (self.recent(), self.bytes(State::Mfu) + self.excess()[1]);
        let share = self.target.p;
        let (own, other, is_below) = if to_mfu {
            (State::Mfu, State::Mru, mfu < self.target.c - share)
        } else {
            (State::Mru, State::Mfu, mru < share)
        };
        if is_below && self.evictable_of(other, comer.kind) >= comer.bytes { other } else { own }
    }

    fn reclaim(&mut self, now: Nanos) {
        let ghosts = self.bytes(State::MruGhost) + self.bytes(State::MfuGhost);
        if 2 * self.target.c < self.size() + ghosts {
            self.evict_by_target(now);
        }
    }
}
