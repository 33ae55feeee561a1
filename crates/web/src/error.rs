//! What is told where there is no answer: what is wrong, where, and what helps.

use arcwright_capture::CaptureError;
use arcwright_scenario::{EngineError, OverrideError, ScenarioError};
use arcwright_units::visible_lines;
use serde::{Deserialize, Serialize};

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct PageError {
    /// What is wrong, with hidden characters written out.
    pub message: String,
    /// What would help.
    pub hint: Option<String>,
    /// The line of the scenario file, counted from 1.
    pub line: Option<usize>,
    /// The column in characters, counted from 1.
    pub column: Option<usize>,
}

impl PageError {
    pub(crate) fn new(message: &str) -> Self {
        let message = visible_lines(message).into_owned();
        Self { message, hint: None, line: None, column: None }
    }

    pub(crate) fn hint(mut self, hint: &str) -> Self {
        self.hint = Some(visible_lines(hint).into_owned());
        self
    }
}

impl From<CaptureError> for PageError {
    fn from(error: CaptureError) -> Self {
        Self::new(&error.to_string())
    }
}

impl From<ScenarioError> for PageError {
    fn from(error: ScenarioError) -> Self {
        let place = Self::new(&error.to_string());
        let place = error.hint().map(|hint| place.clone().hint(hint)).unwrap_or(place);
        Self { line: Some(error.line()), column: Some(error.column()), ..place }
    }
}

impl From<OverrideError> for PageError {
    fn from(error: OverrideError) -> Self {
        Self::new(&error.to_string())
    }
}

impl From<EngineError> for PageError {
    fn from(error: EngineError) -> Self {
        let told = Self::new(&error.to_string());
        match error {
            EngineError::Unsupported { hint: Some(hint), .. }
            | EngineError::Failed { hint: Some(hint), .. }
            | EngineError::TooLarge { hint, .. }
            | EngineError::Missing { hint, .. } => told.hint(&hint),
            // As the program says: the lab runs the real code.
            EngineError::Unsupported { hint: None, .. } => {
                told.hint("the lab may support it: arcwright run FILE --engine lab")
            }
            EngineError::Failed { hint: None, .. } => told,
        }
    }
}

impl From<serde_json::Error> for PageError {
    fn from(error: serde_json::Error) -> Self {
        Self::new(&format!("the page and its program do not understand each other: {error}"))
            .hint("load the page again, so that both are of one release")
    }
}
