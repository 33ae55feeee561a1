//! Who uses the pools: datasets, processes and files by what they read, write and wait for.
//!
//! ```text
//!   objset kstats, twice ─────────────────> DatasetTable      no root; OpenZFS 0.8 and later
//!   /proc/PID, twice, and looks between ──> ProcessTable      root for other users' processes; Linux
//!   the dbufs kstat ──────────────────────> ObjectTable       root; blocks that are in use or were last
//!   the read history, switched on ────────> ReadTable         root; every read of the ARC, for a while
//!   a tracer in the kernel ─────────────────> FileTable       root; every access to a file, for a while
//! ```
//!
//! OpenZFS counts misses of the whole machine alone, and only the read history tells whose they were. Nothing here guesses it.

mod datasets;
mod files;
mod objects;
mod processes;
mod reads;

pub use datasets::{DatasetRow, DatasetTable};
pub use files::{
    AccessKind, FileAccess, FileRow, FileSums, FileTable, FileTotals, InOrder, LINE_BYTES_MAX,
    Misplaced, TracerLine,
};
pub use objects::{ObjectRow, ObjectTable, ObjectTotals};
pub use processes::{ProcessCount, ProcessMoment, ProcessRow, ProcessTable};
pub use reads::{ReadRow, ReadTable, ReadTotals};
