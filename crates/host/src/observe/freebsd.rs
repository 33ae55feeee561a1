//! What is read of a `FreeBSD` machine besides its counters: files of settings, and sysctls.

use arcwright_machine::Sources;

use super::commands::{QUICK, Tools};
use super::files::{Tree, note};

const FILES: [&str; 9] = [
    "etc/os-release",
    "var/run/os-release",
    "etc/version",
    "etc/prd.name",
    "etc/prd.version",
    "boot/loader.conf",
    "boot/loader.conf.local",
    "etc/sysctl.conf",
    "etc/sysctl.conf.local",
];
/// Sysctls that tell of the machine; one that is missing does not hide the others.
const SYSCTLS: [&str; 8] = [
    "vfs.zfs",
    "hw.physmem",
    "hw.pagesize",
    "vm.stats.vm.v_free_count",
    "vm.stats.vm.v_inactive_count",
    "kern.ostype",
    "kern.osrelease",
    "security.jail.jailed",
];

/// Returns whether a ZFS is loaded here.
pub(super) fn has_zfs(tools: &Tools) -> bool {
    // Linux has a sysctl too, which knows nothing of this name.
    tools.command("sysctl", &["-n", "kstat.zfs.misc.arcstats.size"]).run(QUICK).is_ok()
}

pub(super) fn settings(tools: &Tools, tree: &Tree, sources: &mut Sources) {
    FILES.iter().for_each(|name| tree.read_if_there(name, sources));
    tree.read_folder("boot/loader.conf.d", |_| true, sources);
    let there = ["usr/bin/midclt", "usr/local/bin/midclt", "etc/prd.name"];
    let there: Vec<&str> = there.into_iter().filter(|path| tree.at(path).exists()).collect();
    note("markers", Ok(there.join("\n").replace("usr/local/bin/", "usr/bin/")), sources);
    // -i goes on after a name that this release does not have.
    let arguments: Vec<&str> = ["-i"].into_iter().chain(SYSCTLS).collect();
    note("commands/sysctl", tools.command("sysctl", &arguments).run(QUICK), sources);
}

/// Returns the counters.
pub(super) fn counters(tools: &Tools, name: &str, sources: &mut Sources) {
    note(name, tools.command("sysctl", &["kstat.zfs"]).run(QUICK), sources);
}
