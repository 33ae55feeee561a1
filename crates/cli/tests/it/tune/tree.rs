//! A copy of a machine's files: Debian, 16 GiB of memory, a module at its defaults.

use std::fs;

use arcwright_tunables::{DefaultValue, Kernel, Version, entries};
use snapbox::cmd::Command;
use tempfile::TempDir;

use crate::arcwright;

/// What the owner wrote years ago.
pub(super) const MINE: &str = "# from a forum\n\
    options zfs zfs_arc_max=8589934592 l2arc_noprefetch=1\n\
    options zfs zfs_vdev_scheduler=noop zfs_scan_idle=20";

pub(crate) fn tree(version: &str) -> TempDir {
    let tree = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = tree.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let parsed = Version::parse(version).unwrap();
    for entry in entries().iter().filter(|entry| entry.on != Some(Kernel::Freebsd)) {
        let Some(default) = entry.default_for(parsed) else { continue };
        let value = match (entry.shown_by_default(Kernel::Linux, parsed), default) {
            (Some(number), _) => number.to_string(),
            (None, DefaultValue::Word(word)) => word.to_owned(),
            (None, _) => "1073741824".to_owned(),
        };
        let path = format!("sys/module/{}/parameters/{}", entry.module.name(), entry.name);
        write(&path, &(value + "\n"));
    }
    write("sys/module/zfs/version", &format!("{version}-1\n"));
    write("etc/os-release", "ID=debian\n");
    write("etc/modprobe.d/zfs.conf", MINE);
    write("proc/meminfo", "MemTotal:       16777216 kB\n");
    write("proc/cmdline", "quiet\n");
    write("proc/spl/kstat/zfs/arcstats", "c_min 4 536870912\nc_max 4 8589934592\n");
    write("usr/sbin/update-initramfs", "");
    tree
}

/// Returns the program, to work on this tree.
pub(super) fn tune(tree: &TempDir, words: &str) -> Command {
    let command = arcwright().env("USER", "anna").env_remove("SUDO_USER");
    command.arg("tune").arg("--root").arg(tree.path()).args(words.split_whitespace())
}

pub(super) fn text(tree: &TempDir, path: &str) -> String {
    fs::read_to_string(tree.path().join(path)).unwrap()
}

pub(super) fn parameter(tree: &TempDir, name: &str) -> String {
    text(tree, &format!("sys/module/zfs/parameters/{name}")).trim_end().to_owned()
}
