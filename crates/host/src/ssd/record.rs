//! What was done with SSDs, so that it can be taken back: one small file that changes whole or not at all.

use serde::{Deserialize, Serialize};

use super::SsdHostError;
use crate::tune::{Disk, Root, put_text, text_at};

/// The record's path on the machine.
const RECORD: &str = "/var/lib/arcwright/ssd.json";
/// The form that this program reads and writes.
const FORM: u32 = 1;
/// Records that are kept; what was taken back longest ago goes first.
const KEPT_MAX: usize = 64;

/// How far an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Begun; a program that ended in the middle leaves it so.
    Begun,
    /// Carried out and read back.
    Done,
    /// Taken back.
    Undone,
}

/// SSDs that became a part of a pool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// How far it is.
    pub state: State,
    /// Seconds since 1970.
    pub time: u64,
    /// Who.
    pub who: String,
    /// The pool.
    pub pool: String,
    /// The drives, with their sizes in bytes.
    pub drives: Vec<(String, u64)>,
    /// The parts.
    pub parts: Vec<RecordedPart>,
    /// Whether a checkpoint of the pool was made.
    pub has_checkpoint: bool,
}

/// A role with its partitions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedPart {
    /// `log`, `special`, `cache`.
    pub role: String,
    /// Its partitions.
    pub partitions: Vec<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    form: u32,
    operations: Vec<Recorded>,
}

/// Returns what was done, oldest first.
///
/// # Errors
/// [`SsdHostError::Record`] for a file that is none of ours.
pub fn load(root: &Root) -> Result<Vec<Recorded>, SsdHostError> {
    let place = root.at(RECORD);
    let Some(text) = text_at(&Disk, &place)? else { return Ok(Vec::new()) };
    let damaged = |why: String| SsdHostError::Record { path: place.to_string(), why };
    let file: File = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
    if file.form != FORM {
        return Err(damaged(format!("it has form {}, this program reads {FORM}", file.form)));
    }
    Ok(file.operations)
}

/// Writes what was done.
pub(super) fn store(root: &Root, mut operations: Vec<Recorded>) -> Result<(), SsdHostError> {
    while operations.len() > KEPT_MAX {
        let Some(at) = operations.iter().position(|it| it.state == State::Undone) else { break };
        operations.remove(at);
    }
    let file = File { form: FORM, operations };
    let place = root.at(RECORD);
    let text = serde_json::to_string_pretty(&file).map_err(|error| SsdHostError::Record {
        path: place.to_string(),
        why: error.to_string(),
    })?;
    Ok(put_text(&Disk, &place, &(text + "\n"))?)
}
