//! A copy of a machine's files: Debian, 16 GiB, OpenZFS 2.1.11 at its defaults.

use std::io;

use arcwright_tunables::persist::Command;
use arcwright_tunables::{DefaultValue, Kernel, Version, entries};
use tempfile::TempDir;

use super::super::{AuditNote, Commands, Files, Output, Root, Session};

/// A file of the owner's that ends without a newline.
pub(super) const MINE: &str = "# mine\noptions zfs zfs_txg_timeout=5";

/// Commands that a copy of a machine does not have.
#[derive(Debug)]
pub(super) struct NoCommands;

impl Commands for NoCommands {
    fn run(&self, _command: &Command) -> io::Result<Output> {
        Err(io::Error::other("there are no commands in a copy"))
    }
}

pub(super) fn tree() -> TempDir {
    // In memory where there is such a folder: thousands of trees are made.
    let memory = std::path::Path::new("/dev/shm");
    let tree = match memory.is_dir() {
        true => tempfile::tempdir_in(memory).unwrap(),
        false => tempfile::tempdir().unwrap(),
    };
    let version = Version::parse("2.1.11").unwrap();
    // A part of them, since the tests make many trees.
    let part = |name: &str| ["arc", "l2arc", "prefetch"].contains(&name);
    for entry in entries().iter().filter(|entry| part(&entry.family)) {
        let Some(default) = entry.default_for(version) else { continue };
        let value = match (entry.shown_by_default(Kernel::Linux, version), default) {
            (Some(number), _) => number.to_string(),
            (None, DefaultValue::Word(word)) => word.to_owned(),
            (None, _) => "1073741824".to_owned(),
        };
        if entry.on == Some(Kernel::Freebsd) {
            continue;
        }
        let path = format!("sys/module/zfs/parameters/{}", entry.name);
        write(&tree, &path, &format!("{value}\n"));
    }
    write(&tree, "sys/module/zfs/version", "2.1.11-1\n");
    write(&tree, "etc/os-release", "ID=debian\n");
    write(&tree, "etc/modprobe.d/zfs.conf", MINE);
    write(&tree, "proc/meminfo", "MemTotal:       16777216 kB\nMemFree: 1 kB\n");
    write(&tree, "proc/cmdline", "quiet\n");
    let stats = "c_min                           4    536870912\nc_max 4 8589934592\n";
    write(&tree, "proc/spl/kstat/zfs/arcstats", stats);
    tree
}

pub(super) fn write(tree: &TempDir, path: &str, text: &str) {
    let path = tree.path().join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

pub(super) fn why() -> AuditNote {
    AuditNote { who: "anna".to_owned(), why: "a test".to_owned(), time: 1_700_000_000 }
}

pub(super) fn open<'a>(files: &'a dyn Files, root: &'a Root) -> Session<'a> {
    Session::open(files, &NoCommands, root, Kernel::Linux, why()).unwrap()
}
