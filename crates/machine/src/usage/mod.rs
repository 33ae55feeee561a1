//! Who uses the pools: datasets, processes and files by what they read, write and wait for.
//!
//! ```text
//!   objset kstats, twice ─────────────────> DatasetTable      no root; OpenZFS 0.8 and later
//!   /proc/PID, twice, and looks between ──> ProcessTable      root for other users' processes; Linux
//!   the dbufs kstat ──────────────────────> ObjectTable       root; blocks that are in use or were last
//! ```
//!
//! OpenZFS counts misses of the whole machine alone. Nothing here guesses whose they were.

mod datasets;
mod objects;
mod processes;

pub use datasets::{DatasetRow, DatasetTable};
pub use objects::{ObjectRow, ObjectTable, ObjectTotals, object_paths};
pub use processes::{ProcessCount, ProcessLook, ProcessRow, ProcessTable};

/// Returns a count as what rates are made of.
#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53")]
const fn float(count: u64) -> f64 {
    count as f64
}
