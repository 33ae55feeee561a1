//! Why a recording is not read.

use thiserror::Error;

/// Why a part of a recording cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RecordingError {
    /// It begins otherwise.
    #[error("this is no part of a recording: it does not begin with “ARCREC1”")]
    NotOne,
    /// It cannot be unpacked: it is cut, or bytes of it changed.
    #[error("the part is damaged: {why}")]
    Damaged {
        /// What is wrong.
        why: String,
    },
    /// It holds more than a part can.
    #[error("the part holds more than {} MiB, which is no recording", crate::BLOCK_BYTES_MAX >> 20)]
    TooLarge,
}
