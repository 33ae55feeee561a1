//! What a block's header says about the L2ARC (`b_l2hdr`, arc.c).

use super::{ArcCache, HAS_L2, L2_WRITING, METADATA, State};
use crate::ids::BlockId;

impl ArcCache {
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
        self.set(block, HAS_L2 | L2_WRITING);
    }

    /// Says that a block's write to the L2ARC is done.
    pub(crate) fn end_l2_write(&mut self, block: BlockId) {
        self.clear(block, L2_WRITING);
    }
}
