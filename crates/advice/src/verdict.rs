//! What a rule says after looking: found something, all is well, or it cannot tell and why.

use serde::Serialize;
use thiserror::Error;

use crate::finding::{Evidence, Finding};

/// What a look ends in.
pub(crate) type Judged = Result<Verdict, NotJudged>;

/// What a rule says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Verdict {
    /// There is something.
    Found(Vec<Finding>),
    /// There is something, and the rest could not be judged.
    Partly(Vec<Finding>, NotJudged),
    /// It looked, and this is as it should be.
    Fine(Fine),
    /// It does not apply to this machine.
    Silent,
}

/// Something that was looked at and is as it should be.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Fine {
    /// What is fine, one sentence.
    pub what: String,
    /// What that rests on.
    pub evidence: Vec<Evidence>,
}

/// Why a rule could not judge.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Error)]
pub(crate) enum NotJudged {
    /// There are no counters at all.
    #[error("no counters were read")]
    NoCounters,
    /// A counter is not there.
    #[error("{0} was not read")]
    NoCounter(String),
    /// This version of ZFS does not count it.
    #[error("{0}")]
    Lacking(String),
    /// Too little happened.
    #[error("{0}")]
    Idle(String),
    /// A source is missing that the rule needs.
    #[error("{0}")]
    NotRead(String),
}

impl NotJudged {
    /// Says whether something is there and was not read; otherwise too little happened, or this version
    /// does not count it.
    pub(crate) const fn is_unread(&self) -> bool {
        !matches!(self, Self::Idle(_) | Self::Lacking(_))
    }
}

impl Verdict {
    /// Returns the findings, or what is said when there are none.
    pub(crate) fn found_or(findings: Vec<Finding>, otherwise: Self) -> Self {
        if findings.is_empty() { otherwise } else { Self::Found(findings) }
    }

    /// Returns the findings, and what was not read beside them; what is said otherwise only when all was
    /// read.
    pub(crate) fn of_all(
        findings: Vec<Finding>,
        unread: Option<NotJudged>,
        otherwise: Self,
    ) -> Judged {
        match (findings.is_empty(), unread) {
            (false, Some(why)) => Ok(Self::Partly(findings, why)),
            (false, None) => Ok(Self::Found(findings)),
            (true, Some(why)) => Err(why),
            (true, None) => Ok(otherwise),
        }
    }

    /// Returns one finding.
    pub(crate) fn one(finding: Finding) -> Self {
        Self::Found(vec![finding])
    }

    /// Returns that something is as it should be.
    pub(crate) fn fine(what: impl Into<String>, evidence: Vec<Evidence>) -> Self {
        Self::Fine(Fine { what: what.into(), evidence })
    }
}
