//! The pieces of work that the model charges for, in lock operations (docs/model/clients.md#lock-operation-costs).

#![expect(clippy::indexing_slicing, reason = "the table has a place for every piece of work")]

use arcwright_tunables::Version;

use super::behaviour::is_from_2_2;
use super::costs::of_era;
use super::lock_ops::LOCK_OPS;

/// Declares the pieces of work: a variant, its name in tables and files, and what it is.
macro_rules! works {
    ($($work:ident $name:literal $what:literal;)*) => {
        /// A piece of work.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Work {
            $(#[doc = $what] $work,)*
        }

        impl Work {
            /// All of them, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$work),*];

            /// The name in tables and files.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$work => $name),* }
            }

            /// What it is.
            #[must_use]
            pub fn what(self) -> &'static str {
                match self { $(Self::$work => $what),* }
            }
        }
    };
}

works! {
    Syscall "syscall" "a client's system call";
    DbufCreate "dbuf-create" "holding a data block whose dbuf is created";
    DbufHold "dbuf-hold" "holding a data block whose dbuf is in memory";
    DbufHoldDirty "dbuf-hold-dirty" "holding a record that is dirty in the open txg already";
    ReadIssue "read-issue" "issuing a read";
    ReadColumn "read-column" "each further column of a read";
    ReadDone "read-done" "completing a read, from its last part to the reader";
    Prefetch "prefetch" "issuing a prefetch, besides its read";
    PrefetchHit "prefetch-hit" "a prefetch that finds its block in the ARC";
    Evict "evict" "evicting a block";
    DbufEvict "dbuf-evict" "evicting a dbuf from its cache";
    Transaction "transaction" "a DMU transaction of a write";
    DirtyRecord "dirty-record" "a record that becomes dirty";
    PartialWrite "partial-write" "more for a record that is overwritten in part";
    ZilCommit "zil-commit" "an I/O slot that begins to wait for the ZIL";
    LwbFill "lwb-fill" "putting log records into log blocks, under the log's lock";
    LwbIssue "lwb-issue" "issuing a log block";
    LogGetData "log-get-data" "a log record that fetches its data";
    LwbWritten "lwb-written" "completing the write of a log block, until its flush";
    LwbFlushed "lwb-flushed" "completing the flush of a log block, until who waits goes on";
    TxgWrite "txg-write" "issuing a block of a txg to the disks";
    WriteColumn "write-column" "each further part of it: a column, a side of a mirror, a copy";
    WriteDone "write-done" "completing a block of a txg, from its last part on";
    SyncPass "sync-pass" "a sync pass over the pool's own metadata";
    MetadataHold "metadata-hold" "holding a block of metadata that is in memory";
    DataHoldSaving "data-hold-saving" "how many less holding data of an open file takes than metadata";
    NoIndirectSaving "no-indirect-saving" "how many less a new dbuf takes without an indirect block above";
    DirectoryLookup "directory-lookup" "a lookup in a directory, besides its holds";
    DirectoryEntry "directory-entry" "a directory entry that is listed";
    DnodeCreate "dnode-create" "creating a dnode in memory";
    PrefetchCheck "prefetch-check" "looking ahead for a block that is in memory";
    CopyTransaction "copy-transaction" "a DMU transaction of a copy";
    CopyDirtyBlock "copy-dirty-block" "a block that a copy makes dirty";
}

/// How many lock operations each piece of work takes.
///
/// ```
/// use arcwright_model::{LockOps, Work};
///
/// let new = LockOps::of(Some("2.3.2"));
/// assert!(new.count(Work::DbufCreate) > new.count(Work::DbufHold));
/// assert_eq!(new.with(Work::Syscall, 7).count(Work::Syscall), 7);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LockOps([u32; Work::ALL.len()]);

impl LockOps {
    /// Returns the counts of a release; of the newest for one that is not known.
    #[must_use]
    pub fn of(version: Option<&str>) -> Self {
        Self::of_release(version.and_then(Version::parse))
    }

    pub(crate) fn of_release(version: Option<Version>) -> Self {
        let mut counts = [0; Work::ALL.len()];
        for (count, by_era) in counts.iter_mut().zip(LOCK_OPS) {
            *count = of_era(by_era, is_from_2_2(version));
        }
        Self(counts)
    }

    /// Returns the count of a piece of work.
    #[must_use]
    pub fn count(&self, work: Work) -> u64 {
        u64::from(self.0[work as usize])
    }

    /// Returns the same with another count of a piece of work.
    #[must_use]
    pub fn with(mut self, work: Work, count: u32) -> Self {
        self.0[work as usize] = count;
        self
    }
}
