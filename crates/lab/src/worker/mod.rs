//! The worker process: loads the library, does one job, ends.

mod build;
mod clients;
mod plant;
mod run;
mod setup;
mod trees;

use std::fs::File;
use std::io::{BufWriter, Read as _, Write as _};
use std::os::fd::FromRawFd as _;
use std::sync::Mutex;

use crate::LabError;
use crate::protocol::{Job, Message, Task};

/// Does the job on standard input; returns the exit code.
///
/// The process must end right after, without unwinding: the library's threads never stop.
#[must_use]
pub fn main() -> i32 {
    let Ok(voice) = Voice::new() else { return 1 };
    let code = match read_job().and_then(|job| perform(&job, &voice)) {
        Ok(()) => {
            voice.say(&Message::Done);
            0
        }
        Err(error) => {
            voice.say(&Message::Failed(error.to_string()));
            1
        }
    };
    // SAFETY: ends the process at once; messages are flushed line by line.
    unsafe { libc::_exit(code) }
}

fn read_job() -> Result<Job, LabError> {
    let failed = |source| LabError::Io { what: "reading the job".to_owned(), source };
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(failed)?;
    serde_json::from_str(&text).map_err(|error| failed(std::io::Error::other(error)))
}

fn perform(job: &Job, voice: &Voice) -> Result<(), LabError> {
    // Sleeps are to end on time, not 50 µs later; threads made from now on inherit it.
    // SAFETY: these options take one number each and touch no memory.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
    match &job.task {
        Task::Build => build::build(job, voice),
        Task::Run(task) => run::run(job, task, voice),
    }
}

/// The worker's side of the conversation.
///
/// Standard output is kept for messages: the library prints there too, so its own is moved aside.
pub(crate) struct Voice {
    out: Mutex<BufWriter<File>>,
}

impl Voice {
    fn new() -> Result<Self, LabError> {
        // SAFETY: duplicates our own descriptors; the new one belongs to nobody else.
        let out = unsafe {
            let copy = libc::dup(libc::STDOUT_FILENO);
            if copy < 0 || libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO) < 0 {
                let source = std::io::Error::last_os_error();
                return Err(LabError::Io { what: "setting aside the output".to_owned(), source });
            }
            File::from_raw_fd(copy)
        };
        Ok(Self { out: Mutex::new(BufWriter::new(out)) })
    }

    /// Sends a message; when nobody listens any more, the process ends.
    pub(crate) fn say(&self, message: &Message) {
        let mut out = self.out.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let line = serde_json::to_string(message).unwrap_or_default();
        if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
            // SAFETY: ends the process at once; there is nobody to tell.
            unsafe { libc::_exit(1) }
        }
    }
}
