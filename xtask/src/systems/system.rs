//! A fresh Debian system in a folder, made with mmdebstrap from the machine's own package sources.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use arcwright_lab::openzfs::apt;

use super::{empty_folder, tool};
use crate::guest::{self, program};

/// Names the release, with the packages that a check needs beside those of every system.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Suite {
    pub(crate) name: &'static str,
    pub(crate) packages: &'static str,
}

/// A system that can be used once.
#[derive(Debug)]
pub(crate) struct System {
    folder: PathBuf,
}

impl Suite {
    /// Returns the archive of a fresh system, made where it is not there yet: systems take minutes to make,
    /// and hold nothing of ours.
    pub(crate) fn archive(self) -> anyhow::Result<PathBuf> {
        let work = guest::tools()?.join("systems");
        fs::create_dir_all(&work)?;
        // Another list of packages is another system.
        let archive = work.join(format!("{}-{}.tar", self.name, self.packages.replace(',', "-")));
        if archive.exists() {
            return Ok(archive);
        }
        println!("makes a Debian {} in {}", self.name, archive.display());
        let (address, key) = apt::archive().context("this machine names no Debian archive")?;
        let signed = key.map(|key| format!("[signed-by={key}] ")).unwrap_or_default();
        let source = format!("deb {signed}{address} {} main contrib", self.name);
        // Of its own name: two chores may make two systems of one release at once.
        let draft = archive.with_extension("draft");
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
        program::run(&mut command)?;
        fs::rename(&draft, &archive)?;
        Ok(archive)
    }
}

impl System {
    /// Unpacks a fresh system into `folder`, with `files` in its /srv.
    pub(crate) fn fresh(archive: &Path, folder: &Path, files: &[PathBuf]) -> anyhow::Result<Self> {
        let folder = empty_folder(folder)?;
        program::run(Command::new("tar").arg("-xf").arg(archive).arg("-C").arg(&folder))?;
        // The archive's address is looked up there as it is here.
        fs::copy("/etc/resolv.conf", folder.join("etc/resolv.conf")).context("no resolv.conf")?;
        for file in files {
            let name = file.file_name().context("a file without a name")?;
            fs::copy(file, folder.join("srv").join(name))
                .with_context(|| format!("failed to copy {}", file.display()))?;
        }
        Ok(Self { folder })
    }

    /// Runs a script in the system, as root, with mounts and processes of its own; folders of this machine
    /// are seen there, read-only, below /srv. Returns what it said.
    pub(crate) fn run(&self, script: &str, seen: &[(&str, &Path)]) -> anyhow::Result<String> {
        let root = self.folder.display();
        let mut steps = vec![
            format!("mount --bind '{root}' '{root}'"),
            format!("mount --rbind /dev '{root}/dev'"),
            format!("mount -t proc proc '{root}/proc'"),
        ];
        for (name, folder) in seen {
            let place = self.folder.join("srv").join(name);
            fs::create_dir(&place)?;
            let (place, folder) = (place.display(), folder.display());
            steps.push(format!("mount --bind '{folder}' '{place}'"));
            steps.push(format!("mount -o remount,bind,ro '{place}'"));
        }
        steps.push(format!("exec chroot '{root}' sh /srv/{script}"));
        let inside = steps.join(" && ");
        let ended = Command::new("unshare")
            .args(["--mount", "--pid", "--fork", "--propagation", "private", "sh", "-c", &inside])
            .env_clear()
            .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
            .envs(proxies())
            .output()
            .context("failed to start unshare")?;
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        if !ended.status.success() {
            bail!("{script} failed:\n{said}{}", String::from_utf8_lossy(&ended.stderr));
        }
        Ok(said)
    }
}

/// Returns the variables that say how the network is reached.
fn proxies() -> impl Iterator<Item = (String, String)> {
    std::env::vars().filter(|(name, _)| name.to_ascii_lowercase().ends_with("_proxy"))
}
