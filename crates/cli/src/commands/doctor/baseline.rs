//! The baseline file: findings that are known and accepted, so that only what is new or worse is reported.

use std::path::Path;

use anyhow::{Context as _, anyhow};
use arcwright_advice::{Advice, Finding, Severity};
use arcwright_units::visible_path;
use serde::{Deserialize, Serialize};

use super::policy::severity_of;
use crate::output::{self, Pending};
use crate::problem::Problem;

const COMMAND: &str = "arcwright doctor baseline";
/// The major number is raised when an old program could not read a new file.
const MAJOR: u32 = 1;

/// A finding that is accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Accepted {
    id: String,
    subject: Option<String>,
    severity: String,
}

#[derive(Serialize, Deserialize)]
struct Baseline {
    output_version: Version,
    accepted: Vec<Accepted>,
}

#[derive(Serialize, Deserialize)]
struct Version {
    command: String,
    vers_major: u32,
    vers_minor: u32,
}

/// Writes what is found today; what is fine needs no pardon.
pub(super) fn write(path: &Path, advice: &Advice) -> Result<(), Problem> {
    /// No machine has so many; a baseline of more could not be read again.
    const FINDINGS_MAX: usize = 10_000;
    let accepted: Vec<Accepted> = advice
        .findings
        .iter()
        .filter(|finding| finding.severity != Severity::Fine)
        .map(|finding| Accepted {
            id: finding.id.to_owned(),
            subject: finding.subject.clone(),
            severity: finding.severity.label().replace(' ', "-"),
        })
        .collect();
    let count = accepted.len();
    if count > FINDINGS_MAX {
        let why = format!("{count} findings are more than a baseline may hold ({FINDINGS_MAX})");
        return Err(Problem::Failed(anyhow!(why)));
    }
    let version = Version { command: COMMAND.to_owned(), vers_major: MAJOR, vers_minor: 0 };
    let text = serde_json::to_string_pretty(&Baseline { output_version: version, accepted })
        .context("failed to write the baseline as JSON")?;
    Pending::begin(path)?.complete(&(text + "\n"))?;
    let findings = if count == 1 { "finding" } else { "findings" };
    Ok(output::print(&format!("wrote {}: {count} {findings} accepted\n", visible_path(path)))?)
}

/// Reads a baseline; `path` names it in errors.
pub(super) fn read(path: &Path, text: &str) -> Result<Vec<Accepted>, Problem> {
    let wrong = |why: String| {
        let hint = "arcwright doctor --write-baseline FILE writes one";
        Problem::Usage(anyhow!("{} is not a baseline: {why}; {hint}", visible_path(path)))
    };
    let baseline: Baseline =
        serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
    let version = &baseline.output_version;
    if version.command != COMMAND {
        return Err(wrong(format!("it is of {}", version.command)));
    }
    if version.vers_major != MAJOR {
        return Err(wrong(format!(
            "it has format {}, this arcwright reads {MAJOR}",
            version.vers_major
        )));
    }
    let odd = baseline.accepted.iter().find(|one| severity_of(&one.severity).is_none());
    match odd {
        Some(one) => Err(wrong(format!("{}: “{}” is not a severity", one.id, one.severity))),
        None => Ok(baseline.accepted),
    }
}

/// Says whether a finding was accepted and is no worse; every accepted one excuses one finding.
pub(super) fn takes(accepted: &mut Vec<Accepted>, finding: &Finding) -> bool {
    let place = accepted.iter().position(|one| {
        one.id == finding.id
            && one.subject == finding.subject
            && severity_of(&one.severity).is_some_and(|severity| severity <= finding.severity)
    });
    place.map(|place| accepted.swap_remove(place)).is_some()
}
