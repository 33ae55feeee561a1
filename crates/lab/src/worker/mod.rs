//! The worker process: loads the library, does one job, ends.

mod build;
mod clients;
mod contents;
mod crash;
mod io_slots;
mod messages;
mod pattern;
mod place;
mod populate;
mod run;
mod samples;
mod setup;
mod stage;
mod trees;
mod zfs_fuse;

use std::io::Read as _;

use self::messages::MessageWriter;
use crate::protocol::{self, Job, Message, Task};
use crate::{LabError, openzfs, os};

/// Does the job on standard input; returns the exit code.
///
/// The process must end right after, without unwinding: the library's threads never stop.
#[must_use]
pub fn main() -> i32 {
    let Ok(writer) = MessageWriter::new() else { return 1 };
    let code = match read_job().and_then(|job| perform(&job, &writer)) {
        Ok(()) => {
            writer.send(&Message::Done);
            0
        }
        Err(error) => {
            writer.send(&Message::Failed(error.to_string()));
            1
        }
    };
    // Messages are flushed line by line.
    os::exit(code)
}

fn read_job() -> Result<Job, LabError> {
    let failed = |source| LabError::Io { what: "reading the job".to_owned(), source };
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(failed)?;
    check_form(&text)?;
    let job: Result<Job, _> = serde_json::from_str(&text);
    let mut job = job.map_err(|error| failed(std::io::Error::other(error)))?;
    if let Task::Run(task) = &mut job.task {
        task.attach_replays();
    }
    Ok(job)
}

/// Refuses a job of another release: it could be read and mean something else.
fn check_form(job: &str) -> Result<(), LabError> {
    /// What every release can read of a job.
    #[derive(serde::Deserialize)]
    struct Form {
        form: String,
    }
    let theirs = serde_json::from_str::<Form>(job).map(|job| job.form);
    let theirs = theirs.unwrap_or_else(|_| "another release".to_owned());
    let ours = protocol::form();
    if theirs == ours { Ok(()) } else { Err(LabError::Release { ours, theirs }) }
}

fn perform(job: &Job, writer: &MessageWriter) -> Result<(), LabError> {
    os::begin_worker();
    if openzfs::is_zfs_fuse(&job.version) {
        return zfs_fuse::perform(job, writer);
    }
    match &job.task {
        Task::Build => build::build(job, writer),
        Task::Run(task) => run::run(job, task, writer),
        Task::Crash(task) => crash::crash(job, task, writer),
        Task::Recover(task) => crash::recover(job, task, writer),
    }
}
