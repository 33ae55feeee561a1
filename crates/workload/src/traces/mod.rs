//! Traces: who accessed which page, recorded elsewhere and read from text.
//!
//! A [`Trace`] is a row of page numbers, renamed to 0, 1, 2 … in the order of their first access, so
//! that whoever replays it can use flat arrays. Decompression and files are the caller's.

mod lis;
mod pages;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

pub use lis::parse_lis;
pub use pages::{parse_pages, parse_words};

/// The most accesses that any trace may have once it is expanded: 1 Gi, or 4 GiB of memory.
pub const ACCESSES_MAX: usize = 1 << 30;

/// A sequence of accesses to pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// Number of the page of each access.
    pub accesses: Vec<u32>,
    /// How many pages there are; every access is below it.
    pub pages: u32,
}

/// What is wrong with a trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct TraceError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it, and what was expected.
    pub problem: String,
}

/// Renames pages while a trace is read.
#[derive(Debug, Default)]
struct Renamer {
    names: IndexSet<u64, FxBuildHasher>,
    accesses: Vec<u32>,
    accesses_max: usize,
}

impl Renamer {
    fn new(accesses_max: usize) -> Self {
        Self { accesses_max, ..Self::default() }
    }

    fn add(&mut self, page: u64) -> Result<(), String> {
        if self.accesses.len() >= self.accesses_max {
            return Err(format!("the trace has more than {} accesses", self.accesses_max));
        }
        let (index, _) = self.names.insert_full(page);
        // Fewer pages than accesses, whose number fits.
        self.accesses.push(u32::try_from(index).unwrap_or(u32::MAX));
        Ok(())
    }

    fn finish(self) -> Trace {
        let pages = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        Trace { accesses: self.accesses, pages }
    }
}

/// Reads a text line by line; empty lines are passed over.
fn read_lines(
    text: &str,
    accesses_max: usize,
    mut read: impl FnMut(&str, &mut Renamer) -> Result<(), String>,
) -> Result<Trace, TraceError> {
    let mut renamer = Renamer::new(accesses_max);
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if !line.is_empty() {
            read(line, &mut renamer).map_err(|problem| TraceError { line: index + 1, problem })?;
        }
    }
    if renamer.accesses.is_empty() {
        return Err(TraceError { line: 1, problem: "the trace has no access".to_owned() });
    }
    Ok(renamer.finish())
}

fn number(text: &str, what: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("“{text}” is not a {what}; expected a whole number"))
}
