//! The life of dbufs: made with a hold, kept in their cache or not, gone with what they held
//! (docs/model/dbuf-cache.md; `dbuf_create`, `dbuf_rele_and_unlock`, `dbuf_destroy`, dbuf.c).
//!
//! What `primarycache` does not let stay goes with its last hold, from the ARC as well. From 2.2 on a
//! block that was read from its beginning but not to its end stays in the dbuf cache, for a reader that
//! goes on where it stopped.
#![expect(clippy::indexing_slicing, reason = "indices are numbers of blocks and kinds")]

use arcwright_units::Nanos;

use super::World;
use crate::arc::{IN_FLIGHT, Kind, Space};
use crate::blocks::Block;
use crate::trees::DNODES;

impl World {
    /// Holds the dbuf of a block, which is made if there is none.
    pub(crate) fn hold_dbuf(&mut self, block: Block) {
        if self.dbufs.hold_further(block) {
            return;
        }
        let bytes = self.weight(block);
        if !self.dbufs.hold(block, bytes) {
            self.arc.take_space(Space::Dbuf, self.behaviour.structures.dbuf);
        }
    }

    /// Lets go of the dbuf of a block.
    pub(crate) fn release_dbuf(&mut self, block: Block) {
        if self.dbufs.release_further(block) {
            return;
        }
        let bytes = self.weight(block);
        let kept = self.keeps_dbuf(block) || self.arc.cell(block).is(IN_FLIGHT);
        if self.dbufs.release(block, bytes, kept) {
            self.dbuf_gone(block);
        }
    }

    /// Says whether the dbuf of a block stays after use.
    pub(crate) fn keeps_dbuf(&self, block: Block) -> bool {
        self.kept[self.arc.cell(block).kind() as usize] || self.dbufs.is_partial(block)
    }

    /// Says whether prefetches under way, taken as blocks of `block_bytes`, fill a sixteenth of the ARC.
    pub(crate) fn prefetches_crowd(&self, block_bytes: u64) -> bool {
        self.behaviour.prefetches_limited
            && self.prefetches >= (self.arc.c_max / 16) / block_bytes.max(1)
    }

    /// Reads what is in memory as soon as a dataset with trees is open: the first block of dnodes, and the
    /// indirect blocks above the dnodes.
    pub(crate) fn open_trees(&mut self) {
        if self.blocks.trees.is_empty() {
            return;
        }
        let first = self.blocks.dnodes_from;
        let above = self.blocks.parent(first);
        for block in above.into_iter().chain([first]) {
            self.arc.read(block, self.now, false);
            self.hold_dbuf(block);
            self.arc.complete(block, self.now, 1);
            self.add_copy(block, self.now);
        }
        self.release_dbuf(first);
    }

    /// Makes the dnode of an object, with its bonus buffer and the dbuf of that, as long as the dbuf of its
    /// block is there (`dnode_create`, `dnode_buf_evict_async`, dnode.c). Says whether there was none.
    pub(crate) fn make_dnode(&mut self, object: u64) -> bool {
        let number = usize::try_from(object / DNODES).unwrap_or(0);
        let bit = 1u32 << (object % DNODES);
        let Some(made) = self.dnodes.get_mut(number).filter(|made| **made & bit == 0) else {
            return false;
        };
        *made |= bit;
        let sizes = self.behaviour.structures;
        self.arc.take_space(Space::Dnode, sizes.dnode);
        self.arc.take_space(Space::Bonus, sizes.bonus);
        self.arc.take_space(Space::Dbuf, sizes.dbuf);
        true
    }

    /// Gives back the dnodes of a block, if it is one of dnodes.
    fn dnodes_gone(&mut self, block: Block) {
        let number = block.wrapping_sub(self.blocks.dnodes_from) as usize;
        let Some(made) = self.dnodes.get_mut(number).map(std::mem::take) else { return };
        let count = u64::from(made.count_ones());
        let sizes = self.behaviour.structures;
        self.arc.give_space(Space::Dnode, count * sizes.dnode);
        self.arc.give_space(Space::Bonus, count * sizes.bonus);
        self.arc.give_space(Space::Dbuf, count * sizes.dbuf);
    }

    /// Keeps the dbuf cache within its share of the ARC.
    ///
    /// Without a cache a dbuf of data stays for as long as the ARC has its data, and holds its indirect
    /// block for that long (docs/model/dbuf-cache.md#before-the-dbuf-cache).
    pub(crate) fn trim_dbufs(&mut self) {
        while let Some(block) = self.arc.orphans.pop() {
            self.release_parent(block);
        }
        let kept = self.arc.c >> self.settings.dbuf_cache_shift;
        let target = if self.behaviour.has_dbuf_cache { kept } else { 0 };
        if self.dbufs.bytes() <= target {
            return;
        }
        while self.dbufs.bytes() > target / 10 * 9 {
            let Some(block) = self.dbufs.oldest() else { return };
            let bytes = self.weight(block);
            self.dbufs.evict(block, bytes);
            self.dbuf_gone(block);
        }
    }

    /// Returns what a block counts for in the dbuf cache: with the dnodes that were made in it, from 2.3
    /// on (`dmu_buf_add_user_size`, dnode.c).
    fn weight(&self, block: Block) -> u64 {
        let length = self.blocks.length(block);
        if !self.behaviour.counts_dnodes {
            return length;
        }
        let number = block.wrapping_sub(self.blocks.dnodes_from) as usize;
        let made = self.dnodes.get(number).map_or(0, |made| u64::from(made.count_ones()));
        length + made * self.behaviour.structures.dnode
    }

    /// Gives back what a dbuf held.
    fn dbuf_gone(&mut self, block: Block) {
        self.arc.give_space(Space::Dbuf, self.behaviour.structures.dbuf);
        if !std::mem::take(&mut self.filled[block as usize]) {
            self.arc.drop_copy(block);
        }
        self.dnodes_gone(block);
        self.arc.release(block);
        if !self.kept[self.arc.cell(block).kind() as usize] {
            self.dbufs.set_partial(block, false);
            self.arc.discard(block);
        }
        if !self.behaviour.has_dbuf_cache && self.arc.cell(block).kind() == Kind::Data {
            self.arc.keep_dbuf(block);
        } else {
            self.release_parent(block);
        }
    }

    fn release_parent(&mut self, block: Block) {
        if let Some(parent) = self.blocks.parent(block) {
            self.release_dbuf(parent);
        }
    }

    /// Counts the use of a dbuf that is there. Before the dbuf cache the ARC was not told while somebody
    /// else held it.
    pub(crate) fn touch_dbuf(&mut self, block: Block, now: Nanos) {
        if self.behaviour.has_dbuf_cache || !self.dbufs.is_held(block) {
            self.arc.touch(block, now);
        }
    }

    /// Holds a dbuf that is there, and counts its use.
    pub(crate) fn hold_again(&mut self, block: Block, now: Nanos) {
        if !self.arc.cell(block).is(IN_FLIGHT) {
            self.touch_dbuf(block, now);
        }
        self.hold_dbuf(block);
    }
}
