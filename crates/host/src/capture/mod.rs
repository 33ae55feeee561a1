//! Captures of machines, opened by their paths and with names replaced; their forms are those of
//! `arcwright-capture`.
//!
//! ```text
//!   Sources ──redact──> pack ──> arcwright-capture/… .tar.gz ┐
//!   the same as text, folder, pasted text, standard input ────┴─open──> Sources
//! ```

mod captures;
mod folder;
mod open;
mod redact;

pub use arcwright_capture::{
    CaptureError, FORMAT, Manifest, Missing, Opened, open_bytes, pack, pack_text,
};
pub use captures::captures_in;
pub use open::{open, open_whole, read_text};
pub use redact::redact;

#[cfg(test)]
mod tests;
