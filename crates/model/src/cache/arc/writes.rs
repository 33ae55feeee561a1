//! What a write does to a block (docs/model/arc.md#writes-frees-and-releases; arc.c 0.7 to 2.3).
//!
//! A changed block belongs to no state until its group is written: it is anonymous, off every list,
//! nothing of it is in the L2ARC, and its ghost is forgotten. On the disks it becomes the newest of
//! the MRU, as if it had been read at that moment, without a hit or a miss.
//!
//! Simplification: the old version of a block that was in memory without a dbuf stays in memory until its group is
//! written, as in OpenZFS, but leaves its list at once, so that it cannot be evicted before.
//!
//! A small case: a block of 128 KiB is in the MFU and on a cache device. Overwritten, it takes 128 KiB of
//! `anon` and none of the MFU; written five seconds later, 128 KiB of the MRU.

use arcwright_units::Nanos;

use super::recycle::Comer;
use super::{ArcCache, L2CACHE, METADATA, State};
use crate::ids::BlockId;

impl ArcCache {
    /// Gives a block new content without a look at the old; it is held once more.
    pub(crate) fn fill(&mut self, block: BlockId, now: Nanos) {
        let cell = self.lists[block];
        if !cell.has_data() {
            let (size, is_new) = (u64::from(cell.size), cell.state == State::Absent);
            // One of them is how room is made. What is written needs memory of its own, whatever was there before.
            let comer = Comer {
                bytes: size,
                kind: cell.kind(),
                before: State::Absent,
                is_prefetched: false,
            };
            self.recycle(comer, now);
            self.make_room(size, is_new, now);
        }
        self.change(block, |cell| {
            cell.holds += 1;
            cell.state = State::Anon;
            cell.flags &= METADATA;
        });
    }

    /// A block that somebody holds is changed.
    pub(crate) fn rewrite(&mut self, block: BlockId) {
        self.change(block, |cell| {
            cell.state = State::Anon;
            cell.flags &= METADATA;
        });
    }

    /// A changed block is on the disks.
    pub(crate) fn written(&mut self, block: BlockId, now: Nanos) {
        let admitted = self.policy.to_l2.admits(block, self.lists[block].kind());
        self.change(block, |cell| {
            cell.state = State::Mru;
            cell.access = now;
            if admitted {
                cell.flags |= L2CACHE;
            }
        });
        self.seal(block);
    }
}
