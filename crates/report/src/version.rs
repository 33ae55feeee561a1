//! The version that every JSON form begins with.

use schemars::JsonSchema;
use serde::Serialize;

/// The major number of all JSON forms: raised when a reader must change.
const MAJOR: u32 = 1;

/// The version of a JSON form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Version")]
pub struct FormVersion {
    /// The command that wrote it.
    pub command: String,
    /// Raised when a reader must change.
    pub vers_major: u32,
    /// Raised when something is added.
    pub vers_minor: u32,
}

impl FormVersion {
    /// Returns the version of what `command` writes.
    #[must_use]
    pub fn new(command: impl Into<String>, vers_minor: u32) -> Self {
        Self { command: command.into(), vers_major: MAJOR, vers_minor }
    }
}
