//! The program that makes partitions, for the guest: from the machine's own package sources, unpacked into the cache
//! with the libraries that it needs. It is laid over the guest's root with each job, so that it costs no new guest.

use std::fs;
use std::path::{Path, PathBuf};

use arcwright_lab::openzfs::apt::{Apt, BOOKWORM, unpack};

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
    let work = draft.join("work");
    fs::create_dir_all(&work)?;
    let apt = Apt::new(&work, &BOOKWORM)?;
    let version = apt.full_version(PACKAGE, "")?;
    let wanted = [format!("{PACKAGE}={version}")];
    let mut names = apt.missing(&wanted)?;
    // Where this machine has it, it is brought all the same.
    names.extend(wanted);
    names.sort();
    names.dedup_by(|a, b| a.split('=').next() == b.split('=').next());
    println!("downloading {} packages for {PACKAGE} (nothing is installed)", names.len());
    let tree = work.join("tree");
    for package in apt.download(&names)? {
        unpack(&package, &tree)?;
    }
    root::add_programs(&[PROGRAM], &tree, draft)?;
    fs::remove_dir_all(&work)?;
    Ok(cache::name(&format!("debian-{PACKAGE}"), &version))
}
