//! Builds the kernel modules of OpenZFS from the sources that Debian ships for that purpose.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Context as _;

use super::program::output;
use crate::parallel;

/// Where modules that are not the kernel's own stand, below `lib/modules/RELEASE`.
const PLACE: &str = "extra";

/// Builds the modules from `tree/usr/src/zfs-VERSION` and puts them beside the kernel's own.
pub(super) fn build(version: &str, release: &str, tree: &Path) -> anyhow::Result<()> {
    let tree = fs::canonicalize(tree).context("no packages were unpacked")?;
    let sources = tree.join("usr/src").join(format!("zfs-{version}"));
    let objects = tree.join("usr/src").join(format!("linux-headers-{release}"));
    let common = release.strip_suffix("-amd64").unwrap_or(release);
    let common = tree.join("usr/src").join(format!("linux-headers-{common}-common"));
    relocate(&objects, &tree)?;
    let libraries = tree.join("usr/lib/x86_64-linux-gnu");
    let run = |command: &mut Command| {
        output(command.current_dir(&sources).env("LD_LIBRARY_PATH", &libraries))
    };
    println!("configuring the module");
    run(Command::new("./configure")
        .arg("--with-config=kernel")
        .arg(format!("--with-linux={}", common.display()))
        .arg(format!("--with-linux-obj={}", objects.display())))?;
    println!("compiling the module");
    let jobs = parallel::cores();
    run(Command::new("make").arg(format!("-j{jobs}")))?;
    let place = tree.join("lib/modules").join(release).join(PLACE);
    fs::create_dir_all(&place)?;
    gather(&sources.join("module"), &place)
}

/// The headers' own makefile names the folder in which they would be installed.
fn relocate(objects: &Path, tree: &Path) -> anyhow::Result<()> {
    let path = objects.join("Makefile");
    let text = fs::read_to_string(&path)
        .with_context(|| format!("failed to read the kernel's {}", path.display()))?;
    let here = format!("include {}/usr/src/", tree.display());
    fs::write(&path, text.replace("include /usr/src/", &here))?;
    Ok(())
}

/// Copies the modules without their debug information, a tenth of their size.
fn gather(folder: &Path, place: &Path) -> anyhow::Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("failed to list {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            gather(&path, place)?;
        } else if path.extension().is_some_and(|kind| kind == "ko") {
            let target = place.join(path.file_name().unwrap_or_default());
            output(Command::new("strip").arg("-g").arg("-o").arg(&target).arg(&path))?;
        }
    }
    Ok(())
}
