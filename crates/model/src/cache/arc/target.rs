//! The balance up to 2.1: one target `p` for the MRU, moved by ghost hits, and a limit on metadata
//! (docs/model/arc.md#adapting-the-mru-target; arc.c 0.7 to 2.1).
//!
//! A hit on the MRU's ghost list says that the MRU was too small, so `p` grows by the block, times how
//! much longer the other ghost list is; a hit on the MFU's lets it shrink. Eviction first brings the
//! MRU to `p`, then takes the rest from the MFU. A small case: c = 100, p = 50, MRU ghosts 10, MFU ghosts
//! 30: a hit of 1 on the MRU's ghosts makes p = 53.

use arcwright_units::Nanos;

use super::{ArcCache, Kind, State};

impl ArcCache {
    /// Moves the target by a hit of `bytes` on a ghost list: as many times as the other ghost list is longer.
    pub(super) fn adapt_to_ghost_hit(&mut self, state: State, bytes: u64) {
        let is_recent = state == State::MruGhost;
        let other = if is_recent { State::MfuGhost } else { State::MruGhost };
        let times_longer = self.bytes(other).max(1) / self.bytes(state).max(1);
        let step = bytes.saturating_mul(times_longer.max(1));
        let margin = self.target.c >> 4;
        self.target.p = if is_recent {
            (self.target.p + step).min(self.target.c - margin)
        } else {
            self.target.p.saturating_sub(step).max(margin)
        };
    }

    /// One pass of the eviction thread; returns what it freed of data in memory.
    pub(super) fn evict_by_target(&mut self, now: Nanos) -> u64 {
        self.evict_mru_by_target(now) + self.evict_mfu_by_target(now)
    }

    /// The first half of a pass: brings the MRU to its target, if that much is needed.
    ///
    /// How much is read before the limit on metadata is enforced, and not anew after it. Metadata counts
    /// in the MRU and once more by itself.
    pub(super) fn evict_mru_by_target(&mut self, now: Nanos) -> u64 {
        let (excess, metadata) = (self.excess_bytes(), self.metadata_used());
        let freed = self.enforce_meta_limit(metadata, now);
        let charged = self.bytes(State::Anon) + self.bytes(State::Mru) + metadata;
        let above_target = i128::from(charged) - i128::from(self.target.p);
        freed + self.evict_state(State::Mru, excess.min(above_target), now)
    }

    /// The second half: takes the rest from the MFU, and lets the MRU with its ghosts, and then both ghosts
    /// together, be as large as the target of the whole.
    pub(super) fn evict_mfu_by_target(&mut self, now: Nanos) -> u64 {
        let freed = self.evict_state(State::Mfu, self.excess_bytes(), now);
        for (beside, ghosts) in [(State::Mru, State::MruGhost), (State::MruGhost, State::MfuGhost)]
        {
            let both = self.bytes(beside) + self.bytes(ghosts);
            let kinds = [Kind::Data, Kind::Metadata];
            self.evict_kinds(ghosts, kinds, i128::from(both) - i128::from(self.target.c), now);
        }
        freed
    }

    /// Evicts `wanted` bytes of a state, the kind with the older tail first.
    fn evict_state(&mut self, state: State, wanted: i128, now: Nanos) -> u64 {
        if wanted <= 0 {
            return 0;
        }
        let kinds = match self.older_kind(state) {
            Kind::Data => [Kind::Data, Kind::Metadata],
            Kind::Metadata => [Kind::Metadata, Kind::Data],
        };
        self.evict_kinds(state, kinds, wanted, now)
    }

    /// Evicts `wanted` bytes of a state, what the first kind does not give from the second.
    fn evict_kinds(&mut self, state: State, kinds: [Kind; 2], wanted: i128, now: Nanos) -> u64 {
        kinds.into_iter().fold(0, |freed, kind| {
            freed + self.evict_list(state, kind, wanted - i128::from(freed), now)
        })
    }

    /// Returns the kind whose tail was accessed longer ago, in one sublist of each, drawn at random. Only much
    /// metadata gives way to data.
    fn older_kind(&mut self, state: State) -> Kind {
        let ages = Kind::BOTH.map(|kind| {
            let sublist = self.random_sublist();
            let tail = self.lists.tail(Self::list(state, kind), sublist);
            tail.map(|block| self.cell(block).access)
        });
        let is_metadata_older = match ages {
            [Some(data), Some(metadata)] => metadata <= data,
            [data, metadata] => data.is_none() && metadata.is_some(),
        };
        if is_metadata_older && self.metadata_used() > self.target.limits.min {
            Kind::Metadata
        } else {
            Kind::Data
        }
    }
}
