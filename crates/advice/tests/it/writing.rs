//! Transaction groups, the intent log and its devices, the throttle.

use arcwright_advice::Severity;
use arcwright_kstat::KstatValue;
use arcwright_machine::{Class, Drive, DriveKind};
use arcwright_units::Nanos;

use crate::healthy::{Bed, all, check, check_unjudged, found, linux};

#[test]
fn groups_that_sync_longer_than_the_timeout_are_told() {
    for (name, bed) in all() {
        let late = |bed: &mut Bed| bed.txgs(&[Nanos::secs(9), Nanos::secs(7), Nanos::secs(2)]);
        let advice = check(bed, late, &["txg-sync-slow"]);
        assert_eq!(found(&advice, "txg-sync-slow").severity, Severity::WorthALook, "{name}");
    }
    let standstill = |bed: &mut Bed| bed.txgs(&[Nanos::secs(90); 4]);
    let advice = check(linux("2.1.11"), standstill, &["txg-sync-slow"]);
    assert_eq!(found(&advice, "txg-sync-slow").severity, Severity::HurtsNow);
}

#[test]
fn one_late_group_of_many_is_an_accident_and_none_is_not_judged() {
    let mut times = vec![Nanos::secs(1); 20];
    times[3] = Nanos::secs(8);
    check(linux("2.3.2"), |bed| bed.txgs(&times), &[]);
    let about = "whether transaction groups sync in time";
    check_unjudged(linux("2.3.2"), |bed| bed.machine.samples[1].txgs.clear(), about, "txgs");
}

#[test]
fn a_longer_timeout_makes_longer_groups_right() {
    let mut bed = linux("2.1.11");
    bed.parameter("zfs_txg_timeout", 30);
    bed.txgs(&[Nanos::secs(9); 5]);
    let advice = crate::healthy::advice(bed);
    assert!(advice.findings.iter().all(|finding| finding.id != "txg-sync-slow"));
}

#[test]
fn every_way_to_delay_a_transaction_is_counted() {
    for row in [
        "dmu_tx_dirty_delay",
        "dmu_tx_dirty_over_max",
        "dmu_tx_delay",
        "dmu_tx_dirty_throttle",
        "dmu_tx_memory_reclaim",
    ] {
        for (_, bed) in all() {
            check(bed, |bed| bed.row("zfs/dmu_tx", row, 4_000), &["writes-throttled"]);
        }
    }
}

#[test]
fn a_delay_that_was_not_read_is_not_taken_for_none() {
    for row in ["dmu_tx_dirty_delay", "dmu_tx_dirty_over_max", "dmu_tx_memory_reserve"] {
        let unread = |bed: &mut Bed| bed.unread("zfs/dmu_tx", row);
        check_unjudged(linux("2.1.11"), unread, "whether writes are throttled", row);
    }
}

fn commits(bed: &mut Bed, row: &str, count: u64) {
    for row in ["zil_commit_error_count", "zil_commit_stall_count"] {
        bed.level("zfs/zil", row, KstatValue::U64(0));
    }
    bed.level("zfs/zil", row, KstatValue::U64(count));
}

#[test]
fn commits_that_failed_or_found_no_room_are_told() {
    for (row, id) in
        [("zil_commit_error_count", "zil-errors"), ("zil_commit_stall_count", "zil-stalls")]
    {
        check(linux("2.3.2"), |bed| commits(bed, row, 7), &[id]);
        check(linux("2.3.2"), |bed| commits(bed, row, 0), &[]);
    }
    let now = |bed: &mut Bed| {
        commits(bed, "zil_commit_stall_count", 0);
        bed.row("zfs/zil", "zil_commit_error_count", 3);
    };
    let advice = check(linux("2.3.2"), now, &["zil-errors"]);
    assert_eq!(found(&advice, "zil-errors").severity, Severity::HurtsNow);
    let unread = |bed: &mut Bed| bed.unread("zfs/zil", "zil_commit_error_count");
    let about = "whether the intent log can be written";
    check_unjudged(linux("2.3.2"), unread, about, "zil_commit_error");
}

/// Adds a protected SSD as log device that takes so long for a write.
fn log(bed: &mut Bed, wait_ns: Option<u64>) {
    bed.add(Class::Log, "nvme1n1p1");
    bed.machine.drives.push(Drive {
        name: "nvme1n1".to_owned(),
        kind: Some(DriveKind::Nvme),
        power_loss_protection: Some(true),
        ..Drive::default()
    });
    bed.io("nvme1n1p1", (0.0, 0.0), 0);
    bed.leaf("nvme1n1p1").waits.disk_write_ns = wait_ns;
}

#[test]
fn a_log_device_slower_than_the_disks_is_told() {
    for (name, bed) in all() {
        let advice = check(bed, |bed| log(bed, Some(45_000_000)), &["slog-slow"]);
        assert_eq!(found(&advice, "slog-slow").severity, Severity::HurtsNow, "{name}");
    }
    check(linux("2.3.2"), |bed| log(bed, Some(6_000_000)), &["slog-slow"]);
    check(linux("2.3.2"), |bed| log(bed, Some(60_000)), &[]);
    check_unjudged(
        linux("2.1.11"),
        |bed| log(bed, None),
        "whether the log device is fast",
        "iostat",
    );
}
