//! Pools and devices that are broken, and ZFS's own next step for each.

use arcwright_advice::Severity;
use arcwright_machine::{Class, Layout, Vdev};

use crate::healthy::{Bed, all, check, check_note, check_unjudged, found, linux};

fn disk<'a>(bed: &'a mut Bed, name: &str) -> &'a mut Vdev {
    let leaves = bed.machine.pools[0].vdevs.iter_mut().flat_map(|vdev| vdev.children.iter_mut());
    leaves.into_iter().find(|leaf| leaf.name == name).unwrap()
}

fn degrade(bed: &mut Bed, state: &str) {
    bed.machine.pools[0].state = Some("DEGRADED".to_owned());
    bed.machine.pools[0].vdevs[0].state = Some("DEGRADED".to_owned());
    disk(bed, "sdb").state = Some(state.to_owned());
}

/// Returns all that a finding tells to do.
fn steps(bed: Bed, damage: impl FnOnce(&mut Bed), id: &str) -> String {
    let advice = check(bed, damage, &[id]);
    let remedy = found(&advice, id).remedy.clone().unwrap();
    [vec![remedy.what], remedy.now, remedy.lasting].concat().join("\n")
}

#[test]
fn a_suspended_pool_is_reconnected_and_cleared_and_nothing_is_replaced() {
    for (name, bed) in all() {
        let suspend = |bed: &mut Bed| bed.machine.pools[0].state = Some("SUSPENDED".to_owned());
        let text = steps(bed, suspend, "pool-suspended");
        assert!(text.contains("zpool clear tank"), "{name}: {text}");
        assert!(!text.contains("zpool replace") && !text.contains("zpool scrub"), "{name}: {text}");
    }
    // The kstat says so where `zpool status` could not answer.
    let by_kstat = |bed: &mut Bed| {
        let states = &mut bed.machine.samples[1].pool_states;
        states.insert("tank".to_owned(), "SUSPENDED".to_owned());
    };
    check(linux("2.3.2"), by_kstat, &["pool-suspended"]);
}

#[test]
fn each_state_of_a_device_has_its_own_step() {
    for (state, step, never) in [
        ("UNAVAIL", "zpool online tank sdb", "zpool clear"),
        ("REMOVED", "zpool online tank sdb", "zpool clear"),
        ("OFFLINE", "zpool online tank sdb", "zpool replace"),
        ("FAULTED", "smartctl -a /dev/sdb\nzpool replace tank sdb", "zpool online"),
    ] {
        for (name, bed) in all() {
            let text = steps(bed, |bed| degrade(bed, state), "pool-degraded");
            assert!(text.contains(step), "{name}, {state}: {text}");
            assert!(
                !text.contains(never) && !text.contains("zpool scrub"),
                "{name}, {state}: {text}"
            );
        }
    }
}

#[test]
fn the_risk_is_what_is_left_of_the_redundancy() {
    let risk = |state: &str, layout: Layout| {
        let damage = |bed: &mut Bed| {
            degrade(bed, state);
            bed.machine.pools[0].vdevs[0].layout = layout;
        };
        found(&check(linux("2.2.4"), damage, &["pool-degraded"]), "pool-degraded").risk.clone()
    };
    let raidz2 = risk("UNAVAIL", Layout::Raidz { parity: 2 });
    assert!(raidz2.contains("1 more of its devices may fail"), "{raidz2}");
    for layout in [Layout::Raidz { parity: 1 }, Layout::Mirror] {
        let text = risk("REMOVED", layout);
        assert!(text.contains("no redundancy left"), "{text}");
    }
    let in_use = risk("DEGRADED", Layout::Raidz { parity: 2 });
    assert!(in_use.contains("No device is missing"), "{in_use}");
}

#[test]
fn a_disk_without_its_label_is_replaced_as_zfs_says() {
    let text = steps(
        linux("2.1.11"),
        |bed| {
            degrade(bed, "UNAVAIL");
            disk(bed, "sdb").note = Some("corrupted data".to_owned());
        },
        "pool-degraded",
    );
    assert!(text.contains("zpool replace tank sdb") && !text.contains("zpool online"), "{text}");
}

#[test]
fn while_it_resilvers_nothing_is_replaced_and_nothing_scrubbed() {
    for scan in [
        "resilver in progress since Sun Nov 1 00:24:01 2026",
        "resilver (mirror-0) in progress since Sun Nov 1 00:24:01 2026",
    ] {
        let text = steps(
            linux("2.3.2"),
            |bed| {
                degrade(bed, "UNAVAIL");
                bed.machine.pools[0].scan = Some(scan.to_owned());
            },
            "pool-degraded",
        );
        assert!(text.starts_with("wait") && !text.contains("zpool replace"), "{text}");
    }
}

#[test]
fn a_spare_that_stands_in_for_a_dead_device_is_not_detached() {
    let text = steps(
        linux("2.2.4"),
        |bed| {
            degrade(bed, "FAULTED");
            let failed = disk(bed, "sdb").clone();
            let spare = Vdev {
                name: "sdz".to_owned(),
                state: Some("ONLINE".to_owned()),
                ..Vdev::default()
            };
            *disk(bed, "sdb") = Vdev {
                name: "spare-1".to_owned(),
                layout: Layout::Replacing,
                state: Some("DEGRADED".to_owned()),
                children: vec![failed, spare],
                ..Vdev::default()
            };
        },
        "pool-degraded",
    );
    // It is the only one of the two that works.
    assert!(!text.contains("zpool detach tank sdz"), "{text}");
    assert!(text.contains("zpool detach tank sdb   # if it is dead"), "{text}");
}

#[test]
fn a_pool_that_cannot_be_opened_is_tried_read_only_and_rewound_only_after_a_dry_run() {
    for state in ["FAULTED", "UNAVAIL"] {
        let broken = |bed: &mut Bed| bed.machine.pools[0].state = Some(state.to_owned());
        let text = steps(linux("2.1.11"), broken, "pool-unopened");
        assert!(text.contains("zpool import -Fn tank") && text.contains("readonly=on"), "{text}");
        assert!(
            !text.contains("zpool import -F tank") && !text.contains("zpool replace"),
            "{text}"
        );
    }
}

#[test]
fn lost_caches_and_spares_are_notes_and_a_lost_log_is_not() {
    let lost = |class: Class| {
        move |bed: &mut Bed| {
            bed.add(class, "nvme0n1p1");
            let vdev = bed.machine.pools[0].vdevs.last_mut().unwrap();
            vdev.state = Some("UNAVAIL".to_owned());
            vdev.layout = Layout::Leaf;
        }
    };
    check_note(linux("2.1.11"), lost(Class::Cache), "cache-device-lost");
    check_note(linux("2.1.11"), lost(Class::Spare), "spare-lost");
    for state in ["ONLINE", "DEGRADED"] {
        let advice = check(
            linux("2.3.2"),
            |bed| {
                lost(Class::Log)(bed);
                bed.machine.pools[0].state = Some(state.to_owned());
            },
            &["log-device-failed"],
        );
        let remedy = found(&advice, "log-device-failed").remedy.clone().unwrap();
        assert!(remedy.lasting.iter().any(|line| line.starts_with("zpool remove tank nvme0n1p1")));
    }
}

#[test]
fn a_pool_whose_state_was_not_read_is_not_called_whole() {
    let unknown = |bed: &mut Bed| bed.machine.pools[0].state = None;
    check_unjudged(linux("2.1.11"), unknown, "whether pools are healthy", "state of tank");
}

#[test]
fn damaged_files_are_restored_and_not_cleared_away() {
    for (name, bed) in all() {
        let text = steps(
            bed,
            |bed| {
                let pool = &mut bed.machine.pools[0];
                pool.data_errors = Some(2);
                pool.damaged = vec!["/tank/home/a b.jpg".to_owned(), "tank/home:<0x1a>".to_owned()];
                pool.errors =
                    Some("Permanent errors have been detected in the following files:".to_owned());
            },
            "data-errors",
        );
        let (copy, clear) = (text.find("restore each").unwrap(), text.find("zpool clear").unwrap());
        assert!(copy < clear, "{name}: {text}");
    }
}

#[test]
fn damaged_metadata_is_another_matter() {
    let text = steps(
        linux("2.3.2"),
        |bed| bed.machine.pools[0].damaged = vec!["<metadata>:<0x1b>".to_owned()],
        "metadata-damaged",
    );
    assert!(text.contains("zfs send -R tank@rescue"), "{text}");
}

#[test]
fn no_second_scrub_is_started_over_the_first() {
    let advice = check(
        linux("2.1.11"),
        |bed| {
            disk(bed, "sda").errors = Some([3, 0, 0]);
            bed.machine.pools[0].scan = Some("scrub in progress since Sun Nov 1".to_owned());
        },
        &["device-errors"],
    );
    let remedy = found(&advice, "device-errors").remedy.clone().unwrap();
    assert!(remedy.lasting.iter().all(|line| !line.contains("zpool scrub")), "{remedy:?}");
}

#[test]
fn whether_damage_is_known_was_not_read() {
    let silent = |bed: &mut Bed| {
        bed.machine.pools[0].errors = None;
        bed.machine.pools[0].data_errors = None;
    };
    check_unjudged(linux("2.1.11"), silent, "whether files are damaged", "errors:");
}

#[test]
fn errors_of_a_mirror_that_no_disk_made_are_memory_or_controller() {
    for (name, bed) in all() {
        let advice = check(
            bed,
            |bed| bed.machine.pools[0].vdevs[0].errors = Some([0, 0, 6]),
            &["errors-above-disks"],
        );
        let finding = found(&advice, "errors-above-disks");
        assert_eq!(finding.severity, Severity::HurtsNow, "{name}");
        let remedy = finding.remedy.clone().unwrap();
        assert!(remedy.what.contains("memory"), "{name}: {}", remedy.what);
        assert!(remedy.lasting.iter().all(|line| !line.contains("replace")), "{name}: {remedy:?}");
    }
}

#[test]
fn errors_of_a_disk_are_the_disks_though_its_mirror_counts_them_too() {
    let advice = check(
        linux("2.1.11"),
        |bed| {
            disk(bed, "sdb").errors = Some([0, 0, 6]);
            bed.machine.pools[0].vdevs[0].errors = Some([0, 0, 6]);
        },
        &["device-errors"],
    );
    assert!(found(&advice, "device-errors").title.contains("sdb"));
}

#[test]
fn checksum_errors_of_both_disks_have_one_cause() {
    check(
        linux("2.3.2"),
        |bed| {
            for name in ["sda", "sdb"] {
                disk(bed, name).errors = Some([0, 0, 6]);
            }
        },
        &["shared-checksum-errors"],
    );
}

#[test]
fn error_counts_that_were_not_read_are_not_called_none() {
    let unread = |bed: &mut Bed| {
        bed.machine.pools[0].vdevs[0].errors = None;
        disk(bed, "sda").errors = None;
        disk(bed, "sdb").errors = None;
    };
    check_unjudged(linux("2.1.11"), unread, "whether devices report errors", "error counts");
}

#[test]
fn one_io_of_half_a_minute_is_worth_a_look_and_many_hurt() {
    for (count, severity) in [(1, Severity::WorthALook), (40, Severity::HurtsNow)] {
        for (name, bed) in all() {
            let slow = |bed: &mut Bed| disk(bed, "sda").slow_ios = Some(count);
            let advice = check(bed, slow, &["slow-ios"]);
            assert_eq!(found(&advice, "slow-ios").severity, severity, "{name}");
        }
    }
    let unread = |bed: &mut Bed| {
        disk(bed, "sda").slow_ios = None;
        disk(bed, "sdb").slow_ios = None;
    };
    check_unjudged(linux("2.1.11"), unread, "whether I/Os took very long", "zpool status -s");
}

#[test]
fn a_drive_that_says_it_fails_is_believed() {
    let failing = |bed: &mut Bed| bed.machine.drives[1].smart_passed = Some(false);
    let advice = check(linux("2.3.2"), failing, &["drive-failing"]);
    assert_eq!(found(&advice, "drive-failing").severity, Severity::HurtsNow);
    check(linux("2.3.2"), |bed| bed.machine.drives[1].pending = Some(8), &["drive-failing"]);
    check_note(linux("2.3.2"), |bed| bed.machine.drives[1].reallocated = Some(4), "drive-failing");
}

#[test]
fn swap_on_a_volume_locks_up() {
    for device in ["/dev/zd0", "/dev/zvol/tank/swap"] {
        let swap = |bed: &mut Bed| bed.machine.swap = vec![device.to_owned()];
        check(linux("2.1.11"), swap, &["swap-on-zvol"]);
    }
    check(
        all().swap_remove(3).1,
        |bed| bed.property("tank/home", "org.freebsd:swap", "on"),
        &["swap-on-zvol"],
    );
    for device in ["/dev/sda2", "/dev/zram0", "/dev/zdisk"] {
        check(linux("2.1.11"), |bed| bed.machine.swap = vec![device.to_owned()], &[]);
    }
}

#[test]
fn names_in_commands_are_one_word() {
    let text = steps(
        linux("2.1.11"),
        |bed| {
            bed.machine.pools[0].state = Some("SUSPENDED".to_owned());
            bed.machine.pools[0].name = "my tank".to_owned();
        },
        "pool-suspended",
    );
    assert!(text.contains("zpool clear 'my tank'"), "{text}");
}

#[test]
fn checksum_errors_of_what_a_resilver_fills_are_noted_and_blame_nobody() {
    let advice = check(
        linux("2.3.2"),
        |bed| {
            bed.machine.pools[0].scan = Some("resilver in progress since Sun Nov 1".to_owned());
            disk(bed, "sda").errors = Some([0, 0, 442]);
            disk(bed, "sda").note = Some("(resilvering)".to_owned());
            bed.machine.pools[0].vdevs[0].errors = Some([0, 0, 26]);
        },
        &[],
    );
    assert_eq!(found(&advice, "errors-while-resilvering").severity, Severity::Note);
    assert!(advice.fine.iter().all(|fine| !fine.what.contains("counted an error")));
}

#[test]
fn a_device_that_zfs_found_to_be_failing_is_named_whatever_its_counts_say() {
    let advice = check(
        linux("2.1.11"),
        |bed| {
            disk(bed, "sdb").state = Some("DEGRADED".to_owned());
            disk(bed, "sdb").note = Some("too many errors".to_owned());
        },
        &["pool-degraded", "device-errors"],
    );
    let finding = found(&advice, "device-errors");
    assert!(finding.title.contains("sdb"), "{}", finding.title);
    // What is urgent about it is said once, of the pool.
    assert_eq!(finding.severity, Severity::WorthALook);
    assert_eq!(found(&advice, "pool-degraded").severity, Severity::HurtsNow);
}

#[test]
fn devices_of_a_layout_in_doubt_are_judged_and_none_is_called_sound() {
    let doubt = |errors: [u64; 3]| {
        move |bed: &mut Bed| {
            disk(bed, "sdb").errors = Some(errors);
            bed.machine.pools[0].doubt_layout();
        }
    };
    let advice = check(linux("2.3.2"), doubt([0, 3, 0]), &["device-errors"]);
    assert!(found(&advice, "device-errors").title.contains("sdb"));
    check_unjudged(
        linux("2.3.2"),
        doubt([0, 0, 0]),
        "whether devices report errors",
        "not all devices",
    );
}
