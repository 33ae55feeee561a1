//! Several datasets in one pool on the real OpenZFS.

use arcwright_scenario::{Outcome, PhaseRun, Role};

use super::texts::on_linux;
use super::{oldest_and_newest, outcome, phase, versions};

/// Films out of the ARC, virtual machines in small records; arms change what the datasets say.
const TEXT: &str = r#"
data = [{ mirror = ["2 x hdd-nas-7200"] }]
log = [{ device = "nvme-plp", size = "1GiB" }]
[[arm]]
name = "as is"
[[arm]]
name = "changed"
datasets = { films = { primarycache = "all" }, vms = { sync = "standard", recordsize = "64KiB" } }
[[dataset]]
name = "films"
primarycache = "metadata"
[[dataset]]
name = "vms"
recordsize = "16KiB"
sync = "always"
[[file]]
name = "own"
size = "48MiB"
[[file]]
name = "film"
size = "48MiB"
dataset = "films"
[[file]]
name = "vm"
size = "16MiB"
dataset = "vms"
[[phase]]
name = "read"
clients = [{ read = "own" }, { read = "film" }, { read = "vm", io = "16KiB" }]
[[phase]]
name = "own again"
clients = [{ read = "own" }]
[[phase]]
name = "film again"
clients = [{ read = "film" }]
[[phase]]
name = "vm"
clients = [{ write = "vm", io = "16KiB", pattern = "random", amount = "2MiB" }]
[[phase]]
name = "one"
clients = [{ write = "own", io = "16KiB", pattern = "random", amount = "1MiB" }]
"#;

fn waits(run: &PhaseRun) -> u64 {
    run.sync_latency.as_ref().map_or(0, |latency| latency.count)
}

fn logged(run: &PhaseRun) -> u64 {
    let log = run.devices.iter().filter(|device| device.role == Role::Log);
    log.map(|device| device.write_bytes.0).sum()
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn files_are_cached_and_logged_as_their_datasets_say() {
    let text = on_linux("1GiB", TEXT);
    for version in versions() {
        let outcome = outcome(&text, &["--openzfs", version]);
        let read = |arm: &str, name: &str| phase(&outcome, arm, name).device_read_bytes.0 >> 20;
        for arm in ["as is", "changed"] {
            assert_eq!(read(arm, "own again"), 0, "{version} {arm}");
            assert_eq!(waits(phase(&outcome, arm, "one")), 0, "{version} {arm}");
        }
        assert!(read("as is", "film again") >= 48, "{version}");
        assert_eq!(read("changed", "film again"), 0, "{version}");
        let (always, standard) = (phase(&outcome, "as is", "vm"), phase(&outcome, "changed", "vm"));
        assert_eq!((waits(always), waits(standard)), (128, 0), "{version}");
        assert!(logged(always) >= 2 << 20, "{version}: {}", logged(always));
        assert_eq!(logged(standard), 0, "{version}");
    }
}

/// Two writers that wait: in one dataset they fill each other's blocks, in two each has its own.
const WRITERS: &str = r#"
data = [{ mirror = ["2 x hdd-nas-7200"] }]
log = [{ device = "ssd-sata-consumer", size = "1GiB" }]
[[dataset]]
name = "vms"
[[file]]
name = "own"
size = "16MiB"
[[file]]
name = "near"
size = "16MiB"
[[file]]
name = "vm"
size = "16MiB"
dataset = "vms"
[[phase]]
name = "read"
clients = [{ read = "own" }, { read = "near" }, { read = "vm" }]
[[phase]]
name = "first"
clients = [{ sync-write = "own", amount = "4KiB", io = "4KiB" }, { sync-write = "vm", amount = "4KiB", io = "4KiB" }]
[[phase]]
name = "one dataset"
clients = [
  { sync-write = "own", io = "4KiB", pattern = "random", amount = "2MiB", depth = 4 },
  { sync-write = "near", io = "4KiB", pattern = "random", amount = "2MiB", depth = 4 },
]
[[phase]]
name = "two datasets"
clients = [
  { sync-write = "own", io = "4KiB", pattern = "random", amount = "2MiB", depth = 4 },
  { sync-write = "vm", io = "4KiB", pattern = "random", amount = "2MiB", depth = 4 },
]
"#;

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn each_dataset_has_a_log_of_its_own() {
    let text = on_linux("1GiB", WRITERS);
    let blocks = |outcome: &Outcome, name: &str| -> i64 {
        phase(outcome, "as is", name).kstats["zil"]["zil_itx_metaslab_slog_count"]
    };
    for version in oldest_and_newest() {
        let outcome = outcome(&text, &["--openzfs", version]);
        let [one, two] = ["one dataset", "two datasets"].map(|name| blocks(&outcome, name));
        assert!(two > one, "{version}: {one} blocks in one dataset, {two} in two");
    }
}
