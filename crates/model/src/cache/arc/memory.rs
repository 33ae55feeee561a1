//! What the ARC's memory is made of, and how much of it metadata may take (docs/model/arc.md#memory-accounting;
//! arc.c 0.6 to 2.4).
//!
//! Besides the blocks themselves count: headers, the uncompressed copies that dbufs hold, and the
//! structures of whoever uses the cache: dbufs, dnodes, bonus buffers, and what blocks leave free in
//! their last pages. All but file data, its copies and that rest is metadata to the limit of the versions up to 2.1. A ghost counts with its bytes before
//! compression.
#![expect(clippy::indexing_slicing, reason = "indices are block numbers, states, kinds and spaces")]

use arcwright_units::Nanos;

use super::sum::Aggsum;
use super::{ArcCache, Cell, Kind, STATES, State};
use crate::ids::BlockId;
use crate::versions::settings::{MetaLimit, MetaSettings};

/// The largest block (`SPA_MAXBLOCKSIZE`), and what `arc_meta_min` begins at.
const META_MIN: u64 = 16 << 20;

/// What else takes memory (`arc_space_type_t`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    Dbuf,
    Dnode,
    Bonus,
}

/// How many kinds of it there are.
pub(super) const SPACES: usize = Space::Bonus as usize + 1;

/// How much metadata may take (up to 2.1), and dnodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MetaLimits {
    /// `arc_meta_limit`.
    pub(crate) max: u64,
    /// `arc_meta_min`: below it metadata does not go before data.
    pub(crate) min: u64,
    /// `arc_dnode_limit`.
    pub(crate) dnodes: u64,
}

impl MetaLimits {
    /// Returns the limits in an ARC of at most `c_max` bytes.
    ///
    /// What is outside of its range is ignored, as `arc_tuning_update` does.
    pub(super) fn of(settings: &MetaSettings, c_max: u64) -> Self {
        let valid = |value: u64, from: u64, to: u64| (from..=to).contains(&value).then_some(value);
        let min = valid(settings.min, META_MIN, c_max).unwrap_or(META_MIN);
        let share = |pct: u64, of: u64| pct.min(100) * of / 100;
        let by_version = match settings.rule {
            MetaLimit::Percent(pct) => share(pct, c_max),
            MetaLimit::Quarter => c_max / 4,
            MetaLimit::None => u64::MAX,
        };
        let asked = Some(settings.limit).filter(|limit| *limit > 0).unwrap_or(by_version);
        let fallback = by_version.max(min);
        let max = if settings.rule == MetaLimit::None {
            u64::MAX
        } else {
            valid(asked, min, c_max).unwrap_or(fallback)
        };
        let whole = max.min(c_max);
        let dnodes = Some(settings.dnode_limit).filter(|limit| *limit > 0);
        let dnodes = dnodes.unwrap_or(share(settings.dnode_limit_percent, whole));
        Self { max, min, dnodes: dnodes.min(whole) }
    }
}

/// What is in memory.
#[derive(Debug)]
pub(super) struct Usage {
    /// Bytes of each state, and those of them that can be evicted; of data and of metadata.
    pub(super) sizes: [[u64; 2]; STATES],
    pub(super) evictable: [[u64; 2]; STATES],
    pub(super) headers: u64,
    pub(super) l2_only: u64,
    /// Bytes of the blocks that the L2ARC has.
    pub(super) l2_bytes: u64,
    /// Second, uncompressed copies that dbufs hold, of data and of metadata.
    pub(super) copies: [u64; 2],
    /// What blocks leave free in their last pages.
    pub(super) waste: u64,
    /// Memory of dbufs, dnodes and bonus buffers.
    pub(super) spaces: [u64; SPACES],
    pub(super) sum: Aggsum,
}

/// What a block counts for in its state's sums, before and after a change.
#[derive(Clone, Copy)]
pub(super) struct Counted {
    pub(super) was: u64,
    pub(super) is: u64,
}

impl ArcCache {
    /// Returns all memory that counts against the target.
    pub(crate) fn size(&self) -> u64 {
        self.bytes(State::Anon)
            + self.bytes(State::Mru)
            + self.bytes(State::Mfu)
            + self.bytes(State::Uncached)
            + self.copies()
            + self.header_size()
            + self.l2_header_size()
            + self.usage.spaces.iter().sum::<u64>()
            + self.usage.waste
    }

    /// Returns what the blocks in memory leave free in their last pages (`abd_chunk_waste_size`).
    pub(crate) fn waste(&self) -> u64 {
        self.usage.waste
    }

    /// Returns what a block of `size` leaves free: all but the smallest are made of pages
    /// (`zfs_abd_scatter_min_size`).
    pub(super) fn wasted(size: u64) -> u64 {
        const SCATTER_MIN: u64 = 1536;
        const PAGE: u64 = 4096;
        if size > SCATTER_MIN { size.next_multiple_of(PAGE) - size } else { 0 }
    }

    /// Returns all memory that is not file data (`arc_meta_used`).
    pub(crate) fn metadata_used(&self) -> u64 {
        let of = |state: State| self.bytes_of(state, Kind::Metadata);
        of(State::Anon)
            + of(State::Mru)
            + of(State::Mfu)
            + self.usage.copies[Kind::Metadata as usize]
            + self.header_size()
            + self.l2_header_size()
            + self.usage.spaces.iter().sum::<u64>()
    }

    pub(crate) fn header_size(&self) -> u64 {
        self.usage.headers * self.policy.header_bytes
    }

    /// Counts more small headers, as of blocks that only the L2ARC has.
    #[cfg(test)]
    pub(crate) fn take_l2_only(&mut self, blocks: u64) {
        self.usage.l2_only += blocks;
    }

    /// Bytes of the small headers of blocks that only the L2ARC has: 96 each
    /// (docs/model/l2arc.md#header-memory).
    pub(crate) fn l2_header_size(&self) -> u64 {
        self.usage.l2_only * 96
    }

    /// Returns the bytes of dbufs, dnodes or bonus buffers.
    pub(crate) fn space(&self, space: Space) -> u64 {
        self.usage.spaces[space as usize]
    }

    /// Counts memory that a structure takes.
    pub(crate) fn take_space(&mut self, space: Space, bytes: u64) {
        self.usage.spaces[space as usize] += bytes;
        self.usage.sum.add(bytes.cast_signed());
    }

    /// Counts memory that a structure gives back.
    pub(crate) fn give_space(&mut self, space: Space, bytes: u64) {
        self.usage.spaces[space as usize] -= bytes;
        self.usage.sum.add(-bytes.cast_signed());
    }

    /// Makes room for the copy of a block that a dbuf makes, and counts it.
    pub(crate) fn add_copy(&mut self, block: BlockId, now: Nanos) {
        let bytes = self.length(block);
        let kind = self.lists[block].kind();
        self.make_room(bytes, false, now);
        self.usage.copies[kind as usize] += bytes;
        self.usage.sum.add(bytes.cast_signed());
    }

    /// Counts that a dbuf's copy is gone.
    pub(crate) fn drop_copy(&mut self, block: BlockId) {
        let bytes = self.length(block);
        let copies = &mut self.usage.copies[self.lists[block].kind() as usize];
        *copies -= bytes;
        self.usage.sum.add(-bytes.cast_signed());
    }

    /// Returns the bytes of all copies.
    pub(crate) fn copies(&self) -> u64 {
        self.usage.copies[0] + self.usage.copies[1]
    }

    /// Returns the bytes of the copies of data or of metadata.
    pub(crate) fn copies_of(&self, kind: Kind) -> u64 {
        self.usage.copies[kind as usize]
    }

    /// Returns the bytes of a block before compression.
    pub(crate) fn length(&self, block: BlockId) -> u64 {
        self.kinds.length(block).unwrap_or_else(|| self.bytes_once(block))
    }

    /// Returns the bytes of a state, data and metadata.
    pub(crate) fn bytes(&self, state: State) -> u64 {
        self.usage.sizes[state as usize][0] + self.usage.sizes[state as usize][1]
    }

    pub(crate) fn bytes_of(&self, state: State, kind: Kind) -> u64 {
        self.usage.sizes[state as usize][kind as usize]
    }

    pub(crate) fn evictable_of(&self, state: State, kind: Kind) -> u64 {
        self.usage.evictable[state as usize][kind as usize]
    }

    /// Returns what a block counts for in its state's sums: a ghost as it was before compression.
    #[inline]
    pub(super) fn counted(&self, block: BlockId, cell: &Cell) -> u64 {
        let before = if cell.state.is_ghost() { self.kinds.length(block) } else { None };
        before.unwrap_or(u64::from(cell.size))
    }

    /// Counts a block for its new state; `bytes` is what it counts for there, and counted for before.
    pub(super) fn move_bytes(&mut self, bytes: Counted, old: &Cell, to: State) {
        let (from, kind, size) = (old.state, old.kind(), u64::from(old.size));
        if from != State::Absent {
            self.usage.sizes[from as usize][kind as usize] -= bytes.was;
        }
        if to != State::Absent {
            self.usage.sizes[to as usize][kind as usize] += bytes.is;
        }
        let is_full = |state: State| !matches!(state, State::Absent | State::L2Only);
        // Memory for a header is taken first and given back last.
        if is_full(from) != is_full(to) || from == State::L2Only || to == State::L2Only {
            let headers = self.header_size() + self.l2_header_size();
            self.usage.headers =
                self.usage.headers + u64::from(is_full(to)) - u64::from(is_full(from));
            let small = |state: State| u64::from(state == State::L2Only);
            self.usage.l2_only = self.usage.l2_only + small(to) - small(from);
            let more = self.header_size() + self.l2_header_size();
            self.note_change(more.cast_signed() - headers.cast_signed());
        }
        let wasted = Self::wasted(size);
        let whole = (size + wasted).cast_signed();
        match (from.has_data(), to.has_data()) {
            (false, true) => {
                self.usage.waste += wasted;
                self.note_change(whole);
            }
            (true, false) => {
                self.usage.waste -= wasted;
                self.note_change(-whole);
            }
            _ => {}
        }
    }

    /// Counts what a block takes that stays in its state and has other bytes.
    pub(super) fn resize(&mut self, from: u64, to: u64) {
        let (was, is) = (Self::wasted(from), Self::wasted(to));
        self.usage.waste = self.usage.waste + is - was;
        self.note_change((to + is).cast_signed() - (from + was).cast_signed());
    }

    fn note_change(&mut self, bytes: i64) {
        if bytes != 0 {
            self.usage.sum.add(bytes);
        }
    }
}
