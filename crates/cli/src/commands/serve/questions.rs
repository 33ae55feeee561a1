//! What tabs ask that the browser page has as well: findings on pasted text, an experiment, its runs. The same crates answer
//! as there, so that an answer is the same to the last digit.
//!
//! ```text
//!   body ─ turn ─ process (question.rs) ─ arcwright_web ──> lines: how far it is, then an answer or an error
//! ```
//!
//! A short question waits for others that are short, a run in full for another one. Whoever goes away while waiting is
//! forgotten; a run that nobody waits for any more ends.

use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use arcwright_scenario::Watch as _;
use axum::body::Bytes;
use axum::http::StatusCode;
use axum::response::Response;
use tokio::sync::mpsc::Sender;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::answers;
use super::question::RUN_TIME;
use super::telling::Telling;
use crate::commands::server::spawned;

/// Where questions are asked, by their names.
pub(super) const PATH: &str = "/api/page/";
/// How long somebody waits for a turn.
const WAIT: Duration = Duration::from_secs(20);
/// How often it is looked whether a process has ended, or is still wanted.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Bytes of a text, of a scenario file with what is changed of it, and of files.
const TEXT_BYTES_MAX: usize = 4 << 20;
const EXPERIMENT_BYTES_MAX: usize = 2 << 20;
const FILES_BYTES_MAX: usize = 16 << 20;
/// Bytes of an answer that are handed on at once.
const PIECE: usize = 64 << 10;

/// Whose turn it is.
#[derive(Debug)]
pub(super) struct Questions {
    short: Arc<Semaphore>,
    full: Arc<Semaphore>,
}

impl Default for Questions {
    fn default() -> Self {
        Self { short: Arc::new(Semaphore::new(1)), full: Arc::new(Semaphore::new(1)) }
    }
}

/// Returns how many bytes a question may have; none where there is no such question.
pub(super) fn bytes_max(path: &str) -> Option<usize> {
    match path.strip_prefix(PATH)? {
        "choices" => Some(64),
        "diagnose" => Some(TEXT_BYTES_MAX),
        "diagnoseFiles" => Some(FILES_BYTES_MAX),
        "experiment" | "run" => Some(EXPERIMENT_BYTES_MAX),
        _ => None,
    }
}

/// Says whether a question is a run in full, which takes its time.
fn is_full(what: &str, body: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Kind {
        is_coarse: bool,
    }
    what == "run" && serde_json::from_slice::<Kind>(body).is_ok_and(|kind| !kind.is_coarse)
}

impl Questions {
    /// Answers a question in lines.
    pub(super) async fn answer(&self, path: &str, body: Bytes) -> Response {
        let what = path.strip_prefix(PATH).unwrap_or_default().to_owned();
        let turn = if is_full(&what, &body) { &self.full } else { &self.short };
        let Ok(Ok(turn)) = timeout(WAIT, Arc::clone(turn).acquire_owned()).await else {
            return answers::problem(
                StatusCode::CONFLICT,
                "another page computes already",
                Some("one at a time, so that collecting goes on undisturbed"),
            );
        };
        match begin(&what, body, turn) {
            Ok(response) => response,
            Err(error) => {
                answers::problem(StatusCode::INTERNAL_SERVER_ERROR, &format!("{error:#}"), None)
            }
        }
    }
}

/// Starts a process that answers; it is followed by a thread, which gives the turn back when it has ended, however it does.
fn begin(what: &str, body: Bytes, turn: OwnedSemaphorePermit) -> anyhow::Result<Response> {
    let program = std::env::current_exe().context("failed to find this program's own file")?;
    let child = Command::new(program)
        .args(["page-question", what])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let child =
        child.context("failed to start a process that answers; was the program replaced?")?;
    let mut answering = Answering(child);
    let (telling, response) = Telling::begin(RUN_TIME);
    if let Some(mut input) = answering.0.stdin.take() {
        // Who ends early does not read all of it.
        spawned("question-body", move || input.write_all(&body).unwrap_or_default())?;
    }
    if let Some(output) = answering.0.stdout.take() {
        let sender = telling.sender.clone();
        spawned("question-lines", move || hand_on(output, &sender))?;
    }
    spawned("question", move || {
        while !answering.has_ended() && !telling.stop() {
            std::thread::sleep(LOOK_EVERY);
        }
        drop(answering);
        drop(turn);
    })?;
    Ok(response)
}

/// A process that answers; it is ended with this.
struct Answering(Child);

impl Answering {
    fn has_ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        // One that has ended by itself needs neither.
        self.0.kill().unwrap_or_default();
        let _ended = self.0.wait();
    }
}

/// Hands on what a process writes, until it ends or the page has gone.
fn hand_on(mut output: ChildStdout, sender: &Sender<Bytes>) {
    let mut piece = vec![0; PIECE];
    while let Ok(count) = output.read(&mut piece) {
        let Some(read) = piece.get(..count).filter(|read| !read.is_empty()) else { return };
        if sender.blocking_send(Bytes::copy_from_slice(read)).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{bytes_max, is_full};

    #[test]
    fn what_is_no_question_has_no_room() {
        for (path, is_one) in [
            ("/api/page/run", true),
            ("/api/page/choices", true),
            ("/api/page/", false),
            ("/api/page/evil", false),
            ("/api/page/--help", false),
            ("/api/whatif", false),
        ] {
            assert_eq!(bytes_max(path).is_some(), is_one, "{path}");
        }
    }

    #[test]
    fn a_run_in_full_has_a_turn_of_its_own() {
        assert!(is_full("run", br#"{"file":"","isCoarse":false}"#));
        for (what, body) in [
            ("run", r#"{"file":"","isCoarse":true}"#),
            ("run", "{"),
            ("diagnose", r#"{"isCoarse":false}"#),
        ] {
            assert!(!is_full(what, body.as_bytes()), "{what} {body}");
        }
    }
}
