//! What can go wrong between a decision and the machine.

use std::io;
use std::path::PathBuf;

use arcwright_tunables::EditError;
use thiserror::Error;

use crate::root::RootedPath;

/// A step that could not be made.
#[derive(Debug, Error)]
pub enum HostError {
    /// A file could not be read or written.
    #[error("failed to {verb} {path}: {why}{hint}", path = path.display())]
    File {
        /// What was tried.
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not. It is part of the message, so it is no source, or it would be printed twice.
        why: io::Error,
        /// What would help.
        hint: &'static str,
    },
    /// A file cannot be edited.
    #[error("{path}: {why}")]
    Edit {
        /// The file.
        path: String,
        /// Why not.
        why: EditError,
    },
    /// A file is not what it was when the plan was made.
    #[error("{path} was changed since the plan was made; review the new plan and try again")]
    Changed {
        /// The file.
        path: String,
    },
    /// A file that somebody else manages.
    #[error(
        "{path} is a symbolic link to a file managed elsewhere, so arcwright does not write it"
    )]
    Link {
        /// The file.
        path: String,
    },
    /// A pipe, a device or a socket stands where a file should.
    #[error("{path} is a pipe, a device or a socket; a settings file is expected there")]
    NoFile {
        /// The file.
        path: String,
    },
    /// A folder stands where a file should.
    #[error("{path} is a folder; a settings file is expected there")]
    Folder {
        /// The path.
        path: String,
    },
    /// A value was written and reads back as another.
    #[error("{name} was set to {wanted} but reads {found}; the module did not accept it")]
    NotTaken {
        /// The parameter.
        name: String,
        /// What was written.
        wanted: String,
        /// What is there.
        found: String,
    },
    /// Another arcwright is at it.
    #[error("another arcwright is changing settings ({path} is locked); wait for it")]
    Locked {
        /// The lock.
        path: String,
    },
    /// A command failed.
    #[error("“{command}” failed: {why}")]
    Command {
        /// The command.
        command: String,
        /// What it said.
        why: String,
    },
    /// What would restore a file is missing or damaged.
    #[error("the backup {path} is missing or damaged; {what} cannot be restored from it")]
    Backup {
        /// The backup.
        path: String,
        /// The file it is of.
        what: String,
    },
    /// The journal is as long as it may be while something is still to be undone.
    #[error(
        "the journal {path} has {} MiB, and no more is changed before it is shorter: undo what is in force \
         (arcwright tune undo all), then move it away", .bytes >> 20
    )]
    JournalFull {
        /// The journal.
        path: String,
        /// How long it is.
        bytes: usize,
    },
    /// There is no such operation.
    #[error("the journal has no operation {id}; arcwright tune log lists them")]
    NoOperation {
        /// The number asked for.
        id: u64,
    },
    /// A copy of a machine has no running module.
    #[error("{name} cannot be set live in a copy of a machine’s files")]
    NotLive {
        /// The parameter.
        name: String,
    },
}

impl HostError {
    /// Returns a maker of errors about a file, for `map_err`.
    pub(super) fn file(
        verb: &'static str,
        place: &RootedPath,
    ) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = place.full();
        move |why| {
            let hint = match why.kind() {
                // Root is refused where a file may not be changed by anybody (`chattr +i`).
                _ if why.raw_os_error() == Some(libc::EPERM) => {
                    "; run it as root, or see lsattr if you are"
                }
                io::ErrorKind::PermissionDenied => "; run it as root",
                io::ErrorKind::ReadOnlyFilesystem => "; it is on a read-only file system",
                _ => "",
            };
            Self::File { verb, path, why, hint }
        }
    }
}
