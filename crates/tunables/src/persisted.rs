//! A setting as a file or a middleware keeps it, and where.

use crate::{Entry, Value};

/// A setting found in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Persisted {
    /// The parameter as the file names it.
    pub name: String,
    /// Its value there.
    pub value: Value,
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// Whether arcwright wrote it.
    pub ours: bool,
}

impl Persisted {
    /// Says whether it sets `entry`.
    #[must_use]
    pub fn is_of(&self, entry: &Entry) -> bool {
        entry.names().any(|name| name == self.name)
    }

    /// Returns where it stands: `/etc/modprobe.d/zfs.conf:3`.
    #[must_use]
    pub fn place(&self) -> String {
        format!("{}:{}", self.path, self.line)
    }
}
