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
    /// The names of the partitions in the drives' tables.
    pub labels: Vec<String>,
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

#[cfg(test)]
mod tests {
    use super::{RECORD, Recorded, RecordedPart, State, load, store};
    use crate::tune::Root;

    fn recorded(state: State, pool: &str) -> Recorded {
        Recorded {
            state,
            time: 1_700_000_000,
            who: "root".to_owned(),
            pool: pool.to_owned(),
            drives: vec![("/dev/sdx".to_owned(), 1 << 40)],
            parts: vec![RecordedPart {
                role: "log".to_owned(),
                partitions: vec!["/dev/sdx1".to_owned()],
            }],
            labels: vec!["tank-log".to_owned()],
            has_checkpoint: false,
        }
    }

    #[test]
    fn what_was_stored_is_loaded_and_what_was_taken_back_longest_ago_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::copy(folder.path()).unwrap();
        assert_eq!(load(&root).unwrap(), []);
        let mut all = vec![recorded(State::Done, "kept")];
        all.extend((0..70).map(|number| recorded(State::Undone, &number.to_string())));
        store(&root, all.clone()).unwrap();
        let found = load(&root).unwrap();
        assert_eq!(found.len(), 64);
        assert_eq!((&found[0], &found[1].pool[..]), (&all[0], "7"));
    }

    #[test]
    fn a_damaged_record_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::copy(folder.path()).unwrap();
        let path = folder.path().join(RECORD.trim_start_matches('/'));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let check = |text: &str, expected: &str| {
            std::fs::write(&path, text).unwrap();
            let error = load(&root).unwrap_err().to_string();
            assert!(error.contains("ssd.json") && error.contains(expected), "{error}");
        };
        check("", "EOF");
        check("{\"form\":1", "EOF");
        check("{\"form\":2,\"operations\":[]}", "it has form 2, this program reads 1");
        check("{\"form\":1,\"operations\":[{\"pool\":1}]}", "invalid type");
        check("{\"form\":1,\"operations\":[],\"more\":1}", "unknown field");
    }
}
