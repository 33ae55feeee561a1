//! Kernel statistics as text and as typed snapshots.
//!
//! The kernel module, the lab and the model all tell what their caches did through *kstats*: named
//! tables of counters. [`NamedKstat`] is one table, [`Snapshot`] is all of them at one moment,
//! [`Delta`] is what changed between two moments, [`ArcDelta`] gives the ARC's rows their names.
//! Not a reader of files: an edge crate reads and hands over the text.
//!
//! ```
//! use arcwright_kstat::{ArcDelta, Delta, NamedKstat, Snapshot};
//! use arcwright_units::Nanos;
//!
//! # fn main() -> Result<(), arcwright_kstat::ParseKstatError> {
//! let arcstats = |at: u64, hits: u64, misses: u64| {
//!     let text = format!(
//!         "13 1 0x01 2 544 5 {}\n\
//!          name                            type data\n\
//!          hits                            4    {hits}\n\
//!          misses                          4    {misses}\n",
//!         at * 1_000_000_000
//!     );
//!     let kstat = NamedKstat::parse("zfs/arcstats", &text)?;
//!     Ok(Snapshot::from_kstats(Nanos::secs(at), vec![kstat]))
//! };
//! let delta = Delta::between(&arcstats(10, 1000, 500)?, &arcstats(20, 1900, 600)?);
//! let arc = ArcDelta::of(&delta).unwrap();
//! assert_eq!(arc.all.misses, Some(100));
//! assert_eq!(arc.arc_hit_ratio().to_string(), "90.0 %");
//! // A row that is absent is unknown, not zero.
//! assert_eq!(arc.l2_hits, None);
//! # Ok(())
//! # }
//! ```

mod arc;
mod counter;
mod dbufs;
mod delta;
mod error;
mod freebsd;
mod io;
mod named;
mod reads;
mod reset;
mod snapshot;
mod sysctl;
mod text;
mod txgs;
mod value;

pub use arc::{AccessCounts, ArcDelta, EVICTED_ROWS};
pub use counter::Counter;
pub use dbufs::{DbufColumns, DbufRow};
pub use delta::{Delta, KstatDelta};
pub use error::ParseKstatError;
pub use named::NamedKstat;
pub use reads::ReadRecord;
pub use reset::{Reset, ResetCause, is_gauge};
pub use snapshot::Snapshot;
pub use sysctl::{Sysctls, name_and_value};
pub use txgs::Txg;
pub use value::KstatValue;
