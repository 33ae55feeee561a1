//! What a machine calls itself, and its ZFS module.

use std::path::Path;
use std::process::Command;

use crate::root::Root;

/// A version is one short line.
const VERSION_BYTES_MAX: usize = 4096;

/// More no kernel has for its name.
const HOST_NAME_BYTES_MAX: usize = 4096;

/// Returns what the machine calls itself whose files are below `root`; none where that is not told.
#[must_use]
pub fn host_name(root: &Path) -> Option<String> {
    let text = Root::of(root).ok()?.at("proc/sys/kernel/hostname").text().ok()??;
    let is_name = |name: &String| !name.is_empty() && name.len() <= HOST_NAME_BYTES_MAX;
    Some(text.trim().to_owned()).filter(is_name)
}

/// Returns the version of the ZFS module that is loaded, as the kernel below `root` tells it; none where
/// there is none.
#[must_use]
pub fn module_version(root: &Path) -> Option<String> {
    let linux = Root::of(root).ok()?.at("sys/module/zfs/version").text().ok().flatten();
    let own = || if root == Path::new("/") { freebsd() } else { None };
    let text = linux.filter(|text| text.len() <= VERSION_BYTES_MAX).or_else(own)?;
    let version = text.trim().strip_prefix("zfs-").unwrap_or(text.trim());
    (!version.is_empty()).then(|| version.to_owned())
}

/// FreeBSD tells it by a sysctl.
fn freebsd() -> Option<String> {
    if !cfg!(target_os = "freebsd") {
        return None;
    }
    let asked =
        Command::new("/sbin/sysctl").args(["-n", "vfs.zfs.version.module"]).output().ok()?;
    String::from_utf8(asked.stdout).ok()
}
