//! Laws of trees of small files.

use arcwright_scenario::{Outcome, PhaseRun, Role};

use crate::run;

const VERSIONS: [&str; 4] = ["freebsd-9", "2.1.11", "2.2.3", "2.3.2"];

/// 9000 files of 4 to 16 KiB in three directories, looked at twice and read twice.
const TREE: &str = r#"
title = "a tree"
question = "does it hold?"
[system]
zfs = "2.1.11"
os = "linux"
memory = "2GiB"
tunables = { zfs_arc_max = "256MiB" }
[system.pool]
data = [{ mirror = ["hdd-nas-5400", "hdd-nas-5400"] }]
[[tree]]
name = "pictures"
files = 9000
files_per_directory = 3000
size_min = "4KiB"
size_max = "16KiB"
[[phase]]
name = "stat"
clients = [{ tree-stat = "pictures" }]
[[phase]]
name = "stat again"
clients = [{ tree-stat = "pictures" }]
[[phase]]
name = "read"
clients = [{ tree-read = "pictures" }]
[[phase]]
name = "read again"
clients = [{ tree-read = "pictures", pattern = "random" }]
"#;

fn outcome(version: &str) -> Outcome {
    let os = if version.starts_with("freebsd") { "freebsd" } else { "linux" };
    run(&TREE.replace("2.1.11", version).replace("os = \"linux\"", &format!("os = \"{os}\"")))
        .unwrap()
}

fn phase<'a>(outcome: &'a Outcome, name: &str) -> &'a PhaseRun {
    outcome.arms.iter().flat_map(|arm| &arm.phases).find(|phase| phase.name == name).unwrap()
}

fn row(phase: &PhaseRun, name: &str) -> i64 {
    *phase.kstats.get("arcstats").and_then(|rows| rows.get(name)).unwrap()
}

#[test]
fn a_cold_read_reads_every_file_once_and_a_second_one_nothing() {
    for version in VERSIONS {
        let outcome = outcome(version);
        let (first, again) = (phase(&outcome, "read"), phase(&outcome, "read again"));
        assert_eq!(first.operations, 9000, "{version}");
        assert_eq!(row(first, "demand_data_misses"), 9000, "{version}");
        assert_eq!(first.bytes, again.bytes, "{version}");
        assert_eq!(row(again, "misses"), 0, "{version}");
        assert_eq!(again.device_read_bytes.0, 0, "{version}");
    }
}

#[test]
fn looking_reads_metadata_alone_and_looking_again_nothing() {
    for version in VERSIONS {
        let outcome = outcome(version);
        let (first, again) = (phase(&outcome, "stat"), phase(&outcome, "stat again"));
        assert_eq!((first.operations, first.bytes.0), (9000, 0), "{version}");
        assert_eq!(
            row(first, "demand_data_misses") + row(first, "demand_data_hits"),
            0,
            "{version}"
        );
        assert_eq!(row(again, "misses"), 0, "{version}");
        // 281 blocks of dnodes that no other object is in, three directories of 17 blocks each with an
        // indirect one, the root.
        let misses = row(first, "demand_metadata_misses") + row(first, "prefetch_metadata_misses");
        // Without a dbuf cache some are let go and read once more.
        let most = if version.starts_with("freebsd") { 345 } else { 336 };
        assert!((281 + 3 * 18 + 1..=most).contains(&misses), "{version}: {misses}");
    }
}

#[test]
fn the_same_seed_gives_the_same_walk() {
    assert_eq!(outcome("2.1.11"), outcome("2.1.11"));
}

#[test]
fn metadata_is_on_special_vdevs_and_data_is_not() {
    let special =
        "special = [{ mirror = [\"ssd-sata-consumer\", \"ssd-sata-consumer\"] }]\n[[tree]]";
    for version in ["2.1.11", "2.3.2"] {
        let text = TREE.replace("2.1.11", version).replace("[[tree]]", special);
        let outcome = run(&text).unwrap();
        let bytes = |phase: &PhaseRun, role: Role| -> u64 {
            let of = phase.devices.iter().filter(|device| device.role == role);
            of.map(|device| device.read_bytes.0).sum()
        };
        let (stat, read) = (phase(&outcome, "stat"), phase(&outcome, "read"));
        assert_eq!(bytes(stat, Role::Data), 0, "{version}");
        assert!(bytes(stat, Role::Special) > 1 << 20, "{version}");
        assert_eq!(bytes(read, Role::Special), 0, "{version}");
        assert!(bytes(read, Role::Data) >= read.bytes.0, "{version}");
    }
}

#[test]
fn what_primarycache_forbids_is_read_each_time() {
    for (content, data, metadata) in [("metadata", 9000, false), ("none", 9000, true)] {
        for version in ["2.1.11", "2.3.2"] {
            let pool = format!("[system.pool]\nprimarycache = \"{content}\"");
            let text = TREE.replace("2.1.11", version).replace("[system.pool]", &pool);
            let outcome = run(&text).unwrap();
            let again = phase(&outcome, "read again");
            assert_eq!(row(again, "demand_data_misses"), data, "{version} {content}");
            let misses = row(again, "demand_metadata_misses");
            assert_eq!(misses > 0, metadata, "{version} {content}: {misses}");
        }
    }
}

/// With 16 MiB for metadata, dnodes and the headers of data go over it, and what is over takes
/// everything that is evictable along (2.1); without a limit the second look finds everything.
#[test]
fn beyond_the_limit_on_metadata_data_goes_as_well() {
    let with = |tunables: &str| {
        let text = TREE.replace("zfs_arc_max = \"256MiB\"", tunables);
        let text = text.replace("files = 9000", "files = 30000");
        run(&text).unwrap()
    };
    let low = with("zfs_arc_max = \"256MiB\", zfs_arc_meta_limit = \"16MiB\"");
    let high = with("zfs_arc_max = \"256MiB\", zfs_arc_meta_limit = \"256MiB\"");
    let misses = |outcome: &Outcome| row(phase(outcome, "read again"), "demand_data_misses");
    assert!(misses(&low) > misses(&high) + 5000, "{} {}", misses(&low), misses(&high));
}

/// Every file is read once and written once; the copy is read back from memory or disk, not made anew.
#[test]
fn a_copy_writes_every_byte_and_metadata_besides() {
    for version in ["2.1.11", "2.3.2"] {
        let copy = TREE.replace("2.1.11", version).replace(
            "clients = [{ tree-read = \"pictures\" }]",
            "clients = [{ tree-copy = \"pictures\", scan_first = true }]",
        );
        let outcome = run(&copy).unwrap();
        let read = phase(&outcome, "read");
        assert_eq!(read.operations, 9000, "{version}");
        assert_eq!(row(read, "demand_data_misses"), 9000, "{version}");
        let again = phase(&outcome, "read again");
        assert_eq!(row(again, "demand_data_misses"), 0, "{version}");
        let written = read.device_write_bytes.0 + again.device_write_bytes.0;
        // Both sides of the mirror.
        assert!(written >= 2 * read.bytes.0, "{version}: {written} of {}", read.bytes);
    }
}
