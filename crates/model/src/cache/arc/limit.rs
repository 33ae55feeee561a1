//! The limit on metadata up to 2.1 (docs/model/arc.md#metadata-limit; arc.c 0.6.5 to 2.1, and FreeBSD's).
//!
//! It is looked at when the eviction thread has a reason of its own to run: as long as the ARC is below
//! its target, metadata may take all of it. Beyond the limit two strategies exist.
//!
//! *Balanced* (OpenZFS): data first, then metadata, in turns, from the MRU, the MFU and the ghosts, each
//! time as many bytes as metadata is over. From 0.8 on what is over is not read anew between turns, so
//! all 4097 of them are made: with a mebibyte over, up to 2 GiB of data and as much metadata go, and the
//! ghosts with them. A small case: a limit of 75, 80 of metadata, 20 of data: nothing evictable stays.
//! 0.6 and 0.7 do read it anew, and stop when enough is gone.
//!
//! *Metadata only* (FreeBSD's own): what is over goes from the MRU's metadata as far as the MRU is above
//! `p`, and from the MFU's as far as that is above `c - p`. Up to FreeBSD 10 a buffer for metadata takes
//! the place of other metadata as soon as the limit is reached.

use arcwright_units::Nanos;

use super::{ArcCache, Kind, State};
use crate::versions::rules::MetaStrategy;

/// Turns after the first (`zfs_arc_meta_adjust_restarts`).
const RESTARTS: u32 = 4096;

impl ArcCache {
    /// Enforces the limit, `used` being what metadata took when the pass began; returns what it freed.
    pub(super) fn enforce_meta_limit(&mut self, used: u64, now: Nanos) -> u64 {
        if used <= self.target.limits.max {
            return 0;
        }
        match self.policy.meta_strategy {
            MetaStrategy::Only => self.evict_metadata_only(used, now),
            MetaStrategy::Balanced { reads_anew } => self.evict_balanced(used, reads_anew, now),
        }
    }

    fn evict_balanced(&mut self, used: u64, reads_anew: bool, now: Nanos) -> u64 {
        let mut all = 0;
        let mut idle = 0;
        let mut over = used - self.target.limits.max;
        for turn in 0..=RESTARTS {
            let kind = if turn % 2 == 0 { Kind::Data } else { Kind::Metadata };
            let freed = self.evict_pair([State::Mru, State::Mfu], kind, over, now);
            let ghosts = self.evict_pair([State::MruGhost, State::MfuGhost], kind, over, now);
            all += freed;
            // What two turns in a row did not find, no later one will.
            idle = if freed + ghosts == 0 { idle + 1 } else { 0 };
            if reads_anew {
                over = self.metadata_used().saturating_sub(self.target.limits.max);
            }
            if idle == 2 || over == 0 {
                break;
            }
        }
        all
    }

    /// Evicts from the first state, and from the second what the first does not have. What the first has
    /// and keeps, because its time has not come, is not taken from the second.
    fn evict_pair(&mut self, states: [State; 2], kind: Kind, over: u64, now: Nanos) -> u64 {
        let [first, second] = states;
        let rest = over.saturating_sub(self.evictable_of(first, kind));
        let freed = self.evict_list(first, kind, i128::from(over), now);
        freed + self.evict_list(second, kind, i128::from(rest), now)
    }

    fn evict_metadata_only(&mut self, used: u64, now: Nanos) -> u64 {
        let over = i128::from(used) - i128::from(self.target.limits.max);
        let (c, p) = (i128::from(self.target.c), i128::from(self.target.p));
        let recent = i128::from(self.bytes(State::Anon) + self.bytes(State::Mru));
        let freed = self.evict_list(State::Mru, Kind::Metadata, over.min(recent - p), now);
        let frequent = i128::from(self.bytes(State::Mfu)) - (c - p);
        freed + self.evict_list(State::Mfu, Kind::Metadata, over.min(frequent), now)
    }
}
