//! The lists of evictable headers: one per state and kind, each of several sublists.
//!
//! A header goes to the sublist that a hash of its identity names, and stays there for life
//! (module/zfs/multilist.c 0.7 to 2.4). New ones enter at the head; eviction starts at the tail.
#![expect(clippy::indexing_slicing, reason = "block numbers and list numbers are made here")]

use crate::blocks::Block;

const NONE: u32 = u32::MAX;
const NEXT: usize = 0;
const PREVIOUS: usize = 1;

/// Doubly linked lists through flat arrays; a block is on at most one of them.
#[derive(Debug)]
pub(crate) struct Lists {
    /// Towards the tail, and back; both together, since they are used together.
    links: Vec<[u32; 2]>,
    heads: Vec<u32>,
    tails: Vec<u32>,
    sublists: u32,
}

impl Lists {
    pub(crate) fn new(blocks: usize, lists: usize, sublists: u32) -> Self {
        let ends = lists * sublists as usize;
        Self {
            links: vec![[NONE; 2]; blocks],
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
        let (hash, sublists) = (hash >> 33, u64::from(self.sublists));
        let index =
            if sublists.is_power_of_two() { hash & (sublists - 1) } else { hash % sublists };
        u32::try_from(index).unwrap_or(0)
    }

    #[inline]
    pub(crate) fn push(&mut self, list: usize, block: Block) {
        self.link(self.place(list, self.sublist_of(block)), block);
    }

    #[inline]
    pub(crate) fn remove(&mut self, list: usize, block: Block) {
        self.unlink(self.place(list, self.sublist_of(block)), block);
    }

    /// Takes a block off one list and puts it at the head of the same or another.
    #[inline]
    pub(crate) fn move_to_head(&mut self, from: usize, to: usize, block: Block) {
        let sublist = self.sublist_of(block);
        self.unlink(self.place(from, sublist), block);
        self.link(self.place(to, sublist), block);
    }

    #[inline]
    fn link(&mut self, place: usize, block: Block) {
        let head = self.heads[place];
        self.links[block as usize] = [head, NONE];
        if head == NONE {
            self.tails[place] = block;
        } else {
            self.links[head as usize][PREVIOUS] = block;
        }
        self.heads[place] = block;
    }

    #[inline]
    fn unlink(&mut self, place: usize, block: Block) {
        let [next, previous] = self.links[block as usize];
        if previous == NONE {
            self.heads[place] = next;
        } else {
            self.links[previous as usize][NEXT] = next;
        }
        if next == NONE {
            self.tails[place] = previous;
        } else {
            self.links[next as usize][PREVIOUS] = previous;
        }
    }

    /// Reads the links of `blocks` and those of their neighbours; see [`super::Arc::warm`].
    pub(super) fn warm(&self, blocks: &[Block]) -> u64 {
        let of = |block: u32| self.links.get(block as usize).copied().unwrap_or([0; 2]);
        let links = blocks.iter().map(|block| of(*block));
        let seen = links.map(|[next, previous]| u64::from(of(next)[NEXT] ^ of(previous)[PREVIOUS]));
        seen.sum()
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
        some(self.links[block as usize][PREVIOUS])
    }

    /// Returns the block after, towards the tail.
    pub(crate) fn after(&self, block: Block) -> Option<Block> {
        some(self.links[block as usize][NEXT])
    }
}

fn some(block: u32) -> Option<Block> {
    (block != NONE).then_some(block)
}
