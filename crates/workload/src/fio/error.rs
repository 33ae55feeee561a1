//! What is wrong with a job file, and where.

use std::ops::Range;

use arcwright_units::nearest;

/// A problem of a job file with its place in the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FioError {
    /// What is wrong.
    pub message: String,
    /// The bytes of the text it is about.
    pub span: Range<usize>,
    /// What would help, when something is known.
    pub hint: Option<String>,
}

/// What the readers of a job file return.
pub(super) type Checked<T> = Result<T, FioError>;

impl FioError {
    /// Returns a problem at `span`.
    pub(super) fn at(span: &Range<usize>, message: impl Into<String>) -> Self {
        Self { message: message.into(), span: span.clone(), hint: None }
    }

    /// Adds what would help.
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the known name most like `name`, when one is alike.
    pub(super) fn nearest(self, name: &str, known: impl Iterator<Item = &'static str>) -> Self {
        match nearest(name, known) {
            Some(like) => self.hint(format!("did you mean “{like}”?")),
            None => self,
        }
    }
}
