//! One question of a page, answered in a process of its own: what it takes of memory is gone with it, it can be ended at any moment,
//! and a mistake of ours in reading what somebody pasted ends that process and no server.
//!
//! It reads what is asked from standard input, to its end, and writes lines of JSON: how far it is, then `{"answer": …}` or
//! `{"error": …}`.

use std::io::Read as _;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use arcwright_report::harmless_json;
use arcwright_scenario::{Event, Watch};
use arcwright_web::{
    Changes, Diagnosis, Effort, Form, PageError, PlannedRun, choices, diagnose_files,
    diagnose_text, reference, with_changes,
};
use serde::Deserialize;

use super::questions::{PATH, bytes_max};
use super::telling::Shares;
use crate::commands::server::nanos;
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// How long a run in full may take: what it is reckoned to take is less, and within a factor of three.
pub(super) const RUN_TIME: Duration = Duration::from_secs(120);
/// Files that are sent at once.
const FILES_MAX: usize = 2000;

/// What is asked.
enum Question {
    Choices,
    Experiment(Box<Experiment>),
    Text(String),
    Files(Vec<(String, Vec<u8>)>),
    Run(Run),
}

/// What is picked, or a file, with what is changed of it.
#[derive(Debug, Deserialize)]
struct Experiment {
    form: Option<Form>,
    file: Option<String>,
    changes: Changes,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    file: String,
    is_coarse: bool,
}

#[derive(Debug, Deserialize)]
struct Pasted {
    text: String,
}

/// A file in a body of many.
#[derive(Debug, Deserialize)]
struct FileHead {
    name: String,
    size: usize,
}

/// Answers the question of a name that comes on standard input.
pub(in crate::commands) fn answer_question(what: &str) -> Result<Exit, Problem> {
    let most = bytes_max(&format!("{PATH}{what}"))
        .ok_or_else(|| Problem::Usage(anyhow!("there is no such question")))?;
    let mut body = Vec::new();
    let input = std::io::stdin().lock().take(most as u64).read_to_end(&mut body);
    input.context("failed to read the question")?;
    let mut printed = Printed { shares: Shares::default(), end: Instant::now() + RUN_TIME };
    let asked = Question::of(what, &body).map_err(|why| PageError {
        message: arcwright_units::visible_lines(&why).into_owned(),
        hint: None,
        line: None,
        column: None,
    });
    drop(body);
    let line = match asked.and_then(|question| question.answer(&mut printed)) {
        Ok(json) => format!("{{\"answer\":{json}}}"),
        Err(error) => serde_json::json!({ "error": error }).to_string(),
    };
    output::print_json(&(line + "\n"))?;
    Ok(Exit::Fine)
}

/// Prints how far a run is.
struct Printed {
    shares: Shares,
    end: Instant,
}

impl Watch for Printed {
    fn event(&mut self, event: Event) {
        if let Some(line) = self.shares.line(&event) {
            // A server that has gone hears nothing.
            output::print_json(&line).unwrap_or_default();
        }
    }

    fn stop(&self) -> bool {
        Instant::now() >= self.end
    }
}

impl Question {
    fn of(what: &str, body: &[u8]) -> Result<Self, String> {
        let mistake = |error: serde_json::Error| error.to_string();
        match what {
            "choices" => Ok(Self::Choices),
            "experiment" => serde_json::from_slice(body).map(Self::Experiment).map_err(mistake),
            "run" => serde_json::from_slice(body).map(Self::Run).map_err(mistake),
            "diagnose" => {
                let Pasted { text } = serde_json::from_slice(body).map_err(mistake)?;
                Ok(Self::Text(text))
            }
            "diagnoseFiles" => files(body).map(Self::Files),
            _ => Err("there is no such question".to_owned()),
        }
    }

    /// Returns the answer as JSON.
    fn answer(self, printed: &mut Printed) -> Result<String, PageError> {
        match self {
            Self::Choices => Ok(serde_json::to_string(&choices())?),
            Self::Experiment(experiment) => experiment.answer(),
            Self::Text(text) => diagnosed(diagnose_text(&text)?),
            Self::Files(files) => diagnosed(diagnose_files(files)?),
            Self::Run(Run { file, is_coarse }) => run(&file, is_coarse, printed),
        }
    }
}

/// Reads a body of files: a line with their names and sizes, then their bytes.
fn files(body: &[u8]) -> Result<Vec<(String, Vec<u8>)>, String> {
    let broken = || "the files do not have the sizes that are told".to_owned();
    let end = body.iter().position(|byte| *byte == b'\n').ok_or_else(broken)?;
    let (head, rest) = body.split_at(end);
    let heads: Vec<FileHead> = serde_json::from_slice(head).map_err(|error| error.to_string())?;
    if heads.len() > FILES_MAX {
        return Err(format!("more than {FILES_MAX} files"));
    }
    let mut rest = rest.get(1..).unwrap_or_default();
    let mut files = Vec::with_capacity(heads.len());
    for FileHead { name, size } in heads {
        let (bytes, after) = rest.split_at_checked(size).ok_or_else(broken)?;
        files.push((name, bytes.to_vec()));
        rest = after;
    }
    if rest.is_empty() { Ok(files) } else { Err(broken()) }
}

fn diagnosed(said: Diagnosis) -> Result<String, PageError> {
    // What the page shows is JSON already.
    Ok(both(&said.page, &said.json)?)
}

/// Returns what a page shows, and what the program prints, as one.
fn both(page: &str, json: &str) -> serde_json::Result<String> {
    Ok(format!("{{\"page\":{page},\"json\":{}}}", serde_json::to_string(json)?))
}

impl Experiment {
    /// Returns the file that is run, its machine, and the file with the arms of what is changed.
    fn answer(self) -> Result<String, PageError> {
        let base = match (self.form, self.file) {
            (Some(form), _) => form.scenario_file()?,
            (None, file) => file.unwrap_or_default(),
        };
        let reference = serde_json::to_string(&reference(&base)?)?;
        let reference = harmless_json(&reference);
        let whole = serde_json::to_string(&with_changes(&base, &self.changes)?)?;
        let base = serde_json::to_string(&base)?;
        Ok(format!("{{\"base\":{base},\"reference\":{reference},\"whole\":{whole}}}"))
    }
}

/// Runs a scenario file, one arm after the other.
fn run(file: &str, is_coarse: bool, printed: &mut Printed) -> Result<String, PageError> {
    let begin = Instant::now();
    let plan = PlannedRun::of(file, if is_coarse { Effort::Coarse } else { Effort::Full })?;
    let count = plan.arms() as u64;
    let mut parts = Vec::with_capacity(plan.arms());
    for number in 0..plan.arms() {
        printed.shares.begin_part(number as u64, count);
        let part = plan.run_arm(number, printed)?;
        if part.interrupted || printed.stop() {
            return Err(ended());
        }
        parts.push(part);
    }
    let prediction = plan.together(parts, nanos(begin.elapsed()))?;
    Ok(both(&serde_json::to_string(&prediction.page)?, &prediction.json)?)
}

/// Says that a run has taken longer than it may.
fn ended() -> PageError {
    let hint = "save it as a scenario file and run it with the program: arcwright run FILE";
    PageError {
        message: format!("this takes more than {} s", RUN_TIME.as_secs()),
        hint: Some(hint.to_owned()),
        line: None,
        column: None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Question, files};

    #[test]
    fn files_have_the_sizes_that_are_told() {
        let check = |body: &[u8], expected: Option<&[(&str, &[u8])]>| {
            let found = files(body).ok();
            let expected = expected.map(|files| {
                files.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect()
            });
            assert_eq!(found, expected, "{:?}", String::from_utf8_lossy(body));
        };
        let head = br#"[{"name":"a","size":2},{"name":"b","size":1}]"#;
        let with = |rest: &[u8]| [head.as_slice(), b"\n", rest].concat();
        check(&with(b"x\ny"), Some(&[("a", b"x\n"), ("b", b"y")]));
        check(&with(b"x\n"), None);
        check(&with(b"x\nyz"), None);
        check(head, None);
        check(b"", None);
        check(b"[]\n", Some(&[]));
        check(b"[{\"name\":\"a\",\"size\":18446744073709551615}]\nx", None);
        check(b"[{\"name\":\"a\",\"size\":-1}]\nx", None);
        let many = vec![r#"{"name":"a","size":0}"#; 2001].join(",");
        check(format!("[{many}]\n").as_bytes(), None);
    }

    #[test]
    fn what_makes_no_sense_is_no_question() {
        assert!(Question::of("run", b"{}").is_err());
        assert!(Question::of("experiment", b"{\"changes\":{\"evil\":1}}").is_err());
        assert!(Question::of("evil", b"{}").is_err());
    }
}
