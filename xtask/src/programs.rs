//! Programs of the workspace: as its tests have them, and built for other machines, for the guest and to be given away.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::guest::program::{output, run as execute};

/// A program, the target that it is built for, and the workspace's profile.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Program<'a> {
    pub(crate) package: &'a str,
    pub(crate) triple: &'a str,
    pub(crate) profile: &'a str,
}

impl Program<'_> {
    /// Returns the command that builds it from the sources in `root` below `folder`; the static program is
    /// without the lab's worker, which loads a library.
    pub(crate) fn cargo(self, root: &Path, folder: &Path) -> anyhow::Result<Command> {
        provide_target(self.triple)?;
        let mut command = Command::new("cargo");
        command
            .current_dir(root)
            .args(["build", "--locked", "--quiet", "--profile", self.profile])
            .args(["--package", self.package, "--target", self.triple, "--target-dir"])
            .arg(folder);
        if self.package == "arcwright" {
            command.args(["--no-default-features", "--features", "lab"]);
        }
        if self.triple.starts_with("aarch64") {
            // The linker that comes with the compiler; this machine's own links for itself alone.
            command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER", "rust-lld");
            if self.profile == "guest" {
                // It is tried for seconds, and built for minutes.
                command.env("CARGO_PROFILE_GUEST_OPT_LEVEL", "0");
            }
        }
        Ok(command)
    }

    /// Returns where it then is.
    pub(crate) fn file(self, folder: &Path) -> PathBuf {
        folder.join(self.triple).join(self.profile).join(self.package)
    }
}

/// Asks rustup for the target where it is not there.
pub(crate) fn provide_target(triple: &str) -> anyhow::Result<()> {
    let mut command = Command::new("rustup");
    command.current_dir(crate::root()).args(["target", "add", triple]);
    // A toolchain without rustup may have the target all the same; the build will tell.
    match output(&mut command) {
        Err(error) if error.to_string().contains("failed to start") => Ok(()),
        other => other.map(|_| ()),
    }
}

/// Builds the workspace as `./test` does: cargo gives a package alone other features, and would build it once more.
pub(crate) fn of_workspace() -> anyhow::Result<()> {
    let mut command = Command::new("cargo");
    command.current_dir(crate::root()).args(["build", "--locked", "--quiet", "--workspace"]);
    execute(command.args(["--bins", "--tests"]))
}
