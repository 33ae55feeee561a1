//! One device in several roles: what one of its disks does, the others wait for.

use arcwright_scenario::{DeviceRun, Outcome, PhaseRun, Role};

use super::{phases, run};

const VERSIONS: [&str; 3] = ["2.1.11", "2.3.2", "2.4.4"];
/// The log and the cache of a small pool, on one SSD or on two.
const ONE: [&str; 2] = ["spare = { device = \"ssd-sata-plp\", shared = true }", "spare"];
const TWO: [&str; 2] = ["spare = \"ssd-sata-plp\"", "spare"];

/// Reads from a warm cache beside synchronous writes, after the cache was warmed.
fn text(version: &str, [devices, name]: [&str; 2], clients: &str) -> String {
    format!(
        r#"
title = "test"
[devices]
{devices}
[system]
zfs = "{version}"
os = "linux"
memory = "1GiB"
[system.pool]
data = ["hdd-nas-7200"]
cache = [{{ device = "{name}", size = "4GiB" }}]
log = [{{ device = "{name}", size = "2GiB" }}]
[system.tunables]
l2arc_noprefetch = 0
l2arc_write_max = "64MiB"
zfs_arc_max = "96MiB"
[[file]]
name = "read"
size = "160MiB"
[[file]]
name = "written"
size = "64MiB"
[[phase]]
name = "warm"
clients = [{{ read = "read", amount = "1920MiB", rate = "32MiB/s" }}]
[[phase]]
name = "both"
clients = [{clients}]
"#
    )
}

const READER: &str =
    "{ read = \"read\", pattern = \"random\", io = \"128KiB\", depth = 8, amount = \"1GiB\" }";
const WRITER: &str = "{ sync-write = \"written\", io = \"128KiB\", amount = \"16MiB\" }";

fn last(outcome: &Outcome) -> &PhaseRun {
    phases(outcome).last().unwrap()
}

fn on_spare(phase: &PhaseRun) -> Vec<&DeviceRun> {
    phase.devices.iter().filter(|device| device.role != Role::Data).collect()
}

#[test]
fn who_shares_a_device_waits_for_the_others() {
    for version in VERSIONS {
        let latency = |devices, clients: &str| {
            let outcome = run(&text(version, devices, clients)).unwrap();
            last(&outcome).sync_latency.as_ref().unwrap().mean_ns.0
        };
        let both = format!("{READER}, {WRITER}");
        let (one, two) = (latency(ONE, &both), latency(TWO, &both));
        assert!(one > two * 11 / 10, "{version}: {one} ns on one device, {two} ns on two");
        let (alone, apart) = (latency(ONE, WRITER), latency(TWO, WRITER));
        assert!(alone.abs_diff(apart) < apart / 50, "{version}: {alone} and {apart} ns alone");
    }
}

#[test]
fn each_disk_counts_what_was_asked_of_it() {
    for version in VERSIONS {
        let outcome = run(&text(version, ONE, &format!("{READER}, {WRITER}"))).unwrap();
        let phase = last(&outcome);
        let devices = on_spare(phase);
        let [log, cache] = devices.as_slice() else { panic!("{devices:?}") };
        assert_eq!([log.role, cache.role], [Role::Log, Role::Cache]);
        assert!(devices.iter().all(|disk| disk.part_of.as_deref() == Some("spare")));
        assert_eq!(log.read_bytes.0, 0, "{version}");
        assert!(log.write_bytes.0 >= 16 << 20, "{version}: {}", log.write_bytes);
        assert_eq!(cache.read_bytes, phase.l2arc_read_bytes, "{version}");
        assert!(cache.read_bytes.0 > 32 << 20, "{version}: {}", cache.read_bytes);
        assert_eq!(log.busy_ns, cache.busy_ns, "{version}: both are the whole device's");
        let outcome = run(&text(version, TWO, &format!("{READER}, {WRITER}"))).unwrap();
        assert!(on_spare(last(&outcome)).iter().all(|disk| disk.part_of.is_none()));
    }
}
