//! What the served page shows of a machine over time: points between two readings, columns of many.
//!
//! ```text
//!   LiveReading, LiveReading ──> LivePoint ──> event of the page
//!                                  many    ──> columns, as few as a chart has pixels
//! ```
//!
//! A counter that is absent, or that went back, has no value in its point; the page leaves a gap there.

mod columns;
mod point;
mod recorded;
mod series;
mod tables;

pub use columns::columns;
pub use point::{DiskPoint, LivePoint, LiveReading};
pub use recorded::{OpenedReadings, RecordedReadings, RecordedRun};
pub use series::{RATIOS, SERIES, SeriesUnit};
