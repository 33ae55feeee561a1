//! Kernel statistics as text and as typed snapshots.
//!
//! The kernel module, the lab and the model all tell what their caches did through *kstats*: named
//! tables of counters. [`NamedKstat`] is one table, [`Snapshot`] is all of them at one moment,
//! [`Delta`] is what changed between two moments, [`ArcDelta`] gives the ARC's rows their names.
//! Not a reader of files: an edge crate reads and hands over the text.

mod arc;
mod counter;
mod delta;
mod error;
mod freebsd;
mod io;
mod named;
mod reset;
mod snapshot;
mod sysctl;
mod text;
mod txgs;
mod value;

pub use arc::{Access, ArcDelta};
pub use counter::Counter;
pub use delta::{Delta, KstatDelta};
pub use error::ParseKstatError;
pub use named::NamedKstat;
pub use reset::{Reset, ResetCause, is_gauge};
pub use snapshot::Snapshot;
pub use sysctl::{Sysctls, name_and_value};
pub use txgs::Txg;
pub use value::Value;
