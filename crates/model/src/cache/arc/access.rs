//! What a read does to a block, up to 2.1 and from 2.2 on (docs/model/arc.md#access-rules-by-request, #access-rules-by-header-flags).
//!
//! Up to 2.1 a block's own flags decide: the first hold clears its prefetch flag, so a demand hit more
//! than 62 ms after the prefetch makes it MFU at once; a demand that joins a prefetch in flight is
//! counted nowhere and leaves the block out of the L2ARC. From 2.2 on the request decides: the first
//! demand hit never promotes, and joins count as iohits (arc.c 2.1 and 2.2.10).
#![expect(clippy::indexing_slicing, reason = "indices are block numbers")]

use arcwright_units::Nanos;

use super::lookup::{Asker, Lookup};
use super::recycle::Comer;
use super::{
    ArcCache, HAS_L2, IN_FLIGHT, L2_WRITING, L2CACHE, METADATA, PREDICTIVE, PREFETCH, PRESCIENT,
    State,
};
use crate::ids::BlockId;
use crate::versions::rules::ArcRules;

impl ArcCache {
    /// Reads a block, for a client or ahead of one.
    pub(crate) fn read(&mut self, block: BlockId, now: Nanos, prefetch: bool) -> Lookup {
        self.read_by(block, now, if prefetch { Asker::Prefetcher } else { Asker::Client })
    }

    /// Reads a block because part of it is to be written, from 2.4.1 on: counts as a prefetch that knows what will be
    /// used, until the write itself looks at it (docs/model/arc.md#records-that-are-written-in-part).
    pub(crate) fn read_for_a_part(&mut self, block: BlockId, now: Nanos) -> Lookup {
        let found = self.read_by(block, now, Asker::PartOfWrite);
        if found == Lookup::Hit {
            self.hold(block);
        }
        found
    }

    fn read_by(&mut self, block: BlockId, now: Nanos, asker: Asker) -> Lookup {
        let cell = self.lists[block];
        if cell.is(IN_FLIGHT) {
            return self.join(block, now, asker);
        }
        if cell.has_data() {
            self.hit(block, now, asker);
            return Lookup::Hit;
        }
        self.miss(block, now, asker)
    }

    /// Reads a block and lets go of it at once; returns whether it was there. The same as a read and a
    /// release, in one step for a block that no prefetch brought, which is what plain traces have.
    #[inline]
    pub(crate) fn read_and_release(&mut self, block: BlockId, now: Nanos) -> bool {
        let cell = &mut self.lists[block];
        let is_plain = cell.flags & (IN_FLIGHT | PREFETCH | PREDICTIVE) == 0 && cell.holds == 0;
        let was = cell.state;
        let may_promote = self.policy.ticks.are_apart(cell.access, now);
        match was {
            State::Mru if is_plain => {
                self.counters.mru_hits += 1;
                if may_promote {
                    cell.state = State::Mfu;
                    cell.access = now;
                }
            }
            State::Mfu if is_plain => {
                self.counters.mfu_hits += 1;
                cell.access = now;
            }
            _ => return self.read_and_release_slowly(block, now),
        }
        let (is, kind, size) = (cell.state, cell.kind(), u64::from(cell.size));
        if self.policy.to_l2.admits(block, kind) {
            cell.flags |= L2CACHE;
        }
        if was != is {
            let kind = kind as usize;
            for sums in [&mut self.usage.sizes, &mut self.usage.evictable] {
                sums[was as usize][kind] -= size;
                sums[is as usize][kind] += size;
            }
        }
        self.lists.move_to_head(Self::list(is, kind), block);
        self.counters.hit(false, kind);
        true
    }

    fn read_and_release_slowly(&mut self, block: BlockId, now: Nanos) -> bool {
        let found = self.read(block, now, false);
        if found != Lookup::Hit {
            self.complete(block, now, 1);
        }
        self.release(block);
        found == Lookup::Hit
    }

    fn hit(&mut self, block: BlockId, now: Nanos, asker: Asker) {
        let cell = self.lists[block];
        let prefetch = asker != Asker::Client;
        match self.policy.rules {
            ArcRules::Target => {
                if prefetch {
                    if cell.holds == 0 {
                        self.set(block, PREFETCH);
                    }
                } else {
                    if cell.is(PREDICTIVE) {
                        self.counters.demand_hit_predictive_prefetch += 1;
                        self.clear(block, PREDICTIVE);
                    }
                    self.hold(block);
                }
                self.access_by_flags(block, now);
            }
            ArcRules::Fractions => {
                if !prefetch {
                    self.hold(block);
                }
                self.access_by_request(block, now, asker, true);
            }
        }
        self.admit(block);
        let cell = self.lists[block];
        let counted_as_prefetch = match self.policy.rules {
            ArcRules::Target => cell.is(PREFETCH),
            ArcRules::Fractions => prefetch,
        };
        self.counters.hit(counted_as_prefetch, cell.kind());
    }

    fn join(&mut self, block: BlockId, now: Nanos, asker: Asker) -> Lookup {
        match self.policy.rules {
            ArcRules::Target => {
                self.clear(block, PREDICTIVE);
            }
            ArcRules::Fractions => {
                self.access_by_request(block, now, asker, false);
                self.admit(block);
                let kind = self.lists[block].kind();
                self.counters.iohit(asker != Asker::Client, kind);
            }
        }
        Lookup::InFlight
    }

    fn miss(&mut self, block: BlockId, now: Nanos, asker: Asker) -> Lookup {
        let cell = self.lists[block];
        let prefetch = asker != Asker::Client;
        let (kind, size, before) = (cell.kind(), u64::from(cell.size), cell.state);
        let on_l2 = cell.is(HAS_L2);
        // What a block was in an earlier life is forgotten with its header. On its way it goes to no
        // list, so that is said before its state changes.
        let kept = if before == State::Absent { METADATA } else { u8::MAX };
        let admitted = if self.policy.to_l2.admits(block, kind) { L2CACHE } else { 0 };
        self.lists[block].flags = cell.flags & kept | IN_FLIGHT | admitted;
        self.recycle(Comer { bytes: size, kind, before, is_prefetched: prefetch }, now);
        let counted_as_prefetch = match self.policy.rules {
            ArcRules::Target => {
                self.miss_by_flags(block, now, prefetch);
                self.lists[block].is(PREFETCH)
            }
            ArcRules::Fractions => {
                self.access_by_request(block, now, asker, false);
                prefetch
            }
        };
        self.counters.miss(counted_as_prefetch, kind);
        self.make_room(size, before == State::Absent, now);
        if !on_l2 {
            return Lookup::FromPool;
        }
        let cell = self.lists[block];
        let avoided = self.policy.l2arc_refuses_prefetches
            && self.settings.l2arc.noprefetch
            && counted_as_prefetch;
        if cell.is(L2_WRITING) {
            self.counters.l2_rw_clash += 1;
        }
        let avoided = avoided || (self.settings.l2arc.norw && self.feed_writes);
        if avoided || cell.is(L2_WRITING) { Lookup::FromPool } else { Lookup::FromL2 }
    }

    /// Up to 2.1: a block that comes back is moved by the flags of its previous life, and only then
    /// gets those of the request. Before compressed ARC (0.7, FreeBSD 11) it was the other way round, so
    /// a prefetch brought it back to the MRU (`arc_read`, arc.c 0.6.5 and 0.7.0).
    fn miss_by_flags(&mut self, block: BlockId, now: Nanos, prefetch: bool) {
        let cell = self.lists[block];
        match cell.state {
            State::Absent => self.change(block, |cell| cell.state = State::Anon),
            State::MruGhost | State::MfuGhost => {
                if self.ghosts_move_target() {
                    self.adapt_to_ghost_hit(cell.state, u64::from(cell.size));
                }
                if self.policy.flags_come_first {
                    self.change(block, |cell| {
                        cell.flags = cell.flags & !PREFETCH | if prefetch { PREFETCH } else { 0 };
                    });
                }
                self.access_by_flags(block, now);
            }
            _ => self.access_by_flags(block, now),
        }
        if prefetch {
            self.set(block, PREFETCH | PREDICTIVE);
        }
    }

    /// The data has arrived; `demanded` says how many wait for it.
    pub(crate) fn complete(&mut self, block: BlockId, now: Nanos, demanded: u16) {
        let by_flags = self.policy.rules == ArcRules::Target;
        let refused = self.settings.l2arc.noprefetch;
        // The callback of a prefetch gets a buffer of its own for a moment, although it asks for none:
        // `arc_read` sets `acb_nobuf` only for requests that join others (arc.c 2.1).
        let flag_ends = self.policy.flag_ends_on_arrival;
        self.change(block, |cell| {
            if refused && cell.is(PREFETCH) {
                cell.flags &= !L2CACHE;
            }
            if by_flags && cell.state == State::Anon {
                (cell.state, cell.access) = (State::Mru, now);
            }
            if flag_ends || (by_flags && demanded > 0 && cell.holds == 0) {
                cell.flags &= !PREFETCH;
            }
            cell.holds += demanded;
            cell.flags &= !IN_FLIGHT;
        });
    }

    /// A dbuf that has its data is used again: counts as a hit and may promote (0.8 and later).
    pub(crate) fn touch(&mut self, block: BlockId, now: Nanos) {
        let cell = self.lists[block];
        if cell.state == State::Anon {
            return;
        }
        let counted_as_prefetch = match self.policy.rules {
            ArcRules::Target => {
                self.access_by_flags(block, now);
                cell.is(PREFETCH)
            }
            ArcRules::Fractions => {
                self.access_by_request(block, now, Asker::Client, true);
                false
            }
        };
        self.counters.hit(counted_as_prefetch, cell.kind());
    }

    /// The access rules up to 2.1, which look at the block's flags alone.
    fn access_by_flags(&mut self, block: BlockId, now: Nanos) {
        let cell = self.lists[block];
        let prefetch = cell.is(PREFETCH);
        let to = match cell.state {
            State::Absent | State::Anon => Some(State::Mru),
            State::Mru if prefetch => {
                if cell.holds > 0 {
                    self.counters.mru_hits += 1;
                    self.clear(block, PREFETCH);
                }
                None
            }
            State::Mru => {
                self.counters.mru_hits += 1;
                if !self.policy.ticks.are_apart(cell.access, now) {
                    return;
                }
                Some(State::Mfu)
            }
            State::Mfu => {
                self.counters.mfu_hits += 1;
                None
            }
            State::MruGhost => {
                self.counters.mru_ghost_hits += 1;
                Some(if prefetch { State::Mru } else { State::Mfu })
            }
            State::MfuGhost => {
                self.counters.mfu_ghost_hits += 1;
                Some(if prefetch { State::Mru } else { State::Mfu })
            }
            State::L2Only => Some(State::Mfu),
            State::Uncached => None,
        };
        self.move_on(block, to.unwrap_or(cell.state), now);
    }

    /// The access rules from 2.2 on, which know the request.
    fn access_by_request(&mut self, block: BlockId, now: Nanos, asker: Asker, hit: bool) {
        let cell = self.lists[block];
        let prefetch = asker != Asker::Client;
        let was_prefetch = cell.is(PREFETCH);
        let was_for_part = cell.is(PRESCIENT);
        if was_prefetch && !prefetch {
            let counters = &mut self.counters;
            let count = match (hit, was_for_part) {
                (true, false) => &mut counters.demand_hit_predictive_prefetch,
                (false, false) => &mut counters.demand_iohit_predictive_prefetch,
                (true, true) => &mut counters.demand_hit_prescient_prefetch,
                (false, true) => &mut counters.demand_iohit_prescient_prefetch,
            };
            *count += 1;
            self.clear(block, PREFETCH | PRESCIENT);
        }
        match asker {
            Asker::Client => {}
            Asker::Prefetcher => {
                self.set(block, PREFETCH);
                self.counters.predictive_prefetch += 1;
            }
            Asker::PartOfWrite => {
                self.set(block, PREFETCH | PRESCIENT);
                self.counters.prescient_prefetch += 1;
            }
        }
        let flying = cell.is(IN_FLIGHT);
        let size = u64::from(cell.size);
        let to = match cell.state {
            State::Absent | State::Anon | State::L2Only
                if self.policy.uncached.admits(block, cell.kind()) =>
            {
                Some(State::Uncached)
            }
            State::Absent | State::Anon | State::L2Only => Some(State::Mru),
            State::Uncached => None,
            State::Mru if flying => None,
            // It is on the real code's list of what is not to stay, which the model has among the MRU's.
            State::Mru if was_for_part => {
                self.counters.uncached_hits += 1;
                None
            }
            State::Mru => {
                self.counters.mru_hits += 1;
                if was_prefetch {
                    None
                } else if self.policy.ticks.are_apart(cell.access, now) {
                    Some(State::Mfu)
                } else {
                    return;
                }
            }
            State::Mfu => {
                self.counters.mfu_hits += u64::from(!flying);
                None
            }
            State::MruGhost => {
                self.counters.mru_ghost_hits += 1;
                self.target.fractions.ghost_hit(0, cell.kind(), size);
                Some(if was_prefetch { State::Mru } else { State::Mfu })
            }
            State::MfuGhost => {
                self.counters.mfu_ghost_hits += 1;
                self.target.fractions.ghost_hit(1, cell.kind(), size);
                Some(State::Mfu)
            }
        };
        self.move_on(block, to.unwrap_or(cell.state), now);
    }

    /// Notes an access to a block, which brings it to `state`.
    fn move_on(&mut self, block: BlockId, state: State, now: Nanos) {
        let cell = &mut self.lists[block];
        if cell.state == state {
            cell.access = now;
            return;
        }
        self.change(block, |cell| {
            cell.access = now;
            cell.state = state;
        });
    }

    /// Lets a block into the L2ARC if `secondarycache` lets its kind.
    fn admit(&mut self, block: BlockId) {
        if self.policy.to_l2.admits(block, self.lists[block].kind()) {
            self.set(block, L2CACHE);
        }
    }

    /// Counts where a miss was served, in a pool with cache devices.
    pub(crate) fn count_l2(&mut self, hit: bool, bytes: u64) {
        if hit {
            self.counters.l2_hits += 1;
            self.counters.l2_read_bytes += bytes;
        } else {
            self.counters.l2_misses += 1;
        }
    }
}
