//! A fresh Debian system in a folder, made with mmdebstrap from the machine's own package sources.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use arcwright_lab::openzfs::apt;

use super::{empty_folder, run_program, tool};

/// Names the release, with the packages that a check needs beside those of every system.
#[derive(Debug, Clone, Copy)]
pub(super) struct Suite {
    pub(super) name: &'static str,
    pub(super) packages: &'static str,
}

/// A system that can be used once.
#[derive(Debug)]
pub(super) struct System {
    folder: PathBuf,
}

impl Suite {
    /// Returns the archive of a fresh system, made where it is not there yet.
    pub(super) fn archive(self, work: &Path) -> anyhow::Result<PathBuf> {
        // Another list of packages is another system.
        let archive = work.join(format!("{}-{}.tar", self.name, self.packages.replace(',', "-")));
        if archive.exists() {
            return Ok(archive);
        }
        println!("makes a Debian {} in {}", self.name, archive.display());
        let (address, key) = apt::archive().context("this machine names no Debian archive")?;
        let signed = key.map(|key| format!("[signed-by={key}] ")).unwrap_or_default();
        let source = format!("deb {signed}{address} {} main contrib", self.name);
        let draft = work.join(format!("{}.draft.tar", self.name));
        let mut command = Command::new(tool::provide("mmdebstrap", "mmdebstrap")?);
        command
            .args([
                "--quiet",
                "--variant=apt",
                "--format=tar",
                "--include",
                self.packages,
                self.name,
            ])
            .arg(&draft)
            .arg(source);
        run_program(&mut command)?;
        fs::rename(&draft, &archive)?;
        Ok(archive)
    }
}

impl System {
    /// Unpacks a fresh system into `folder`, with `files` in its /srv.
    pub(super) fn fresh(archive: &Path, folder: &Path, files: &[PathBuf]) -> anyhow::Result<Self> {
        let folder = empty_folder(folder)?;
        run_program(Command::new("tar").arg("-xf").arg(archive).arg("-C").arg(&folder))?;
        // The archive's address is looked up there as it is here.
        fs::copy("/etc/resolv.conf", folder.join("etc/resolv.conf")).context("no resolv.conf")?;
        for file in files {
            let name = file.file_name().context("a file without a name")?;
            fs::copy(file, folder.join("srv").join(name))
                .with_context(|| format!("failed to copy {}", file.display()))?;
        }
        Ok(Self { folder })
    }

    /// Runs a script in the system, as root, with mounts and processes of its own.
    pub(super) fn run(&self, script: &str) -> anyhow::Result<()> {
        let inside = format!(
            "mount --bind '{0}' '{0}' && mount --rbind /dev '{0}/dev' && mount -t proc proc '{0}/proc' && exec chroot '{0}' sh /srv/{script}",
            self.folder.display()
        );
        let status = Command::new("unshare")
            .args(["--mount", "--pid", "--fork", "--propagation", "private", "sh", "-c", &inside])
            .env_clear()
            .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
            .envs(proxies())
            .status()
            .context("failed to start unshare")?;
        if !status.success() {
            bail!("{script} failed");
        }
        Ok(())
    }
}

/// Returns the variables that say how the network is reached.
fn proxies() -> impl Iterator<Item = (String, String)> {
    std::env::vars().filter(|(name, _)| name.to_ascii_lowercase().ends_with("_proxy"))
}
