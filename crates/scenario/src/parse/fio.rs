//! Clients that a fio job file describes, with the files they work on.

use std::ops::Range;

use arcwright_units::Nanos;
use arcwright_workload::Client;
use arcwright_workload::fio::{FioError, Job, JobFile, Plan};

use super::Fetch;
use super::client::{CLIENTS_MAX, link};
use super::files::Contents;
use super::tree::{Kind, Node};
use crate::error::{Checked, Fault};
use crate::experiment::FileSpec;

const KEYS: [&str; 3] = ["fio", "section", "link"];

/// Reads job files and keeps what is to be said about them.
pub(crate) struct Jobs<'a> {
    fetch: Fetch<'a>,
    /// Names of the files that jobs made.
    made: Vec<String>,
    pub(crate) notes: Vec<String>,
}

/// What the jobs of a phase ask of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JobLimit {
    /// After this time the phase ends.
    pub(crate) limit: Nanos,
    /// Where the job file is named.
    pub(crate) span: Range<usize>,
}

impl<'a> Jobs<'a> {
    pub(crate) const fn new(fetch: Fetch<'a>) -> Self {
        Self { fetch, made: Vec::new(), notes: Vec::new() }
    }

    /// Reads the job file that a client names: adds its clients, and its files to `contents`.
    ///
    /// Returns the time after which all of its clients end at once, when they do.
    pub(crate) fn read(
        &mut self,
        node: &Node,
        contents: &mut Contents,
        clients: &mut Vec<Client>,
    ) -> Checked<Option<JobLimit>> {
        if let Kind::Table(entries) = &node.kind
            && let Some(other) = entries.iter().find(|other| !KEYS.contains(&other.name.as_str()))
            && super::client::KEYS.contains(&other.name.as_str())
        {
            let message = format!("the job file sets “{}” of this client", other.name);
            return Err(Fault::at(&other.key_span, message).help("write it there, as a fio option"));
        }
        let section = node.section("a fio client", &KEYS)?;
        let file = section.need("fio", "fio = \"jobs/disk_perf.fio\"")?;
        let path = file.name_text()?;
        let text = (self.fetch)(path).map_err(|why| {
            let fault = file.fault(format!("no job file “{path}”: {why}"));
            fault.help("its path is relative to the folder of the scenario")
        })?;
        let wanted = section.maybe("section", |name| name.name_text().map(|text| (name, text)))?;
        let plan = plan(&text, path, wanted)?;
        let link = section.maybe("link", link)?;
        for job in &plan.jobs {
            let (files, theirs) = job.expand();
            for need in files {
                let (name, size) = (need.name, need.size);
                let spec = FileSpec {
                    name,
                    size,
                    recordsize: None,
                    dataset: None,
                    compressratio_percent: None,
                };
                self.add_file(spec, file, contents)?;
            }
            clients.extend(theirs.into_iter().map(|client| Client { link, ..client }));
        }
        if clients.len() as u64 > CLIENTS_MAX {
            return Err(file.fault(format!("a phase has at most {CLIENTS_MAX} clients")));
        }
        for note in plan.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        let limit = shared_limit(&plan.jobs, file)?;
        Ok(limit.map(|limit| JobLimit { limit, span: file.span.clone() }))
    }

    /// Adds a file of a job; jobs that name one of the same size share it.
    fn add_file(&mut self, spec: FileSpec, node: &Node, contents: &mut Contents) -> Checked<()> {
        let there = contents.files.iter().find(|other| other.name == spec.name);
        let is_made = self.made.contains(&spec.name);
        match there {
            Some(other) if is_made && other.size == spec.size => Ok(()),
            Some(other) if is_made => {
                let (name, one, two) = (&spec.name, other.size, spec.size);
                let message = format!("jobs have the file “{name}” with {one} and with {two}");
                Err(node.fault(message).help("write one size, or filename for another name"))
            }
            _ if contents.names().any(|other| other == spec.name) => {
                let message =
                    format!("a file of a job and another file are both called “{}”", spec.name);
                Err(node.fault(message).help("write another name in [[file]] or [[tree]]"))
            }
            _ => {
                self.made.push(spec.name.clone());
                contents.add_file(spec, node)
            }
        }
    }
}

/// Reads the jobs of a text, all or those that a section of it describes.
fn plan(text: &str, path: &str, wanted: Option<(&Node, &str)>) -> Checked<Plan> {
    let elsewhere = |error: FioError| {
        let fault = Fault::at(&error.span, error.message).in_file(path, &keys_alone(text));
        match error.hint {
            Some(hint) => fault.help(hint),
            None => fault,
        }
    };
    let jobs = JobFile::parse(text).map_err(elsewhere)?;
    if let Some((node, name)) = wanted {
        let names: Vec<&str> = jobs.names().collect();
        if !names.contains(&name) {
            let fault = node.fault(format!("{path} has no section “{name}”"));
            return Err(fault.nearest(name, &names));
        }
    }
    jobs.plan(wanted.map(|(_, name)| name)).map_err(elsewhere)
}

/// Returns a job file with nothing but its sections and keys, every byte at its place: what a scenario
/// from elsewhere names may be another file, and is not shown.
fn keys_alone(text: &str) -> String {
    const KEY_CHARS_MAX: usize = 64;
    let mut shown = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let code = line.trim_end_matches(['\n', '\r']);
        let plain = |text: &str| {
            text.len() <= KEY_CHARS_MAX
                && text.chars().all(|c| c.is_ascii_alphanumeric() || "_[]- \t".contains(c))
        };
        let kept = match code.split_once('=') {
            Some((key, _)) if plain(key) => key.len() + 1,
            None if plain(code) && code.trim_start().starts_with('[') => code.len(),
            _ => 0,
        };
        let (head, rest) = line.split_at_checked(kept).unwrap_or(("", line));
        shown.push_str(head);
        shown.extend(rest.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
    }
    shown
}

/// Returns when all jobs end, counted from the start of the phase, when `runtime` says so.
fn shared_limit(jobs: &[Job], node: &Node) -> Checked<Option<Nanos>> {
    let end = |job: &Job| job.limit.map(|limit| Nanos(limit.0.saturating_add(job.start.0)));
    let first = jobs.first().and_then(end);
    if jobs.iter().all(|job| end(job) == first) {
        return Ok(first);
    }
    let fault = node.fault("the jobs of this file end at different times, but a phase has one end");
    Err(fault.help("write the same runtime for all, or a phase per job with section = \"…\""))
}

#[cfg(test)]
mod tests {
    use super::keys_alone;

    #[test]
    fn of_a_job_file_sections_and_keys_are_shown_and_nothing_else() {
        let check = |text: &str, expected: &str| {
            let shown = keys_alone(text);
            assert_eq!(shown.len(), text.len(), "{text}");
            let trimmed: Vec<&str> = shown.lines().map(str::trim_end).collect();
            assert_eq!(trimmed.join("\n"), expected, "{text}");
        };
        check("[job]\nbs=4k\nrw = read\n", "[job]\nbs=\nrw =");
        check("[default]\nsecret=abc é\n", "[default]\nsecret=");
        check("root:x:0:0:/root\nkey material\n[a:b]", "\n\n");
        check("a b c=d=e\n-----BEGIN KEY-----\n", "a b c=\n");
    }
}
