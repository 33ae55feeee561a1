//! README's first command in fresh Debian systems: only the packages that README names, and Rust.
//!
//! The compiler and the sources of the crates are this machine's, seen read-only; everything is compiled anew.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use super::{Suite, System};
use crate::guest::program::output;

/// The systems, with README's packages.
const SUITES: [Suite; 2] = [
    Suite { name: "bookworm", packages: "gcc,libc6-dev" },
    Suite { name: "trixie", packages: "gcc,libc6-dev" },
];
const SCRIPT: &str = "build.sh";

/// Builds and runs the program in each system.
pub(crate) fn run() -> anyhow::Result<()> {
    if !super::are_possible() {
        println!("SKIPPED  the build in fresh systems: only root may change the root of a process");
        return Ok(());
    }
    let root = crate::root();
    let script = root.join("packaging/check").join(SCRIPT);
    let place = crate::target().join("systems");
    let (crates, rust) = (crates()?, rust(&root)?);
    let seen: [(&str, &Path); 3] = [("arcwright", &root), ("crates", &crates), ("rust", &rust)];
    for suite in SUITES {
        let system = System::fresh(&suite.archive()?, &place, std::slice::from_ref(&script))?;
        print!("== Debian {}: {SCRIPT}\n{}", suite.name, system.run(SCRIPT, &seen)?);
    }
    std::fs::remove_dir_all(place).context("failed to remove the last system")
}

/// Returns where cargo keeps the sources of crates.
fn crates() -> anyhow::Result<PathBuf> {
    let told = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let usual = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"));
    told.or_else(usual).context("neither CARGO_HOME nor HOME is set")
}

/// Returns where the compiler is that the repository asks for.
fn rust(root: &Path) -> anyhow::Result<PathBuf> {
    let mut asked = Command::new("rustc");
    let printed = output(asked.current_dir(root).args(["--print", "sysroot"]))?;
    Ok(PathBuf::from(printed.trim()))
}
