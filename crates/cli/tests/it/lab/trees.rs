//! Trees of small files and their metadata on the real OpenZFS.

use arcwright_scenario::{DeviceRun, Outcome, PhaseRun, Role};

use super::texts::on_linux;
use super::{oldest_and_newest, outcome, phase, refused};

/// A tree whose metadata and contents fit the ARC, and `rest`: arms and phases.
fn scenario(rest: &str) -> String {
    const TREE: &str = r#"
data = [{ mirror = ["hdd-nas-5400", "hdd-nas-5400"] }]
[[tree]]
name = "pictures"
files = 3000
files_per_directory = 2500
size_min = "1KiB"
size_max = "16KiB"
"#;
    on_linux("256MiB", &format!("{TREE}{rest}"))
}

const STAT_AND_READ: &str = r#"
[[phase]]
name = "stat"
clients = [{ tree-stat = "pictures" }]
[[phase]]
name = "stat again"
clients = [{ tree-stat = "pictures", pattern = "random" }]
[[phase]]
name = "read"
clients = [{ tree-read = "pictures", io = "4KiB" }]
[[phase]]
name = "read again"
clients = [{ tree-read = "pictures" }]
"#;

fn read_from(run: &PhaseRun, role: Role) -> u64 {
    let is = |device: &&DeviceRun| device.role == role;
    run.devices.iter().filter(is).map(|device| device.read_bytes.0).sum()
}

fn row(run: &PhaseRun, name: &str) -> i64 {
    run.kstats.get("arcstats").and_then(|rows| rows.get(name)).copied().unwrap_or(0)
}

fn run(text: &str, version: &str) -> Outcome {
    outcome(text, &["--openzfs", version])
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn a_second_look_at_a_tree_reads_nothing() {
    for version in oldest_and_newest() {
        let outcome = run(&scenario(STAT_AND_READ), version);
        let first = phase(&outcome, "as is", "stat");
        assert_eq!((first.operations, first.bytes.0), (3000, 0), "{version}");
        assert!(first.device_read_bytes.0 > 0 && first.arc_bytes.is_none(), "{version}");
        let again = phase(&outcome, "as is", "stat again");
        assert_eq!(again.device_read_bytes.0, 0, "{version}");
        assert_eq!(again.arc_hit_ratio, Some(1.0), "{version}");
        let (read, again) =
            (phase(&outcome, "as is", "read"), phase(&outcome, "as is", "read again"));
        assert!(read.device_read_bytes >= read.bytes, "{version}");
        assert_eq!((read.operations, read.bytes), (3000, again.bytes), "{version}");
        assert_eq!(row(read, "demand_data_misses"), 3000, "{version}: each file is one block");
        assert_eq!(again.device_read_bytes.0, 0, "{version}");
    }
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn over_a_link_every_call_takes_a_round_trip() {
    let phases = r#"
[[phase]]
name = "near"
clients = [{ tree-read = "pictures" }]
[[phase]]
name = "far"
clients = [{ tree-read = "pictures", link = { rate = "100Gbit/s", round_trip = "1ms" } }]
"#;
    for version in oldest_and_newest() {
        let outcome = run(&scenario(phases), version);
        let far = phase(&outcome, "as is", "far").duration_ns.0 / 1_000_000;
        // Open, read and close for each file; two directories, listed by five calls.
        assert!((9_007..10_000).contains(&far), "{version}: {far} ms");
        assert!(phase(&outcome, "as is", "near").duration_ns.0 < 9_000_000_000, "{version}");
    }
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn a_special_vdev_takes_all_reads_of_metadata_and_none_of_data() {
    let device = r#"{ device = "nvme-consumer", size = "1GiB" }"#;
    let arms = format!(
        "[[arm]]\nname = \"without\"\n[[arm]]\nname = \"with\"\nspecial = [{{ disk = {device} }}]\n"
    );
    for version in oldest_and_newest() {
        let outcome = run(&scenario(&format!("{arms}{STAT_AND_READ}")), version);
        let (stat, read) = (phase(&outcome, "with", "stat"), phase(&outcome, "with", "read"));
        assert!(read_from(stat, Role::Special) > 0, "{version}");
        assert_eq!(read_from(stat, Role::Data), 0, "{version}");
        assert_eq!(stat.device_read_bytes.0, read_from(stat, Role::Special), "{version}");
        assert_eq!(read_from(read, Role::Special), 0, "{version}");
        assert!(read_from(read, Role::Data) >= read.bytes.0, "{version}");
        let without = phase(&outcome, "without", "stat");
        assert!(without.duration_ns > stat.duration_ns, "{version}");
    }
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn primarycache_keeps_out_data_or_everything() {
    let arms = "[[arm]]\nname = \"metadata\"\nprimarycache = \"metadata\"\n\
                [[arm]]\nname = \"none\"\nprimarycache = \"none\"\n";
    for version in oldest_and_newest() {
        let outcome = run(&scenario(&format!("{arms}{STAT_AND_READ}")), version);
        let metadata = phase(&outcome, "metadata", "read again");
        assert_eq!(row(metadata, "demand_data_misses"), 3000, "{version}");
        assert_eq!(row(metadata, "demand_metadata_misses"), 0, "{version}");
        assert_eq!(phase(&outcome, "metadata", "stat again").device_read_bytes.0, 0, "{version}");
        let none = phase(&outcome, "none", "stat again");
        assert!(
            row(none, "demand_metadata_misses") > 3000,
            "{version}: each file's dnode at least"
        );
    }
}

/// Copies read every file, create it, and write as much as they read; a scan first looks at all.
#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn a_copy_moves_every_file_and_repeats_are_equal_to_the_last_counter() {
    let phases = r#"
[[phase]]
name = "copy"
clients = [{ tree-copy = "pictures", pattern = "random" }]
[[phase]]
name = "rsync"
pause = "20s"
clients = [{ tree-copy = "pictures", scan_first = true, count = 2, io = "4KiB" }]
[[phase]]
name = "read"
pause = "20s"
clients = [{ tree-read = "pictures" }]
"#;
    for version in oldest_and_newest() {
        let outcome = outcome(&scenario(phases), &["--repeat", "2", "--openzfs", version]);
        let (copy, rsync) = (phase(&outcome, "as is", "copy"), phase(&outcome, "as is", "rsync"));
        let read = phase(&outcome, "as is", "read");
        assert_eq!((copy.operations, copy.bytes), (3000, read.bytes), "{version}");
        assert_eq!((rsync.operations, rsync.bytes.0), (6000, 2 * read.bytes.0), "{version}");
        assert!(rsync.kstats["arcstats"]["hits"] > 2 * copy.kstats["arcstats"]["hits"]);
        let runs = &outcome.arms[0].runs;
        assert_eq!(runs[0].phases, runs[1].phases, "{version}");
    }
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn metadata_over_its_limit_is_read_again_and_a_higher_limit_spares_that_before_2_2() {
    // Uncompressed, 30 000 dnodes and their names take 20 MiB; with the film that is more than the
    // ARC's 128 MiB. 16 MiB is the lowest limit that OpenZFS takes.
    let text = scenario(
        r#"
[[file]]
name = "film"
size = "112MiB"
[[arm]]
name = "low"
tunables = { zfs_arc_meta_limit = "16MiB" }
[[arm]]
name = "high"
tunables = { zfs_arc_meta_limit = "96MiB" }
[[phase]]
name = "warm"
clients = [{ tree-stat = "pictures" }]
[[phase]]
name = "work"
clients = [{ tree-stat = "pictures", amount = "80MiB" }, { read = "film", amount = "768MiB" }]
"#,
    );
    let text = text.replace("16KiB", "1KiB").replace("\"1KiB\"\nsize_max", "\"512B\"\nsize_max");
    let text = text.replace("files = 3000", "files = 30_000").replace("= 2500", "= 10_000");
    let text = text.replace(
        "[system.pool]",
        "[system.tunables]\nzfs_compressed_arc_enabled = 0\n[system.pool]",
    );
    let outcome = run(&text, "2.1.11");
    let misses = |arm: &str| {
        let work = phase(&outcome, arm, "work");
        row(work, "demand_metadata_misses") + row(work, "prefetch_metadata_misses")
    };
    let (low, high) = (misses("low"), misses("high"));
    // By how much depends on which blocks the dbuf cache, a hash of addresses, happens to keep.
    assert!(low * 5 > high * 6, "{low} with a low limit, {high} with a high one");
    let lacks = ["low", "zfs_arc_meta_limit", "2.3.2"];
    refused(&text, &["--openzfs", "2.3.2"], 1, &lacks);
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn a_limit_of_metadata_below_what_openzfs_takes_is_told() {
    let phase = "[[phase]]\nname = \"stat\"\nclients = [{ tree-stat = \"pictures\" }]\n";
    for (limit, told) in [("8MiB", true), ("16MiB", false)] {
        let arm =
            format!("[[arm]]\nname = \"low\"\ntunables = {{ zfs_arc_meta_limit = \"{limit}\" }}\n");
        let notes = run(&scenario(&format!("{arm}{phase}")), "2.1.11").notes;
        let says = notes.iter().any(|note| note.contains("ignores zfs_arc_meta_limit"));
        assert_eq!(says, told, "{notes:?}");
    }
}
