//! Starts a worker process, hands it its job, listens, and ends it when asked to.

use std::collections::{BTreeSet, VecDeque};
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use super::program::WorkerProgram;
use crate::protocol::{self, Job, Message};
use crate::{LabError, openzfs, os};

/// How often a worker's silence is used to look whether the run should stop.
const LISTEN: Duration = Duration::from_millis(50);
/// The last lines of a worker's chatter that are kept for an error message.
const CHATTER_MAX: usize = 12;

/// How a worker's run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The job is done.
    Done,
    /// The run was stopped, and the worker with it.
    Stopped,
}

/// Runs `job` in a worker, handing every message to `hear` until `stop` says true.
///
/// # Errors
/// [`LabError::Worker`] when the worker cannot be started, fails, or dies.
pub(crate) fn run(
    program: &WorkerProgram,
    job: &Job,
    stop: &dyn Fn() -> bool,
    hear: &mut dyn FnMut(Message),
) -> Result<End, LabError> {
    let failed = |what: String| LabError::Worker { what };
    let mut child =
        start(program, job).map_err(|error| failed(format!("did not start: {error}")))?;
    let text = serde_json::to_string(job).unwrap_or_default();
    if let Some(mut input) = child.0.stdin.take() {
        // A worker that is already dead says why through its end.
        let _written = input.write_all(text.as_bytes());
    }
    let messages = listen(&mut child.0);
    let chatter = collect_chatter(&mut child.0);
    loop {
        if stop() {
            return Ok(End::Stopped);
        }
        match messages.recv_timeout(LISTEN) {
            Ok(Message::Done) => return Ok(End::Done),
            Ok(Message::Failed(reason)) => return Err(failed(format!("failed: {reason}"))),
            Ok(message) => hear(message),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                let status = child.0.wait();
                if status.as_ref().is_ok_and(|status| status.code() == Some(protocol::EXIT_FULL)) {
                    return Err(LabError::Full { folder: job.image.clone() });
                }
                let status = status.map(|status| status.to_string()).unwrap_or_default();
                let lines: Vec<String> = chatter.iter().collect();
                let lines = if lines.is_empty() {
                    String::new()
                } else {
                    format!(": {}", lines.join(" · "))
                };
                return Err(failed(format!("ended early ({status}){lines}")));
            }
        }
    }
}

/// A worker that is ended with its owner.
struct Guard(Child, #[expect(dead_code, reason = "it is given back when this is dropped")] Place);

impl Drop for Guard {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to kill.
        let _killed = self.0.kill();
        let _waited = self.0.wait();
    }
}

/// The place of a worker among those at work; no two have the same.
struct Place(usize);

static TAKEN: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

impl Place {
    fn take() -> Self {
        let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        let free = (0..).find(|place| !taken.contains(place)).unwrap_or(0);
        taken.insert(free);
        Self(free)
    }

    /// Returns the processor that goes with it. Two programs begin with different ones, as they are on
    /// different ones when they ask.
    fn processor(&self) -> Option<usize> {
        static ALL: OnceLock<Vec<usize>> = OnceLock::new();
        let all = ALL.get_or_init(|| {
            let mut all = os::processors();
            let here = os::processor();
            let here = all.iter().position(|it| Some(*it) == here).unwrap_or(0);
            all.rotate_left(here);
            all
        });
        all.get(self.0 % all.len().max(1)).copied()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        TAKEN.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
    }
}

fn start(program: &WorkerProgram, job: &Job) -> std::io::Result<Guard> {
    let library = &job.library;
    let mut command = openzfs::start(&program.file, library);
    command
        .args(&program.arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Ctrl-C is for the engine, which ends its workers in order.
        .process_group(0);
    os::fix_addresses(&mut command);
    let place = Place::take();
    // By events one thread runs at a time, and to hand the turn to one on another processor only takes longer
    // (docs/decisions/0003-time-by-events.md). By the real clock threads run beside each other.
    if job.is_by_events()
        && let Some(processor) = place.processor()
    {
        os::keep_to(&mut command, processor);
    }
    command.spawn().map(|child| Guard(child, place))
}

fn listen(child: &mut Child) -> Receiver<Message> {
    let (sender, receiver) = mpsc::channel();
    if let Some(output) = child.stdout.take() {
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let Ok(message) = serde_json::from_str(&line) else { continue };
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
    }
    receiver
}

/// Reads what the library prints; only the last lines are handed out, at the end.
fn collect_chatter(child: &mut Child) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    if let Some(errors) = child.stderr.take() {
        thread::spawn(move || {
            for line in last_lines(errors) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
    }
    receiver
}

fn last_lines(source: impl Read) -> VecDeque<String> {
    let mut kept = VecDeque::new();
    for line in BufReader::new(source).lines().map_while(Result::ok) {
        if kept.len() == CHATTER_MAX {
            kept.pop_front();
        }
        kept.push_back(line);
    }
    kept
}
