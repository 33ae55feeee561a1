//! The lists of evictable headers: one per state and kind, each of several sublists.
//!
//! A header goes to the sublist that a hash of its identity names, and stays there for life
//! (module/zfs/multilist.c 0.7 to 2.4). New ones enter at the head; eviction starts at the tail. What the ARC knows of
//! a block stands beside its place in its list, for both are asked for at once.

use std::ops::{Index, IndexMut};

use super::Cell;
use crate::ids::{BlockId, number_of};
use crate::intrusive::IntrusiveLists;

/// What the ARC knows of each block; a block is on at most one list.
#[derive(Debug)]
pub(crate) struct Lists {
    chains: IntrusiveLists<Cell>,
    sublists: u32,
}

impl Index<BlockId> for Lists {
    type Output = Cell;

    #[inline]
    fn index(&self, block: BlockId) -> &Cell {
        &self.chains[block.0]
    }
}

impl IndexMut<BlockId> for Lists {
    #[inline]
    fn index_mut(&mut self, block: BlockId) -> &mut Cell {
        &mut self.chains[block.0]
    }
}

impl Lists {
    pub(crate) fn new(
        cells: impl ExactSizeIterator<Item = Cell>,
        lists: u32,
        sublists: u32,
    ) -> Self {
        Self { chains: IntrusiveLists::over(cells, lists * sublists, Cell::none()), sublists }
    }

    /// Returns what is known of each block, in their order.
    pub(super) fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.chains.items()
    }

    /// Returns how many sublists each list has.
    pub(crate) fn sublists(&self) -> u32 {
        self.sublists
    }

    fn chain(&self, list: u32, sublist: u32) -> u32 {
        list * self.sublists + sublist
    }

    fn sublist_of(&self, block: BlockId) -> u32 {
        // A mix of all bits (the finaliser of SplitMix64), as the kernel's hash of DVA and birth is.
        let mut hash = u64::from(block.0).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let (hash, sublists) = (hash >> 33, u64::from(self.sublists));
        let index =
            if sublists.is_power_of_two() { hash & (sublists - 1) } else { hash % sublists };
        number_of(index)
    }

    #[inline]
    pub(crate) fn push(&mut self, list: u32, block: BlockId) {
        self.chains.push(self.chain(list, self.sublist_of(block)), block.0);
    }

    #[inline]
    pub(crate) fn remove(&mut self, block: BlockId) {
        self.chains.remove(block.0);
    }

    /// Takes a block off its list and puts it at the head of the same or another.
    #[inline]
    pub(crate) fn move_to_head(&mut self, list: u32, block: BlockId) {
        self.remove(block);
        self.push(list, block);
    }

    /// Reads the links of `blocks` and those of their neighbours; see [`super::Arc::warm`].
    pub(super) fn warm(&self, blocks: impl Iterator<Item = BlockId>) -> u64 {
        self.chains.warm(blocks.map(|block| block.0))
    }

    /// Returns the last block of a sublist.
    pub(crate) fn tail(&self, list: u32, sublist: u32) -> Option<BlockId> {
        self.chains.tail(self.chain(list, sublist)).map(BlockId)
    }

    /// Returns the first block of a sublist.
    pub(crate) fn head(&self, list: u32, sublist: u32) -> Option<BlockId> {
        self.chains.head(self.chain(list, sublist)).map(BlockId)
    }

    /// Returns the block before, towards the head.
    pub(crate) fn before(&self, block: BlockId) -> Option<BlockId> {
        self.chains.before(block.0).map(BlockId)
    }

    /// Returns the block after, towards the tail.
    pub(crate) fn after(&self, block: BlockId) -> Option<BlockId> {
        self.chains.after(block.0).map(BlockId)
    }
}
