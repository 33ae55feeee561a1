//! Where the OpenZFS library comes from: found on this machine, or fetched from its own packages.
//!
//! The lab needs `libzpool` and its companions in one folder. They are looked for in a few places
//! and can be brought from the machine's own Debian package sources without root and without
//! installing anything (see [`fetch`]).

pub mod apt;

pub(crate) mod offers;
pub(crate) mod zfs_fuse;

mod archive;
mod fetch;
mod loader;
mod locate;
mod trust;

use std::path::PathBuf;

use thiserror::Error;

pub use archive::KNOWN;
pub use fetch::fetch;
pub(crate) use loader::start;
pub(crate) use trust::check_owners;

pub use locate::{LibraryChoice, fetch_root, found, locate, search_roots};

/// The version of a library that says none.
pub(crate) const UNKNOWN: &str = "unknown";
/// The daemon's file.
const ZFS_FUSE: &str = "zfs-fuse";
/// How its versions begin, as they are named here.
const ZFS_FUSE_PREFIX: &str = "zfs-fuse-";

/// A library on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    /// Its version, `2.1.11`.
    pub version: String,
    /// The file to load: `libzpool`, or the daemon `zfs-fuse`.
    pub libzpool: PathBuf,
    /// The folder with its companions.
    pub folder: PathBuf,
}

impl Library {
    /// Returns whether this is the daemon `zfs-fuse`, see `fuse`.
    #[must_use]
    pub fn is_zfs_fuse(&self) -> bool {
        is_zfs_fuse(&self.version)
    }

    /// Returns the version whose defaults it follows, as scenarios name it.
    #[must_use]
    pub fn behaviour(&self) -> &str {
        if self.is_zfs_fuse() { "freebsd-8" } else { &self.version }
    }
}

/// Returns whether `version` names the daemon `zfs-fuse`.
pub(crate) fn is_zfs_fuse(version: &str) -> bool {
    version.starts_with(ZFS_FUSE_PREFIX)
}

/// Why there is no library.
#[derive(Debug, Error)]
pub enum OpenzfsError {
    /// It is on none of the places looked at.
    #[error("the library of OpenZFS {version} is not on this machine")]
    NotFound {
        /// The version wanted.
        version: String,
    },
    /// The path given leads to no library.
    #[error("there is no libzpool at {}", path.display())]
    NoLibraryAt {
        /// The path given.
        path: PathBuf,
    },
    /// Somebody else could have put it where it was found.
    #[error("the library of OpenZFS {version} is not loaded: {why}")]
    Distrusted {
        /// The version wanted.
        version: String,
        /// The folder or file, and who could have.
        why: String,
    },
    /// It is not what was fetched.
    #[error("the library of OpenZFS {version} is not loaded: {why}")]
    Altered {
        /// The version wanted.
        version: String,
        /// The file and what is wrong with it.
        why: String,
    },
    /// A version that cannot be fetched.
    #[error("OpenZFS {version} cannot be fetched; Debian has {}", KNOWN.join(", "))]
    Unknown {
        /// The version asked for.
        version: String,
    },
    /// Fetching failed.
    #[error("cannot fetch OpenZFS {version}: {reason}")]
    Fetch {
        /// The version asked for.
        version: String,
        /// What failed, with the last lines of the program that did.
        reason: String,
    },
}

impl OpenzfsError {
    /// Returns the one thing to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NotFound { version } => {
                let known = KNOWN.iter().find(|known| *known == version).copied();
                match (locate::has_chores(), known) {
                    (true, Some(known)) => format!("fetch it with: cargo xtask openzfs {known}"),
                    (true, None) => {
                        let nearest = locate::nearest_to(version);
                        format!(
                            "Debian has no {version}; fetch the nearest with: cargo xtask openzfs \
                             {nearest}, and run with --openzfs {nearest}"
                        )
                    }
                    (false, _) => {
                        "install libzpool (Debian: libzpool5linux to libzpool7linux, in contrib), \
                              or name one with --openzfs PATH"
                            .to_owned()
                    }
                }
            }
            Self::Distrusted { .. } => {
                "code is loaded only from places that only root, you or the owner of this program \
                 can write; name the library with --openzfs PATH if it is yours"
                    .to_owned()
            }
            Self::Altered { version, .. } if locate::has_chores() => {
                format!("fetch it again: cargo xtask openzfs {version}")
            }
            Self::Altered { .. } => "remove its folder; the next run fetches it again".to_owned(),
            Self::NoLibraryAt { .. } => {
                "name a libzpool.so file or the folder that holds it".to_owned()
            }
            Self::Unknown { .. } | Self::Fetch { .. } => {
                "any libzpool will do: --openzfs /path/to/libzpool.so.5".to_owned()
            }
        }
    }
}
