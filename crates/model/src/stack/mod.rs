//! The storage stack below its clients: subsystems that own their state, and the ways through several
//! of them.
//!
//! | way | file | through |
//! |---|---|---|
//! | a block is held, read, arrives | `read.rs` | cache → I/O → cache → the slots that wait |
//! | blocks are read ahead | `prefetch.rs` | prefetchers → cache → I/O |
//! | a block changes | `change.rs` | throttle → dirty data → cache |
//! | a transaction group is written | `sync.rs` | dirty data → allocator → I/O → cache |
//! | a synchronous write waits | `commit.rs` | intent log → I/O |
//! | a request waits for another's range | `range_locks.rs` | the slots that wait |
//! | eviction, the L2ARC's feed | `background.rs` | cache → I/O |
//!
//! Each way owns what only it uses, and is handed what else it takes: a read its own alone, a write also
//! the read path, the log both. Nothing is handed the whole. What one leaves for later, or asks of the disks, is a
//! message: an [`Event`](crate::clock::Event), or a [`Purpose`](crate::io::Purpose) that comes back with its
//! request; `engine/simulator.rs` says whose each is. Who waits for what is in [`Waits`].

mod background;
mod change;
mod commit;
mod held;
mod moments;
mod prefetch;
mod prefetchers;
mod range_locks;
mod read;
mod seen;
mod sync;
mod waits;

use crate::cache::Cache;
pub(crate) use change::WritePath;
pub(crate) use commit::{Change, DatasetLog, LogPath};
pub(crate) use held::{HeldBlock, HoldOutcome, HoldReason};
pub(crate) use moments::Moments;
pub(crate) use prefetch::NotedAccess;
pub(crate) use prefetchers::{PrefetchRules, Prefetchers};
pub(crate) use range_locks::{Entry, LockRange, RangeLocks};
pub(crate) use read::{Pins, ReadPath};
pub(crate) use seen::ReadsSeen;
pub(crate) use waits::Waits;

/// The stack.
#[derive(Debug)]
pub(crate) struct Stack {
    pub(crate) reads: ReadPath,
    pub(crate) writes: WritePath,
    pub(crate) log: LogPath,
}

impl Stack {
    /// Checks what is conserved, as far as it takes no look at every block; for debug runs, at every turn of the
    /// event loop.
    pub(crate) fn check_turn(&self) {
        self.reads.cache.arc.check_turn();
        self.writes.dirty.check_turn();
        self.writes.txgs.check_turn();
    }

    /// Checks what is conserved; for debug runs, at the end of a phase.
    pub(crate) fn check(&self) {
        self.reads.cache.arc.check();
        // A block that was written to it again counts once.
        let Cache { arc, l2arc, .. } = &self.reads.cache;
        debug_assert!(arc.l2_bytes() <= l2arc.resident_bytes(arc), "bytes in the L2ARC");
        self.reads.io.check();
        self.writes.dirty.check(&self.reads.blocks);
    }
}
