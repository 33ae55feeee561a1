//! Room, sectors, special vdevs, tables of deduplication, ciphers, slow pairs.

use arcwright_advice::{Advice, Severity};
use arcwright_machine::{Class, DedupTable, Layout, Parameter, Space, Vdev};
use arcwright_units::Bytes;

use crate::healthy::{Bed, all, check, check_note, check_unjudged, found, linux};

/// Adds a mirrored special vdev of 100 GiB, so much of it taken.
fn special(bed: &mut Bed, taken: u64) {
    let leaf = |name: &str| Vdev { name: name.to_owned(), ..Vdev::default() };
    bed.machine.pools[0].vdevs.push(Vdev {
        name: "mirror-9".to_owned(),
        class: Class::Special,
        layout: Layout::Mirror,
        children: vec![leaf("nvme2n1"), leaf("nvme3n1")],
        space: Some(Space {
            size: Some(Bytes::gib(100)),
            allocated: Some(Bytes::gib(taken)),
            ..Space::default()
        }),
        ..Vdev::default()
    });
}

#[test]
fn a_special_vdev_spills_from_three_quarters_on() {
    for (name, bed) in all() {
        let advice = check(bed, |bed| special(bed, 80), &["special-full"]);
        assert_eq!(found(&advice, "special-full").severity, Severity::WorthALook, "{name}");
    }
    let advice = check(linux("2.3.2"), |bed| special(bed, 97), &["special-full"]);
    assert_eq!(found(&advice, "special-full").severity, Severity::HurtsNow);
    check_note(linux("2.3.2"), |bed| special(bed, 72), "special-full");
    check(linux("2.3.2"), |bed| special(bed, 30), &[]);
}

#[test]
fn a_special_vdev_of_unknown_filling_is_not_judged() {
    let unread = |bed: &mut Bed| {
        special(bed, 80);
        bed.machine.pools[0].vdevs[1].space = None;
    };
    check_unjudged(
        linux("2.1.11"),
        unread,
        "whether the special vdev has free space",
        "zpool list -v",
    );
}

#[test]
fn small_blocks_as_large_as_records_send_everything_there() {
    for value in ["131072", "128K", "1M"] {
        let all_there = |bed: &mut Bed| {
            special(bed, 30);
            bed.property("tank/home", "special_small_blocks", value);
        };
        check(linux("2.2.4"), all_there, &["special-takes-all"]);
    }
    for value in ["0", "32768", "64K"] {
        let some = |bed: &mut Bed| {
            special(bed, 30);
            bed.property("tank/home", "special_small_blocks", value);
        };
        check(linux("2.2.4"), some, &[]);
    }
}

#[test]
fn what_is_kept_back_is_not_free() {
    let left = |free: u64| {
        move |bed: &mut Bed| {
            let properties = &mut bed.machine.pools[0].properties;
            properties.insert("free".to_owned(), free.to_string());
        }
    };
    for (name, bed) in all() {
        let advice = check(bed, left(Bytes::gib(90).0), &["slop-space"]);
        assert!(found(&advice, "slop-space").title.contains("writes fail"), "{name}");
    }
    check(linux("2.3.2"), left(Bytes::gib(400).0), &[]);
    let unread = |bed: &mut Bed| drop(bed.machine.pools[0].properties.remove("free"));
    check_unjudged(
        linux("2.3.2"),
        unread,
        "whether pools have space for writes",
        "how much is free",
    );
}

fn ashift(bed: &mut Bed, property: &str, native: Option<u64>) {
    bed.machine.pools[0].properties.insert("ashift".to_owned(), property.to_owned());
    for drive in &mut bed.machine.drives {
        drive.sector_physical = native.map(Bytes);
    }
}

#[test]
fn sectors_are_wrong_only_where_the_disks_are_known() {
    for (_, bed) in all() {
        check(bed, |bed| ashift(bed, "9", Some(4096)), &["ashift"]);
    }
    check(linux("2.1.11"), |bed| ashift(bed, "9", Some(512)), &[]);
    let advice = check_note(linux("2.1.11"), |bed| ashift(bed, "9", None), "ashift");
    assert!(found(&advice, "ashift").title.contains("check those"));
    let about = "whether the sector size is right";
    check_unjudged(linux("2.1.11"), |bed| ashift(bed, "0", None), about, "sectors");
}

#[test]
fn a_vdev_tells_of_its_sectors_though_the_property_is_0() {
    for (name, bed) in all() {
        let advice = check(
            bed,
            |bed| {
                ashift(bed, "0", None);
                let note = "block size: 512B configured, 4096B native";
                bed.machine.pools[0].vdevs[0].children[1].note = Some(note.to_owned());
            },
            &["ashift"],
        );
        assert!(found(&advice, "ashift").title.contains("disks with 4 KiB sectors: sdb"), "{name}");
    }
    let own = |bed: &mut Bed| {
        ashift(bed, "0", Some(4096));
        bed.machine.pools[0].vdevs[0].ashift = Some(9);
    };
    check(linux("2.3.2"), own, &["ashift"]);
}

fn table(bed: &mut Bed, entries: u64) {
    bed.machine.pools[0].dedup.own = Some(DedupTable {
        entries: Some(entries),
        entry_size_on_disk: Some(Bytes(500)),
        entry_size_in_core: Some(Bytes(200)),
        ..DedupTable::default()
    });
}

#[test]
fn a_deduplication_table_that_does_not_fit_hurts() {
    for (name, bed) in all() {
        let advice = check(bed, |bed| table(bed, 100_000_000), &["dedup-table"]);
        assert_eq!(found(&advice, "dedup-table").severity, Severity::HurtsNow, "{name}");
        // It is there although no dataset deduplicates any more.
    }
    check(linux("2.3.2"), |bed| table(bed, 1_000_000), &[]);
}

#[test]
fn what_deduplication_saves_is_not_guessed() {
    let unread = |bed: &mut Bed| {
        bed.property("tank/home", "dedup", "on");
        bed.machine.pools[0].properties.remove("dedupratio");
    };
    check_unjudged(linux("2.1.11"), unread, "whether deduplication pays", "dedupratio");
}

/// Encrypts a dataset, on a machine with these implementations.
fn cipher(bed: &mut Bed, aes: &str, gcm: &str) {
    bed.property("tank/home", "encryption", "aes-256-gcm");
    for (name, value) in [("icp_aes_impl", aes), ("icp_gcm_impl", gcm)] {
        let held =
            Parameter { name: name.to_owned(), value: value.to_owned(), writable: Some(true) };
        bed.machine.parameters.insert(name.to_owned(), held);
    }
}

#[test]
fn encryption_without_instructions_is_told() {
    let quick = ("cycle [fastest] generic x86_64 aesni ", "cycle [fastest] avx generic pclmulqdq ");
    for version in ["2.1.11", "2.2.4", "2.3.2"] {
        check(linux(version), |bed| cipher(bed, quick.0, quick.1), &[]);
        for (aes, gcm) in [
            ("cycle [fastest] generic x86_64 ", quick.1),
            (quick.0, "cycle [fastest] generic "),
            ("cycle fastest [generic] x86_64 aesni ", quick.1),
            ("cycle fastest generic [x86_64] aesni ", "cycle fastest avx [generic] pclmulqdq "),
        ] {
            check(linux(version), |bed| cipher(bed, aes, gcm), &["crypto-slow"]);
        }
    }
    let unread = |bed: &mut Bed| {
        cipher(bed, quick.0, quick.1);
        bed.machine.parameters.remove("icp_gcm_impl");
    };
    let about = "whether encryption uses the processor's AES instructions";
    check_unjudged(linux("2.1.11"), unread, about, "icp_gcm_impl");
}

#[test]
fn one_of_a_pair_is_told_by_its_partner_and_its_kind() {
    for (name, bed) in all() {
        let advice = check(bed, |bed| bed.io("sdb", (9.0, 131_072.0), 180_000_000), &["slow-disk"]);
        let finding = found(&advice, "slow-disk");
        assert!(finding.title.contains("its partner sda 6.00 ms"), "{name}: {}", finding.title);
        assert_eq!(finding.severity, Severity::HurtsNow, "{name}");
    }
}

#[test]
fn how_slow_it_was_before_is_told_where_it_was_read() {
    let advice = check(
        linux("2.3.2"),
        |bed| {
            bed.machine.samples[0].vdevs_since_import = true;
            let before = bed.machine.samples[1].vdevs.clone();
            bed.machine.samples[0].vdevs = before;
            bed.io("sdb", (9.0, 131_072.0), 180_000_000);
        },
        &["slow-disk"],
    );
    let cause = &found(&advice, "slow-disk").cause;
    assert!(cause.contains("it became slower"), "{cause}");
}

#[test]
fn a_pool_that_its_disks_let_grow_is_told_so() {
    let grows = |size: &'static str| {
        move |bed: &mut Bed| {
            let properties = &mut bed.machine.pools[0].properties;
            properties.insert("expandsize".to_owned(), size.to_owned());
        }
    };
    for (_, bed) in all() {
        check_note(bed, grows("9981688278712"), "room-unused");
    }
    for size in ["-", "0", "1048576"] {
        silent(check(linux("2.3.2"), grows(size), &[]));
    }
}

#[test]
fn a_vdev_much_fuller_than_the_others_is_told() {
    let filled = |shares: &'static [u64]| {
        move |bed: &mut Bed| {
            let pool = &mut bed.machine.pools[0];
            let first = pool.vdevs[0].clone();
            for (number, share) in shares.iter().enumerate() {
                let (size, allocated) = (Some(Bytes(1000)), Some(Bytes(share * 10)));
                let space = Some(Space { size, allocated, ..Space::default() });
                if number > 0 {
                    pool.vdevs.push(Vdev { name: format!("other-{number}"), ..first.clone() });
                }
                let data = pool.vdevs.iter_mut().filter(|vdev| vdev.class == Class::Data);
                data.last().unwrap().space = space;
            }
        }
    };
    check_note(linux("2.3.2"), filled(&[97, 87]), "vdev-full");
    silent(check(linux("2.3.2"), filled(&[93, 90]), &[]));
    silent(check(linux("2.3.2"), filled(&[80, 20]), &[]));
    silent(check(linux("2.3.2"), filled(&[99]), &[]));
}

fn silent(advice: Advice) {
    let told = |id: &str| ["room-unused", "vdev-full"].contains(&id);
    assert!(!advice.findings.iter().any(|finding| told(finding.id)), "{:#?}", advice.findings);
}
