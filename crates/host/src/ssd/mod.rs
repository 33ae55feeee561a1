//! An SSD that becomes a part of a pool, and stops to be one: partitions, vdevs, and a record that finds the way back.
//!
//! ```text
//!   plan ──> look: whole drives, empty, nobody's ──> record “begun” ─ sgdisk ─ zpool add ─ read back ─ “done”
//!   undo ──> zpool remove ─ wait until it is gone ─ zpool labelclear ─ sgdisk --zap-all ─ look: empty ─ “undone”
//! ```
//!
//! What fails on the way is taken back at once, as far as it had come.

mod apply;
mod error;
mod look;
mod record;
mod undo;

pub use apply::{SsdRequest, apply};
pub use error::SsdHostError;
pub use look::{Seen, look};
pub use record::{Recorded, RecordedPart, State, load};
pub use undo::undo;
