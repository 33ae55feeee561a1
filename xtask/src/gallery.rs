//! The scenarios of the repository, as chores run them.

use std::fs;
use std::path::PathBuf;

use arcwright_scenario::Scenario;

/// Returns every scenario's name and text, in order of their files.
pub(crate) fn texts() -> anyhow::Result<Vec<(String, String)>> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(crate::root().join("scenarios"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            files.push(path);
        }
    }
    files.sort();
    let text = |path: PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok((name, fs::read_to_string(path)?))
    };
    files.into_iter().map(text).collect()
}

/// Parses a text, which may name files beside the scenarios.
pub(crate) fn parse(text: &str, name: &str) -> anyhow::Result<Scenario> {
    let beside = |file: &str| {
        let path = crate::root().join("scenarios").join(file);
        fs::read_to_string(path).map_err(|error| error.to_string())
    };
    Ok(Scenario::parse_with(text, name, &beside)?)
}
