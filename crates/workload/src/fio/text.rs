//! The text of a job file as sections of options that know their place.
//!
//! As fio's `__parse_jobs_ini` reads it: a line is cut at the first `;` or `#`, a section whose name
//! begins with `global` sets defaults for the jobs below it, and a later option takes the place of an
//! earlier one.

use std::ops::Range;

use arcwright_units::likeness;

use super::error::{Checked, FioError};
use super::options;

/// Most lines that a job file may have.
const LINES_MAX: usize = 100_000;
/// Most sections; each carries the options of `[global]`.
const SECTIONS_MAX: usize = 1000;
/// Most options of one job with those of `[global]`.
const OPTIONS_MAX: usize = 1000;

/// One option of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its name as fio calls it first; the file may use another.
    pub(super) name: &'static str,
    /// Its value; none for a bare key.
    pub(super) value: Option<String>,
    /// Where its key stands.
    pub(super) key_span: Range<usize>,
    /// Where its value stands; its key when there is none.
    pub(super) span: Range<usize>,
}

/// A job's section, with the options that it has from `[global]` before its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    /// What stands in brackets.
    pub(super) name: String,
    /// Where its head stands.
    pub(super) span: Range<usize>,
    /// Its options in order.
    pub(super) entries: Vec<Entry>,
}

/// Returns the jobs' sections in order.
pub(super) fn sections(text: &str) -> Checked<Vec<Section>> {
    let mut global: Vec<Entry> = Vec::new();
    let mut sections: Vec<Section> = Vec::new();
    let mut place = Place::Outside;
    let mut start = 0;
    for (number, line) in text.split('\n').enumerate() {
        let (content, span) = trimmed(line.split([';', '#']).next().unwrap_or(""), start);
        start += line.len() + 1;
        if content.is_empty() {
            continue;
        }
        if number >= LINES_MAX {
            return Err(FioError::at(&span, format!("more than {LINES_MAX} lines")));
        }
        if let Some(head) = content.strip_prefix('[') {
            place = head_place(head, &span)?;
            if let Place::Job(name) = &place {
                let entries = global.clone();
                sections.push(Section { name: name.clone(), span: span.clone(), entries });
            }
            if sections.len() > SECTIONS_MAX {
                return Err(FioError::at(&span, format!("more than {SECTIONS_MAX} jobs")));
            }
            continue;
        }
        let entry = entry(content, &span);
        let entries = match &place {
            Place::Outside => return Err(outside(content, &span)),
            Place::Global => &mut global,
            Place::Job(_) => match sections.last_mut() {
                Some(section) => &mut section.entries,
                None => &mut global,
            },
        };
        entries.push(entry?);
        if entries.len() > OPTIONS_MAX {
            return Err(FioError::at(&span, format!("more than {OPTIONS_MAX} options of one job")));
        }
    }
    match sections.is_empty() {
        false => Ok(sections),
        true => Err(FioError::at(&(0..0), "the job file has no job")
            .hint("write for example [my job] and below it rw=read and size=1g")),
    }
}

/// Where the options go that follow.
enum Place {
    Outside,
    Global,
    Job(String),
}

fn head_place(head: &str, span: &Range<usize>) -> Checked<Place> {
    let Some(name) = head.strip_suffix(']') else {
        return Err(FioError::at(span, "the section's head does not end in “]”"));
    };
    if name.starts_with("global") {
        return Ok(Place::Global);
    }
    if name.trim().is_empty() {
        return Err(FioError::at(span, "the section has no name"));
    }
    // One slip of the finger away, which is a seventh: fio would run it as a job that reads.
    if likeness(&name.to_lowercase(), "global", 0.8).is_some() {
        let error = FioError::at(span, format!("unknown section “{name}”"));
        return Err(error.hint("did you mean “[global]”?"));
    }
    Ok(Place::Job(name.to_owned()))
}

fn outside(content: &str, span: &Range<usize>) -> FioError {
    // What is no job file is not to be shown: a scenario may have named any file.
    let key = content.split('=').next().unwrap_or_default().trim();
    let is_key = key.len() <= 32 && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let what = if is_key && !key.is_empty() { format!("“{key}”") } else { "this".to_owned() };
    let error = FioError::at(span, format!("{what} precedes the first section"));
    error.hint("write [global] above it for all jobs, or the name of a job")
}

fn entry(content: &str, span: &Range<usize>) -> Checked<Entry> {
    let (key, value) = match content.split_once('=') {
        Some((key, value)) => (key, Some(value)),
        None => (content, None),
    };
    let (written, key_span) = trimmed(key, span.start);
    if written == "include" || written.starts_with("include ") {
        let error = FioError::at(span, "“include” is not supported: a job file must be complete");
        return Err(error.hint("copy the other file's lines here"));
    }
    let name = options::name(written, &key_span)?;
    let value = value.map(|value| trimmed(value, span.start + key.len() + 1));
    let place = value.as_ref().map_or(&key_span, |(_, span)| span).clone();
    let value = value.map(|(text, _)| text.to_owned());
    Ok(Entry { name, value, key_span, span: place })
}

/// Returns the text without blanks around it, and where it stands in the file.
fn trimmed(text: &str, start: usize) -> (&str, Range<usize>) {
    let front = text.trim_start();
    let start = start + text.len() - front.len();
    let text = front.trim_end();
    (text, start..start + text.len())
}
