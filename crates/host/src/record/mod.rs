//! Recordings on disk: counters of a machine over days, and what it looked like.
//!
//! ```text
//!   readings ── Store ──> tail: a frame per reading, in place        ┐
//!                  └────> parts: packed, thinned as they grow old    ├── Recording ──> Sources, rows over time
//!   captures ─────┴────> machine: the last looks                     ┘
//! ```
//!
//! One recorder writes, any number reads meanwhile. What a kill leaves is whole: a frame that is cut is taken off, and a part
//! that was replaced when the kill came is told by its span.

mod error;
mod folder;
mod recorder;
mod recording;
mod store;
#[cfg(test)]
mod tests;

pub use error::RecordError;
pub use folder::{is_recording, recordings_in, usual_folder};
pub use recorder::{Recorder, memory_table};
pub use recording::{Recorded, Recording, Window};
pub use store::Store;
