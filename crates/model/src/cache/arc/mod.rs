//! The ARC: which blocks are in memory, in which state, and what they count for.
//!
//! A block is in one state; its cell says which, whether its data is on its way, who holds it, and
//! whether the L2ARC has it. Only blocks that nobody holds are on a list and can be evicted
//! (docs/model/arc.md#states-and-lists). How an access moves a block is in [`access`]; how the balance is
//! kept is in [`target`] (up to 2.1) and [`fractions`] (2.2 and later).
#![expect(clippy::indexing_slicing, reason = "indices are block numbers, states and kinds")]

mod access;
mod counters;
mod evict;
mod fractions;
mod header;
mod kinds;
mod limit;
mod lists;
mod lookup;
mod memory;
mod recycle;
mod sealed;
mod start;
mod sum;
mod target;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;
mod writes;

use arcwright_scenario::ArcLimits;
use arcwright_units::Nanos;
use arcwright_workload::Stream;

use crate::cache::admission::Admission;
use crate::ids::{BlockId, number_of};
use crate::versions::behaviour::Behaviour;
use crate::versions::rules::{ArcRules, MetaStrategy};
use crate::versions::settings::Settings;
use crate::versions::ticks::Ticks;

pub(crate) use counters::Counters;
pub(crate) use evict::Eviction;
use fractions::Fractions;
pub(crate) use kinds::Kind;
use kinds::Kinds;
pub(crate) use lists::Lists;
pub(crate) use lookup::Lookup;
use memory::{Counted, Usage};
pub(crate) use memory::{MetaLimits, Space};
use recycle::Recycling;
pub(crate) use sealed::Sealed;

/// A state of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum State {
    /// Not known to the ARC.
    Absent,
    /// New, on its way (up to 2.1, where a state is given at completion).
    Anon,
    Mru,
    Mfu,
    MruGhost,
    MfuGhost,
    /// Only in the L2ARC, with a small header in memory.
    L2Only,
    /// In memory for the moment, although `primarycache` does not let it (2.2 and later).
    Uncached,
}

impl State {
    pub(crate) fn has_data(self) -> bool {
        matches!(self, Self::Anon | Self::Mru | Self::Mfu | Self::Uncached)
    }

    fn is_ghost(self) -> bool {
        matches!(self, Self::MruGhost | Self::MfuGhost)
    }
}

/// How many states there are.
const STATES: usize = State::Uncached as usize + 1;
/// A list for each state and kind.
const LISTS: u32 = 2 * (State::Uncached as u32 + 1);

pub(crate) const PREFETCH: u8 = 1;
pub(crate) const PREDICTIVE: u8 = 2;
/// The same bit by the rules from 2.2 on: asked for by what knows that it will be used, not by what foresees it.
pub(crate) const PRESCIENT: u8 = PREDICTIVE;
pub(crate) const L2CACHE: u8 = 4;
pub(crate) const IN_FLIGHT: u8 = 8;
pub(crate) const HAS_L2: u8 = 16;
pub(crate) const L2_WRITING: u8 = 32;
pub(crate) const METADATA: u8 = 64;
/// Its dbuf stays with its data, where there is no dbuf cache.
pub(crate) const HAS_DBUF: u8 = 128;

/// What the ARC knows of a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    /// When it was accessed last.
    pub(crate) access: Nanos,
    pub(crate) size: u32,
    /// How many hold it.
    pub(crate) holds: u16,
    pub(crate) state: State,
    pub(crate) flags: u8,
}

impl Cell {
    /// What is known of what is no block.
    const fn none() -> Self {
        Self { access: Nanos::ZERO, size: 0, holds: 0, state: State::Absent, flags: 0 }
    }

    pub(crate) fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub(crate) fn kind(&self) -> Kind {
        if self.is(METADATA) { Kind::Metadata } else { Kind::Data }
    }

    pub(crate) fn has_data(&self) -> bool {
        self.state.has_data()
    }

    /// Says whether a block can be evicted as far as nobody holds it: it is in a state and all there.
    fn can_be_evicted(&self) -> bool {
        self.is_in_memory() && !self.is(IN_FLIGHT)
    }

    /// Says whether a block is in a state of what is in memory and as it is on the disks.
    fn is_in_memory(&self) -> bool {
        matches!(self.state, State::Mru | State::Mfu | State::Uncached)
    }
}

/// How the ARC of a version decides, and what it lets in.
#[derive(Debug)]
pub(crate) struct Policy {
    pub(crate) rules: ArcRules,
    counts_given_metadata: bool,
    flag_ends_on_arrival: bool,
    flags_come_first: bool,
    /// What happens beyond the limit on metadata (up to 2.1).
    meta_strategy: MetaStrategy,
    header_bytes: u64,
    /// Whether a prefetch is not read from a cache device while `l2arc_noprefetch` is set.
    l2arc_refuses_prefetches: bool,
    ticks: Ticks,
    /// What may go to the L2ARC (`secondarycache`).
    pub(crate) to_l2: Admission,
    /// What leaves when no dbuf holds it (`primarycache`, 2.2 and later).
    pub(crate) uncached: Admission,
}

/// How large the ARC should be, and its parts.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) c: u64,
    pub(crate) c_min: u64,
    pub(crate) c_max: u64,
    /// The target of the MRU (up to 2.1).
    pub(crate) p: u64,
    /// The balance from 2.2 on.
    fractions: Fractions,
    pub(crate) limits: MetaLimits,
}

/// The eviction thread.
#[derive(Debug)]
pub(crate) struct Evictor {
    pub(crate) eviction: Eviction,
    evicted: u64,
    /// Where eviction is in each sublist; kept to be used again.
    cursors: Vec<Option<BlockId>>,
    /// Draws the sublist that it begins with; the largest block is its slack.
    rng: Stream,
    block_max: u64,
}

/// The ARC.
#[derive(Debug)]
pub(crate) struct ArcCache {
    pub(crate) lists: Lists,
    pub(crate) kinds: Kinds,
    pub(crate) policy: Policy,
    pub(crate) target: Target,
    usage: Usage,
    /// How encrypted blocks are in memory.
    pub(crate) sealed: Sealed,
    pub(crate) evictor: Evictor,
    /// Present where room is made block by block.
    recycling: Option<Recycling>,
    /// Blocks with a dbuf that were evicted, whose indirect blocks are to be let go.
    pub(crate) orphans: Vec<BlockId>,
    /// A pass of the feed is being written, which `l2arc_norw` heeds.
    pub(crate) feed_writes: bool,
    settings: Settings,
    pub(crate) counters: Counters,
}

/// What an ARC is made for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArcSpec<'a> {
    /// Bytes of each block, and the first block that is metadata.
    pub(crate) sizes: &'a [u32],
    pub(crate) metadata_from: BlockId,
    /// The first block whose bytes before compression are kept, and these.
    pub(crate) lengths_from: BlockId,
    pub(crate) lengths: &'a [u32],
    pub(crate) behaviour: &'a Behaviour,
    pub(crate) settings: Settings,
    pub(crate) limits: ArcLimits,
    pub(crate) cores: u32,
    pub(crate) seed: u64,
}

impl ArcCache {
    pub(crate) fn new(spec: ArcSpec<'_>) -> Self {
        let ArcSpec { metadata_from, lengths_from, lengths, behaviour, settings, limits, .. } =
            spec;
        let size_of = |number: usize, size: u32| match number.checked_sub(lengths_from.place()) {
            Some(number) if !behaviour.arc.compresses => lengths[number],
            _ => size,
        };
        let cell = |(number, size): (usize, &u32)| Cell {
            size: size_of(number, *size),
            flags: if number >= metadata_from.place() { METADATA } else { 0 },
            ..Cell::none()
        };
        let cells = spec.sizes.iter().enumerate().map(cell);
        // Before there were sublists there was one list.
        let sublists = if behaviour.arc.recycles { 1 } else { spec.cores.max(4) };
        Self {
            lists: Lists::new(cells, LISTS, sublists),
            kinds: Kinds {
                metadata_from,
                lengths_from,
                indirect_until: BlockId::NONE,
                lengths: lengths.to_vec(),
            },
            policy: Policy::of(behaviour),
            target: Target::of(&behaviour.arc, &settings.arc.meta, limits),
            usage: Usage::default(),
            sealed: Sealed::default(),
            evictor: Evictor {
                eviction: Eviction::AtOnce,
                evicted: 0,
                cursors: Vec::new(),
                rng: Stream::new(spec.seed, "ARC"),
                block_max: evict::BLOCK_MAX,
            },
            recycling: Recycling::of(&behaviour.arc),
            orphans: Vec::new(),
            feed_writes: false,
            settings,
            counters: Counters::default(),
        }
    }

    pub(crate) fn cell(&self, block: BlockId) -> Cell {
        self.lists[block]
    }

    /// The number of the list of a state and kind.
    pub(crate) fn list(state: State, kind: Kind) -> u32 {
        state as u32 * 2 + kind as u32
    }

    /// Returns whether a block in this situation stands on its state's list.
    fn is_listed(cell: &Cell) -> bool {
        match cell.state {
            State::MruGhost | State::MfuGhost => true,
            _ => cell.holds == 0 && cell.can_be_evicted(),
        }
    }

    /// Changes a block's cell and keeps lists and sums in step.
    #[inline]
    fn change(&mut self, block: BlockId, change: impl FnOnce(&mut Cell)) {
        // Cells are read and written whole: a part written and the whole read at once is slow.
        let old = self.lists[block];
        let mut new = old;
        change(&mut new);
        if (old.flags ^ new.flags) & HAS_L2 != 0 {
            self.count_l2_bytes(block, &old, &new);
        }
        let (kind, was) = (old.kind(), self.counted(block, &old));
        if old.state != new.state {
            self.end_form(block, &mut new);
        }
        self.lists[block] = new;
        let is = self.counted(block, &new);
        if old.state != new.state {
            self.move_bytes(Counted { was, is }, &old, new.state);
        }
        match (Self::is_listed(&old), Self::is_listed(&new)) {
            (true, true) if old.state != new.state => {
                self.usage.evictable[old.state as usize][kind as usize] -= was;
                self.usage.evictable[new.state as usize][kind as usize] += is;
                self.lists.move_to_head(Self::list(new.state, kind), block);
            }
            (true, false) => {
                self.usage.evictable[old.state as usize][kind as usize] -= was;
                self.lists.remove(block);
            }
            (false, true) => {
                self.usage.evictable[new.state as usize][kind as usize] += is;
                self.lists.push(Self::list(new.state, kind), block);
            }
            _ => {}
        }
    }

    /// Lets one more hold a block, which takes it off its list.
    pub(crate) fn hold(&mut self, block: BlockId) {
        let cell = &mut self.lists[block];
        cell.holds += 1;
        // Who holds a block already, or a ghost, changes no list.
        if cell.holds > 1 {
            return;
        }
        if self.policy.rules == ArcRules::Target {
            cell.flags &= !PREFETCH;
        }
        let cell = *cell;
        if cell.can_be_evicted() {
            self.usage.evictable[cell.state as usize][cell.kind() as usize] -= u64::from(cell.size);
            self.lists.remove(block);
        }
    }

    /// Lets go of a block; the last one to do so puts it at the head of its list.
    pub(crate) fn release(&mut self, block: BlockId) {
        let cell = &mut self.lists[block];
        if cell.holds == 0 {
            return;
        }
        cell.holds -= 1;
        let cell = *cell;
        if cell.holds == 0 && cell.can_be_evicted() {
            self.usage.evictable[cell.state as usize][cell.kind() as usize] += u64::from(cell.size);
            self.lists.push(Self::list(cell.state, cell.kind()), block);
        }
    }

    /// Forgets a block that nobody holds, without a ghost.
    pub(crate) fn discard(&mut self, block: BlockId) {
        let cell = self.lists[block];
        if cell.holds > 0 || cell.is(IN_FLIGHT | L2_WRITING) || !cell.has_data() {
            return;
        }
        self.change(block, |cell| {
            cell.state = State::Absent;
            cell.flags &= METADATA;
        });
    }

    /// Brings the memory of blocks that will be accessed soon into the processor's caches: all loads at
    /// once instead of one after the other. What is returned says nothing.
    pub(crate) fn warm(&self, blocks: impl Iterator<Item = BlockId>) -> u64 {
        self.lists.warm(blocks)
    }

    /// Draws a sublist.
    pub(crate) fn random_sublist(&mut self) -> u32 {
        let sublists = u64::from(self.lists.sublists());
        number_of(self.evictor.rng.below(sublists))
    }

    /// Checks that no more can be evicted than is there; for debug runs, at every turn of the event loop.
    pub(crate) fn check_turn(&self) {
        for (state, (sizes, evictable)) in
            self.usage.sizes.iter().zip(&self.usage.evictable).enumerate()
        {
            let holds = sizes.iter().zip(evictable).all(|(size, evictable)| evictable <= size);
            debug_assert!(holds, "of state {state} {evictable:?} can be evicted of {sizes:?}");
        }
    }

    /// Checks that sums and cells agree; for tests and debug runs.
    pub(crate) fn check(&self) {
        let mut sizes = [[0u64; 2]; STATES];
        for (cell, block) in self.lists.cells().zip((0..).map(BlockId)) {
            if cell.state != State::Absent {
                sizes[cell.state as usize][cell.kind() as usize] += self.counted(block, cell);
            }
        }
        assert_eq!(sizes, self.usage.sizes, "sums of states drift from their blocks");
    }
}
