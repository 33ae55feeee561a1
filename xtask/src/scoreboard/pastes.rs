//! The texts of `fixtures/pastes`: `NAME.txt` and beside it `NAME.toml`, what should come of it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::case::{Case, Input};
use super::expected::Expected;

/// Reads all texts, by name.
pub(super) fn read(root: &Path) -> anyhow::Result<Vec<Case>> {
    let folder = root.join("fixtures/pastes");
    let entries = fs::read_dir(&folder)
        .with_context(|| format!("failed to read {}", folder.display()))?
        .filter_map(Result::ok);
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "txt"))
        .collect();
    paths.sort();
    paths.iter().map(|path| case(path)).collect()
}

fn case(path: &Path) -> anyhow::Result<Case> {
    let failed = |path: &Path| format!("failed to read {}", path.display());
    let text = fs::read_to_string(path).with_context(|| failed(path))?;
    let toml = path.with_extension("toml");
    let expected = fs::read_to_string(&toml).with_context(|| failed(&toml))?;
    let expected: Expected = toml::from_str(&expected).with_context(|| failed(&toml))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let class = expected.class.clone();
    Ok(Case { name, class, input: Input::Paste(text), expected, before: None })
}
