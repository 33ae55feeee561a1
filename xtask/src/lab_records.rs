//! What the lab found of cases, kept in a file of `fidelity/`, so that each case runs once.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context as _;
use arcwright_scenario::{Engine as _, Outcome, RunRequest, Scenario, Unwatched};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What was found of each case, by its name.
#[derive(Debug)]
pub(crate) struct LabRecords<T> {
    path: PathBuf,
    found: BTreeMap<String, T>,
}

impl<T: Serialize + DeserializeOwned> LabRecords<T> {
    /// Reads a file of `fidelity/`; nothing is known where it is not there.
    pub(crate) fn read(name: &str) -> anyhow::Result<Self> {
        let path = crate::root().join("fidelity").join(name);
        let found = match std::fs::read_to_string(&path) {
            Ok(text) => {
                serde_json::from_str(&text).with_context(|| format!("{name} is damaged"))?
            }
            Err(_) => BTreeMap::new(),
        };
        Ok(Self { path, found })
    }

    /// Returns what was found of a case.
    pub(crate) fn get(&self, case: &str) -> Option<&T> {
        self.found.get(case)
    }

    /// Lets the lab run a case that is not known, on a release, and keeps what `of` makes of it.
    pub(crate) fn record(
        &mut self,
        (case, version): (&str, &str),
        scenario: &Scenario,
        of: impl Fn(&Outcome) -> anyhow::Result<T>,
    ) -> anyhow::Result<()> {
        if self.found.contains_key(case) {
            return Ok(());
        }
        println!("{case}");
        let request = RunRequest { scenario: scenario.clone(), repeats: 1 };
        let outcome = crate::lab(version)?.run(&request, &mut Unwatched);
        let outcome = outcome.with_context(|| format!("failed to run {case}"))?;
        self.found.insert(case.to_owned(), of(&outcome)?);
        let text = serde_json::to_string_pretty(&self.found)? + "\n";
        std::fs::write(&self.path, text).context("failed to keep what the lab found")
    }
}
