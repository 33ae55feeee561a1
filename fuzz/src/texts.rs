//! Outputs of commands and files of a machine, each read alone: `zpool status`, `zpool iostat`,
//! `arc_summary`, SMART and all the others, as text and as JSON.
//!
//! Their readers are private to the crate `machine`; they are reached through [`Machine::read`] with one
//! text under its name, which the others pass over.

use std::collections::BTreeMap;

use arcwright_machine::{Machine, Source, Sources, Vdev};
use arcwright_ssd::Blocks;
use arcwright_units::Bytes;

const IOSTAT: [&str; 8] = [
    "commands/zpool-iostat",
    "commands/zpool-iostat-v",
    "sample-0/commands/zpool-iostat-v",
    "sample-1/commands/zpool-iostat-v",
    "sample-0/commands/zpool-iostat-lq",
    "sample-1/commands/zpool-iostat-lq",
    "sample-1/commands/zpool-iostat-r",
    "sample-1/commands/zpool-iostat-w",
];
const SUMMARY: [&str; 3] =
    ["commands/arc-summary", "sample-1/commands/arc-summary", "commands/arcstat"];
const JSON: [&str; 8] = [
    "commands/zpool-status-json",
    "commands/zpool-list-json",
    "commands/zpool-get-json",
    "commands/zfs-list-json",
    "commands/zfs-get-json",
    "commands/lsblk",
    "commands/smartctl-sda",
    "commands/midclt-tunable-query",
];
/// Every other text that a collector looks for.
const OTHERS: [&str; 40] = [
    "commands/zpool-list",
    "commands/zpool-get",
    "commands/zfs-get",
    "commands/zfs-list",
    "commands/zdb",
    "commands/lsblk-text",
    "commands/geom-disk-list",
    "commands/geom-list",
    "commands/gpart-show",
    "commands/glabel-status",
    "commands/camcontrol-devlist",
    "commands/diskinfo",
    "commands/dmesg",
    "commands/timings",
    "commands/memory",
    "commands/swapinfo",
    "commands/mount",
    "commands/uname",
    "commands/zfs-version",
    "proc/mounts",
    "proc/meminfo",
    "proc/swaps",
    "proc/cmdline",
    "proc/version",
    "links",
    "markers",
    "etc/os-release",
    "etc/version",
    "etc/prd.name",
    "etc/modprobe.d/zfs.conf",
    "etc/sysctl.conf",
    "boot/loader.conf",
    "sys/block/sda/queue/rotational",
    "sys/block/sda/size",
    "sys/module/zfs/version",
    "sys/module/zfs/parameters/zfs_arc_max",
    "modes/sys/module/zfs/parameters/zfs_arc_max",
    "sample-0/at",
    "sample-0/proc/spl/kstat/zfs/tank/txgs",
    "sample-0/proc/spl/kstat/zfs/tank/objset-0x36",
];

/// `zpool status` as text.
pub fn status(text: &str) {
    read("commands/zpool-status", text);
}

/// `zpool iostat` with any of its flags.
pub fn iostat(bytes: &[u8]) {
    one_of(&IOSTAT, bytes);
}

/// `arc_summary` and `arcstat`.
pub fn summary(bytes: &[u8]) {
    one_of(&SUMMARY, bytes);
}

/// `smartctl` as text.
pub fn smart(text: &str) {
    read("commands/smartctl-sda", text);
}

/// Everything that commands write as JSON.
pub fn json(bytes: &[u8]) {
    one_of(&JSON, bytes);
}

/// Every other text.
pub fn other(bytes: &[u8]) {
    one_of(&OTHERS, bytes);
}

/// Reads the text below a line that names it; a line that is no name picks one.
fn one_of(names: &[&str], bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (head, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let picked = names.get(usize::from(bytes.first().copied().unwrap_or_default()) % names.len());
    let name = names.iter().find(|name| **name == head).or(picked);
    read(name.copied().unwrap_or_default(), rest);
}

/// Reads one text: no more comes out than went in, and sizes of a pool do not exceed what numbers hold.
fn read(name: &str, text: &str) {
    let source = Source::Text(text.to_owned());
    let sources =
        Sources { texts: BTreeMap::from([(name.to_owned(), source)]), ..Sources::default() };
    let machine = Machine::read(&sources);
    let lines = text.len() + 1;
    assert!(machine.pools.len() <= lines && machine.datasets.len() <= lines);
    assert!(machine.drives.len() <= lines && machine.timings.len() <= 2 * lines);
    assert!(machine.samples.len() <= lines && machine.troubles.len() <= lines);
    for pool in &machine.pools {
        let leaves: usize = pool.vdevs.iter().map(|vdev| Vdev::leaves(vdev).len()).sum();
        assert!(leaves <= lines, "a disk has a line");
    }
    let vdevs = machine.samples.iter().flat_map(|sample| sample.vdevs.values());
    for row in vdevs.flat_map(|vdevs| vdevs.values()) {
        let rates = [row.read_ops_per_s, row.write_ops_per_s];
        rates.into_iter().chain([row.read_bytes_per_s, row.write_bytes_per_s]).for_each(rate);
    }
    for timing in &machine.timings {
        [timing.bytes_per_s, timing.ops_per_s].into_iter().for_each(rate);
    }
}

fn rate(rate: Option<f64>) {
    assert!(
        rate.is_none_or(|rate| rate.is_finite() && rate >= 0.0),
        "a rate is a number: {rate:?}"
    );
}

/// What `zdb -Lbbbs` prints is read as sizes that fit into each other, or is refused.
pub fn blocks(text: &str) {
    let Ok(blocks) = Blocks::parse(text) else { return };
    assert_eq!(blocks.on_special(Bytes::ZERO), Some(blocks.metadata));
    for small in &blocks.small {
        let on_special = blocks.on_special(small.largest);
        assert!(on_special.is_some_and(|size| size >= blocks.metadata), "{small:?}");
    }
    // Lines behind it are no part of the table.
    let more = format!("{text}\n\nmore");
    assert_eq!(Blocks::parse(&more).map(|it| it.metadata), Ok(blocks.metadata));
}
