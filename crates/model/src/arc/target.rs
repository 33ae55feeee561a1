//! The balance up to 2.1: one target `p` for the MRU, moved by ghost hits, and a limit on metadata
//! (docs/model/arc.md#adapting-the-mru-target; arc.c 0.7 to 2.1).
//!
//! A hit on the MRU's ghost list says that the MRU was too small, so `p` grows by the block, times how
//! much longer the other ghost list is; a hit on the MFU's lets it shrink. Eviction first brings the
//! MRU to `p`, then takes the rest from the MFU. A small case: c = 100, p = 50, MRU ghosts 10, MFU ghosts
//! 30: a hit of 1 on the MRU's ghosts makes p = 53.

use arcwright_units::Nanos;

use super::{Arc, Kind, State};

impl Arc {
    pub(super) fn adapt_to_ghost_hit(&mut self, state: State, bytes: u64) {
        let (mru, mfu) = (self.bytes(State::MruGhost).max(1), self.bytes(State::MfuGhost).max(1));
        let least = self.c >> 4;
        if state == State::MruGhost {
            let times = if mru >= mfu { 1 } else { mfu / mru };
            self.p = (self.p + bytes.saturating_mul(times)).min(self.c - least);
        } else {
            let times = if mfu >= mru { 1 } else { mru / mfu };
            self.p = self.p.saturating_sub(bytes.saturating_mul(times)).max(least);
        }
    }

    /// One pass of the eviction thread; returns what it freed of data in memory.
    pub(super) fn evict_by_target(&mut self, now: Nanos) -> u64 {
        self.evict_mru_by_target(now) + self.evict_mfu_by_target(now)
    }

    /// The first half of a pass: brings the MRU to its target, if that much is needed.
    ///
    /// How much is read before the limit on metadata is enforced, and not anew after it.
    pub(super) fn evict_mru_by_target(&mut self, now: Nanos) -> u64 {
        let (over, metadata) = (self.over_target(), self.metadata_used());
        let drained = self.enforce_meta_limit(metadata, now);
        let recent = i128::from(self.bytes(State::Anon) + self.bytes(State::Mru) + metadata);
        let over = over.min(recent - i128::from(self.p));
        drained + self.evict_state(State::Mru, over, now)
    }

    /// The second half: takes the rest from the MFU, and trims the ghosts.
    pub(super) fn evict_mfu_by_target(&mut self, now: Nanos) -> u64 {
        let freed = self.evict_state(State::Mfu, self.over_target(), now);
        let bytes = |arc: &Self, state: State| i128::from(arc.bytes(state));
        let c = i128::from(self.c);
        let over = bytes(self, State::Mru) + bytes(self, State::MruGhost) - c;
        self.trim_ghosts(State::MruGhost, over, now);
        let over = bytes(self, State::MruGhost) + bytes(self, State::MfuGhost) - c;
        self.trim_ghosts(State::MfuGhost, over, now);
        freed
    }

    fn over_target(&self) -> i128 {
        i128::from(self.size()) - i128::from(self.c)
    }

    /// Evicts `wanted` bytes of a state, the kind with the older tail first.
    fn evict_state(&mut self, state: State, wanted: i128, now: Nanos) -> u64 {
        if wanted <= 0 {
            return 0;
        }
        let first = self.older_kind(state);
        let second = if first == Kind::Data { Kind::Metadata } else { Kind::Data };
        let freed = self.evict_list(state, first, wanted, now);
        freed + self.evict_list(state, second, wanted - i128::from(freed), now)
    }

    fn older_kind(&mut self, state: State) -> Kind {
        let (data_sublist, metadata_sublist) = (self.random_sublist(), self.random_sublist());
        let data = self.lists.tail(Self::list(state, Kind::Data), data_sublist);
        let metadata = self.lists.tail(Self::list(state, Kind::Metadata), metadata_sublist);
        let older = match (data, metadata) {
            (Some(data), Some(metadata)) => {
                if self.cell(data).access < self.cell(metadata).access {
                    Kind::Data
                } else {
                    Kind::Metadata
                }
            }
            (None, Some(_)) => Kind::Metadata,
            _ => Kind::Data,
        };
        if older == Kind::Metadata && self.metadata_used() > self.limits.least {
            Kind::Metadata
        } else {
            Kind::Data
        }
    }

    fn trim_ghosts(&mut self, state: State, wanted: i128, now: Nanos) {
        if wanted <= 0 {
            return;
        }
        let freed = self.evict_list(state, Kind::Data, wanted, now);
        self.evict_list(state, Kind::Metadata, wanted - i128::from(freed), now);
    }
}
