//! Why a capture is not opened or not made.

use thiserror::Error;

/// Why a capture cannot be read or made.
#[derive(Debug, Error)]
pub enum CaptureError {
    /// A file or folder cannot be read.
    #[error("failed to read {path}: {error}")]
    Read {
        /// Its path.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// It is a recording that cannot be read.
    #[error("{error}")]
    Recording {
        /// The folder, and what is wrong.
        error: String,
    },
    /// It is pasted text of more than one machine.
    #[error("{place}: {error}")]
    Paste {
        /// The file.
        place: String,
        /// Which machines, and where to split it.
        error: arcwright_machine::PasteError,
    },
    /// It is something that has no end, or that waits for somebody.
    #[error(
        "{place} is {kind}, not a file; to read a program's output, pipe it into arcwright and \
         give - as the file"
    )]
    NotAFile {
        /// Its path.
        place: String,
        /// What it is: “a pipe”.
        kind: &'static str,
    },
    /// A small file is larger than it can be.
    #[error("{place} holds more than {limit}, which is no such file")]
    TooLong {
        /// Its path.
        place: String,
        /// The limit in words.
        limit: &'static str,
    },
    /// A text file holds something else.
    #[error("{place} is not text")]
    NoText {
        /// Its path.
        place: String,
    },
    /// The archive ends early or is damaged.
    #[error("{place}: {why}; {hint}")]
    Damaged {
        /// The file, and the entry in it as far as it is known.
        place: String,
        /// What is wrong.
        why: String,
        /// What to do.
        hint: &'static str,
    },
    /// It is something else.
    #[error("{place} is not a capture: {why}; {hint}")]
    NotACapture {
        /// The file.
        place: String,
        /// What it seems to be.
        why: String,
        /// What to do.
        hint: &'static str,
    },
    /// It is larger than any capture is.
    #[error("{place} holds more than {limit}; captures are a few MiB, this one is not opened")]
    TooLarge {
        /// The file, and the entry in it.
        place: String,
        /// The limit in words.
        limit: String,
    },
    /// It was made by a later version of this program.
    #[error("{place} has format {found}, this program reads {known}; use a newer arcwright")]
    Newer {
        /// The file.
        place: String,
        /// Its format.
        found: u32,
        /// The last known.
        known: u32,
    },
    /// The archive cannot be made.
    #[error("failed to pack the capture: {error}")]
    Pack {
        /// Why.
        error: std::io::Error,
    },
}
