//! What can go wrong with an SSD.

use thiserror::Error;

use crate::tune::HostError;

/// Why an SSD was not taken, or not given back.
#[derive(Debug, Error)]
pub enum SsdHostError {
    /// It is no whole drive.
    #[error("{path} is {what}; a whole drive is expected")]
    NoDrive {
        /// The path.
        path: String,
        /// What it is.
        what: &'static str,
    },
    /// Somebody uses it.
    #[error("{path} is in use: {how}")]
    InUse {
        /// The path.
        path: String,
        /// By whom.
        how: String,
    },
    /// Something is on it.
    #[error(
        "{path} is not empty: {what}; if nothing on it is needed, empty it (blkdiscard {path}, or wipefs --all {path}) and \
         try again"
    )]
    NotEmpty {
        /// The path.
        path: String,
        /// What is there.
        what: String,
    },
    /// It is not the size that the plan is for.
    #[error("{path} has {found} bytes, the plan is for one of {planned}")]
    Size {
        /// The path.
        path: String,
        /// Its size.
        found: u64,
        /// The plan's.
        planned: u64,
    },
    /// It could not be looked at.
    #[error("failed to look at {path}: {why}")]
    Unseen {
        /// The path.
        path: String,
        /// Why not.
        why: std::io::Error,
    },
    /// What was done does not show.
    #[error("{what}")]
    NotThere {
        /// What is missing.
        what: String,
    },
    /// A step failed, and those before it were taken back.
    #[error("{why}; what was done before was taken back")]
    TakenBack {
        /// What failed.
        why: Box<Self>,
    },
    /// A step failed, and taking back those before it failed as well.
    #[error("{why}; taking back what was done before failed as well: {also}")]
    LeftOver {
        /// What failed first.
        why: Box<Self>,
        /// What failed then.
        also: Box<Self>,
    },
    /// There is nothing to take back.
    #[error("no SSD was added by arcwright, or all were taken back")]
    Nothing,
    /// The record is damaged.
    #[error("{path} cannot be read: {why}")]
    Record {
        /// The file.
        path: String,
        /// Why not.
        why: String,
    },
    /// A command or a file.
    #[error(transparent)]
    Host(#[from] HostError),
}
