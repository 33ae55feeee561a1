//! The storage stack below its clients: subsystems that own their state, and the ways through several
//! of them.
//!
//! | way | file | through |
//! |---|---|---|
//! | a block is held, read, arrives | `hold.rs`, `read.rs` | cache → I/O → cache → the slots that wait |
//! | blocks are read ahead | `prefetch.rs` | prefetchers → cache → I/O |
//! | a block changes | `change.rs` | throttle → dirty data → cache |
//! | a transaction group is written | `sync.rs` | dirty data → allocator → I/O → cache |
//! | a synchronous write waits | `commit.rs` | intent log → I/O |
//! | eviction, the L2ARC's feed | `background.rs` | cache → I/O |
//!
//! Subsystems do not know each other; what one asks of another is an [`Event`] or a [`Purpose`] that
//! comes back with its request, and is handed on here. Who waits for what is in [`Waits`].

mod background;
mod change;
mod commit;
mod hold;
mod prefetch;
mod read;
mod sync;
mod waits;

use arcwright_units::Nanos;

use crate::cache::Cache;
use crate::clock::{Clock, Event};
use crate::ids::{LeafId, RequestId};
use crate::io::{PoolIo, Purpose};
use crate::pool::blocks::Blocks;
use crate::pool::trees::Tree;
use crate::versions::behaviour::Behaviour;
use crate::versions::settings::Settings;
use crate::zil::IntentLog;
pub(crate) use change::WritePath;
pub(crate) use hold::{HoldOutcome, Pins};
pub(crate) use prefetch::Prefetchers;
pub(crate) use waits::Waits;

/// The stack.
#[derive(Debug)]
pub(crate) struct Stack {
    pub(crate) clock: Clock,
    pub(crate) blocks: Blocks,
    pub(crate) trees: Vec<Tree>,
    pub(crate) cache: Cache,
    pub(crate) prefetch: Prefetchers,
    pub(crate) io: PoolIo,
    pub(crate) writes: WritePath,
    pub(crate) log: IntentLog,
    pub(crate) waits: Waits,
    pub(crate) behaviour: Behaviour,
    pub(crate) settings: Settings,
}

impl Stack {
    /// Begins its own work at `first_feed` if there are cache devices.
    pub(crate) fn open(&mut self, first_feed: Nanos) {
        if !self.cache.l2arc.is_empty() {
            self.clock.push(first_feed, Event::Feed);
        }
        self.cache.open_trees(&self.blocks, &mut self.clock);
    }

    /// Returns when something happens next.
    pub(crate) fn next_event(&self) -> Nanos {
        self.clock.events.next().min(self.io.next_due())
    }

    /// Does what an event is about that is no client's.
    pub(crate) fn handle(&mut self, event: Event) {
        match event {
            Event::Enqueue(request) => self.arrive(request),
            Event::Queue(request) => self.enqueue(request),
            Event::Done { leaf, slot } => self.batch_done(leaf, slot),
            Event::Evict => self.evict(),
            Event::Feed => self.feed(),
            Event::Timeout => self.txg_timeout(),
            Event::Sync => self.begin_sync(),
            Event::Write => self.write_on(),
            Event::Stage => self.next_stage(),
            Event::Log(id) => self.write_log(id),
            Event::WriteAhead { block, id } => self.write_ahead(block, id),
            Event::LogTimeout(id) => self.log_timeout(id),
            Event::LogUnlock => self.unlock_log(),
            Event::Arrived(_) | Event::GoOn(_) | Event::Resume(_) | Event::Commit(_) => {
                debug_assert!(false, "{event:?} is a client's");
            }
        }
    }

    /// What a disk has done is through the processor as well.
    fn batch_done(&mut self, leaf: LeafId, slot: u32) {
        let batch = self.io.finish(leaf, slot);
        debug_assert!(batch.is_some(), "{leaf:?} has done what it was never given");
        let Some(batch) = batch else { return };
        for io in &batch.ios {
            if let Some(request) = self.io.part_done(*io) {
                self.request_done(request);
            }
        }
        self.io.go_on(self.clock.now, leaf, batch);
    }

    /// Hands a request whose parts are all done back to whoever made it.
    fn request_done(&mut self, id: RequestId) {
        let finished = self.io.finished(id);
        match finished.purpose {
            Purpose::Read { block, .. } => self.read_done(id, block, finished),
            Purpose::Feed => self.feed_done(),
            Purpose::Write { block, vdev } => self.write_done(block, vdev),
            Purpose::Txg => self.part_done(),
            Purpose::Log { id } => self.log_written(id),
            Purpose::LogFlush { id } => self.log_flushed(id),
        }
        self.io.free(id);
    }

    /// Checks what is conserved, as far as it takes no look at every block; for debug runs, at every turn of the
    /// event loop.
    pub(crate) fn check_turn(&self) {
        self.cache.arc.check_turn();
        self.writes.dirty.check_turn();
        self.writes.txgs.check_turn();
    }

    /// Checks what is conserved; for debug runs, at the end of a phase.
    pub(crate) fn check(&self) {
        self.cache.arc.check();
        self.io.check();
        self.writes.dirty.check(&self.blocks);
    }
}
