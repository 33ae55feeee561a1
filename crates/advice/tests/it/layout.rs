//! Pools and datasets.

use arcwright_advice::{Level, Severity};
use arcwright_machine::{Class, DriveKind, Layout};

use crate::healthy::{all, check, check_note, found, linux};

fn set(bed: &mut crate::healthy::Bed, property: &str, value: &str) {
    bed.machine.pools[0].properties.insert(property.to_owned(), value.to_owned());
}

#[test]
fn full_pools_are_told_by_degree() {
    for (full, severity) in [("85", Severity::WorthALook), ("93%", Severity::HurtsNow)] {
        let advice = check(linux("2.2.4"), |bed| set(bed, "capacity", full), &["pool-full"]);
        assert_eq!(found(&advice, "pool-full").severity, severity);
    }
    check_note(
        linux("2.2.4"),
        |bed| {
            set(bed, "capacity", "55");
            set(bed, "fragmentation", "70");
        },
        "pool-full",
    );
    check(linux("2.2.4"), |bed| set(bed, "fragmentation", "-"), &[]);
}

#[test]
fn small_requests_in_large_records_need_proof_from_the_disks() {
    let small = |bed: &mut crate::healthy::Bed| {
        bed.property("tank/home", "recordsize", "1048576");
        bed.row("zfs/tank/objset-0x36", "writes", 20_000);
        bed.row("zfs/tank/objset-0x36", "nwritten", 160 << 20);
    };
    check(linux("2.1.11"), small, &[]);
    let advice = check(
        linux("2.1.11"),
        |bed| {
            small(bed);
            bed.leaf("tank").write_bytes_per_s = Some(60.0 * 1_048_576.0);
        },
        &["recordsize"],
    );
    let finding = found(&advice, "recordsize");
    assert!(
        finding.title.contains("written 8 KiB at a time in records of 1 MiB"),
        "{}",
        finding.title
    );
    assert_eq!(finding.remedy.as_ref().unwrap().lasting, ["zfs set recordsize=16K tank/home"]);
}

#[test]
fn sectors_of_512_bytes_are_doubted() {
    check(linux("2.1.11"), |bed| set(bed, "ashift", "9"), &["ashift"]);
    check(
        linux("2.1.11"),
        |bed| {
            set(bed, "ashift", "9");
            bed.machine.drives.iter_mut().for_each(|drive| drive.kind = Some(DriveKind::Virtual));
        },
        &[],
    );
}

#[test]
fn atime_is_noted_where_files_are_read() {
    check_note(linux("2.1.11"), |bed| bed.property("tank/home", "atime", "on"), "atime");
    let advice = check(linux("2.1.11"), |bed| bed.property("tank", "atime", "on"), &[]);
    assert!(advice.findings.iter().all(|finding| finding.id != "atime"));
}

#[test]
fn compression_off_is_noted() {
    check_note(
        linux("2.3.2"),
        |bed| bed.property("tank/home", "compression", "off"),
        "compression-off",
    );
}

#[test]
fn deduplication_must_pay() {
    check(linux("2.1.11"), |bed| bed.property("tank/home", "dedup", "on"), &["dedup"]);
    check(
        linux("2.1.11"),
        |bed| {
            bed.property("tank/home", "dedup", "on");
            set(bed, "dedupratio", "3.10x");
        },
        &[],
    );
}

#[test]
fn files_kept_out_of_memory_are_told() {
    check(
        linux("2.2.4"),
        |bed| bed.property("tank/home", "primarycache", "metadata"),
        &["primarycache"],
    );
}

#[test]
fn a_special_vdev_without_a_copy_hurts() {
    let advice =
        check(linux("2.2.4"), |bed| bed.add(Class::Special, "nvme3n1"), &["special-redundancy"]);
    assert_eq!(found(&advice, "special-redundancy").severity, Severity::HurtsNow);
}

#[test]
fn one_disk_alone_is_noted() {
    check_note(
        linux("2.2.4"),
        |bed| {
            let vdev = &mut bed.machine.pools[0].vdevs[0];
            vdev.name = "sda".to_owned();
            vdev.layout = Layout::Leaf;
            vdev.children.clear();
            let seen = bed.machine.samples[1].vdevs.get_mut("tank").unwrap();
            seen.retain(|name, _| name == "tank" || name == "sda");
        },
        "no-redundancy",
    );
}

#[test]
fn a_degraded_pool_comes_first_and_makes_the_rest_provisional() {
    for (_, bed) in all() {
        let advice = check(
            bed,
            |bed| {
                bed.machine.pools[0].state = Some("DEGRADED".to_owned());
                bed.row("zfs/dmu_tx", "dmu_tx_dirty_delay", 4_000);
            },
            &["pool-degraded", "writes-throttled"],
        );
        let confidence = &found(&advice, "writes-throttled").confidence;
        assert_eq!(confidence.level, Level::Low);
        assert!(confidence.words.contains("tank is not whole"));
    }
}

#[test]
fn a_scrub_is_noted_and_errors_are_told() {
    let scan = "scrub in progress since Sun Nov 15 00:24:01 2026";
    check_note(
        linux("2.1.11"),
        |bed| bed.machine.pools[0].scan = Some(scan.to_owned()),
        "scan-running",
    );
    check(
        linux("2.1.11"),
        |bed| bed.machine.pools[0].vdevs[0].children[1].errors = Some([0, 0, 12]),
        &["device-errors"],
    );
}
