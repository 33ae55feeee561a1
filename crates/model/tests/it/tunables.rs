//! Every parameter that is simulated changes something; every other is refused by name where it matters.

use std::collections::BTreeSet;

use arcwright_model::Model;
use arcwright_scenario::{Engine as _, PhaseRun, RunRequest, Scenario, Unwatched};
use arcwright_tunables::{Modelled, entries};

/// A machine with little memory; loads add devices, files and phases.
const MACHINE: &str = r#"
title = "test"
question = "test"
[system]
zfs = "VERSION"
os = "linux"
memory = "512MiB"
[system.pool]
data = [{ DATA = ["DISK", "DISK", "DISK"] }]
DEVICES
[system.tunables]
zfs_arc_max = "128MiB"
zfs_arc_min = "32MiB"
BESIDE
[[arm]]
name = "only"
ARM
LOAD
"#;

/// What is done, on which devices.
#[derive(Debug, Clone, Copy)]
struct Load {
    /// Layout and kind of the three disks.
    data: [&'static str; 2],
    devices: &'static str,
    /// What is set beside, without which the parameter would show nothing.
    beside: &'static str,
    files: &'static str,
}

const DISKS: [&str; 2] = ["raidz1", "hdd-nas-7200"];
const FLASH: [&str; 2] = ["mirror", "nvme-consumer"];

/// Three disks, nothing beside them, and nothing done.
const PLAIN: Load = Load { data: DISKS, devices: "", beside: "", files: "" };

/// A file larger than the ARC, read again and again beside random reads of another, with a cache device.
const READS: Load = Load {
    devices: "cache = [{ device = \"nvme-consumer\", size = \"1GiB\" }]",
    files: r#"
[[file]]
name = "f"
size = "192MiB"
[[file]]
name = "g"
size = "96MiB"
[[phase]]
name = "first"
clients = [
  { read = "f", io = "128KiB", amount = "384MiB" },
  { read = "f", io = "1MiB", amount = "384MiB", start = "50ms" },
  { read = "g", io = "16KiB", pattern = "random", depth = 16, amount = "192MiB" },
]
"#,
    ..PLAIN
};

/// Two readers of one file, a second apart.
const STREAMS: Load = Load {
    files: r#"
[[file]]
name = "f"
size = "384MiB"
[[phase]]
name = "first"
clients = [
  { read = "f", io = "128KiB", rate = "60MiB/s" },
  { read = "f", io = "128KiB", rate = "60MiB/s", start = "1s" },
]
"#,
    ..PLAIN
};

/// A file larger than the ARC, read in large requests.
const LARGE: Load = Load {
    files: r#"
[[file]]
name = "f"
size = "192MiB"
[[phase]]
name = "first"
clients = [{ read = "f", io = "2MiB", depth = 2 }]
"#,
    ..PLAIN
};

/// Small reads of a mirror of flash, many at once, with a large cache device.
const SMALL: Load = Load {
    data: FLASH,
    devices: "recordsize = \"4KiB\"\ncache = [{ device = \"nvme-plp\", size = \"4GiB\" }]",
    files: r#"
[[file]]
name = "f"
size = "256MiB"
[[phase]]
name = "first"
clients = [
  { read = "f", io = "4KiB", pattern = "random", depth = 32, amount = "1GiB", rate = "30MiB/s" },
  { read = "f", io = "64KiB", amount = "256MiB" },
]
"#,
    ..PLAIN
};

/// Random reads of whole records of a mirror of flash, faster than the cache device is fed.
const FEED: Load = Load {
    data: FLASH,
    devices: "cache = [{ device = \"nvme-plp\", size = \"4GiB\" }]",
    files: r#"
[[file]]
name = "f"
size = "768MiB"
[[phase]]
name = "first"
clients = [
  { read = "f", io = "128KiB", pattern = "random", depth = 8, amount = "2GiB", rate = "400MiB/s" },
  { read = "f", io = "1MiB", amount = "512MiB", rate = "50MiB/s" },
]
"#,
    ..PLAIN
};

/// More than the pool can take, beside a reader.
const WRITES: Load = Load {
    files: r#"
[[file]]
name = "f"
size = "256MiB"
[[file]]
name = "g"
size = "64MiB"
[[file]]
name = "h"
size = "128MiB"
[[phase]]
name = "write"
clients = [
  { write = "f", io = "128KiB", depth = 4, amount = "512MiB" },
  { read = "g", io = "128KiB", pattern = "random", depth = 16, amount = "32MiB" },
  { read = "h", io = "128KiB", amount = "128MiB" },
]
[[phase]]
name = "slowly"
clients = [{ write = "g", io = "128KiB", think = "100ms", amount = "12MiB" }]
"#,
    ..PLAIN
};

/// Writes that somebody waits for.
const SYNCS: Load = Load {
    files: r#"
[[file]]
name = "f"
size = "64MiB"
[[file]]
name = "g"
size = "512MiB"
[[phase]]
name = "write"
clients = [
  { sync-write = "f", io = "16KiB", pattern = "random", depth = 24, amount = "16MiB" },
  { sync-write = "f", io = "8KiB", think = "1ms", amount = "4MiB" },
  { sync-write = "g", io = "128KiB", pattern = "random", depth = 32, amount = "128MiB" },
]
"#,
    ..PLAIN
};

/// More small files than there is room for.
const TREE: Load = Load {
    files: r#"
[[tree]]
name = "t"
files = 200000
files_per_directory = 3000
size_min = "1KiB"
size_max = "4KiB"
[[file]]
name = "f"
size = "192MiB"
[[phase]]
name = "list"
clients = [{ tree-stat = "t" }]
[[phase]]
name = "read"
clients = [{ read = "f", io = "128KiB", pattern = "random", amount = "512MiB" }]
[[phase]]
name = "list again"
clients = [
  { tree-stat = "t" },
  { read = "f", io = "128KiB", pattern = "random", amount = "512MiB" },
]
"#,
    ..PLAIN
};

/// A load with something set beside.
const fn beside(beside: &'static str, load: Load) -> Load {
    Load { beside, ..load }
}

/// Little is written to the cache device at once.
const FEW: &str = "l2arc_write_max = \"1MiB\"\nl2arc_write_boost = \"1MiB\"";
const NEW: &str = "2.3.2";
const OLD: &str = "2.1.11";

/// Each parameter, a value far from its default, and where that shows.
const MOVES: [(&str, &str, Load, &str); 53] = [
    ("dbuf_cache_shift", "9", READS, NEW),
    ("l2arc_feed_again", "0", FEED, OLD),
    ("l2arc_feed_min_ms", "900", FEED, OLD),
    ("l2arc_feed_secs", "3", READS, NEW),
    ("l2arc_headroom", "8", beside(FEW, SMALL), OLD),
    ("l2arc_headroom_boost", "800", beside(FEW, SMALL), OLD),
    ("l2arc_meta_percent", "1", SMALL, NEW),
    ("l2arc_mfuonly", "1", READS, NEW),
    ("l2arc_noprefetch", "0", READS, NEW),
    ("l2arc_norw", "1", beside("l2arc_noprefetch = 0", READS), NEW),
    ("l2arc_write_boost", "\"1MiB\"", FEED, OLD),
    ("l2arc_write_max", "\"1MiB\"", FEED, OLD),
    ("zfetch_array_rd_sz", "\"4MiB\"", LARGE, OLD),
    ("zfetch_max_distance", "\"1MiB\"", READS, NEW),
    ("zfetch_max_idistance", "\"1MiB\"", READS, NEW),
    ("zfetch_max_streams", "1", STREAMS, NEW),
    ("zfetch_min_distance", "\"256KiB\"", READS, NEW),
    ("zfs_arc_max", "\"96MiB\"", READS, NEW),
    ("zfs_arc_meta_balance", "1", TREE, NEW),
    ("zfs_arc_meta_limit", "\"20MiB\"", TREE, OLD),
    ("zfs_arc_meta_limit_percent", "15", TREE, OLD),
    ("zfs_arc_meta_min", "\"96MiB\"", TREE, OLD),
    ("zfs_arc_min", "\"96MiB\"", READS, NEW),
    ("zfs_arc_min_prefetch_ms", "60000", FEED, NEW),
    ("zfs_commit_timeout_pct", "100", SYNCS, NEW),
    ("zfs_delay_min_dirty_percent", "20", WRITES, NEW),
    ("zfs_delay_scale", "50000000", WRITES, NEW),
    ("zfs_dirty_data_max", "\"16MiB\"", WRITES, NEW),
    ("zfs_dirty_data_max_max", "\"16MiB\"", WRITES, NEW),
    ("zfs_dirty_data_max_max_percent", "2", WRITES, NEW),
    ("zfs_dirty_data_max_percent", "3", WRITES, NEW),
    ("zfs_dirty_data_sync", "\"4MiB\"", WRITES, "0.7"),
    ("zfs_dirty_data_sync_percent", "80", WRITES, NEW),
    ("zfs_immediate_write_sz", "4096", SYNCS, NEW),
    ("zfs_nocacheflush", "1", SYNCS, NEW),
    ("zfs_prefetch_disable", "1", READS, NEW),
    ("zfs_txg_timeout", "1", WRITES, NEW),
    ("zfs_vdev_aggregation_limit", "\"128KiB\"", READS, NEW),
    ("zfs_vdev_aggregation_limit_non_rotating", "\"16KiB\"", SMALL, NEW),
    ("zfs_vdev_async_read_max_active", "1", READS, NEW),
    ("zfs_vdev_async_read_min_active", "8", WRITES, NEW),
    ("zfs_vdev_async_write_active_max_dirty_percent", "100", WRITES, NEW),
    ("zfs_vdev_async_write_active_min_dirty_percent", "5", WRITES, NEW),
    ("zfs_vdev_async_write_max_active", "30", WRITES, NEW),
    ("zfs_vdev_async_write_min_active", "8", WRITES, NEW),
    ("zfs_vdev_max_active", "2", READS, NEW),
    ("zfs_vdev_read_gap_limit", "0", READS, NEW),
    ("zfs_vdev_sync_read_max_active", "1", beside("zfs_vdev_sync_read_min_active = 1", READS), NEW),
    ("zfs_vdev_sync_read_min_active", "1", beside("zfs_vdev_max_active = 4", WRITES), NEW),
    (
        "zfs_vdev_sync_write_max_active",
        "1",
        beside("zfs_vdev_sync_write_min_active = 1", SYNCS),
        NEW,
    ),
    (
        "zfs_vdev_sync_write_min_active",
        "5",
        beside("zfs_vdev_sync_write_max_active = 1", SYNCS),
        NEW,
    ),
    ("zfs_vdev_write_gap_limit", "0", WRITES, NEW),
    ("zil_nocacheflush", "1", SYNCS, NEW),
];

fn scenario(arm: &str, load: Load, version: &str) -> Scenario {
    let text = MACHINE.replace("VERSION", version).replace("DEVICES", load.devices);
    let [layout, disk] = load.data;
    let text = text.replace("DATA", layout).replace("DISK", disk).replace("BESIDE", load.beside);
    let text = text.replace("ARM", arm).replace("LOAD", load.files);
    Scenario::parse(&text, "test.toml").unwrap()
}

fn run(arm: &str, load: Load, version: &str) -> Vec<PhaseRun> {
    let request = RunRequest { scenario: scenario(arm, load, version), repeats: 1 };
    let outcome = Model::default().run(&request, &mut Unwatched).unwrap();
    outcome.arms.into_iter().flat_map(|arm| arm.phases).collect()
}

#[test]
fn whatever_is_simulated_changes_something() {
    let idle: Vec<&str> = MOVES
        .into_iter()
        .filter(|(name, value, load, version)| {
            let set = format!("tunables.{name} = {value}");
            run(&set, *load, version) == run("", *load, version)
        })
        .map(|(name, ..)| name)
        .collect();
    assert!(idle.is_empty(), "no effect of {idle:?}");
}

#[test]
fn no_parameter_that_is_simulated_is_left_out_above() {
    let said = entries().iter().filter(|entry| entry.model == Modelled::Simulated);
    let said: BTreeSet<&str> = said.map(|entry| entry.name.as_str()).collect();
    assert_eq!(MOVES.map(|(name, ..)| name).into_iter().collect::<BTreeSet<_>>(), said);
}

#[test]
fn what_is_not_simulated_is_refused_by_name_where_it_matters() {
    let check = |arm: &str, load: Load, expected: Option<&str>| {
        let scenario = scenario(arm, load, NEW);
        let said = Model::default().check(&scenario).err().map(|error| error.to_string());
        let as_expected = match (&said, expected) {
            (Some(said), Some(name)) => said.contains(name) && said.contains("not simulated"),
            (said, expected) => said.is_none() && expected.is_none(),
        };
        assert!(as_expected, "{arm}: {said:?}");
    };
    check("tunables.zil_slog_bulk = 4096", SYNCS, Some("zil_slog_bulk"));
    check("tunables.zil_slog_bulk = 4096", WRITES, None);
    check("tunables.zfs_compressed_arc_enabled = 0", READS, Some("zfs_compressed_arc_enabled"));
    check("tunables.zfs_compressed_arc_enabled = 1", READS, None);
    check("tunables.l2arc_trim_ahead = 50", READS, Some("l2arc_trim_ahead"));
    check("tunables.l2arc_trim_ahead = 50", WRITES, None);
    check("tunables.zfs_vdev_queue_depth_pct = 100", WRITES, Some("zfs_vdev_queue_depth_pct"));
    check("tunables.zfs_vdev_queue_depth_pct = 100", READS, None);
    check("tunables.dmu_prefetch_max = 0", TREE, Some("dmu_prefetch_max"));
    check("tunables.zfs_vdev_scrub_max_active = 9", WRITES, None);
}
