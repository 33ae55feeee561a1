//! The program under test, as the guest can run it: static, so that it needs no library there.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Context as _;

use super::program::output;

const TARGET: &str = "x86_64-unknown-linux-musl";
/// The workspace's profile for it: quick to build, quick enough to run.
const PROFILE: &str = "guest";

/// Builds the program and returns its file.
pub(super) fn build() -> anyhow::Result<PathBuf> {
    provide_target()?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(crate::root()).args(["build", "--quiet", "--package", "arcwright"]);
    command.args(["--no-default-features", "--profile", PROFILE, "--target", TARGET]);
    output(&mut command).context("failed to build the static program for the guest")?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| crate::root().join("target"));
    Ok(target.join(TARGET).join(PROFILE).join("arcwright"))
}

/// Asks rustup for the target where it is not there.
fn provide_target() -> anyhow::Result<()> {
    let mut command = Command::new("rustup");
    command.current_dir(crate::root()).args(["target", "add", TARGET]);
    // A toolchain without rustup may have the target all the same; the build will tell.
    match output(&mut command) {
        Err(error) if error.to_string().contains("failed to start") => Ok(()),
        other => other.map(|_| ()),
    }
}
