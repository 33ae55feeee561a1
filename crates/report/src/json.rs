//! Outcomes as JSON, written and read back.

use arcwright_scenario::{NAME_CHARS_MAX, Outcome, OutputVersion};
use serde::Deserialize;
use thiserror::Error;

/// Says why a text is not a result that can be shown.
#[derive(Debug, Error)]
pub enum ReadError {
    /// It is not JSON, or not JSON of a result.
    #[error("not a saved result: {}", brief(error))]
    NotAResult {
        /// What the parser found.
        error: serde_json::Error,
    },
    /// It was written by a program whose records this one cannot read.
    #[error(
        "it has format {found}, but this arcwright reads only format {known}; use the arcwright \
         that wrote it, or run the scenario again"
    )]
    OtherFormat {
        /// Major version of the file.
        found: u32,
        /// Major version of this program.
        known: u32,
    },
    /// A name in it is longer than a scenario's may be.
    #[error("it has a name of {chars} characters, but at most {NAME_CHARS_MAX} are supported")]
    LongName {
        /// How long.
        chars: usize,
    },
    /// It holds more than any run makes.
    #[error(
        "it has {arms} arms and {phases} phases, but at most {MANY_MAX} of either are supported"
    )]
    TooMany {
        /// Its arms.
        arms: usize,
        /// The most phases of one of them.
        phases: usize,
    },
}

/// Arms of a result, and phases of an arm, as scenarios have them at most.
const MANY_MAX: usize = 1000;

/// The part of every version of the record that never changes.
#[derive(Deserialize)]
struct Head {
    output_version: HeadVersion,
}

#[derive(Deserialize)]
struct HeadVersion {
    vers_major: u32,
}

/// Returns what the parser found, without most of a text that it quotes.
fn brief(error: &serde_json::Error) -> String {
    const CHARS_MAX: usize = 300;
    let text = error.to_string();
    match text.char_indices().nth(CHARS_MAX) {
        None => text,
        Some((end, _)) => {
            let (line, column) = (error.line(), error.column());
            format!("{}… at line {line} column {column}", text.get(..end).unwrap_or_default())
        }
    }
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
    let head: Head = serde_json::from_str(text).map_err(|error| ReadError::NotAResult { error })?;
    let (found, known) = (head.output_version.vers_major, OutputVersion::current().vers_major);
    if found != known {
        return Err(ReadError::OtherFormat { found, known });
    }
    let outcome: Outcome =
        serde_json::from_str(text).map_err(|error| ReadError::NotAResult { error })?;
    let phases = outcome.arms.iter().map(|arm| arm.phases.len()).max().unwrap_or(0);
    if outcome.arms.len() > MANY_MAX || phases > MANY_MAX {
        return Err(ReadError::TooMany { arms: outcome.arms.len(), phases });
    }
    let names = outcome.arms.iter().flat_map(|arm| {
        arm.phases.iter().map(|phase| &phase.name).chain(std::iter::once(&arm.name))
    });
    let asked = outcome.scenario.arms.iter().map(|arm| &arm.name);
    let asked = asked.chain(outcome.scenario.phases.iter().map(|phase| &phase.name));
    let chars = names.chain(asked).map(|name| name.chars().count()).max().unwrap_or(0);
    if chars > NAME_CHARS_MAX {
        return Err(ReadError::LongName { chars });
    }
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::{Figure, OutputVersion, Reported};

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
        assert!(from_json(&major).unwrap_err().to_string().starts_with("it has format 2"));
        let known = format!("\"vers_minor\": {}", OutputVersion::current().vers_minor);
        let minor = text.replacen(&known, "\"vers_minor\": 9, \"vers_patch\": 1", 1);
        assert_eq!(from_json(&minor).unwrap().output_version.vers_minor, 9);
    }

    #[test]
    fn a_name_that_no_scenario_could_have_is_refused() {
        let mut outcome = fixture::steam();
        outcome.arms[1].name = "x".repeat(200);
        assert!(from_json(&to_json(&outcome).unwrap()).is_ok());
        outcome.arms[1].name.push('x');
        let said = from_json(&to_json(&outcome).unwrap()).unwrap_err().to_string();
        assert_eq!(said, "it has a name of 201 characters, but at most 200 are supported");
    }

    #[test]
    fn every_number_is_read_back_as_it_was_written() {
        let mut outcome = fixture::steam();
        let numbers =
            (0..10_000_u64).map(|at| f64::from_bits(at.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let figure = |value| Figure { arm: "a".to_owned(), phase: "p".to_owned(), value };
        let figures = numbers.filter(|number| number.is_finite()).map(figure).collect();
        outcome.scenario.reported = Some(Reported { unit: "MiB/s".to_owned(), figures });
        assert_eq!(from_json(&to_json(&outcome).unwrap()).unwrap(), outcome);
    }

    #[test]
    fn something_else_is_not_a_result() {
        for text in ["", "{}", "[1]", "{\"output_version\": {\"vers_major\": 1}}"] {
            assert!(from_json(text).unwrap_err().to_string().starts_with("not a saved result"));
        }
        let long = format!("\"{}\"", "x".repeat(1 << 20));
        assert!(from_json(&long).unwrap_err().to_string().len() < 500);
    }

    #[test]
    fn a_result_of_more_arms_than_a_scenario_has_is_no_result() {
        let of = |arms: usize, phases: usize| {
            let mut outcome = fixture::steam();
            let mut arm = outcome.arms.first().unwrap().clone();
            arm.runs.clear();
            let phase = arm.phases.first().unwrap().clone();
            arm.phases = vec![phase; phases];
            outcome.arms = vec![arm; arms];
            from_json(&to_json(&outcome).unwrap()).map(|read| read.arms.len())
        };
        assert_eq!(of(1000, 1).unwrap(), 1000);
        let check = |arms, phases, expected: &str| {
            let error = of(arms, phases).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        };
        check(1001, 1, "it has 1001 arms and 1 phases");
        check(1, 1001, "it has 1 arms and 1001 phases");
    }
}
