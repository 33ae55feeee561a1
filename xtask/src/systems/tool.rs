//! Programs that checks need: the machine's own, else from its package sources, without installing anything.

use std::path::PathBuf;
use std::process::Command;

use arcwright_lab::openzfs::apt::{Apt, BOOKWORM, unpack};

use crate::guest;

/// Finds `program`, or brings Debian's package that holds it, which needs nothing beside itself.
pub(crate) fn provide(program: &str, package: &str) -> anyhow::Result<PathBuf> {
    if Command::new(program).arg("--version").output().is_ok() {
        return Ok(PathBuf::from(program));
    }
    let place = guest::tools()?.join(package);
    let file = place.join("usr/bin").join(program);
    if !file.exists() {
        let work = tempfile::tempdir()?;
        let packages = Apt::new(work.path(), &BOOKWORM)?.download(&[package.to_owned()])?;
        packages.iter().try_for_each(|package| unpack(package, &place))?;
    }
    Ok(file)
}
