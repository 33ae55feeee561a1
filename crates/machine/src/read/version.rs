//! The version of the loaded module, as it tells it.
//!
//! The tools' version is another matter: after an upgrade without a restart they differ. Their own
//! report (`zfs version`) names both and is asked only where the module has no file. The ZFS that
//! came with `FreeBSD` 8 to 12 counts as that release.

use arcwright_tunables::{Kernel, Version};

use crate::machine::Machine;
use crate::sources::Sources;

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let module = sources.text("sys/module/zfs/version").map(str::trim).map(str::to_owned);
    let sysctl = || Some(sources.sysctls()?.get("vfs.zfs.version.module")?.trim().to_owned());
    let report = || sources.text("commands/zfs-version").and_then(of_report);
    let text = module.or_else(sysctl).or_else(report).filter(|text| !text.is_empty());
    machine.zfs = text.as_deref().and_then(Version::parse).or_else(|| legacy(machine));
    machine.zfs_text = text.or_else(|| machine.zfs.map(|version| version.to_string()));
}

/// Takes the version from a `FreeBSD` release that a report told after the texts of versions.
pub(super) fn settle(machine: &mut Machine) {
    if machine.zfs.is_none() && machine.zfs_text.is_none() {
        machine.zfs = legacy(machine);
        machine.zfs_text = machine.zfs.map(|version| version.to_string());
    }
}

/// Returns the module's line of `zfs version`: `zfs-kmod-2.1.11-1`.
fn of_report(text: &str) -> Option<String> {
    let module = text.lines().find_map(|line| line.trim().strip_prefix("zfs-kmod-"));
    let tools = || text.lines().find_map(|line| line.trim().strip_prefix("zfs-"));
    module.or_else(tools).map(str::to_owned)
}

fn legacy(machine: &Machine) -> Option<Version> {
    (machine.os == Some(Kernel::Freebsd)).then_some(())?;
    let release = machine.kernel.as_deref()?.split('-').next()?;
    Version::parse(&format!("freebsd-{release}"))
}
