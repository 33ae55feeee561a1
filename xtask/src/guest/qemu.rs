//! Finds the machine emulator: on the path, else from the machine's own package sources, unpacked
//! into the cache with the libraries that are missing. No root, nothing is installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::cache;
use super::program::output;

const PROGRAM: &str = "qemu-system-x86_64";
const PACKAGE: &str = "qemu-system-x86";
/// Debian 12's own, as the backports need newer libraries.
const VERSION: &str = "1:7.2";
/// Where the unpacked packages keep libraries and firmware.
const LIBRARIES: [&str; 2] = ["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"];
const FIRMWARE: [&str; 2] = ["usr/share/qemu", "usr/share/seabios"];

/// An emulator that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Qemu {
    /// The folder it was unpacked into; none when the system has it.
    unpacked: Option<PathBuf>,
}

impl Qemu {
    /// Finds or brings it.
    pub(super) fn provide() -> anyhow::Result<Self> {
        if output(Command::new(PROGRAM).arg("--version")).is_ok() {
            return Ok(Self { unpacked: None });
        }
        let qemu = Self { unpacked: Some(cache::provide(PACKAGE, bring)?) };
        output(qemu.command().arg("--version"))?;
        Ok(qemu)
    }

    /// Returns a command that starts it, yet without its machine.
    pub(super) fn command(&self) -> Command {
        let Some(folder) = &self.unpacked else { return Command::new(PROGRAM) };
        let mut command = Command::new(folder.join("usr/bin").join(PROGRAM));
        let paths: Vec<String> =
            LIBRARIES.iter().map(|name| folder.join(name).display().to_string()).collect();
        command.env("LD_LIBRARY_PATH", paths.join(":"));
        for name in FIRMWARE {
            command.arg("-L").arg(folder.join(name));
        }
        command
    }
}

fn bring(draft: &Path) -> anyhow::Result<String> {
    let version = super::packages::unpacked(PACKAGE, VERSION, draft)?;
    Ok(cache::name(&format!("debian-{PACKAGE}"), &version))
}
