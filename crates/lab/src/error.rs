//! What can go wrong inside a worker or on the way to it.

use std::path::PathBuf;

use thiserror::Error;

/// A failure of the lab.
#[derive(Debug, Error)]
#[cfg_attr(not(feature = "worker"), expect(dead_code, reason = "most are a worker's own"))]
pub(crate) enum LabError {
    /// The library cannot be loaded.
    #[error("cannot load {}: {reason}", path.display())]
    Library {
        /// Where it was looked for.
        path: PathBuf,
        /// What the loader said.
        reason: String,
    },
    /// The library lacks a function that the lab calls.
    #[error("the OpenZFS library has no “{name}”; it is too old or too new for the lab")]
    Symbol {
        /// The missing name.
        name: String,
    },
    /// The library does not call out where it was expected to.
    #[error("the OpenZFS library makes no call to “{name}” that the lab could redirect")]
    Hook {
        /// The function that should have been redirected.
        name: String,
    },
    /// The library does not say how large a variable is.
    #[error("the OpenZFS library has “{name}” and does not say how many bytes it takes")]
    Size {
        /// The variable.
        name: String,
    },
    /// A statistic that every library has is missing.
    #[error("the OpenZFS library counts no “{row}” in {kstat}")]
    Statistic {
        /// The kstat.
        kstat: String,
        /// The missing row.
        row: String,
    },
    /// More disks than the lab tells apart.
    #[error("{count} disks are more than the lab can emulate ({max})")]
    Disks {
        /// How many there are.
        count: usize,
        /// The most.
        max: usize,
    },
    /// Memory could not be made writable.
    #[error("cannot redirect the library's calls: {reason}")]
    Protect {
        /// What the system said.
        reason: String,
    },
    /// A disk's file is not usable.
    #[error("cannot use the vdev file {}: {reason}", path.display())]
    Disk {
        /// Its path.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A call into OpenZFS failed.
    #[error("{call} failed: {}", errno(*code))]
    Zfs {
        /// The function and what it was about.
        call: String,
        /// The error number it returned.
        code: i32,
    },
    /// A tunable that this library does not have.
    #[error("OpenZFS {version} has no tunable “{name}” that can be set in user space")]
    Tunable {
        /// Its name.
        name: String,
        /// The library's version.
        version: String,
    },
    /// A value that does not fit the tunable.
    #[error(
        "{value} does not fit the tunable “{name}” of OpenZFS {version}, which has {size} bytes"
    )]
    TunableValue {
        /// Its name.
        name: String,
        /// The value asked for.
        value: u64,
        /// The library's version.
        version: String,
        /// Bytes of the variable.
        size: u64,
    },
    /// Files could not be read or written.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A write found no room in the scratch folder.
    #[error("the disk that holds {} is full: the pool's image could not be written", folder.display())]
    Full {
        /// The image's folder.
        folder: PathBuf,
    },
    /// The worker's program and the one that started it are of different releases.
    #[error(
        "arcwright-lab ({ours}) and the arcwright that started it ({theirs}) are of different releases; \
         install both from one"
    )]
    Release {
        /// The form of jobs that this worker reads.
        ours: String,
        /// The form of the job.
        theirs: String,
    },
    /// The worker ended without a result.
    #[error("the lab's worker process {what}")]
    Worker {
        /// How it ended, with the last lines it printed.
        what: String,
    },
}

fn errno(code: i32) -> String {
    std::io::Error::from_raw_os_error(code).to_string()
}
