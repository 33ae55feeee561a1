//! Findings for programs: JSON with a version, and tab-separated lines.

use arcwright_advice::{Advice, Finding, Gain};
use schemars::JsonSchema;
use serde::Serialize;

use crate::hidden::Hidden;
use crate::version::FormVersion;

use arcwright_units::visible;

/// What was added to the JSON form since its first version.
pub(crate) const MINOR: u32 = 2;

/// `arcwright doctor --json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DoctorAnswer<'a> {
    /// Version of this shape.
    output_version: FormVersion,
    /// What is said of the machine.
    doctor: &'a Advice,
    /// Findings that their owner wants to be left out.
    hidden: &'a [Hidden],
}

/// Returns advice as indented JSON with a final newline.
///
/// # Errors
/// The serializer's, for numbers that JSON cannot hold.
pub fn doctor_json(advice: &Advice, hidden: &[Hidden]) -> Result<String, serde_json::Error> {
    let output_version = FormVersion::new("arcwright doctor", MINOR);
    serde_json::to_string_pretty(&DoctorAnswer { output_version, doctor: advice, hidden })
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
            finding.severity.label().replace(' ', "-"),
            finding.id.to_owned(),
            finding.subject.clone().unwrap_or_else(absent),
            finding.title.clone(),
            finding.confidence.level.label().to_owned(),
            factor,
            command.cloned().unwrap_or_else(absent),
        ];
        cells.map(|cell| visible(&cell).into_owned()).join("\t") + "\n"
    };
    advice.findings.iter().map(line).collect()
}
