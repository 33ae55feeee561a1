//! Findings for programs: JSON with a version, and tab-separated lines.

use arcwright_advice::{Advice, Finding, Gain};
use serde::Serialize;

use crate::hidden::Hidden;

use arcwright_units::visible;

/// Version of the JSON form; the major number changes when a reader must change.
const MAJOR: u32 = 1;
const MINOR: u32 = 1;

#[derive(Serialize)]
struct Envelope<'a> {
    output_version: Version,
    doctor: &'a Advice,
    /// Findings that their owner wants to be left out.
    hidden: &'a [Hidden],
}

/// The version of a JSON form.
#[derive(Serialize)]
pub(crate) struct Version {
    /// The command that wrote it.
    command: &'static str,
    /// Raised when a reader must change.
    vers_major: u32,
    /// Raised when something is added.
    vers_minor: u32,
}

impl Version {
    /// Returns the version of what `command` writes.
    pub(crate) const fn of(command: &'static str) -> Self {
        Self { command, vers_major: MAJOR, vers_minor: MINOR }
    }
}

/// Returns advice as indented JSON with a final newline.
///
/// # Errors
/// The serializer's, for numbers that JSON cannot hold.
pub fn doctor_json(advice: &Advice, hidden: &[Hidden]) -> Result<String, serde_json::Error> {
    let output_version = Version::of("arcwright doctor");
    serde_json::to_string_pretty(&Envelope { output_version, doctor: advice, hidden })
        .map(|text| text + "\n")
}

/// The columns of [`doctor_tabs`], never changed; new ones are added at the end.
pub const DOCTOR_COLUMNS: [(&str, &str); 7] = [
    ("severity", "hurts-now, worth-a-look, note or fine"),
    ("id", "name of the rule's finding"),
    ("subject", "pool, dataset or drive"),
    ("title", "the finding in one sentence"),
    ("sure", "low, fair, high or certain"),
    ("factor", "how many times as fast by the model"),
    ("command", "first command of the remedy"),
];

/// Returns one line per finding with the columns of [`DOCTOR_COLUMNS`]; what is absent is `-`.
#[must_use]
pub fn doctor_tabs(advice: &Advice) -> String {
    let line = |finding: &Finding| {
        let absent = || crate::figures::ABSENT.to_owned();
        let factor = match &finding.gain {
            Gain::Modelled { factor, .. } => format!("{factor:.2}"),
            Gain::Counted(_) | Gain::NotEstimated(_) | Gain::Nothing => absent(),
        };
        let remedy = finding.remedy.as_ref();
        let command = remedy.and_then(|remedy| remedy.now.first().or(remedy.lasting.first()));
        let cells = [
            finding.severity.words().replace(' ', "-"),
            finding.id.to_owned(),
            finding.subject.clone().unwrap_or_else(absent),
            finding.title.clone(),
            finding.confidence.level.words().to_owned(),
            factor,
            command.cloned().unwrap_or_else(absent),
        ];
        cells.map(|cell| visible(&cell).into_owned()).join("\t") + "\n"
    };
    advice.findings.iter().map(line).collect()
}
