//! What was acknowledged survives a loss of power, on the real OpenZFS and as disks really are.

use std::path::PathBuf;

use arcwright_lab::{CrashReport, Lab, Options, WorkerProgram};
use arcwright_scenario::Scenario;
use arcwright_units::Nanos;

use super::{oldest_and_newest, versions};

const DISKS: &str = r#"{ mirror = [{ device = "hdd-nas-7200", size = "8GiB" }, { device = "hdd-nas-7200", size = "8GiB" }] }"#;

fn crash(version: &str, data: &str, arms: &str, client: &str) -> Vec<CrashReport> {
    let text = format!(
        r#"
title = "test"
question = "test"
seed = 3
[system]
zfs = "2.1.11"
os = "linux"
memory = "2GiB"
[system.pool]
data = [{data}]
[[file]]
name = "f"
size = "32MiB"
[[phase]]
name = "w"
clients = [{{ {client}, io = "16KiB", pattern = "random", depth = 2, think = "2ms" }}]
{arms}
"#
    );
    let file = PathBuf::from(env!("CARGO_BIN_EXE_arcwright"));
    let worker = WorkerProgram { file, arguments: vec!["lab-worker".to_owned()] };
    let lab = Lab::new(Options { openzfs: Some(version.to_owned()), scratch: None, worker });
    lab.crash(&Scenario::parse(&text, "crash.toml").unwrap()).unwrap()
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn every_acknowledged_write_is_found_after_a_crash_with_and_without_a_log_device() {
    let arms = r#"
[[arm]]
name = "no log"
[[arm]]
name = "log"
log = [{ device = "ssd-sata-consumer", size = "1GiB" }]
[[arm]]
name = "mirrored log"
log = [{ mirror = [{ device = "ssd-sata-consumer", size = "1GiB" }, { device = "nvme-plp", size = "1GiB" }] }]
[[arm]]
name = "throughput"
logbias = "throughput"
"#;
    for version in versions() {
        for report in crash(version, DISKS, arms, "sync-write = \"f\"") {
            assert!(report.acknowledged > 100, "{version}: {report:?}");
            assert_eq!((report.lost(), report.torn), (0, 0), "{version}: {report:?}");
        }
    }
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn what_fsync_has_answered_for_is_found_after_a_crash() {
    for version in oldest_and_newest() {
        for report in crash(version, DISKS, "", "write = \"f\", fsync = 3") {
            assert!(report.acknowledged > 100, "{version}: {report:?}");
            assert_eq!((report.lost(), report.torn), (0, 0), "{version}: {report:?}");
        }
    }
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn with_sync_disabled_the_last_transaction_groups_are_lost_and_nothing_older() {
    let arms = "[[arm]]\nname = \"disabled\"\nsync = \"disabled\"\n";
    for version in oldest_and_newest() {
        for report in crash(version, DISKS, arms, "sync-write = \"f\"") {
            assert!(report.lost() > 0 && report.kept > 0, "{version}: {report:?}");
            assert_eq!(report.torn, 0, "{version}: {report:?}");
            // One group is open for up to zfs_txg_timeout (5 s), one is being written.
            assert!(report.lost_since < Some(Nanos::secs(11)), "{version}: {report:?}");
        }
    }
}

/// Shows that the emulated drives really lose what was not flushed, so that the tests above mean
/// something.
#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn without_flushes_a_drive_keeps_its_promises_with_power_loss_protection_only() {
    let arms = "[[arm]]\nname = \"no flush\"\ntunables = { zfs_nocacheflush = 1 }\n";
    for version in oldest_and_newest() {
        for (device, is_kept) in [("nvme-plp", true), ("ssd-sata-consumer", false)] {
            let data = format!("{{ disk = {{ device = \"{device}\", size = \"8GiB\" }} }}");
            for report in crash(version, &data, arms, "sync-write = \"f\"") {
                assert_eq!(report.lost() == 0, is_kept, "{version}, {device}: {report:?}");
            }
        }
    }
}
