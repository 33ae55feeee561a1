//! What the lab measured: `fidelity/costs/lab.jsonl`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use super::experiments::all;
use crate::parallel;

/// A figure of an experiment in the lab.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Measured {
    pub(super) openzfs: String,
    pub(super) experiment: String,
    pub(super) phase: String,
    pub(super) nanos: f64,
    /// Day on which it was measured.
    pub(super) date: String,
}

fn path() -> PathBuf {
    crate::root().join("fidelity/costs/lab.jsonl")
}

/// Returns all that was measured.
pub(super) fn read() -> anyhow::Result<Vec<Measured>> {
    let text = fs::read_to_string(path()).context("failed to read fidelity/costs/lab.jsonl")?;
    let rows = text.lines().map(serde_json::from_str).collect::<Result<_, _>>();
    rows.context("failed to read fidelity/costs/lab.jsonl")
}

/// Measures experiments whose name begins with `only` in the lab with a library, and replaces what the file has of
/// them.
pub(super) fn record(version: &str, only: &str) -> anyhow::Result<()> {
    let date = crate::fuzz::today();
    let failed = Mutex::new(Vec::new());
    let mut experiments = all();
    experiments.retain(|experiment| experiment.name.starts_with(only));
    let made = parallel::map(&experiments, |experiment| {
        let figures = crate::lab(version)
            .and_then(|mut lab| experiment.measure(version, &mut lab))
            .unwrap_or_else(|error| {
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                failed.push(format!("{}: {error:#}", experiment.name));
                Vec::new()
            });
        let row = |(phase, nanos)| {
            let (openzfs, experiment) = (version.to_owned(), experiment.name.clone());
            Measured { openzfs, experiment, phase, nanos, date: date.clone() }
        };
        figures.into_iter().map(row).collect::<Vec<_>>()
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    anyhow::ensure!(failed.is_empty(), "failed in the lab:\n{}", failed.join("\n"));
    let mut rows = if path().exists() { read()? } else { Vec::new() };
    rows.retain(|row| row.openzfs != version || !row.experiment.starts_with(only));
    rows.extend(made.into_iter().flatten());
    write(rows)
}

fn write(mut rows: Vec<Measured>) -> anyhow::Result<()> {
    let order: BTreeMap<String, usize> =
        all().into_iter().enumerate().map(|(index, one)| (one.name, index)).collect();
    rows.retain(|row| order.contains_key(&row.experiment));
    rows.sort_by_key(|row| (row.openzfs.clone(), order.get(&row.experiment).copied()));
    let lines: Vec<String> = rows.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    fs::write(path(), lines.join("\n") + "\n").context("failed to write fidelity/costs/lab.jsonl")
}
