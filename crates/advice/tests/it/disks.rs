//! Disks that seek, that are slow, that are worn.

use arcwright_machine::{Layout, Vdev};

use crate::healthy::{Bed, all, check, found, linux};

#[test]
fn small_scattered_reads_bind_disks() {
    for (_, bed) in all() {
        let advice = check(
            bed,
            |bed| {
                for disk in ["sda", "sdb"] {
                    bed.io(disk, (110.0, 8_192.0), 9_000_000);
                }
            },
            &["seek-bound"],
        );
        let title = &found(&advice, "seek-bound").title;
        assert!(title.contains("110 reads per second each, of 8 KiB"), "{title}");
    }
}

#[test]
fn many_small_reads_of_ssds_are_no_seeks() {
    check(
        linux("2.2.4"),
        |bed| {
            for disk in ["sda", "sdb"] {
                bed.io(disk, (4_000.0, 8_192.0), 150_000);
            }
            for drive in &mut bed.machine.drives {
                drive.kind = Some(arcwright_machine::DriveKind::Ssd);
            }
        },
        &[],
    );
}

/// Makes the pool of two mirrors, so that a disk has equals.
fn two_mirrors(bed: &mut Bed) {
    let leaf = |name: &str| Vdev { name: name.to_owned(), ..Vdev::default() };
    bed.machine.pools[0].vdevs.push(Vdev {
        name: "mirror-1".to_owned(),
        layout: Layout::Mirror,
        children: vec![leaf("sdc"), leaf("sdd")],
        ..Vdev::default()
    });
    for disk in ["sdc", "sdd"] {
        bed.io(disk, (11.0, 131_072.0), 6_000_000);
    }
}

#[test]
fn one_slow_disk_among_equals_hurts() {
    check(linux("2.1.11"), two_mirrors, &[]);
    let advice = check(
        linux("2.1.11"),
        |bed| {
            two_mirrors(bed);
            bed.io("sdc", (9.0, 131_072.0), 95_000_000);
        },
        &["slow-disk"],
    );
    assert!(
        found(&advice, "slow-disk").title.contains("sdc takes 95.0 ms per read, its peers 6.00 ms")
    );
}

#[test]
fn of_two_disks_none_is_called_slow() {
    check(linux("2.1.11"), |bed| bed.io("sdb", (9.0, 131_072.0), 95_000_000), &[]);
}

#[test]
fn a_worn_drive_is_named() {
    let advice =
        check(linux("2.3.2"), |bed| bed.machine.drives[1].wear_pct = Some(91), &["ssd-worn"]);
    assert!(found(&advice, "ssd-worn").title.contains("sdb has used 91 %"));
}

#[test]
fn a_pool_of_which_only_the_sum_is_known_is_judged_by_it() {
    // `zpool iostat zdata 1`, as in field report 003, and nothing else.
    let mut machine = arcwright_machine::Machine::default();
    let mut sample = arcwright_machine::Sample::default();
    let io = arcwright_machine::LeafIo {
        read_ops_per_s: Some(5_650.0),
        read_bytes_per_s: Some(25.5 * 1_048_576.0),
        ..arcwright_machine::LeafIo::default()
    };
    sample.vdevs.entry("zdata".to_owned()).or_default().insert("zdata".to_owned(), io);
    machine.samples.push(sample);
    machine.pools.push(arcwright_machine::Pool { name: "zdata".to_owned(), ..Default::default() });
    let advice = arcwright_advice::advise(&machine, arcwright_advice::Estimate::WithModel);
    let finding = found(&advice, "small-reads");
    assert!(finding.title.contains("5650 reads per second, of 4 KiB"), "{}", finding.title);
    assert!(finding.cause.contains("mostly metadata"));
    assert!(finding.cause.contains("fewer than 19 such disks"), "{}", finding.cause);
    assert!(advice.findings.iter().all(|finding| finding.id != "seek-bound"));
}
