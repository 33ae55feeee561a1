//! `cargo xtask reference`: pages that are made from data, and the check that they are up to date.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;

fn page() -> PathBuf {
    crate::root().join("docs/reference/tunables.md")
}

/// Writes the pages.
pub(crate) fn run() -> anyhow::Result<()> {
    let path = page();
    let failed = || format!("failed to write {}", path.display());
    fs::create_dir_all(path.parent().unwrap_or(&path)).with_context(failed)?;
    fs::write(&path, arcwright_tunables::reference()).with_context(failed)?;
    println!("{}", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_page_is_what_the_catalogue_says() {
        let committed = std::fs::read_to_string(super::page()).unwrap();
        let made = arcwright_tunables::reference();
        assert!(committed == made, "docs/reference/tunables.md is old: run cargo xtask reference");
    }
}
