//! `cargo xtask reference`: pages that are made from data, and the check that they are up to date.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;

/// Returns every generated file below `docs/reference`, with its text.
fn pages() -> anyhow::Result<Vec<(PathBuf, String)>> {
    let folder = crate::root().join("docs/reference");
    let schemas = arcwright_report::schemas().context("failed to make the schemas")?;
    let schemas = schemas.into_iter().map(|(name, text)| {
        let path = folder.join("schema").join(format!("{name}.json"));
        (path, text)
    });
    let tunables = (folder.join("tunables.md"), arcwright_tunables::reference());
    Ok(std::iter::once(tunables).chain(schemas).collect())
}

/// Writes the pages.
pub(crate) fn run() -> anyhow::Result<()> {
    for (path, text) in pages()? {
        let failed = || format!("failed to write {}", path.display());
        fs::create_dir_all(path.parent().unwrap_or(&path)).with_context(failed)?;
        fs::write(&path, text).with_context(failed)?;
        println!("{}", path.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_pages_are_what_the_data_says() {
        for (path, made) in super::pages().unwrap() {
            let committed = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(committed == made, "{} is old: run cargo xtask reference", path.display());
        }
    }
}
