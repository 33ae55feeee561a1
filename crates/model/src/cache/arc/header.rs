//! A block's flags, and what its header says about the L2ARC (`b_l2hdr`, arc.c).

use super::{ArcCache, Cell, HAS_L2, L2_WRITING, METADATA, State};
use crate::ids::BlockId;

impl ArcCache {
    pub(super) fn set(&mut self, block: BlockId, flags: u8) {
        self.lists[block].flags |= flags;
    }

    pub(super) fn clear(&mut self, block: BlockId, flags: u8) {
        self.lists[block].flags &= !flags;
    }

    /// Says that the L2ARC no longer has a block.
    pub(crate) fn drop_l2(&mut self, block: BlockId) {
        self.change(block, |cell| {
            cell.flags &= !(HAS_L2 | L2_WRITING);
            if cell.state == State::L2Only {
                cell.state = State::Absent;
                cell.flags &= METADATA;
            }
        });
    }

    /// Says that a block is being written to the L2ARC.
    pub(crate) fn begin_l2_write(&mut self, block: BlockId) {
        let old = self.cell(block);
        self.set(block, HAS_L2 | L2_WRITING);
        self.count_l2_bytes(block, &old, &self.cell(block));
    }

    /// Returns the bytes of the blocks that the L2ARC has.
    pub(crate) fn l2_bytes(&self) -> u64 {
        self.usage.l2_bytes
    }

    /// Keeps the sum of what the L2ARC has when a block comes to it or goes from it.
    pub(super) fn count_l2_bytes(&mut self, block: BlockId, old: &Cell, new: &Cell) {
        let bytes = self.once(block, old);
        match (old.is(HAS_L2), new.is(HAS_L2)) {
            (false, true) => self.usage.l2_bytes += bytes,
            (true, false) => self.usage.l2_bytes -= bytes,
            (true, true) | (false, false) => {}
        }
    }

    /// Says that a block's write to the L2ARC is done.
    pub(crate) fn end_l2_write(&mut self, block: BlockId) {
        self.clear(block, L2_WRITING);
    }
}
