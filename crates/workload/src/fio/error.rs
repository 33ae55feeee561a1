//! What is wrong with a job file, and where.

use std::ops::Range;

use arcwright_units::likeness;

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
        /// Below this, two names are not a slip of the finger apart.
        const ALIKE: f64 = 0.6;
        /// No option has a longer name; comparing takes the product of two lengths.
        const NAME_BYTES_MAX: usize = 256;
        if name.len() > NAME_BYTES_MAX {
            return self;
        }
        let name = name.to_lowercase();
        let best = known.filter_map(|other| Some((likeness(&name, other, ALIKE)?, other)));
        match best.max_by(|(one, _), (other, _)| one.total_cmp(other)) {
            Some((_, like)) => self.hint(format!("did you mean “{like}”?")),
            None => self,
        }
    }
}
