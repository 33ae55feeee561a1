//! Blocks that are read ahead: what streams ask for, sent off as reads of their own.

use arcwright_units::Nanos;

use super::{HeldBlock, HoldOutcome, PrefetchRules, ReadPath};
use crate::cache::arc::Lookup;
use crate::divisor::Divisor;
use crate::ids::{BlockId, BlockRun, FileId, StreamId, number_of};
use crate::io::Prefetch;
use crate::pool::blocks::Indices;
use crate::versions::rules::Prefetcher;
use crate::versions::work::Work;
use crate::zfetch::AccessKind;

/// What a prefetcher is told of an access.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NotedAccess {
    pub(crate) blocks: Indices,
    /// Bytes of the request.
    pub(crate) size: u64,
    /// Whether data is prefetched for it: for a write only indirect blocks are.
    pub(crate) fetches_data: bool,
}

impl ReadPath {
    /// Opens a file of a tree for its prefetcher, which knows no streams yet.
    pub(crate) fn open_of_tree(&mut self, data: BlockRun, record: u64) -> FileId {
        let file = self.blocks.file_of_tree(data, record, self.prefetch.rules.pointers);
        let id = self.prefetch.open(record, u64::from(data.count));
        self.blocks.put_open(id, file);
        id
    }

    /// Tells the prefetcher of `file` of an access to some of its blocks; returns the stream that it belongs to.
    pub(crate) fn note_access(
        &mut self,
        file: FileId,
        access: NotedAccess,
        now: Nanos,
    ) -> Option<StreamId> {
        let NotedAccess { blocks, size, fetches_data } = access;
        let PrefetchRules { follows_uncached, behaviour, settings, .. } = self.prefetch.rules;
        let is_long = size > settings.array_rd_sz && behaviour.long_reads_bypass;
        let is_followed = follows_uncached || self.cache.keeps(self.blocks.file(file).first);
        if is_long || !is_followed {
            return None;
        }
        let crowded = self.prefetches_crowd(self.blocks.file(file).block_bytes);
        let range = u64::from(blocks.first)..u64::from(blocks.last) + 1;
        self.prefetch.of(file).access(range, now, AccessKind { fetches_data, crowded })
    }

    /// Follows the change of a part of a record, which is there, as a read of the record, where releases do that.
    pub(crate) fn follow_partial_write(&mut self, file: FileId, index: u32, now: Nanos) -> Nanos {
        if !self.prefetch.rules.behaviour.follows_partial_writes {
            return now;
        }
        let (blocks, size) =
            (Indices { first: index, last: index }, self.blocks.file(file).block_bytes);
        match self.note_access(file, NotedAccess { blocks, size, fetches_data: true }, now) {
            Some(stream) => self.prefetch_ahead(file, stream, false, now),
            None => now,
        }
    }

    /// Says whether prefetches under way, taken as blocks of `block_bytes`, fill a sixteenth of the ARC.
    fn prefetches_crowd(&self, block_bytes: u64) -> bool {
        let room = self.cache.arc.target.c_max / 16;
        self.prefetch.rules.behaviour.is_limited
            && self.prefetch.in_flight >= room / block_bytes.max(1)
    }

    /// Tells the oldest prefetchers of a block, and sends off what they ask for; `size` is that of the request.
    #[inline]
    pub(crate) fn prefetch_by_block(&mut self, held: HeldBlock, size: u64, now: Nanos) -> Nanos {
        let rules = &self.prefetch.rules;
        let is_told = rules.behaviour.rules == Prefetcher::ByBlock;
        if is_told && size <= rules.settings.array_rd_sz {
            self.prefetch_after(held, now)
        } else {
            now
        }
    }

    /// Sends off what the oldest prefetchers ask for after a block.
    fn prefetch_after(&mut self, held: HeldBlock, mut now: Nanos) -> Nanos {
        let file = held.file;
        let is_there = !matches!(held.outcome, HoldOutcome::Sent { .. });
        let mut wanted = Vec::new();
        self.prefetch.of(file).block(u64::from(held.index), is_there, now, &mut wanted);
        for index in wanted.into_iter().flatten() {
            let index = number_of(index);
            let wanted = Prefetch { file, stream: None, is_indirect: false, index };
            let count = self.prefetch_block(wanted, now);
            now += self.clock.lock_ops(count);
        }
        now
    }

    /// Sends off what the stream asks for; `missed` says whether its reads had to wait.
    pub(crate) fn prefetch_ahead(
        &mut self,
        file: FileId,
        stream: StreamId,
        missed: bool,
        mut now: Nanos,
    ) -> Nanos {
        let pointers = Divisor::of(u64::from(self.prefetch.rules.pointers));
        let asked = self.prefetch.of(file).take(stream, missed, pointers);
        let wanted = |index: u64, is_indirect: bool| {
            // Streams ask for nothing behind the end of their file.
            Prefetch { file, stream: Some(stream), is_indirect, index: number_of(index) }
        };
        for index in asked.data {
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
        self.prefetch.defer(parent, child);
        false
    }

    /// Prefetches what waited for an indirect block, one after the other; returns how long that takes. A thread
    /// that takes what disks have done sends nothing to them: it calls another for it.
    pub(super) fn prefetch_deferred(&mut self, indirect: BlockId) -> Nanos {
        let mut deferred = self.prefetch.take_deferred(indirect);
        if !self.waiters_in_order {
            deferred.reverse();
        }
        let mut took = Nanos::ZERO;
        for wanted in deferred {
            self.prefetch.of(wanted.file).landed(wanted.stream);
            let at = self.clock.now + took + self.clock.costs.switch;
            let count = self.prefetch_block(wanted, at);
            took += self.clock.lock_ops(count);
            self.prefetch.ended(wanted.file);
        }
        took
    }

    /// Asks for a block of metadata ahead, as urgently as if a thread waited for it (`dmu_prefetch` with
    /// `ZIO_PRIORITY_SYNC_READ`); returns the lock operations of its read.
    pub(crate) fn look_ahead(&mut self, block: BlockId, now: Nanos) -> u64 {
        if self.cache.dbufs.exists(block) {
            return 0;
        }
        let mut count = 0;
        if let Some(parent) = self.blocks.parent(block)
            && self.cache.dbufs.exists(parent)
            && !self.cache.is_in_flight(parent)
        {
            self.cache.arc.touch(parent, now);
            count += self.clock.counts.count(Work::MetadataHold);
        }
        match self.cache.arc.read(block, now, true) {
            Lookup::Hit | Lookup::InFlight => count,
            found => {
                let read = self.start_read(block, found, false, now);
                self.io.send_urgently(block);
                count + self.clock.counts.count(Work::Prefetch) + read
            }
        }
    }
}
