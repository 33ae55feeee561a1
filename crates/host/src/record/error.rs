//! Why a recording is not written or not read.

use arcwright_recording::RecordingError;
use arcwright_units::Nanos;
use thiserror::Error;

/// Why a recording is not written or not read.
#[derive(Debug, Error)]
pub enum RecordError {
    /// A file or a folder refuses.
    #[error("failed to {doing} {path}: {error}")]
    File {
        /// What was tried: `write`.
        doing: &'static str,
        /// Where.
        path: String,
        /// Why it failed.
        error: std::io::Error,
    },
    /// There is something else in the folder.
    #[error("{path} has other files in it; name an empty folder, or one that is not there yet")]
    Other {
        /// The folder.
        path: String,
    },
    /// The recording has a form that this release does not know.
    #[error(
        "{path} is a recording of form {form}, this program reads form 1; a newer one reads it"
    )]
    Form {
        /// The folder.
        path: String,
        /// What it says.
        form: String,
    },
    /// Somebody else writes to it.
    #[error("another recorder writes to {path}; stop it, or name another folder")]
    Busy {
        /// The folder.
        path: String,
    },
    /// The clock is behind what was recorded.
    #[error(
        "the clock is {} s behind the last reading of the recording; readings wait until it has passed it",
        .behind.0 / 1_000_000_000
    )]
    Clock {
        /// By how much.
        behind: Nanos,
    },
    /// There is nothing in it.
    #[error("{path} has no two readings that go on from each other: nothing can be said yet")]
    Empty {
        /// The folder.
        path: String,
    },
    /// A part cannot be read.
    #[error("{path}: {error}")]
    Part {
        /// The file.
        path: String,
        /// What is wrong.
        error: RecordingError,
    },
}
