//! `bpftrace`, for checks that ask for it: from the machine's own package sources, unpacked into the cache with its
//! libraries (LLVM among them, 180 MB). It is laid over the root of those guests alone, which get more memory for it.

use std::fs;
use std::path::{Path, PathBuf};

use super::{cache, root};

const PACKAGE: &str = "bpftrace";
const PROGRAM: &str = "bin/bpftrace";
/// Drives and memory of a guest that has it.
pub(super) const LAYOUT: &str = "traced";

/// Finds or brings it; returns a folder to be laid over the guest's root.
pub(super) fn provide() -> anyhow::Result<PathBuf> {
    match cache::find(PACKAGE)? {
        Some(folder) => Ok(folder),
        None => cache::make(PACKAGE, bring),
    }
}

fn bring(draft: &Path) -> anyhow::Result<String> {
    let tree = draft.join("work/tree");
    let version = super::packages::unpacked(PACKAGE, "", &tree)?;
    root::add_programs(&[PROGRAM], &tree, draft)?;
    fs::remove_dir_all(draft.join("work"))?;
    Ok(cache::name(&format!("debian-{PACKAGE}"), &version))
}
