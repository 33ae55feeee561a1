//! The program that makes partitions, for the guest: from the machine's own package sources, unpacked into the cache
//! with the libraries that it needs. It is laid over the guest's root with each job, so that it costs no new guest.

use std::fs;
use std::path::{Path, PathBuf};

use super::{cache, root};

const PACKAGE: &str = "gdisk";
const PROGRAM: &str = "sbin/sgdisk";

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
