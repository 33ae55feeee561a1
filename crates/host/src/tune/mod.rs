//! Carrying out what `arcwright-tunables` decided: files, live values, the journal.
//!
//! Nothing here decides: a plan comes in, and what it says is done in an order that can be stopped at
//! any point. A file is either its old text or its new one, the journal says which, and undoing gives
//! the old one back byte for byte.
//!
//! ```text
//!   read ──> Running, Places ──(pure)──> Plan, Persistence ──> carry out: for every step
//!                                              backup ─ journal “planned” ─ write ─ read back ─ “done”
//! ```

mod apply;
mod atomic;
mod error;
mod facts;
mod files;
mod journal;
mod live;
mod system;
mod undo;
mod verify;

pub use crate::root::{Root, RootedPath};
pub use apply::{AuditNote, Session};
pub use error::HostError;
pub use facts::{Facts, read};
pub use files::{Disk, Files, Kind};
pub use journal::{JOURNAL, load};
pub use system::{Commands, Output, System};
pub use undo::{UndoTarget, Undone};
pub use verify::{VerifiedChange, verify};

pub(crate) use apply::exclusive;
pub(crate) use atomic::{put_text, text as text_at};
pub(crate) use system::text_of;

#[cfg(test)]
mod tests;
