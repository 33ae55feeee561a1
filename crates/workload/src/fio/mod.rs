//! Job files of fio as clients: the options that describe loads.
//!
//! fio (Jens Axboe, <https://github.com/axboe/fio>) runs jobs written as sections of an ini file. A
//! [`JobFile`] is its text, a [`Job`] one section as what it does, and [`Job::expand`] makes clients
//! and files of it. An option that is not understood is an error; one that has no effect here is named in
//! [`Plan::notes`]. Checked against fio 3.33:
//!
//! - Clone `c` of a job called `j` works on files `j.c.0`, `j.c.1`, …; `filename` gives one name to all
//!   clones and jobs. `size` is each clone's, shared evenly by its files; what does not fill a block is
//!   left out, and a job ends after `size` bytes, reads and writes together.
//! - Files are taken in turns, a request each (`file_service_type=roundrobin`).
//! - `rw=rw` reads and writes in order, each from a position of its own in every file
//!   (`fio_file.last_pos[ddir]`): with half and half, the first half of the file is read and written.
//! - A random job visits every block once (its random map), reads and writes together; with `loops` or
//!   a larger `io_size` it begins again in another order. `norandommap` draws with replacement.
//! - `ioengine=sync` and its like wait for every request, whatever `iodepth` says.
//! - `runtime` ends a job early; with `time_based` it begins again until then.

mod error;
mod expand;
mod job;
mod load;
mod options;
mod text;
mod values;

pub use error::FioError;
pub use expand::FileNeed;
pub use job::Job;
pub use load::{Amounts, Kind, Requests};

use text::Section;

/// The text of a job file, in which every option is one of fio.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobFile {
    sections: Vec<Section>,
}

/// Jobs that run side by side.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// The jobs in the order of the file, at least one.
    pub jobs: Vec<Job>,
    /// What was taken without effect, in sentences.
    pub notes: Vec<String>,
}

impl JobFile {
    /// Reads the text of a job file.
    ///
    /// # Errors
    /// [`FioError`] at a line that is none of a job file, or an option that fio does not have.
    pub fn parse(text: &str) -> Result<Self, FioError> {
        text::sections(text).map(|sections| Self { sections })
    }

    /// Returns the names of the jobs in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.sections.iter().map(|section| section.name.as_str())
    }

    /// Returns the jobs as loads: all of them, or those of the section called `name`.
    ///
    /// # Errors
    /// [`FioError`] at what cannot be done, or when no section is called so.
    pub fn plan(&self, name: Option<&str>) -> Result<Plan, FioError> {
        let mut plan = Plan::default();
        let wanted = |section: &&Section| name.is_none_or(|name| section.name == name);
        for section in self.sections.iter().filter(wanted) {
            let is_first = plan.jobs.is_empty();
            plan.jobs.push(job::read(section, is_first, &mut plan.notes)?);
        }
        match (plan.jobs.is_empty(), name) {
            (true, Some(name)) => {
                let known: Vec<&str> = self.names().collect();
                let error = FioError::at(&(0..0), format!("no job is called “{name}”"));
                Err(error.hint(format!("the jobs are: {}", known.join(", "))))
            }
            _ => Ok(plan),
        }
    }
}
