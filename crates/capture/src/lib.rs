//! Captures: everything known of a machine in one small archive, and back from all that people send.
//!
//! ```text
//!   Sources ──pack──> arcwright-capture/… .tar.gz ┐
//!   the same as text, files of a folder, pasted text ──open──> Sources
//! ```
//!
//! An archive is a folder of the texts as they were read, with a manifest; whoever gets one can look
//! into it with tar. The text form holds the same in one file. What comes from others is not trusted: sizes are
//! bounded, and a path that an archive names is a name and nothing else. Bytes come from the caller: nothing
//! here reads a file, so that a browser opens what the program opens.
//!
//! ```
//! use arcwright_capture::open_bytes;
//! use arcwright_machine::Machine;
//!
//! let pasted = b"  pool: tank\n state: ONLINE\nerrors: No known data errors\n";
//! let machine = Machine::read(&open_bytes("pasted text", pasted)?);
//! assert_eq!(machine.pools.len(), 1);
//! # Ok::<(), arcwright_capture::CaptureError>(())
//! ```

mod archive;
mod error;
mod layout;
mod manifest;
mod open;
mod text;

pub use archive::{BYTES_MAX, is_tar, pack};
pub use error::CaptureError;
pub use layout::is_root;
pub use manifest::{FORMAT, Manifest, Missing};
pub use open::{CapturedFile, Opened, assemble, decoded, open_bytes, open_whole_bytes};
pub use text::{is_text_form, pack_text};
