//! Why a text is not a kstat: the line, what should stand there, and what to do.

use thiserror::Error;

/// Says why a text is not a named kstat.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseKstatError {
    /// The text ends before it should.
    #[error("line {line}: {what} is missing; {hint}")]
    Truncated {
        /// Counts from 1.
        line: usize,
        /// What should stand there.
        what: String,
        /// What to do.
        hint: &'static str,
    },
    /// A line is not what should stand there.
    #[error("line {line}: expected {expected}, found “{found}”; {hint}")]
    Garbled {
        /// Counts from 1.
        line: usize,
        /// What should stand there.
        expected: &'static str,
        /// The line, shortened.
        found: String,
        /// What to do.
        hint: &'static str,
    },
    /// It is a kstat of another kind, such as the raw `txgs`.
    #[error(
        "line 1: this kstat has type {kind} (0 is a raw list such as txgs, 2 interrupts, 4 \
         timers), only named kstats (type 1) and I/O counts (type 3) hold counters"
    )]
    NotNamed {
        /// The type number.
        kind: u8,
    },
    /// The path does not name a module and a kstat.
    #[error("“{path}” is not a kstat; write its path below /proc/spl/kstat, such as zfs/arcstats")]
    Path {
        /// What was given.
        path: String,
    },
}

const COPY_AGAIN: &str = "the file was truncated or altered; copy it again";

pub(crate) fn truncated(line: usize, what: &str) -> ParseKstatError {
    ParseKstatError::Truncated { line, what: what.to_owned(), hint: COPY_AGAIN }
}

pub(crate) fn garbled(line: usize, expected: &'static str, found: &str) -> ParseKstatError {
    const FOUND_CHARS_MAX: usize = 60;
    let found = found.trim().chars().take(FOUND_CHARS_MAX).collect();
    ParseKstatError::Garbled { line, expected, found, hint: COPY_AGAIN }
}
