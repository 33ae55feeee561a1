//! The folder that stands for `/`: the machine itself, or a copy of its files.

use std::path::{Path, PathBuf};

/// Where the machine's files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    folder: PathBuf,
}

impl Root {
    /// The machine itself.
    #[must_use]
    pub fn machine() -> Self {
        Self { folder: PathBuf::from("/") }
    }

    /// A copy of a machine's files below `folder`.
    #[must_use]
    pub fn copy(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Says whether it is the machine itself.
    #[must_use]
    pub fn is_machine(&self) -> bool {
        self.folder == Path::new("/")
    }

    /// Returns where the machine's `path` is.
    #[must_use]
    pub fn at(&self, path: &str) -> PathBuf {
        self.folder.join(path.trim_start_matches('/'))
    }
}
