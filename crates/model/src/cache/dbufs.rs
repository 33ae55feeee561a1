//! The dbuf cache: decompressed blocks that were used last, kept apart from the ARC's lists
//! (docs/model/dbuf-cache.md#cache-of-released-dbufs; module/zfs/dbuf.c).
//!
//! While a dbuf holds its block the ARC cannot evict it and the L2ARC's feed does not see it. The
//! cache is an LRU by last release of a 32nd of the ARC's target.

use crate::ids::BlockId;
use crate::intrusive::IntrusiveLists;

/// The one list of the cache.
const CACHE: u32 = 0;

/// Uses of a dbuf: there is none, or it is in the cache; anything else is how many hold it.
const ABSENT: u32 = 0;
const CACHED: u32 = u32::MAX;

/// The dbuf of a block.
#[derive(Debug, Clone, Copy, Default)]
struct Dbuf {
    uses: u32,
    /// It was filled and not written since: there is one copy of the block, the dbuf's.
    is_filled: bool,
    /// The block was read because part of it was to be written, and leaves with its dbuf.
    passes: bool,
}

/// The dbufs.
#[derive(Debug)]
pub(crate) struct Dbufs {
    cache: IntrusiveLists<Dbuf>,
    bytes: u64,
    /// Dbufs that have come into the cache since [`Self::take_released`].
    released: u32,
    /// Blocks read from their beginning but not to their end, where that matters.
    partial: Vec<BlockId>,
}

impl Dbufs {
    pub(crate) fn new(blocks: usize) -> Self {
        Self {
            cache: IntrusiveLists::over(
                std::iter::repeat_n(Dbuf::default(), blocks),
                1,
                Dbuf::default(),
            ),
            bytes: 0,
            released: 0,
            partial: Vec::new(),
        }
    }

    /// Holds the dbuf of `block`; returns whether it was there.
    pub(crate) fn hold(&mut self, block: BlockId, bytes: u64) -> bool {
        let there = self.cache[block.0].uses;
        self.cache[block.0].uses = match there {
            CACHED => {
                self.cache.remove(block.0);
                self.bytes -= bytes;
                1
            }
            count => count + 1,
        };
        there != ABSENT
    }

    /// Holds the dbuf of `block` if somebody else does, which changes nothing but their number.
    pub(crate) fn hold_further(&mut self, block: BlockId) -> bool {
        let uses = &mut self.cache[block.0].uses;
        let is_held = !matches!(*uses, ABSENT | CACHED);
        *uses += u32::from(is_held);
        is_held
    }

    /// Lets go of the dbuf of `block` if somebody else goes on holding it.
    pub(crate) fn release_further(&mut self, block: BlockId) -> bool {
        let uses = &mut self.cache[block.0].uses;
        let is_shared = !matches!(*uses, ABSENT | CACHED | 1);
        *uses -= u32::from(is_shared);
        is_shared
    }

    pub(crate) fn exists(&self, block: BlockId) -> bool {
        self.cache[block.0].uses != ABSENT
    }

    /// Returns whether somebody holds the dbuf of `block`.
    pub(crate) fn is_held(&self, block: BlockId) -> bool {
        !matches!(self.cache[block.0].uses, ABSENT | CACHED)
    }

    /// Lets go of the dbuf of `block`; the last one puts it at the head of the cache, if it is kept,
    /// else makes an end of it. Says whether that was its end.
    pub(crate) fn release(&mut self, block: BlockId, bytes: u64, kept: bool) -> bool {
        let (uses, is_end) = match self.cache[block.0].uses {
            1 if kept => {
                self.cache.push(CACHE, block.0);
                self.bytes += bytes;
                self.released += 1;
                (CACHED, false)
            }
            1 => (ABSENT, true),
            ABSENT | CACHED => return false,
            count => (count - 1, false),
        };
        self.cache[block.0].uses = uses;
        is_end
    }

    /// Says that the dbuf has the only copy of its block.
    pub(crate) fn set_filled(&mut self, block: BlockId) {
        self.cache[block.0].is_filled = true;
    }

    /// Says that the dbuf no longer has the only copy of its block; returns whether it had.
    pub(crate) fn end_filled(&mut self, block: BlockId) -> bool {
        std::mem::take(&mut self.cache[block.0].is_filled)
    }

    /// Says that a block leaves with its dbuf.
    pub(crate) fn set_passing(&mut self, block: BlockId) {
        self.cache[block.0].passes = true;
    }

    /// Says that a block no longer leaves with its dbuf; returns whether it did.
    pub(crate) fn end_passing(&mut self, block: BlockId) -> bool {
        std::mem::take(&mut self.cache[block.0].passes)
    }

    /// Says whether a block was read from its beginning but not to its end.
    pub(crate) fn is_partial(&self, block: BlockId) -> bool {
        self.partial.contains(&block)
    }

    /// Notes whether a block was read from its beginning but not to its end.
    pub(crate) fn set_partial(&mut self, block: BlockId, is_partial: bool) {
        match (self.partial.iter().position(|other| *other == block), is_partial) {
            (Some(place), false) => {
                self.partial.swap_remove(place);
            }
            (None, true) => self.partial.push(block),
            _ => {}
        }
    }

    /// Returns the bytes in the cache.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns how many dbufs have come into the cache since the last call.
    pub(crate) fn take_released(&mut self) -> u32 {
        std::mem::take(&mut self.released)
    }

    /// Returns the oldest dbuf in the cache.
    pub(crate) fn oldest(&self) -> Option<BlockId> {
        self.cache.tail(CACHE).map(BlockId)
    }

    /// Takes a dbuf of `bytes` out of the cache and makes an end of it.
    pub(crate) fn evict(&mut self, block: BlockId, bytes: u64) {
        self.cache.remove(block.0);
        self.bytes -= bytes;
        self.cache[block.0].uses = ABSENT;
    }
}
