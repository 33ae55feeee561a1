//! Small blocks of files on special vdevs (docs/model/allocation.md#small-blocks-of-files; spa_misc.c 0.8 to 2.4).
//!
//! A small case: a special mirror of 100 GiB, `special_small_blocks` of 32 KiB. A block of 16 KiB goes there while less than
//! 75 GiB of it are taken, one of 128 KiB never.

use crate::ids::BlockId;

/// Which blocks of files are small, and how much of the special vdevs they may fill.
#[derive(Debug, Default)]
pub(crate) struct SmallBlocks {
    /// For stretches of data blocks, file after file: the first block behind, and the most bytes of a small one.
    stretches: Vec<(BlockId, u64)>,
    /// What special vdevs hold of blocks that the model knows.
    held: u64,
    /// Small blocks keep away from what is above.
    held_max: u64,
}

/// `zfs_special_class_metadata_reserve_pct` is 25: so much of the special vdevs small blocks may fill.
const SHARE_PERCENT: u64 = 75;

impl SmallBlocks {
    /// Makes the rules for special vdevs that hold `room` bytes; there are none without.
    pub(crate) fn new(room: u64) -> Self {
        Self { held_max: room / 100 * SHARE_PERCENT, ..Self::default() }
    }

    /// Says that data blocks up to `behind` are small with at most `bytes_max`, behind those that were said before.
    pub(crate) fn add(&mut self, behind: BlockId, bytes_max: u64) {
        self.stretches.push((behind, bytes_max));
    }

    /// Says whether a data block of `bytes` goes to special vdevs now.
    pub(crate) fn takes(&self, block: BlockId, bytes: u64) -> bool {
        let at = self.stretches.partition_point(|(behind, _)| *behind <= block);
        let bytes_max = self.stretches.get(at).map(|(_, bytes_max)| *bytes_max);
        bytes_max.is_some_and(|bytes_max| self.fits(bytes, bytes_max))
    }

    /// Says whether a block of `bytes` is small, and has room.
    pub(crate) fn fits(&self, bytes: u64, bytes_max: u64) -> bool {
        bytes <= bytes_max && self.held < self.held_max
    }

    /// Special vdevs hold so many bytes more.
    pub(crate) fn hold(&mut self, bytes: u64) {
        self.held += bytes;
    }

    /// Special vdevs hold so many bytes less.
    pub(crate) fn let_go(&mut self, bytes: u64) {
        self.held = self.held.saturating_sub(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::{BlockId, SmallBlocks};

    #[test]
    fn small_blocks_go_to_special_vdevs_until_three_quarters_are_taken() {
        let mut small = SmallBlocks::new(1000);
        small.add(BlockId(10), 0);
        small.add(BlockId(20), 32);
        let check = |small: &SmallBlocks, block: u32, bytes: u64, expected: bool| {
            assert_eq!(small.takes(BlockId(block), bytes), expected, "{block} {bytes}");
        };
        check(&small, 9, 32, false);
        check(&small, 10, 32, true);
        check(&small, 19, 33, false);
        check(&small, 20, 16, false);
        small.hold(749);
        check(&small, 10, 32, true);
        small.hold(1);
        check(&small, 10, 32, false);
        small.let_go(1);
        check(&small, 10, 32, true);
        check(&SmallBlocks::new(0), 10, 1, false);
    }
}
