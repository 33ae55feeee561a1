//! README's first command in fresh Debian systems: only the packages that README names, and Rust.
//!
//! The compiler and the sources of the crates are this machine's, seen read-only; everything is compiled anew:
//! in the older system by the oldest Rust that README promises, in the newer by the one that the repository asks for.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use super::{Suite, System};
use crate::guest::program::{self, output};
use crate::parallel;

/// Whose compiler builds in a system.
#[derive(Debug, Clone, Copy)]
enum Rust {
    /// The oldest that `rust-version` in Cargo.toml promises.
    Oldest,
    /// The one that rust-toolchain.toml names.
    Own,
}

/// The systems, with README's packages.
const SUITES: [(Suite, Rust); 2] = [
    (Suite { name: "bookworm", packages: "gcc,libc6-dev" }, Rust::Oldest),
    (Suite { name: "trixie", packages: "gcc,libc6-dev" }, Rust::Own),
];
const SCRIPT: &str = "build.sh";

/// Builds and runs the program in each system.
pub(crate) fn run() -> anyhow::Result<()> {
    if !super::are_possible() {
        println!("SKIPPED  the build in fresh systems: only root may change the root of a process");
        return oldest_alone();
    }
    let root = crate::root();
    let script = root.join("packaging/check").join(SCRIPT);
    let work = crate::target().join("systems");
    let crates = crates()?;
    let systems = SUITES.iter().map(|(suite, rust)| {
        let made = (suite.archive()?, rust.sysroot(&root)?);
        Ok((suite, made.0, made.1))
    });
    let systems = systems.collect::<anyhow::Result<Vec<_>>>()?;
    // Beside each other: the last crates of a build leave a core without work.
    parallel::map(&systems, |(suite, archive, rust)| {
        let seen: [(&str, &Path); 3] = [("arcwright", &root), ("crates", &crates), ("rust", rust)];
        let place = work.join(suite.name);
        let system = System::fresh(archive, &place, std::slice::from_ref(&script))?;
        print!("== Debian {}: {SCRIPT}\n{}", suite.name, system.run(SCRIPT, &seen)?);
        std::fs::remove_dir_all(place).context("failed to remove the system")
    })
    .into_iter()
    .collect()
}

/// Holds the promise of README on this system alone, without building.
fn oldest_alone() -> anyhow::Result<()> {
    let root = crate::root();
    let bin = Rust::Oldest.sysroot(&root)?.join("bin");
    let mut check = Command::new(bin.join("cargo"));
    check.current_dir(&root).args(["check", "--package", "arcwright", "--locked", "--quiet"]);
    check.env("RUSTC", bin.join("rustc")).env("CARGO_TARGET_DIR", crate::target().join("oldest"));
    program::run(&mut check)
}

/// Returns where cargo keeps the sources of crates.
fn crates() -> anyhow::Result<PathBuf> {
    let told = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let usual = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"));
    told.or_else(usual).context("neither CARGO_HOME nor HOME is set")
}

impl Rust {
    /// Returns where the compiler is, brought by rustup where it is not there.
    fn sysroot(self, root: &Path) -> anyhow::Result<PathBuf> {
        let mut asked = Command::new("rustc");
        if let Self::Oldest = self {
            let version = env!("CARGO_PKG_RUST_VERSION");
            let install = ["toolchain", "install", version, "--profile", "minimal"];
            output(Command::new("rustup").args(install).arg("--no-self-update"))?;
            asked.arg(format!("+{version}"));
        }
        let printed = output(asked.current_dir(root).args(["--print", "sysroot"]))?;
        Ok(PathBuf::from(printed.trim()))
    }
}
