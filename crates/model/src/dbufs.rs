//! The dbuf cache: decompressed blocks that were used last, kept apart from the ARC's lists
//! (openzfs-model.md §1.16; module/zfs/dbuf.c).
//!
//! While a dbuf holds its block the ARC cannot evict it and the L2ARC's feed does not see it. The
//! cache is an LRU by last release of a 32nd of the ARC's target; above it the oldest go until it is
//! a tenth below.
#![expect(clippy::indexing_slicing, reason = "indices are block numbers")]

use crate::blocks::Block;

const NONE: u32 = u32::MAX;

/// What a dbuf is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// There is none.
    Absent,
    /// Held by clients, or by dbufs below it.
    Held(u32),
    /// In the cache.
    Cached,
}

/// The dbufs.
#[derive(Debug)]
pub(crate) struct Dbufs {
    uses: Vec<Use>,
    next: Vec<u32>,
    previous: Vec<u32>,
    head: u32,
    tail: u32,
    bytes: u64,
}

impl Dbufs {
    pub(crate) fn new(blocks: usize) -> Self {
        Self {
            uses: vec![Use::Absent; blocks],
            next: vec![NONE; blocks],
            previous: vec![NONE; blocks],
            head: NONE,
            tail: NONE,
            bytes: 0,
        }
    }

    /// Holds the dbuf of `block`; returns whether it was there.
    pub(crate) fn hold(&mut self, block: Block, bytes: u64) -> bool {
        let there = self.uses[block as usize];
        self.uses[block as usize] = match there {
            Use::Absent => Use::Held(1),
            Use::Held(count) => Use::Held(count + 1),
            Use::Cached => {
                self.unlink(block);
                self.bytes -= bytes;
                Use::Held(1)
            }
        };
        there != Use::Absent
    }

    pub(crate) fn exists(&self, block: Block) -> bool {
        self.uses[block as usize] != Use::Absent
    }

    /// Returns whether somebody holds the dbuf of `block` at the moment.
    pub(crate) fn is_held(&self, block: Block) -> bool {
        matches!(self.uses[block as usize], Use::Held(_))
    }

    /// Lets go of the dbuf of `block`; the last one puts it at the head of the cache.
    pub(crate) fn release(&mut self, block: Block, bytes: u64) {
        self.uses[block as usize] = match self.uses[block as usize] {
            Use::Held(count) if count > 1 => Use::Held(count - 1),
            Use::Held(_) => {
                self.link(block);
                self.bytes += bytes;
                Use::Cached
            }
            other => other,
        };
    }

    /// Returns the bytes in the cache.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes the oldest dbuf out of the cache; `bytes_of` knows its size.
    pub(crate) fn evict(&mut self, bytes_of: impl Fn(Block) -> u64) -> Option<Block> {
        let oldest = self.tail;
        if oldest == NONE {
            return None;
        }
        self.unlink(oldest);
        self.bytes -= bytes_of(oldest);
        self.uses[oldest as usize] = Use::Absent;
        Some(oldest)
    }

    fn link(&mut self, block: Block) {
        self.next[block as usize] = self.head;
        self.previous[block as usize] = NONE;
        if self.head == NONE {
            self.tail = block;
        } else {
            self.previous[self.head as usize] = block;
        }
        self.head = block;
    }

    fn unlink(&mut self, block: Block) {
        let (next, previous) = (self.next[block as usize], self.previous[block as usize]);
        if previous == NONE {
            self.head = next;
        } else {
            self.next[previous as usize] = next;
        }
        if next == NONE {
            self.tail = previous;
        } else {
            self.previous[next as usize] = previous;
        }
    }
}
