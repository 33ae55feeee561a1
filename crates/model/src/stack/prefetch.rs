//! Blocks that are read ahead: what streams ask for, sent off as reads of their own.

use arcwright_units::Nanos;

use super::ReadPath;
use crate::cache::arc::Lookup;
use crate::divisor::Divisor;
use crate::ids::{BlockId, BlockRun, FileId, StreamId, number_of};
use crate::io::Prefetch;
use crate::versions::behaviour::PrefetchBehaviour;
use crate::versions::rules::Prefetcher;
use crate::versions::settings::PrefetchSettings;
use crate::versions::work::Work;
use crate::zfetch::Zfetch;

/// The prefetchers of all files.
#[derive(Debug)]
pub(crate) struct Prefetchers {
    /// One of each file of the dataset, and behind them those of open files of trees.
    by_file: Vec<Zfetch>,
    /// What is known of the latter.
    of_trees: Vec<OfTree>,
    /// Those of them that nobody uses and no prefetch is under way for.
    idle: Vec<FileId>,
    /// Prefetches of data blocks under way.
    in_flight: u64,
    /// Data blocks to prefetch once an indirect block is there.
    deferred: Vec<(BlockId, Prefetch)>,
    pub(crate) rules: PrefetchRules,
}

/// When readers are followed, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PrefetchRules {
    /// Whether sequential readers of data are followed.
    pub(crate) follows_data: bool,
    pub(crate) behaviour: PrefetchBehaviour,
    pub(crate) settings: PrefetchSettings,
    /// Pointers in an indirect block.
    pub(crate) pointers: u32,
}

impl Prefetchers {
    pub(crate) fn new(by_file: Vec<Zfetch>, rules: PrefetchRules) -> Self {
        Self {
            by_file,
            of_trees: Vec::new(),
            idle: Vec::new(),
            in_flight: 0,
            deferred: Vec::new(),
            rules,
        }
    }

    /// Returns what is known of an open file of a tree; none of a file of the dataset.
    fn of_tree(&mut self, file: FileId) -> Option<&mut OfTree> {
        let files = self.by_file.len() - self.of_trees.len();
        self.of_trees.get_mut(file.place().checked_sub(files)?)
    }

    /// The reader of a file of a tree has closed it.
    pub(crate) fn close(&mut self, file: FileId) {
        if let Some(known) = self.of_tree(file) {
            known.is_open = false;
            self.rest(file);
        }
    }

    /// Lets go of a file that nobody uses.
    fn rest(&mut self, file: FileId) {
        if self.of_tree(file).is_some_and(|known| !known.is_open && known.under_way == 0) {
            self.idle.push(file);
        }
    }

    /// Returns the prefetcher of each file.
    pub(crate) fn all(&self) -> &[Zfetch] {
        &self.by_file
    }

    #[expect(clippy::indexing_slicing, reason = "there is one for every file")]
    fn of(&mut self, file: FileId) -> &mut Zfetch {
        &mut self.by_file[file.place()]
    }

    /// Counts a prefetch that is on its way.
    fn sent(&mut self, file: FileId, stream: Option<StreamId>) {
        self.of(file).sent(stream);
        self.in_flight += 1;
        if let Some(known) = self.of_tree(file) {
            known.under_way += 1;
        }
    }

    /// Counts one that is not under way any more.
    fn ended(&mut self, file: FileId) {
        debug_assert!(self.in_flight > 0, "a prefetch ends that was never sent");
        self.in_flight = self.in_flight.saturating_sub(1);
        if let Some(known) = self.of_tree(file) {
            known.under_way = known.under_way.saturating_sub(1);
            self.rest(file);
        }
    }

    /// A prefetched block is there.
    pub(super) fn arrived(&mut self, prefetch: Prefetch) {
        let Prefetch { file, stream, is_indirect, index } = prefetch;
        self.of(file).arrived(stream, (!is_indirect).then_some(u64::from(index)));
        self.ended(file);
    }

    /// Says whether any block waits for an indirect one.
    pub(super) fn has_deferred(&self) -> bool {
        !self.deferred.is_empty()
    }

    /// Takes the prefetches that wait for an indirect block.
    fn take_deferred(&mut self, indirect: BlockId) -> Vec<Prefetch> {
        let taken = self.deferred.extract_if(.., |(block, _)| *block == indirect);
        taken.map(|(_, wanted)| wanted).collect()
    }
}

/// An open file of a tree.
#[derive(Debug)]
struct OfTree {
    is_open: bool,
    /// Its prefetches that have not arrived.
    under_way: u32,
}

impl ReadPath {
    /// Opens a file of a tree for its prefetcher, which knows no streams yet.
    pub(crate) fn open_of_tree(&mut self, data: BlockRun, record: u64) -> FileId {
        let file = self.blocks.file_of_tree(data, record, self.prefetch.rules.pointers);
        let prefetch = &mut self.prefetch;
        if let Some(id) = prefetch.idle.pop() {
            prefetch.of(id).begin_anew(record, u64::from(data.count));
            if let Some(known) = prefetch.of_tree(id) {
                known.is_open = true;
            }
            *self.blocks.open_mut(id) = file;
            return id;
        }
        let PrefetchRules { behaviour, settings, .. } = prefetch.rules;
        let id = FileId::at(prefetch.by_file.len());
        let count = u64::from(data.count);
        prefetch.by_file.push(Zfetch::new(behaviour.rules, settings, record, count));
        prefetch.of_trees.push(OfTree { is_open: true, under_way: 0 });
        self.blocks.open.push(file);
        id
    }

    /// Tells the prefetcher of `file` of an access to `count` blocks from `first`, in a request of `size`
    /// bytes; returns the stream that it belongs to.
    pub(crate) fn note_access(
        &mut self,
        file: FileId,
        (first, last): (u32, u32),
        size: u64,
        now: Nanos,
    ) -> Option<StreamId> {
        let PrefetchRules { follows_data, behaviour, settings, .. } = self.prefetch.rules;
        let is_long = size > settings.array_rd_sz && behaviour.long_reads_bypass;
        if is_long || !follows_data {
            return None;
        }
        let is_crowded = self.prefetches_crowd(self.blocks.file(file).block_bytes);
        let range = (u64::from(first), u64::from(last - first + 1));
        self.prefetch.of(file).access(range, now, is_crowded)
    }

    /// Says whether prefetches under way, taken as blocks of `block_bytes`, fill a sixteenth of the ARC.
    fn prefetches_crowd(&self, block_bytes: u64) -> bool {
        let room = self.cache.arc.target.c_max / 16;
        self.prefetch.rules.behaviour.is_limited
            && self.prefetch.in_flight >= room / block_bytes.max(1)
    }

    /// Tells the oldest prefetchers of a block, which was read or `prefetched` before, and sends off what
    /// they ask for; `size` is that of the request.
    pub(crate) fn prefetch_by_block(
        &mut self,
        file: FileId,
        (index, is_there): (u32, bool),
        size: u64,
        mut now: Nanos,
    ) -> Nanos {
        let rules = &self.prefetch.rules;
        if rules.behaviour.rules != Prefetcher::ByBlock || size > rules.settings.array_rd_sz {
            return now;
        }
        let mut wanted = Vec::new();
        self.prefetch.of(file).block(u64::from(index), is_there, now, &mut wanted);
        for index in wanted.into_iter().flatten() {
            let index = number_of(index);
            let wanted = Prefetch { file, stream: None, is_indirect: false, index };
            let count = self.prefetch_block(wanted, now);
            now += self.clock.lock_ops(count);
        }
        now
    }

    /// Sends off what the stream asks for; `missed` says whether its reads had to wait, none of writes, for
    /// which only indirect blocks are prefetched.
    pub(crate) fn prefetch_ahead(
        &mut self,
        file: FileId,
        stream: StreamId,
        missed: Option<bool>,
        mut now: Nanos,
    ) -> Nanos {
        let pointers = Divisor::of(u64::from(self.prefetch.rules.pointers));
        let asked = self.prefetch.of(file).take(stream, missed == Some(true), pointers);
        let wanted = |index: u64, is_indirect: bool| {
            // Streams ask for nothing behind the end of their file.
            Prefetch { file, stream: Some(stream), is_indirect, index: number_of(index) }
        };
        let data = if missed.is_some() { asked.data } else { 0..0 };
        for index in data {
            let count = self.prefetch_block(wanted(index, false), now);
            now += self.clock.lock_ops(count);
        }
        for index in asked.indirect {
            let count = self.prefetch_indirect(wanted(index, true), now);
            now += self.clock.lock_ops(count);
        }
        now
    }

    /// Prefetches one block; returns how many lock operations that took.
    fn prefetch_block(&mut self, wanted: Prefetch, now: Nanos) -> u64 {
        let file = self.blocks.file(wanted.file);
        if wanted.index >= file.count {
            return 0;
        }
        let (block, parent) = (file.block(wanted.index), file.indirect_of(wanted.index));
        if self.cache.dbufs.exists(block) {
            return 0;
        }
        if let Some(parent) = parent
            && !self.find_parent(parent, wanted, now)
        {
            return self.clock.counts.count(Work::PrefetchHit);
        }
        self.issue_prefetch(block, wanted, now)
    }

    /// Prefetches one indirect block; returns how many lock operations that took.
    fn prefetch_indirect(&mut self, wanted: Prefetch, now: Nanos) -> u64 {
        let Some(block) = self.blocks.file(wanted.file).indirect(wanted.index) else { return 0 };
        if self.cache.dbufs.exists(block) {
            return 0;
        }
        self.issue_prefetch(block, wanted, now)
    }

    /// Reads a prefetched block unless it is there.
    fn issue_prefetch(&mut self, block: BlockId, wanted: Prefetch, now: Nanos) -> u64 {
        match self.cache.arc.read(block, now, true) {
            Lookup::Hit | Lookup::InFlight => {
                self.prefetch.of(wanted.file).counters.io_issued += 1;
                self.clock.counts.count(Work::PrefetchHit)
            }
            found => {
                let count = self.start_read(block, found, false, now);
                self.io.tag(block, wanted);
                self.prefetch.sent(wanted.file, wanted.stream);
                self.clock.counts.count(Work::Prefetch) + count
            }
        }
    }

    /// Looks up the indirect block of a prefetch; false when it has to come first.
    fn find_parent(&mut self, parent: BlockId, child: Prefetch, now: Nanos) -> bool {
        if self.cache.dbufs.exists(parent) && !self.cache.is_in_flight(parent) {
            self.cache.touch_dbuf(parent, now);
            return true;
        }
        match self.cache.arc.read(parent, now, false) {
            Lookup::Hit => {
                if self.cache.keeps_dbuf(parent) {
                    self.cache.hold_dbuf(&self.blocks, parent);
                    self.cache.add_copy(&mut self.clock, parent, now);
                    self.cache.release_dbuf(&self.blocks, parent);
                }
                return true;
            }
            Lookup::InFlight => self.raise_priority(parent),
            found => {
                self.start_read(parent, found, true, now);
            }
        }
        self.prefetch.sent(child.file, child.stream);
        self.prefetch.deferred.push((parent, child));
        false
    }

    /// Prefetches what waited for an indirect block, one after the other; returns how long that takes.
    pub(super) fn prefetch_deferred(&mut self, indirect: BlockId) -> Nanos {
        let mut deferred = self.prefetch.take_deferred(indirect);
        if !self.waiters_in_order {
            deferred.reverse();
        }
        let mut took = Nanos::ZERO;
        for wanted in deferred {
            self.prefetch.of(wanted.file).landed(wanted.stream);
            let count = self.prefetch_block(wanted, self.clock.now + took);
            took += self.clock.lock_ops(count);
            self.prefetch.ended(wanted.file);
        }
        took
    }
}
