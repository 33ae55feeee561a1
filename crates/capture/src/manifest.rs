//! What a capture says of itself: `manifest.json`.

use arcwright_machine::{Reason, Source, Sources};
use serde::{Deserialize, Serialize};

/// The format of captures that this program writes, and the last that it reads.
pub const FORMAT: u32 = 1;
/// The name under which it stands beside the texts.
pub(crate) const MANIFEST: &str = "manifest.json";

/// What a capture says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Counts from 1; raised when an old program could not read a new capture.
    pub format: u32,
    /// The version of the program that made it.
    pub program: String,
    /// Seconds between the samples.
    pub window_s: f64,
    /// Whether names and serial numbers were replaced.
    pub redacted: bool,
    /// The machine's name of itself; absent when names were replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// When it was made, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_s: Option<u64>,
    /// What could not be read.
    #[serde(default)]
    pub missing: Vec<Missing>,
}

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// The text's name: `commands/zpool-status`.
    pub name: String,
    /// `denied`, `absent`, `garbled` or `failed`.
    pub reason: String,
    /// More in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub words: String,
}

impl Manifest {
    /// Returns what could not be read of `sources`.
    #[must_use]
    pub fn missing(sources: &Sources) -> Vec<Missing> {
        let missing = |(name, source): (&String, &Source)| match source {
            Source::Text(_) => None,
            Source::Unreadable(reason) => Some(Missing::of(name, reason)),
        };
        sources.texts.iter().filter_map(missing).collect()
    }
}

impl Missing {
    fn of(name: &str, reason: &Reason) -> Self {
        let (reason, words) = match reason {
            Reason::Denied => ("denied", ""),
            Reason::Absent => ("absent", ""),
            Reason::Garbled(words) => ("garbled", words.as_str()),
            Reason::Failed(words) => ("failed", words.as_str()),
        };
        Self { name: name.to_owned(), reason: reason.to_owned(), words: words.to_owned() }
    }

    /// Returns the reason; one that a later program invents is a failure.
    #[must_use]
    pub fn reason(&self) -> Reason {
        match self.reason.as_str() {
            "denied" => Reason::Denied,
            "absent" => Reason::Absent,
            "garbled" => Reason::Garbled(self.words.clone()),
            _ => Reason::Failed(self.words.clone()),
        }
    }
}
