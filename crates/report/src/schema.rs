//! JSON Schemas of everything that `--json` prints, made from the types that are printed.
//!
//! A field that is always there is required; readers must let fields pass that they do not know, since a
//! minor version may add some.

use arcwright_scenario::Outcome;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

use crate::advise::AdviseAnswer;
use crate::advise_fleet::AdvisedFleet;
use crate::doctor_machine::DoctorAnswer;
use crate::files::FilesAnswer;
use crate::fleet::FleetAnswer;
use crate::reads::ReadsAnswer;
use crate::recording::RecordingAnswer;
use crate::ssd::SsdAnswer;
use crate::trace::{CurveAnswer, InfoAnswer};
use crate::tune;
use crate::whatif::WhatIfAnswer;
use crate::who::WhoAnswer;

/// One schema: the name of its file without the ending, and its text.
pub type NamedSchema = (&'static str, String);

/// Returns the schema of every `--json` output.
///
/// # Errors
/// The serializer's.
pub fn schemas() -> Result<Vec<NamedSchema>, serde_json::Error> {
    Ok(vec![
        ("advise", schema::<AdviseAnswer<'_>>()?),
        ("advise-fleet", schema::<AdvisedFleet<'_>>()?),
        ("doctor", schema::<DoctorAnswer<'_>>()?),
        ("doctor-fleet", schema::<FleetAnswer<'_>>()?),
        ("record-files", schema::<FilesAnswer<'_>>()?),
        ("record-reads", schema::<ReadsAnswer<'_>>()?),
        ("record-show", schema::<RecordingAnswer<'_>>()?),
        ("run", schema::<Outcome>()?),
        ("ssd-plan", schema::<SsdAnswer<'_>>()?),
        ("trace-curve", schema::<CurveAnswer<'_>>()?),
        ("trace-info", schema::<InfoAnswer>()?),
        ("tune-apply", schema::<tune::TuneApply>()?),
        ("tune-diff", schema::<tune::TuneDiff>()?),
        ("tune-list", schema::<tune::TuneList>()?),
        ("tune-log", schema::<tune::TuneLog>()?),
        ("tune-persist", schema::<tune::TunePersist>()?),
        ("tune-show", schema::<tune::TuneShow>()?),
        ("tune-undo", schema::<tune::TuneUndo>()?),
        ("tune-verify", schema::<tune::TuneVerify>()?),
        ("whatif", schema::<WhatIfAnswer<'_>>()?),
        ("who", schema::<WhoAnswer<'_>>()?),
    ])
}

/// Returns the schema of what is written, in draft 2020-12.
fn schema<T: JsonSchema>() -> Result<String, serde_json::Error> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<T>();
    serde_json::to_string_pretty(&schema).map(|text| text + "\n")
}

#[cfg(test)]
mod tests {
    use super::schemas;

    #[test]
    fn every_schema_asks_for_the_version() {
        let all = schemas().unwrap();
        assert_eq!(all.len(), 21);
        for (name, text) in all {
            let schema: serde_json::Value = serde_json::from_str(&text).unwrap();
            let required = schema["required"].as_array().unwrap();
            assert!(required.iter().any(|field| field == "output_version"), "{name}");
        }
    }
}
