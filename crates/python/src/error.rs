//! The one exception: what is wrong, where, and what helps, in the program's words.

use arcwright_scenario::{EngineError, ScenarioError};
use arcwright_units::visible_lines;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pyo3::create_exception!(
    arcwright_zfs,
    ArcwrightError,
    PyValueError,
    "What was asked has no answer; the hint says what would help, line and column where."
);

/// Why there is no answer.
#[derive(Debug, Default)]
pub(crate) struct Problem {
    message: String,
    hint: Option<String>,
    place: Option<(usize, usize)>,
    /// What Python itself raised meanwhile: Ctrl-C.
    raised: Option<Box<PyErr>>,
}

impl Problem {
    pub(crate) fn new(what: impl std::fmt::Display) -> Self {
        let message = visible_lines(&what.to_string()).into_owned();
        Self { message, ..Self::default() }
    }

    /// Returns what an error says, with all that led to it.
    pub(crate) fn of(error: &dyn std::error::Error) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            message = format!("{message}: {error}");
            cause = error.source();
        }
        Self::new(message)
    }

    pub(crate) fn raised(error: PyErr) -> Self {
        Self { raised: Some(Box::new(error)), ..Self::default() }
    }

    fn hint(mut self, hint: &str) -> Self {
        self.hint = Some(visible_lines(hint).into_owned());
        self
    }

    /// Returns the exception.
    pub(crate) fn into_exception(self, py: Python<'_>) -> PyErr {
        if let Some(raised) = self.raised {
            return *raised;
        }
        let told = match (&self.place, &self.hint) {
            (Some((line, column)), Some(hint)) => {
                format!("{}, line {line}, column {column}; {hint}", self.message)
            }
            (Some((line, column)), None) => {
                format!("{}, line {line}, column {column}", self.message)
            }
            (None, Some(hint)) => format!("{}; {hint}", self.message),
            (None, None) => self.message.clone(),
        };
        let error = ArcwrightError::new_err(told);
        let value = error.value(py);
        let set = value
            .setattr("message", &self.message)
            .and_then(|()| value.setattr("hint", self.hint.as_deref()))
            .and_then(|()| value.setattr("line", self.place.map(|place| place.0)))
            .and_then(|()| value.setattr("column", self.place.map(|place| place.1)));
        match set {
            Ok(()) => error,
            Err(other) => other,
        }
    }
}

impl From<ScenarioError> for Problem {
    fn from(error: ScenarioError) -> Self {
        let place = Some((error.line(), error.column()));
        let told = Self { place, ..Self::new(&error) };
        match error.hint() {
            Some(hint) => told.hint(hint),
            None => told,
        }
    }
}

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Self {
        let told = Self::new(&error);
        match error {
            EngineError::Unsupported { hint: Some(hint), .. }
            | EngineError::Failed { hint: Some(hint), .. }
            | EngineError::TooLarge { hint, .. }
            | EngineError::Missing { hint, .. } => told.hint(&hint),
            EngineError::Unsupported { hint: None, .. }
            | EngineError::Failed { hint: None, .. } => told,
        }
    }
}

impl From<serde_json::Error> for Problem {
    fn from(error: serde_json::Error) -> Self {
        Self::new(format!("the options are not understood: {error}"))
    }
}
