//! Counters of a machine over days and weeks: packed small, thinned as they grow old, and back as samples.
//!
//! ```text
//!   Snapshot ── Tail ──> frames, one per reading, each whole or absent ─┐ many of them
//!                                                                       v
//!   Sources <── window ── readings <── Block, columns of differences, packed ── thinned with age
//!                                        └──> Timeline, columns of a chart, with gaps
//! ```
//!
//! A reading is a [`Snapshot`](arcwright_kstat::Snapshot) whose time counts since 1970. Bytes and times come from the
//! caller: nothing here reads a file or a clock.
//!
//! ```
//! use arcwright_kstat::{KstatValue, NamedKstat, Snapshot};
//! use arcwright_recording::Block;
//! use arcwright_units::Nanos;
//!
//! let reading = |second: u64| {
//!     let rows = vec![("hits".to_owned(), KstatValue::U64(1000 * second))];
//!     Snapshot::from_kstats(Nanos::secs(second), vec![NamedKstat::of_rows("zfs/arcstats", rows)])
//! };
//! let readings: Vec<Snapshot> = (0..3600).map(reading).collect();
//! let bytes = Block::of(&readings).to_bytes();
//! assert!(bytes.len() < 3600);
//! assert_eq!(Block::from_bytes(&bytes)?.reading(1234), Some(reading(1234)));
//! # Ok::<(), arcwright_recording::RecordingError>(())
//! ```

mod block;
mod error;
mod gaps;
mod layout;
mod shrink;
mod span;
mod tail;
#[cfg(test)]
mod tests;
mod timeline;
mod window;

pub use block::{BLOCK_BYTES_MAX, Block};
pub use error::RecordingError;
pub use gaps::{RecordingGap, gaps};
pub use shrink::{Segment, Shrink, shrink};
pub use span::{Activity, Counts, busiest, longest};
pub use tail::{TAIL_BYTES_MAX, Tail};
pub use timeline::{
    ColumnRange, DatasetTotals, DiskTotals, Timeline, TimelineColumns, TimelineMeasure,
    TimelineSpan,
};
pub use window::sources;
