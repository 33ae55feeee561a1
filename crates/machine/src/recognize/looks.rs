//! How much of a text is looked at, again and again: what keeps a hostile paste from taking hours.
//!
//! A recognizer may look at many lines below the first before it says that it does not know them. One that
//! did so at every line would take the square of the text's length. Every look at a line counts; after so
//! many looks for each line as no real output needs, the rest of a text is left unread and called so.

use std::cell::Cell;
use std::ops::Deref;
use std::rc::Rc;

/// Looks that a line may take on average; lines of the project's pastes take up to 54, lines made to be
/// looked at by all up to 110.
const LOOKS_PER_LINE_MAX: u64 = 200;
/// Looks that any text may take, however short it is.
const LOOKS_MIN: u64 = 1_000_000;
/// A longer line counts for several.
const LOOK_BYTES: usize = 128;

/// A count that all lines of a text share.
#[derive(Debug, Clone, Default)]
pub(super) struct Looks(Rc<Cell<u64>>);

impl Looks {
    /// Returns how many there were.
    pub(super) fn count(&self) -> u64 {
        self.0.get()
    }

    /// Returns whether there were more than a text of so many lines needs.
    pub(super) fn are_too_many(&self, lines: usize) -> bool {
        let lines = u64::try_from(lines).unwrap_or(u64::MAX);
        self.count() > LOOKS_MIN.max(lines.saturating_mul(LOOKS_PER_LINE_MAX))
    }
}

/// A text whose every use is counted.
#[derive(Debug, Clone)]
pub(super) struct Watched {
    text: String,
    looks: Looks,
}

impl Watched {
    pub(super) fn new(text: String, looks: &Looks) -> Self {
        Self { text, looks: looks.clone() }
    }
}

impl Deref for Watched {
    type Target = str;

    fn deref(&self) -> &str {
        let weight = 1 + self.text.len() / LOOK_BYTES;
        let count = &self.looks.0;
        count.set(count.get().saturating_add(weight as u64));
        &self.text
    }
}

impl std::fmt::Display for Watched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self)
    }
}
