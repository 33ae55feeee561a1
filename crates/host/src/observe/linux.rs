//! What is read of a Linux machine besides its counters.

use std::collections::BTreeMap;

use arcwright_machine::{Source, Sources};

use super::files::{Tree, note};

const FILES: [&str; 10] = [
    "proc/meminfo",
    "proc/swaps",
    "proc/sys/kernel/osrelease",
    "etc/os-release",
    "etc/version",
    "etc/prd.name",
    "etc/prd.version",
    "etc/default/zfs",
    "run/systemd/container",
    "sys/module/zfs/version",
];
/// Paths that tell the platform by being there.
pub(crate) const MARKERS: [&str; 8] = [
    ".dockerenv",
    "run/.containerenv",
    "run/systemd/container",
    "usr/bin/pveversion",
    "usr/sbin/proxmox-backup-manager",
    "usr/bin/midclt",
    "etc/NIXOS",
    "etc/prd.name",
];
const MODULES: [&str; 2] = ["zfs", "spl"];
/// Folders of files that set parameters; only those that name ZFS are of interest.
const CONFIG: [&str; 5] =
    ["etc/modprobe.d", "usr/lib/modprobe.d", "lib/modprobe.d", "run/modprobe.d", "etc/sysctl.d"];
const DISK_FILES: [&str; 6] = [
    "queue/rotational",
    "queue/write_cache",
    "queue/logical_block_size",
    "queue/physical_block_size",
    "device/model",
    "size",
];
/// Block devices that are no drives.
const NO_DRIVES: [&str; 7] = ["loop", "ram", "zd", "dm-", "md", "sr", "zram"];
const LINKS: [&str; 4] =
    ["dev/disk/by-id", "dev/disk/by-partuuid", "dev/disk/by-path", "dev/disk/by-vdev"];

pub(super) fn settings(tree: &Tree, sources: &mut Sources) {
    FILES.iter().for_each(|name| tree.read_if_there(name, sources));
    let there: Vec<&str> = MARKERS.into_iter().filter(|path| tree.at(path).exists()).collect();
    note("markers", Ok(there.join("\n")), sources);
    command_line(tree, sources);
    mounts(tree, sources);
    MODULES.iter().for_each(|module| parameters(tree, module, sources));
    for folder in CONFIG {
        let names_zfs =
            |text: &str| text.is_empty() || text.contains("zfs") || text.contains("spl");
        // The folders are one and the same where /lib is a link to /usr/lib.
        if !is_link(tree, folder) {
            tree.read_folder(folder, names_zfs, sources);
        }
    }
    disks(tree, sources);
}

fn is_link(tree: &Tree, folder: &str) -> bool {
    let first = folder.split('/').next().unwrap_or_default();
    tree.at(first).told().is_ok_and(|told| told.is_some_and(|told| told.is_link))
}

/// Keeps the words that concern ZFS and memory: the others are nobody's business.
fn command_line(tree: &Tree, sources: &mut Sources) {
    const KEPT: [&str; 5] = ["zfs.", "spl.", "mem=", "init_on_alloc", "hugepages"];
    if let Ok(text) = tree.read("proc/cmdline") {
        let words = text.split_whitespace();
        let kept: Vec<&str> =
            words.filter(|word| KEPT.iter().any(|start| word.starts_with(start))).collect();
        note("proc/cmdline", Ok(kept.join(" ") + "\n"), sources);
    }
}

/// Keeps the mounts of ZFS.
fn mounts(tree: &Tree, sources: &mut Sources) {
    if let Ok(text) = tree.read("proc/mounts") {
        let lines = text.lines().filter(|line| line.split(' ').nth(2) == Some("zfs"));
        note("proc/mounts", Ok(lines.map(|line| format!("{line}\n")).collect()), sources);
    }
}

fn parameters(tree: &Tree, module: &str, sources: &mut Sources) {
    let folder = format!("sys/module/{module}/parameters");
    let Ok(names) = tree.names(&folder) else { return };
    let mut modes = String::new();
    for name in names {
        let path = format!("{folder}/{name}");
        if let Ok(Some(told)) = tree.at(&path).told() {
            let mode = told.mode & 0o7777;
            modes.push_str(&format_mode(mode, &name));
            // Some may only be written, which is how they are meant.
            if mode & 0o444 == 0 {
                continue;
            }
        }
        tree.read_if_there(&path, sources);
    }
    note(&format!("modes/{folder}"), Ok(modes), sources);
}

fn format_mode(mode: u32, name: &str) -> String {
    format!("{mode:04o} {name}\n")
}

fn disks(tree: &Tree, sources: &mut Sources) {
    let names = tree.names("sys/block").unwrap_or_default();
    let drives = names.iter().filter(|name| !NO_DRIVES.iter().any(|start| name.starts_with(start)));
    for drive in drives {
        for file in DISK_FILES {
            tree.read_if_there(&format!("sys/block/{drive}/{file}"), sources);
        }
    }
    let mut links: BTreeMap<String, String> = BTreeMap::new();
    for folder in LINKS {
        for name in tree.names(folder).unwrap_or_default() {
            let target = tree.at(&format!("{folder}/{name}")).link();
            if let Some(target) = target.and_then(|target| target.to_str().map(str::to_owned)) {
                links.insert(format!("/{folder}/{name}"), target);
            }
        }
    }
    let lines = links.iter().map(|(link, target)| format!("{link} -> {target}\n"));
    let text: String = lines.collect();
    if !text.is_empty() {
        sources.texts.insert("links".to_owned(), Source::Text(text));
    }
}
