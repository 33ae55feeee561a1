//! What is in memory: the ARC, the dbufs that hold its blocks, and the L2ARC behind it.
//!
//! The life of dbufs (docs/model/dbuf-cache.md; `dbuf_create`, `dbuf_rele_and_unlock`, `dbuf_destroy`, dbuf.c):
//! made with a hold, kept in their cache or not, gone with what they held. What `primarycache` does not
//! let stay goes with its last hold, from the ARC as well. From 2.2 on a block that was read from its
//! beginning but not to its end stays in the dbuf cache, for a reader that goes on where it stopped.
#![expect(clippy::indexing_slicing, reason = "indices are numbers of blocks and kinds")]

pub(crate) mod admission;
pub(crate) mod arc;
pub(crate) mod dbufs;
pub(crate) mod l2arc;
mod trim;

use arcwright_units::Nanos;

use crate::clock::{Clock, Event};
use crate::ids::BlockId;
use crate::pool::blocks::{Blocks, DNODES};
use crate::versions::behaviour::Behaviour;
use crate::versions::costs::Structures;
use crate::versions::settings::Settings;
use admission::Admission;
use arc::{ArcCache, IN_FLIGHT, Kind, Lookup, Space};
use dbufs::Dbufs;
use l2arc::{L2arc, Pass};
use trim::Trimmer;

/// The caches of the machine.
#[derive(Debug)]
pub(crate) struct Cache {
    pub(crate) arc: ArcCache,
    pub(crate) dbufs: Dbufs,
    pub(crate) l2arc: L2arc,
    /// What the feed is writing.
    pub(crate) pass: Option<Pass>,
    rules: CacheRules,
    /// The thread that keeps the dbuf cache at its size.
    trimmer: Trimmer,
    /// Which dnodes of each block of dnodes are made.
    dnodes: Vec<u32>,
}

/// What stays in memory, and what it takes there.
#[derive(Debug)]
pub(crate) struct CacheRules {
    /// What stays in memory after use (`primarycache`).
    cacheable: Admission,
    structures: Structures,
    has_dbuf_cache: bool,
    counts_dnodes: bool,
    written_parts_pass: bool,
    dbuf_cache_shift: u64,
}

impl CacheRules {
    pub(crate) fn of(cacheable: Admission, behaviour: &Behaviour, settings: &Settings) -> Self {
        Self {
            cacheable,
            structures: behaviour.dbufs.structures,
            has_dbuf_cache: behaviour.dbufs.has_cache,
            counts_dnodes: behaviour.dbufs.counts_dnodes,
            written_parts_pass: behaviour.dbufs.written_parts_pass,
            dbuf_cache_shift: settings.dbuf_cache_shift,
        }
    }
}

impl Cache {
    pub(crate) fn new(arc: ArcCache, l2arc: L2arc, blocks: &Blocks, rules: CacheRules) -> Self {
        Self {
            arc,
            dbufs: Dbufs::new(blocks.len()),
            l2arc,
            pass: None,
            rules,
            trimmer: Trimmer::default(),
            dnodes: vec![0; blocks.dnode_blocks()],
        }
    }

    /// Says whether a block stays in memory after use.
    pub(crate) fn keeps(&self, block: BlockId) -> bool {
        self.rules.cacheable.admits(block, self.arc.cell(block).kind())
    }

    /// Says whether a block is on its way into the ARC.
    pub(crate) fn is_in_flight(&self, block: BlockId) -> bool {
        self.arc.cell(block).is(IN_FLIGHT)
    }

    /// Holds the dbuf of a block, which is made if there is none.
    pub(crate) fn hold_dbuf(&mut self, blocks: &Blocks, block: BlockId) {
        if self.dbufs.hold_further(block) {
            return;
        }
        let bytes = self.weight(blocks, block);
        if !self.dbufs.hold(block, bytes) {
            self.arc.take_space(Space::Dbuf, self.rules.structures.dbuf);
        }
    }

    /// Lets go of the dbuf of a block.
    pub(crate) fn release_dbuf(&mut self, blocks: &Blocks, block: BlockId) {
        if self.dbufs.release_further(block) {
            return;
        }
        let bytes = self.weight(blocks, block);
        let is_kept = self.keeps_dbuf(block) || self.is_in_flight(block);
        if self.dbufs.release(block, bytes, is_kept) {
            self.dbuf_gone(blocks, block);
        }
    }

    /// Asks the ARC for a block that a dbuf holds: for a client, or because part of it is to be written. From 2.4.1 on what is
    /// read for such a part leaves with its dbuf (docs/model/arc.md#records-that-are-written-in-part).
    pub(crate) fn read(&mut self, block: BlockId, is_for_part: bool, now: Nanos) -> Lookup {
        if !is_for_part || !self.rules.written_parts_pass {
            return self.arc.read(block, now, false);
        }
        let found = self.arc.read_for_a_part(block, now);
        if matches!(found, Lookup::FromPool | Lookup::FromL2) {
            self.dbufs.set_passing(block);
        }
        found
    }

    /// Says whether the dbuf of a block stays after use.
    pub(crate) fn keeps_dbuf(&self, block: BlockId) -> bool {
        self.keeps(block) || self.dbufs.is_partial(block)
    }

    /// Reads what is in memory as soon as a dataset with trees is open: the first block of dnodes, and the
    /// indirect blocks above the dnodes.
    pub(crate) fn open_trees(&mut self, blocks: &Blocks, clock: &mut Clock) {
        if !blocks.has_trees() {
            return;
        }
        let first = blocks.dnodes_from;
        for block in blocks.parent(first).into_iter().chain([first]) {
            self.arc.read(block, clock.now, false);
            self.hold_dbuf(blocks, block);
            self.arc.complete(block, clock.now, 1);
            self.add_copy(clock, block, clock.now);
        }
        self.release_dbuf(blocks, first);
    }

    /// Makes the dnode of an object, with its bonus buffer and the dbuf of that, as long as the dbuf of its
    /// block is there (`dnode_create`, `dnode_buf_evict_async`, dnode.c). Says whether there was none.
    pub(crate) fn make_dnode(&mut self, object: u64) -> bool {
        let made = &mut self.dnodes[(object / DNODES) as usize];
        let bit = 1u32 << (object % DNODES);
        if *made & bit != 0 {
            return false;
        }
        *made |= bit;
        self.arc.take_space(Space::Dnode, self.rules.structures.dnode);
        self.arc.take_space(Space::Bonus, self.rules.structures.bonus);
        self.arc.take_space(Space::Dbuf, self.rules.structures.dbuf);
        true
    }

    /// Gives back the dnodes of a block, if it is one of dnodes.
    fn dnodes_gone(&mut self, blocks: &Blocks, block: BlockId) {
        let Some(number) = blocks.number_of_dnodes(block) else { return };
        let count = u64::from(std::mem::take(&mut self.dnodes[number]).count_ones());
        self.arc.give_space(Space::Dnode, count * self.rules.structures.dnode);
        self.arc.give_space(Space::Bonus, count * self.rules.structures.bonus);
        self.arc.give_space(Space::Dbuf, count * self.rules.structures.dbuf);
    }

    /// Returns what a block counts for in the dbuf cache: with the dnodes that were made in it, from 2.3
    /// on (`dmu_buf_add_user_size`, dnode.c).
    fn weight(&self, blocks: &Blocks, block: BlockId) -> u64 {
        let length = blocks.length(block);
        if !self.rules.counts_dnodes {
            return length;
        }
        let number = blocks.number_of_dnodes(block);
        let made = number.map_or(0, |number| u64::from(self.dnodes[number].count_ones()));
        length + made * self.rules.structures.dnode
    }

    /// Gives back what a dbuf held.
    fn dbuf_gone(&mut self, blocks: &Blocks, block: BlockId) {
        self.arc.give_space(Space::Dbuf, self.rules.structures.dbuf);
        if !self.dbufs.end_filled(block) {
            self.arc.drop_copy(block);
        }
        self.dnodes_gone(blocks, block);
        self.arc.release(block);
        if !self.keeps(block) {
            self.dbufs.set_partial(block, false);
            self.arc.discard(block);
        } else if self.dbufs.end_passing(block) {
            self.arc.discard(block);
        }
        if !self.rules.has_dbuf_cache && self.arc.cell(block).kind() == Kind::Data {
            self.arc.keep_dbuf(block);
        } else {
            self.release_parent(blocks, block);
        }
    }

    fn release_parent(&mut self, blocks: &Blocks, block: BlockId) {
        if let Some(parent) = blocks.parent(block) {
            self.release_dbuf(blocks, parent);
        }
    }

    /// Counts the use of a dbuf that is there. Before the dbuf cache the ARC was not told while another
    /// thread held it.
    pub(crate) fn touch_dbuf(&mut self, block: BlockId, now: Nanos) {
        if self.rules.has_dbuf_cache || !self.dbufs.is_held(block) {
            self.arc.touch(block, now);
        }
    }

    /// Holds a dbuf that is there, and counts its use.
    pub(crate) fn hold_again(&mut self, blocks: &Blocks, block: BlockId, now: Nanos) {
        if !self.is_in_flight(block) {
            self.touch_dbuf(block, now);
        }
        self.hold_dbuf(blocks, block);
    }

    /// Counts the copy of a block that a dbuf makes at `at`.
    pub(crate) fn add_copy(&mut self, clock: &mut Clock, block: BlockId, at: Nanos) {
        self.arc.add_copy(block, at);
        self.wake_eviction(clock, at);
    }

    /// Calls the thread that evicts, if the ARC has come above its target.
    pub(crate) fn wake_eviction(&mut self, clock: &mut Clock, at: Nanos) {
        if self.arc.wakes_eviction() {
            clock.wake(at, Event::Evict);
        }
    }

    /// Gives a block new content without a look at the old: its dbuf, which must not be there, is made
    /// and held. What the dbuf has is all there is of it until it is written, when the ARC makes a copy of
    /// its own (`arc_write_ready`, arc.c). An old version that is in memory stays until then, and is freed with
    /// the group (`arc_freed`).
    pub(crate) fn fill(&mut self, clock: &mut Clock, blocks: &Blocks, block: BlockId, now: Nanos) {
        let is_there = self.arc.cell(block).has_data();
        self.hold_dbuf(blocks, block);
        self.l2arc.forget(block, &mut self.arc);
        self.arc.fill(block, now);
        if is_there {
            // Two versions now, two copies of the new one then.
            self.add_copy(clock, block, now);
        } else {
            self.dbufs.set_filled(block);
        }
    }

    /// A changed block is on the disks and nothing has changed it since.
    pub(crate) fn written(&mut self, clock: &mut Clock, block: BlockId) {
        self.arc.written(block, clock.now);
        if self.dbufs.end_filled(block) {
            self.add_copy(clock, block, clock.now);
        }
    }
}
