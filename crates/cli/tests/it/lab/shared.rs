//! One device in several roles, on the real OpenZFS.

use arcwright_scenario::{DeviceRun, PhaseRun, Role};

use super::texts::on_linux;
use super::{oldest_and_newest, outcome, phase};

/// Reads from a warm cache beside synchronous writes; the log and the cache are parts of one SSD, and in the second
/// arm two SSDs.
const TEXT: &str = r#"
data = ["hdd-nas-7200"]
cache = [{ device = "spare", size = "4GiB" }]
log = [{ device = "spare", size = "1GiB" }]
[system.tunables]
l2arc_noprefetch = 0
l2arc_write_max = "64MiB"
zfs_arc_max = "96MiB"
[devices]
spare = { device = "ssd-sata-plp", shared = true }
[[arm]]
name = "one"
[[arm]]
name = "two"
cache = [{ device = "ssd-sata-plp", size = "4GiB" }]
log = [{ device = "ssd-sata-plp", size = "1GiB" }]
[[file]]
name = "read"
size = "160MiB"
[[file]]
name = "written"
size = "64MiB"
[[phase]]
name = "warm"
clients = [{ read = "read", amount = "1920MiB", rate = "32MiB/s" }]
[[phase]]
name = "both"
clients = [
  { read = "read", pattern = "random", io = "128KiB", depth = 8, amount = "256MiB" },
  { sync-write = "written", io = "128KiB", amount = "8MiB" },
]
"#;

fn disk(run: &PhaseRun, role: Role) -> &DeviceRun {
    run.devices.iter().find(|device| device.role == role).unwrap()
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn log_and_cache_wait_for_the_device_that_they_share() {
    let text = on_linux("1GiB", TEXT);
    for version in oldest_and_newest() {
        let outcome = outcome(&text, &["--openzfs", version]);
        let [one, two] = ["one", "two"].map(|arm| phase(&outcome, arm, "both"));
        let (log, cache) = (disk(one, Role::Log), disk(one, Role::Cache));
        assert_eq!(log.part_of.as_deref(), Some("spare"), "{version}");
        assert_eq!((log.part_of.as_ref(), log.busy_ns), (cache.part_of.as_ref(), cache.busy_ns));
        assert_eq!(disk(two, Role::Log).part_of, None, "{version}");
        assert!(log.write_bytes.0 >= 8 << 20, "{version}: {}", log.write_bytes);
        assert!(cache.read_bytes.0 > 16 << 20, "{version}: {}", cache.read_bytes);
        let waits = |run: &PhaseRun| run.sync_latency.as_ref().unwrap().mean_ns.0;
        assert!(waits(one) > waits(two) * 11 / 10, "{version}: {} and {}", waits(one), waits(two));
    }
}
