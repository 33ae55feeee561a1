//! The lists of evictable headers: one per state and kind, each of several sublists.
//!
//! A header goes to the sublist that a hash of its identity names, and stays there for life
//! (module/zfs/multilist.c 0.7 to 2.4). New ones enter at the head; eviction starts at the tail.
#![expect(clippy::indexing_slicing, reason = "block numbers and list numbers are made here")]

use crate::blocks::Block;

const NONE: u32 = u32::MAX;

/// Doubly linked lists through flat arrays; a block is on at most one of them.
#[derive(Debug)]
pub(crate) struct Lists {
    next: Vec<u32>,
    previous: Vec<u32>,
    heads: Vec<u32>,
    tails: Vec<u32>,
    sublists: u32,
}

impl Lists {
    pub(crate) fn new(blocks: usize, lists: usize, sublists: u32) -> Self {
        let ends = lists * sublists as usize;
        Self {
            next: vec![NONE; blocks],
            previous: vec![NONE; blocks],
            heads: vec![NONE; ends],
            tails: vec![NONE; ends],
            sublists,
        }
    }

    /// Returns how many sublists each list has.
    pub(crate) fn sublists(&self) -> u32 {
        self.sublists
    }

    fn place(&self, list: usize, sublist: u32) -> usize {
        list * self.sublists as usize + sublist as usize
    }

    fn sublist_of(&self, block: Block) -> u32 {
        // A mix of all bits (the finaliser of SplitMix64), as the kernel's hash of DVA and birth is.
        let mut hash = u64::from(block).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        u32::try_from((hash >> 33) % u64::from(self.sublists)).unwrap_or(0)
    }

    pub(crate) fn push(&mut self, list: usize, block: Block) {
        let place = self.place(list, self.sublist_of(block));
        let head = self.heads[place];
        self.next[block as usize] = head;
        self.previous[block as usize] = NONE;
        if head == NONE {
            self.tails[place] = block;
        } else {
            self.previous[head as usize] = block;
        }
        self.heads[place] = block;
    }

    pub(crate) fn remove(&mut self, list: usize, block: Block) {
        let place = self.place(list, self.sublist_of(block));
        let (next, previous) = (self.next[block as usize], self.previous[block as usize]);
        if previous == NONE {
            self.heads[place] = next;
        } else {
            self.next[previous as usize] = next;
        }
        if next == NONE {
            self.tails[place] = previous;
        } else {
            self.previous[next as usize] = previous;
        }
    }

    /// Returns the last block of a sublist.
    pub(crate) fn tail(&self, list: usize, sublist: u32) -> Option<Block> {
        some(self.tails[self.place(list, sublist)])
    }

    /// Returns the first block of a sublist.
    pub(crate) fn head(&self, list: usize, sublist: u32) -> Option<Block> {
        some(self.heads[self.place(list, sublist)])
    }

    /// Returns the block before, towards the head.
    pub(crate) fn before(&self, block: Block) -> Option<Block> {
        some(self.previous[block as usize])
    }

    /// Returns the block after, towards the tail.
    pub(crate) fn after(&self, block: Block) -> Option<Block> {
        some(self.next[block as usize])
    }
}

fn some(block: u32) -> Option<Block> {
    (block != NONE).then_some(block)
}
