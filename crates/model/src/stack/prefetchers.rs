//! The prefetchers of all files, and which of their prefetches are under way.

use crate::ids::{BlockId, FileId, StreamId};
use crate::io::Prefetch;
use crate::versions::behaviour::PrefetchBehaviour;
use crate::versions::settings::PrefetchSettings;
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
    pub(super) in_flight: u64,
    /// Data blocks to prefetch once an indirect block is there.
    deferred: Vec<Deferred>,
    pub(crate) rules: PrefetchRules,
}

/// When readers are followed, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PrefetchRules {
    /// Whether sequential readers are followed in files whose data does not stay in memory.
    pub(crate) follows_uncached: bool,
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

    /// Opens a file of a tree, of `count` blocks of `block_bytes`, of which no streams are known yet.
    pub(super) fn open(&mut self, block_bytes: u64, count: u64) -> FileId {
        if let Some(id) = self.idle.pop() {
            self.of(id).begin_anew(block_bytes, count);
            if let Some(known) = self.of_tree(id) {
                known.is_open = true;
            }
            return id;
        }
        let PrefetchRules { behaviour, settings, .. } = self.rules;
        let id = FileId::at(self.by_file.len());
        self.by_file.push(Zfetch::new(behaviour.rules, settings, block_bytes, count));
        self.of_trees.push(OfTree { is_open: true, under_way: 0 });
        id
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
    pub(super) fn of(&mut self, file: FileId) -> &mut Zfetch {
        &mut self.by_file[file.place()]
    }

    /// Counts a prefetch that is on its way.
    pub(super) fn sent(&mut self, file: FileId, stream: Option<StreamId>) {
        self.of(file).sent(stream);
        self.in_flight += 1;
        if let Some(known) = self.of_tree(file) {
            known.under_way += 1;
        }
    }

    /// Counts one that is not under way any more.
    pub(super) fn ended(&mut self, file: FileId) {
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

    /// Lets a prefetch wait for an indirect block.
    pub(super) fn defer(&mut self, indirect: BlockId, wanted: Prefetch) {
        self.sent(wanted.file, wanted.stream);
        self.deferred.push(Deferred { indirect, wanted });
    }

    /// Says whether any block waits for an indirect one.
    pub(super) fn has_deferred(&self) -> bool {
        !self.deferred.is_empty()
    }

    /// Takes the prefetches that wait for an indirect block.
    pub(super) fn take_deferred(&mut self, indirect: BlockId) -> Vec<Prefetch> {
        let taken = self.deferred.extract_if(.., |deferred| deferred.indirect == indirect);
        taken.map(|deferred| deferred.wanted).collect()
    }
}

/// A prefetch that waits for an indirect block.
#[derive(Debug)]
struct Deferred {
    indirect: BlockId,
    wanted: Prefetch,
}

/// An open file of a tree.
#[derive(Debug)]
struct OfTree {
    is_open: bool,
    /// Its prefetches that have not arrived.
    under_way: u32,
}
