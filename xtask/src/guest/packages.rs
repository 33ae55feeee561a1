//! Programs from the machine's own package sources, unpacked with the libraries that the machine lacks; nothing is installed.

use std::fs;
use std::path::Path;

use arcwright_lab::openzfs::apt::{Apt, BOOKWORM, unpack};

/// Unpacks a package of Debian 12 whose version begins so into `folder`, and returns its version.
pub(super) fn unpacked(package: &str, version: &str, folder: &Path) -> anyhow::Result<String> {
    let work = folder.join(".packages");
    fs::create_dir_all(&work)?;
    let apt = Apt::new(&work, &BOOKWORM)?;
    let version = apt.full_version(package, version)?;
    let wanted = format!("{package}={version}");
    let mut names = apt.missing(std::slice::from_ref(&wanted))?;
    // Where this machine has it, it is brought all the same.
    names.push(wanted);
    once_each(&mut names);
    println!("downloading {} packages for {package} (nothing is installed)", names.len());
    for package in apt.download(&names)? {
        unpack(&package, folder)?;
    }
    fs::remove_dir_all(&work)?;
    Ok(version)
}

/// Leaves each package once, which may be named with its version and without.
pub(super) fn once_each(names: &mut Vec<String>) {
    names.sort();
    names.dedup_by(|a, b| a.split('=').next() == b.split('=').next());
}
