//! Laws of synchronous and asynchronous writes on the real OpenZFS.

use arcwright_scenario::{Outcome, PhaseRun, Role};

use super::texts::on_linux;
use super::{oldest_and_newest, outcome, versions};

/// A mirror of disks; `arms` differ in their log, `phases` write the file “f”.
fn writing(arms: &str, phases: &str) -> String {
    const FILE: &str = r#"
data = [{ mirror = [{ device = "hdd-nas-7200", size = "8GiB" }, { device = "hdd-nas-7200", size = "8GiB" }] }]
[[file]]
name = "f"
size = "64MiB"
"#;
    on_linux("2GiB", &format!("{FILE}{arms}\n{phases}"))
}

/// The file is read first: a write of a part of a record reads the rest.
const SYNC: &str = r#"
[[phase]]
name = "read"
clients = [{ read = "f", io = "1MiB" }]
[[phase]]
name = "sync"
clients = [{ sync-write = "f", io = "16KiB", pattern = "random", amount = "2MiB" }]
"#;
const LATER: &str = r#"
[[phase]]
name = "later"
clients = [{ write = "f", io = "128KiB", amount = "64MiB" }]
"#;
const NO_LOG: &str = "[[arm]]\nname = \"no log\"\n";
const PROTECTED_LOG: &str =
    "[[arm]]\nname = \"log\"\nlog = [{ device = \"nvme-plp\", size = \"1GiB\" }]\n";
const SLOW_LOG: &str =
    "[[arm]]\nname = \"slow log\"\nlog = [{ device = \"ssd-sata-consumer\", size = \"1GiB\" }]\n";
const DISABLED: &str = "[[arm]]\nname = \"disabled\"\nsync = \"disabled\"\n";
const ALWAYS: &str = "[[arm]]\nname = \"always\"\nsync = \"always\"\n";

fn phase<'a>(outcome: &'a Outcome, arm: &str, name: &str) -> &'a PhaseRun {
    let arm = outcome.arms.iter().find(|it| it.name == arm).unwrap();
    arm.phases.iter().find(|phase| phase.name == name).unwrap()
}

fn flushes(run: &PhaseRun, role: Role) -> u64 {
    run.devices.iter().filter(|device| device.role == role).map(|device| device.flushes).sum()
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn a_sync_write_waits_for_a_flush_of_every_disk_and_a_protected_log_is_the_soonest() {
    let arms = [NO_LOG, PROTECTED_LOG, SLOW_LOG, DISABLED].concat();
    for version in versions() {
        let outcome = outcome(&writing(&arms, SYNC), &["--openzfs", version]);
        let median = |arm: &str| phase(&outcome, arm, "sync").latency.p50_ns;
        assert!(median("log") < median("slow log"), "{version}");
        assert!(median("slow log") < median("no log"), "{version}");
        assert!(median("disabled") <= median("log"), "{version}");
        let writes = phase(&outcome, "no log", "sync").operations;
        assert!(flushes(phase(&outcome, "no log", "sync"), Role::Data) >= 2 * writes, "{version}");
        assert!(flushes(phase(&outcome, "log", "sync"), Role::Log) >= writes, "{version}");
        assert_eq!(phase(&outcome, "log", "sync").sync_latency.as_ref().unwrap().count, writes);
    }
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn the_log_device_holds_what_is_not_in_its_place_yet_and_no_more_than_fits() {
    for version in oldest_and_newest() {
        let text = writing(&[NO_LOG, PROTECTED_LOG].concat(), SYNC);
        let outcome = outcome(&text, &["--openzfs", version]);
        assert_eq!(phase(&outcome, "no log", "sync").log_bytes_max, None, "{version}");
        let run = phase(&outcome, "log", "sync");
        let held = run.log_bytes_max.unwrap().0;
        assert!(held >= run.bytes.0 && held < 1 << 30, "{version}: {held} bytes");
    }
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn who_does_not_wait_gains_nothing_from_a_log_device() {
    for version in oldest_and_newest() {
        let text = writing(&[NO_LOG, PROTECTED_LOG].concat(), LATER);
        let outcome = outcome(&text, &["--openzfs", version]);
        let [without, with] = ["no log", "log"].map(|arm| phase(&outcome, arm, "later"));
        let (slow, fast) = (without.duration_ns.0, with.duration_ns.0);
        assert!(fast * 100 >= slow * 95, "{version}: {fast} ns with a log, {slow} ns without");
        assert_eq!(with.sync_latency, None, "{version}");
    }
}

/// A transaction group writes a block, which then leaves memory before the log asks for it.
#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn a_block_that_has_left_memory_can_still_be_logged_by_its_place() {
    const THROUGHPUT: &str = "[[arm]]\nname = \"throughput\"\nlogbias = \"throughput\"\n\
                              tunables = { zfs_arc_max = \"64MiB\" }\n";
    const FSYNC: &str = "[[phase]]\nname = \"fsync\"\nclients = [{ write = \"f\", fsync = 8, io = \"16KiB\", \
                         pattern = \"random\", depth = 4, amount = \"16MiB\" }]\n";
    for version in oldest_and_newest() {
        let text = writing(THROUGHPUT, FSYNC).replace("\"2GiB\"", "\"512MiB\"");
        let outcome = outcome(&text, &["--openzfs", version]);
        assert_eq!(phase(&outcome, "throughput", "fsync").operations, 1024, "{version}");
    }
}

/// 32 KiB that somebody waits for, into records of 128 KiB.
#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn from_2_4_on_small_parts_of_records_are_logged_and_not_written_whole() {
    let client = SYNC.replace("16KiB", "32KiB");
    for version in versions() {
        let outcome = outcome(&writing(NO_LOG, &client), &["--openzfs", version]);
        let run = phase(&outcome, "no log", "sync");
        let written: u64 = run.devices.iter().map(|device| device.write_bytes.0).sum();
        let whole = 2 * run.operations * (128 << 10);
        assert_eq!(written >= whole, !version.starts_with("2.4"), "{version}: {written} {whole}");
    }
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn with_sync_always_every_write_waits() {
    for version in oldest_and_newest() {
        let later = LATER.replace("amount = \"64MiB\"", "amount = \"4MiB\"");
        let text = writing(&[NO_LOG, ALWAYS].concat(), &later);
        let outcome = outcome(&text, &["--openzfs", version]);
        let run = phase(&outcome, "always", "later");
        assert_eq!(run.sync_latency.as_ref().unwrap().count, run.operations, "{version}");
        assert!(run.duration_ns > phase(&outcome, "no log", "later").duration_ns, "{version}");
    }
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn requests_side_by_side_share_commits() {
    for version in oldest_and_newest() {
        let deep = SYNC.replace("amount", "depth = 4, amount");
        let [one, four] = [SYNC, &deep].map(|phases| {
            let outcome = outcome(&writing("", phases), &["--openzfs", version]);
            outcome.arms.first().unwrap().phases.last().unwrap().clone()
        });
        assert_eq!(one.operations, four.operations, "{version}");
        assert!(four.duration_ns < one.duration_ns, "{version}");
        assert!(flushes(&four, Role::Data) < flushes(&one, Role::Data), "{version}");
    }
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn writes_that_wait_repeat_to_the_nanosecond() {
    let phases = r#"
[[phase]]
name = "mixed"
clients = [
  { mixed = "f", read_pct = 50, sync = true, io = "8KiB", io_max = "64KiB", pattern = "random", amount = "8MiB", depth = 3 },
  { write = "f", io = "128KiB", fsync = 4, amount = "16MiB" },
]
"#;
    for version in versions() {
        let text = writing(&[NO_LOG, SLOW_LOG].concat(), phases);
        let runs = [0, 1].map(|_| outcome(&text, &["--openzfs", version]).arms);
        assert!(runs.first() == runs.last(), "{version}: two runs differ");
    }
}
