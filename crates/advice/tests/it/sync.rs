//! Synchronous writes, log devices, and what promises too much.

use arcwright_advice::Severity;
use arcwright_machine::{Class, Drive, DriveKind, Layout, Vdev};

use crate::healthy::{Bed, all, check, check_note, found, linux};

/// Somebody waits for stable storage many times a second.
fn commits(bed: &mut Bed) {
    for kstat in ["zfs/zil", "zfs/tank/objset-0x36"] {
        bed.row(kstat, "zil_commit_count", 3_000);
        bed.row(kstat, "zil_itx_copied_bytes", 90 << 20);
    }
    for disk in ["sda", "sdb"] {
        bed.leaf(disk).waits.disk_write_ns = Some(12_000_000);
    }
}

fn log(bed: &mut Bed, protected: Option<bool>) {
    bed.add(Class::Log, "nvme1n1p1");
    bed.machine.drives.push(Drive {
        name: "nvme1n1".to_owned(),
        kind: Some(DriveKind::Nvme),
        power_loss_protection: protected,
        ..Drive::default()
    });
}

#[test]
fn writers_that_wait_on_slow_disks_get_a_slog() {
    for (name, bed) in all() {
        let advice = check(bed, commits, &["sync-writes-wait"]);
        let finding = found(&advice, "sync-writes-wait");
        assert_eq!(finding.severity, Severity::HurtsNow, "{name}");
        assert!(finding.cause.contains("12.0 ms"), "{name}: {}", finding.cause);
        assert!(finding.cause.contains("36.0 %"), "{name}: {}", finding.cause);
    }
}

#[test]
fn few_sync_writes_are_told_as_the_reason_why_a_slog_cannot_help() {
    for (name, bed) in all() {
        let advice = check(bed, |_| {}, &[]);
        let what = &advice.fine.iter().find(|fine| fine.what.contains("SLOG")).unwrap().what;
        assert!(
            what.contains("A SLOG cannot help tank: < 0.1 % of what was written is sync"),
            "{name}: {what}"
        );
    }
}

#[test]
fn writers_on_ssds_need_no_slog() {
    check(
        linux("2.2.4"),
        |bed| {
            commits(bed);
            for disk in ["sda", "sdb"] {
                bed.leaf(disk).waits.disk_write_ns = Some(200_000);
            }
        },
        &[],
    );
}

#[test]
fn a_slog_at_work_is_fine_and_one_that_idles_is_told() {
    let mut bed = linux("2.2.4");
    log(&mut bed, Some(true));
    commits(&mut bed);
    let advice = check_note(bed, |_| {}, "slog-alone");
    assert!(advice.fine.iter().any(|fine| fine.what.contains("is used: 50 commits")));
    let mut bed = linux("2.2.4");
    log(&mut bed, Some(true));
    check_note(
        bed,
        |bed| {
            bed.row("zfs/zil", "zil_commit_count", 0);
            bed.row("zfs/tank/objset-0x36", "zil_commit_count", 0);
        },
        "slog-idle",
    );
}

#[test]
fn a_slog_that_may_lose_is_told_only_when_that_is_known() {
    let mut bed = linux("2.1.11");
    log(&mut bed, Some(false));
    check(bed, |_| {}, &["slog-unprotected"]);
    let mut bed = linux("2.1.11");
    log(&mut bed, None);
    check_note(bed, |_| {}, "slog-alone");
}

#[test]
fn a_mirrored_slog_is_not_called_alone() {
    let mut bed = linux("2.1.11");
    let leaf = |name: &str| Vdev { name: name.to_owned(), class: Class::Log, ..Vdev::default() };
    bed.machine.pools[0].vdevs.push(Vdev {
        name: "mirror-1".to_owned(),
        class: Class::Log,
        layout: Layout::Mirror,
        children: vec![leaf("nvme1n1"), leaf("nvme2n1")],
        ..Vdev::default()
    });
    let advice = check(bed, |_| {}, &[]);
    assert!(advice.findings.iter().all(|finding| finding.id != "slog-alone"));
}

#[test]
fn sync_disabled_is_a_risk_to_know_of() {
    for (_, bed) in all() {
        let advice =
            check(bed, |bed| bed.property("tank/home", "sync", "disabled"), &["sync-disabled"]);
        let finding = found(&advice, "sync-disabled");
        assert!(finding.title.contains("tank/home"));
        assert_eq!(finding.remedy.as_ref().unwrap().now, ["zfs set sync=standard tank/home"]);
    }
}

#[test]
fn one_ssd_for_log_and_cache_is_told() {
    let mut bed = linux("2.2.4");
    bed.with_cache(1_500);
    bed.machine.drives[2].power_loss_protection = Some(false);
    let expected = ["slog-unprotected", "shared-device"];
    let advice = check(bed, |bed| bed.add(Class::Log, "nvme0n1p1"), &expected);
    let finding = found(&advice, "shared-device");
    assert!(
        finding.title.contains("nvme0n1 is log of tank and cache of tank")
            || finding.title.contains("cache of tank and log"),
        "{}",
        finding.title
    );
    assert_eq!(finding.remedy.as_ref().unwrap().lasting, ["zpool remove tank nvme0n1p2"]);
}

#[test]
fn cache_flushes_switched_off_put_the_pool_at_risk() {
    let name = "zfs_nocacheflush";
    check(
        linux("2.1.11"),
        |bed| {
            let held = arcwright_machine::Parameter {
                name: name.to_owned(),
                value: "1".to_owned(),
                writable: Some(true),
            };
            bed.machine.parameters.insert(name.to_owned(), held);
            bed.machine.config[0].text = format!("options zfs {name}=1\n");
        },
        &["unsafe-parameter"],
    );
}

#[test]
fn writers_that_are_slowed_down_are_told_so() {
    check(
        linux("2.1.11"),
        |bed| bed.row("zfs/dmu_tx", "dmu_tx_dirty_delay", 4_000),
        &["writes-throttled"],
    );
}
