//! What lines of the kernel's log come to: single disks, what several share, tasks that stood still.

use arcwright_machine::{HungTask, Trouble, TroubleKind};
use arcwright_units::Nanos;

use crate::healthy::{Bed, check, found, linux};

fn trouble(device: &str, kind: TroubleKind, pool: Option<&str>) -> Trouble {
    let (device, pool) = (device.to_owned(), pool.map(str::to_owned));
    Trouble { device, kind, lines: 1, pool, vdev: None, behind: None }
}

/// Makes the log tell of these devices.
fn log(all: &[(&str, TroubleKind, Option<&str>)]) -> impl FnOnce(&mut Bed) {
    let all: Vec<Trouble> =
        all.iter().map(|(device, kind, pool)| trouble(device, *kind, *pool)).collect();
    move |bed| bed.machine.troubles = all
}

#[test]
fn one_disk_by_two_names_is_no_shared_cause() {
    use TroubleKind::{Failed, Slow};
    let one =
        [("sdd", Failed, None), ("wwn-0x1-part1", Failed, Some("tank")), ("ata9", Slow, None)];
    let advice = check(linux("2.2.4"), log(&one), &["kernel-log"; 3]);
    assert!(advice.findings.iter().all(|finding| finding.id != "kernel-log-shared"));
}

#[test]
fn disks_that_fail_together_share_a_cause() {
    use TroubleKind::{Failed, Gone, Slow, Unreadable};
    let two = [("sda", Failed, None), ("sdd", Slow, None)];
    check(linux("2.2.4"), log(&two), &["kernel-log-shared"]);
    let parts = [("sda1", Failed, Some("tank")), ("sda2", Failed, Some("boot"))];
    check(linux("2.2.4"), log(&parts), &["kernel-log"]);
    let members = [
        ("sda1", Failed, Some("tank")),
        ("sdb1", Failed, Some("tank")),
        ("sdc1", Failed, Some("tank")),
    ];
    let advice = check(linux("2.2.4"), log(&members), &["kernel-log-shared"]);
    let remedy = found(&advice, "kernel-log-shared").remedy.clone().unwrap();
    let commands = format!("{:?}", [remedy.now, remedy.lasting]);
    assert!(commands.contains("zpool clear tank") && !commands.contains("replace"), "{commands}");
    // A disk that cannot read a sector fails on its own.
    let apart = [("sda", Unreadable, None), ("sda", Failed, None), ("sdb", Gone, None)];
    check(linux("2.2.4"), log(&apart), &["kernel-log", "kernel-log"]);
}

#[test]
fn a_hung_writer_of_groups_is_told_and_others_alone_are_not() {
    let task = |name: &str| HungTask {
        name: name.to_owned(),
        waited: Nanos::secs(122),
        reports: 2,
        in_zfs: false,
    };
    check(linux("2.2.4"), |bed| bed.machine.hung = vec![task("postgres")], &[]);
    let advice = check(
        linux("2.2.4"),
        |bed| bed.machine.hung = vec![task("postgres"), task("txg_sync")],
        &["txg-sync-hung"],
    );
    let finding = found(&advice, "txg-sync-hung");
    assert!(finding.title.contains("2:02") && finding.evidence.len() == 2, "{}", finding.title);
}

#[test]
fn programs_that_wait_inside_zfs_are_told_and_memory_reclaim_leads_to_swap() {
    let task = |name: &str| HungTask {
        name: name.to_owned(),
        waited: Nanos::secs(122),
        reports: 1,
        in_zfs: true,
    };
    let advice =
        check(linux("2.2.4"), |bed| bed.machine.hung = vec![task("postgres")], &["tasks-hung"]);
    assert!(!format!("{:?}", advice.findings).contains("swapon"));
    let advice =
        check(linux("2.2.4"), |bed| bed.machine.hung = vec![task("kswapd0")], &["tasks-hung"]);
    assert!(format!("{:?}", advice.findings).contains("swapon --show"));
}

#[test]
fn volumes_are_no_disks() {
    use TroubleKind::Failed;
    let all = [("zd0", Failed, None), ("zd16", Failed, None), ("zd32p1", Failed, None)];
    let advice = check(linux("2.2.4"), log(&all), &["kernel-log-volumes"]);
    let text = format!("{:?}", found(&advice, "kernel-log-volumes"));
    assert!(text.contains("zpool list") && !text.contains("smartctl"), "{text}");
}

#[test]
fn a_disk_that_reports_its_own_hardware_is_to_be_replaced() {
    let advice = check(linux("2.2.4"), log(&[("sdf", TroubleKind::Broken, None)]), &["kernel-log"]);
    let finding = found(&advice, "kernel-log");
    assert!(finding.title.contains("its own hardware fails"), "{}", finding.title);
}
