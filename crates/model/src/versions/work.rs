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
    Call "call" "a client's call";
    HoldNew "hold-new" "holding a data block whose dbuf is made";
    HoldThere "hold-there" "holding a data block whose dbuf is there";
    HoldDirty "hold-dirty" "holding a record that is dirty in the group already";
    Send "send" "sending a read";
    Column "column" "each further column of a read";
    Finish "finish" "from a request's last part to who waits for it";
    Prefetch "prefetch" "a prefetch besides its read";
    Found "found" "a prefetch that finds its block";
    Evict "evict" "evicting a block";
    Transaction "transaction" "a transaction of a write";
    Change "change" "a record that becomes dirty";
    Part "part" "more for a record that is covered in part";
    Commit "commit" "a slot that comes to wait for the log";
    Gather "gather" "putting records into log blocks, under the log's lock";
    Issue "issue" "handing over a log block";
    Fetch "fetch" "a record of the log that fetches its data";
    Write "write" "a block of a group handed to the disks";
    Round "round" "a round of the pool's own metadata in a group";
    HoldMeta "hold-metadata" "holding a block of metadata that is there";
    LessForData "less-for-data" "how many less holding data of an open file takes than metadata";
    LessUnderDnode "less-under-dnode" "how many less a new dbuf takes without an indirect block above";
    Lookup "lookup" "a lookup in a directory besides its holds";
    Entry "entry" "an entry that is listed";
    Dnode "dnode" "a dnode that is made";
    Look "look" "asking ahead for a block that is there";
    CopyTransaction "copy-transaction" "a transaction of a copy";
    CopyChange "copy-change" "a block that a copy changes";
}

/// How many lock operations each piece of work takes.
///
/// ```
/// use arcwright_model::{LockOps, Work};
///
/// let new = LockOps::of(Some("2.3.2"));
/// assert!(new.count(Work::HoldNew) > new.count(Work::HoldThere));
/// assert_eq!(new.with(Work::Call, 7).count(Work::Call), 7);
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
