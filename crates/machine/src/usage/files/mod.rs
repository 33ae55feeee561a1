//! Accesses to files as a tracer in the kernel tells them: lines read, put in order, summed up.
//!
//! Not the tracer itself, which runs on a live machine (`host`).

mod line;
mod order;
mod totals;

pub use line::{AccessKind, FileAccess, LINE_BYTES_MAX, TracerLine};
pub use order::InOrder;
pub use totals::{FileRow, FileSums, FileTable, FileTotals, Misplaced};
