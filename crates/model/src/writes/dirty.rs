//! Dirty data: blocks that were changed and are not on the disks yet, by transaction group
//! (docs/model/txg.md#what-counts-as-dirty; dbuf.c, dsl_pool.c 0.6.4 to 2.3).
//!
//! A block counts once for each group in which it is dirty, with the size of its dbuf; so does the
//! indirect block above it, and so do the dnodes of what changes with all that is above them. All groups together may hold a tenth of the memory
//! (`zfs_dirty_data_max_percent`), 4 GiB or a quarter of it at most. A group that has a fifth of that
//! (0.8 and later; 64 MiB before) asks to be written.
//!
//! A small case: 2 GiB of memory allow 204 MiB. A file of 128 KiB records is overwritten once: after
//! 322 blocks, the one above them and 656 KiB for its dnode 41.0 MiB are dirty, and the group is asked for.
#![expect(clippy::indexing_slicing, reason = "block numbers, and txgs modulo four")]

use arcwright_units::Bytes;

use crate::ids::{BlockId, row};
use crate::pool::blocks::Blocks;
use crate::versions::behaviour::Behaviour;
use crate::versions::settings::{DirtySettings, Settings};

/// Groups that can have dirty blocks at once, and one to spare (`TXG_SIZE`).
pub(crate) const TXGS: usize = 4;
/// `zfs_dirty_data_sync` before 0.8.
const SYNC_BYTES: u64 = 64 << 20;
/// What the first change of a group counts beside its blocks: the block of its dnode, and five indirect blocks above that.
const DNODES: u64 = (16 << 10) + 5 * (128 << 10);

/// What one group has changed.
#[derive(Debug, Default)]
pub(crate) struct Changed {
    /// Data blocks, and blocks above them, each once.
    pub(crate) blocks: Vec<BlockId>,
    bytes: u64,
    /// What it counts beside them: dnodes, or the pool's own metadata.
    structure: u64,
}

/// How many asynchronous writes a disk may have active: as many as the first below the first amount of dirty data,
/// as many as the second above the second, and in proportion between.
#[derive(Debug)]
struct Active {
    dirty: [u64; 2],
    writes: [u64; 2],
}

/// All dirty data.
#[derive(Debug)]
pub(crate) struct Dirty {
    /// A bit for each group in which a block is dirty, and one for each in which it is written already.
    marks: Vec<u8>,
    txgs: [Changed; TXGS],
    total: u64,
    max: u64,
    delay_min: u64,
    sync_min: u64,
    active: Active,
}

/// Returns how many bytes all groups together may hold with so much memory.
pub(super) fn dirty_max(settings: DirtySettings, memory: Bytes) -> u64 {
    let [share, max_share] = settings.percent.map(|it| memory.0 * it / 100);
    let max_max = settings.max_max.unwrap_or(settings.bound.min(max_share));
    settings.max.unwrap_or(share.min(max_max)).max(1)
}

impl Dirty {
    pub(crate) fn new(
        blocks: usize,
        settings: &Settings,
        behaviour: Behaviour,
        memory: Bytes,
    ) -> Self {
        let max = dirty_max(settings.txg.dirty, memory);
        let sync_min = if behaviour.txg.syncs_by_share {
            max / 100 * settings.txg.dirty.sync_percent
        } else {
            settings.txg.dirty.sync.unwrap_or(SYNC_BYTES)
        };
        Self {
            marks: vec![0; blocks],
            txgs: Default::default(),
            total: 0,
            max,
            delay_min: max * settings.txg.dirty.delay_min_percent / 100,
            sync_min,
            active: Active {
                dirty: settings.queues.async_write_dirty.map(|percent| max * percent / 100),
                writes: [settings.queues.max_active[3], settings.queues.async_write_max_active],
            },
        }
    }

    /// Counts a change of `block` in `group`; false when it is counted there already.
    pub(crate) fn mark(&mut self, block: BlockId, bytes: u64, txg: u64) -> bool {
        let slot = slot(txg);
        let bit = 1u8 << slot;
        let marks = &mut self.marks[block.place()];
        // What was written ahead of its group is out of date.
        *marks &= !(bit << TXGS);
        if *marks & bit != 0 {
            return false;
        }
        *marks |= bit;
        if self.txgs[slot].structure == 0 {
            self.txgs[slot].structure = DNODES;
            self.total += DNODES;
        }
        self.txgs[slot].blocks.push(block);
        self.txgs[slot].bytes += bytes;
        self.total += bytes;
        true
    }

    /// Says whether a block is to be written ahead of its group, because the intent log points to it; in
    /// the open group it is not written again.
    pub(crate) fn write_ahead(&mut self, block: BlockId, open: u64) -> bool {
        let bit = 1u8 << slot(open);
        let marks = &mut self.marks[block.place()];
        let is_written = *marks & bit << TXGS != 0;
        if *marks & bit != 0 {
            *marks |= bit << TXGS;
        }
        *marks != 0 && !is_written
    }

    /// Says whether a block of `group` was written ahead of it.
    pub(crate) fn was_ahead(&self, block: BlockId, txg: u64) -> bool {
        self.marks[block.place()] & (1u8 << slot(txg)) << TXGS != 0
    }

    /// A block of `group` is on the disks.
    pub(crate) fn clear(&mut self, block: BlockId, bytes: u64, txg: u64) {
        let slot = slot(txg);
        let bit = 1u8 << slot;
        self.marks[block.place()] &= !(bit | bit << TXGS);
        let changed = &mut self.txgs[slot];
        changed.bytes -= bytes;
        self.total -= bytes;
    }

    /// Sets what a group counts beside the blocks of its files.
    pub(crate) fn set_structure(&mut self, txg: u64, bytes: u64) {
        let changed = &mut self.txgs[slot(txg)];
        self.total = self.total - changed.structure + bytes;
        changed.structure = bytes;
    }

    /// Returns whether a block is dirty in `group`.
    pub(crate) fn is_dirty_in(&self, block: BlockId, txg: u64) -> bool {
        self.marks[block.place()] & (1u8 << slot(txg)) != 0
    }

    /// Returns whether a block is dirty in any group.
    pub(crate) fn is_dirty(&self, block: BlockId) -> bool {
        self.marks[block.place()] != 0
    }

    /// Takes the blocks that a group has changed; they stay marked until they are on the disks.
    pub(crate) fn take(&mut self, txg: u64) -> Vec<BlockId> {
        std::mem::take(&mut self.txgs[slot(txg)].blocks)
    }

    /// Gives an emptied list back, so that the next group does not ask for memory.
    pub(crate) fn give_back(&mut self, mut list: Vec<BlockId>, txg: u64) {
        list.clear();
        self.txgs[slot(txg)].blocks = list;
    }

    pub(crate) fn is_empty(&self, txg: u64) -> bool {
        self.txgs[slot(txg)].blocks.is_empty()
    }

    /// Says whether a group has so much that it is to be written now.
    pub(crate) fn asks_for_sync(&self, txg: u64) -> bool {
        let Changed { bytes, structure, .. } = &self.txgs[slot(txg)];
        bytes + structure > self.sync_min
    }

    /// Checks that the sum of what is dirty is that of its txgs; for debug runs, at every turn of the event loop.
    pub(crate) fn check_turn(&self) {
        let sum: u64 = self.txgs.iter().map(|changed| changed.bytes + changed.structure).sum();
        debug_assert_eq!(sum, self.total, "the sum of dirty data drifts from its txgs");
    }

    /// Checks that the sum of what is dirty is that of all blocks; for debug runs.
    pub(crate) fn check(&self, blocks: &Blocks) {
        let txgs = (1u8 << TXGS) - 1;
        let bytes = |(marks, block): (&u8, BlockId)| {
            u64::from((marks & txgs).count_ones()) * blocks.length(block)
        };
        let sum: u64 = self
            .marks
            .iter()
            .zip((0..).map(BlockId))
            .filter(|(marks, _)| **marks != 0)
            .map(bytes)
            .sum();
        let sum = sum + self.txgs.iter().map(|it| it.structure).sum::<u64>();
        assert_eq!(sum, self.total, "the sum of dirty data drifts from its blocks");
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    pub(crate) fn max(&self) -> u64 {
        self.max
    }

    /// Says whether writers are held up.
    pub(crate) fn delays(&self) -> bool {
        self.total > self.delay_min
    }

    pub(crate) fn is_full(&self) -> bool {
        self.total >= self.max
    }

    /// Returns what is dirty beyond the point where delays begin.
    pub(crate) fn beyond_delay(&self) -> u64 {
        self.total.saturating_sub(self.delay_min)
    }

    /// Returns how many asynchronous writes a disk may have active (`vdev_queue_max_async_writes`).
    pub(crate) fn active_writes(&self) -> u64 {
        let Active { dirty: [low, high], writes: [min, max] } = self.active;
        if self.total <= low || high <= low {
            return if self.total <= low { min } else { max };
        }
        let part = (self.total - low) * max.saturating_sub(min) / (high - low);
        (min + part).min(max.max(min))
    }
}

fn slot(txg: u64) -> usize {
    row(txg % TXGS as u64)
}

#[cfg(test)]
mod tests {
    use arcwright_tunables::Version;
    use arcwright_units::Bytes;

    use super::Dirty;
    use crate::ids::BlockId;
    use crate::versions::behaviour::Behaviour;
    use crate::versions::settings::Settings;

    fn dirty() -> Dirty {
        let version = Version::parse("2.3.2");
        Dirty::new(4096, &Settings::defaults(version), Behaviour::of(version), Bytes::gib(2))
    }

    #[test]
    fn a_fifth_of_what_may_be_dirty_asks_for_its_group() {
        let mut dirty = dirty();
        assert!(dirty.mark(BlockId(4000), 128 << 10, 7));
        let mut blocks = 0;
        while !dirty.asks_for_sync(7) {
            let block = BlockId(blocks);
            assert!(dirty.mark(block, 128 << 10, 7) && !dirty.mark(block, 128 << 10, 7));
            blocks += 1;
        }
        assert_eq!(blocks, 322);
        assert!(!dirty.asks_for_sync(8));
    }

    #[test]
    fn dnodes_count_once_in_each_group() {
        let mut dirty = dirty();
        dirty.mark(BlockId(0), 4096, 1);
        dirty.mark(BlockId(1), 4096, 1);
        assert_eq!(dirty.total(), 2 * 4096 + 656 * 1024);
        dirty.mark(BlockId(0), 4096, 2);
        assert_eq!(dirty.total(), 3 * 4096 + 2 * 656 * 1024);
        dirty.set_structure(1, 288 << 10);
        dirty.set_structure(2, 0);
        assert_eq!(dirty.total(), 3 * 4096 + 288 * 1024);
    }

    #[test]
    fn more_writes_are_active_the_more_is_dirty() {
        let mut dirty = dirty();
        let mut seen = Vec::new();
        for block in 0..1300 {
            dirty.mark(BlockId(block), 128 << 10, 1);
            // What dnodes count is another matter.
            dirty.set_structure(1, 0);
            if block % 200 == 0 {
                seen.push(dirty.active_writes());
            }
        }
        assert_eq!(seen, [2, 2, 2, 3, 7, 10, 10]);
        assert!(dirty.delays() && !dirty.is_full());
        (0..1300).for_each(|block| dirty.clear(BlockId(block), 128 << 10, 1));
        assert_eq!((dirty.total(), dirty.active_writes()), (0, 2));
    }
}
