//! Outcomes as JSON, written and read back.

use arcwright_scenario::{Outcome, OutputVersion};
use serde::Deserialize;
use thiserror::Error;

/// Says why a text is not a result that can be shown.
#[derive(Debug, Error)]
pub enum ReadError {
    /// It is not JSON, or not JSON of a result.
    #[error("not a saved result: {source}")]
    NotAResult {
        /// What the parser found.
        source: serde_json::Error,
    },
    /// It was written by a program whose records this one cannot read.
    #[error(
        "written with format {found}, but this arcwright reads format {known} only; \
         use the arcwright that wrote it, or run the scenario again"
    )]
    OtherFormat {
        /// Major version of the file.
        found: u32,
        /// Major version of this program.
        known: u32,
    },
}

/// The part of every version of the record that never changes.
#[derive(Deserialize)]
struct Head {
    output_version: HeadVersion,
}

#[derive(Deserialize)]
struct HeadVersion {
    vers_major: u32,
}

/// Returns the outcome as indented JSON with a final newline.
///
/// # Errors
/// The serializer's, for numbers that JSON cannot hold.
pub fn to_json(outcome: &Outcome) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(outcome).map(|text| text + "\n")
}

/// Reads an outcome back; a newer minor version may have fields that are not known here.
///
/// # Errors
/// [`ReadError::OtherFormat`] for another major version, [`ReadError::NotAResult`] otherwise.
pub fn from_json(text: &str) -> Result<Outcome, ReadError> {
    let head: Head =
        serde_json::from_str(text).map_err(|source| ReadError::NotAResult { source })?;
    let (found, known) = (head.output_version.vers_major, OutputVersion::current().vers_major);
    if found != known {
        return Err(ReadError::OtherFormat { found, known });
    }
    serde_json::from_str(text).map_err(|source| ReadError::NotAResult { source })
}

#[cfg(test)]
mod tests {
    use super::{from_json, to_json};
    use crate::fixture;

    #[test]
    fn a_result_survives_its_file() {
        let outcome = fixture::steam();
        assert_eq!(from_json(&to_json(&outcome).unwrap()).unwrap(), outcome);
    }

    #[test]
    fn the_stable_fields_have_their_names() {
        let json: serde_json::Value =
            serde_json::from_str(&to_json(&fixture::steam()).unwrap()).unwrap();
        assert_eq!(json["output_version"]["vers_major"], 1);
        assert_eq!(json["arms"][1]["name"], "dumb LRU");
        let phase = &json["arms"][1]["phases"][1];
        for field in [
            "name",
            "bytes",
            "duration_ns",
            "throughput_bytes_per_sec",
            "arc_hit_ratio",
            "l2arc_hit_ratio",
            "device_read_bytes",
        ] {
            assert!(!phase[field].is_null(), "{field}");
        }
    }

    #[test]
    fn another_major_version_is_refused_and_a_newer_minor_one_is_read() {
        let text = to_json(&fixture::steam()).unwrap();
        let major = text.replacen("\"vers_major\": 1", "\"vers_major\": 2", 1);
        assert!(from_json(&major).unwrap_err().to_string().starts_with("written with format 2"));
        let minor = text.replacen("\"vers_minor\": 1", "\"vers_minor\": 9, \"vers_patch\": 1", 1);
        assert_eq!(from_json(&minor).unwrap().output_version.vers_minor, 9);
    }

    #[test]
    fn something_else_is_not_a_result() {
        for text in ["", "{}", "[1]", "{\"output_version\": {\"vers_major\": 1}}"] {
            assert!(from_json(text).unwrap_err().to_string().starts_with("not a saved result"));
        }
    }
}
