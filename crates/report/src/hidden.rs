//! Findings that are left out because their owner said so.

use arcwright_advice::Finding;
use schemars::JsonSchema;
use serde::Serialize;

/// A finding that is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Hidden {
    /// Its name.
    pub id: String,
    /// What it is about.
    pub subject: Option<String>,
    /// `ignored` or `accepted` (by a baseline).
    pub why: &'static str,
}

impl Hidden {
    /// Returns a finding that is ignored.
    #[must_use]
    pub fn ignored(finding: &Finding) -> Self {
        Self::of(finding, "ignored")
    }

    /// Returns a finding that a baseline accepted.
    #[must_use]
    pub fn accepted(finding: &Finding) -> Self {
        Self::of(finding, "accepted")
    }

    fn of(finding: &Finding, why: &'static str) -> Self {
        Self { id: finding.id.to_owned(), subject: finding.subject.clone(), why }
    }

    /// Returns it as it is written on the command line.
    #[must_use]
    pub fn selector(&self) -> String {
        match &self.subject {
            Some(subject) => format!("{}:{subject}", self.id),
            None => self.id.clone(),
        }
    }
}
