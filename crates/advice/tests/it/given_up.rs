//! Memory that the ARC gives up or that its slabs keep, blocks that never left it, pools whose devices are away.

use arcwright_advice::{Advice, Estimate, advise};
use arcwright_units::Bytes;

use crate::healthy::{Bed, all, check, found, linux};

/// Leaves the machine without anything that tells how much memory is free.
fn blind(bed: &mut Bed) {
    bed.unread("zfs/arcstats", "memory_available_bytes");
    bed.machine.memory = None;
}

fn far_above_its_target(bed: &mut Bed) {
    let most = 32 << 30;
    for (row, value) in
        [("c_max", most), ("c", most / 16), ("c_min", most / 32), ("size", most / 4)]
    {
        bed.gauge(row, value);
    }
}

#[test]
fn an_arc_that_gives_up_memory_is_told_where_nothing_tells_why() {
    let damage = |bed: &mut Bed| {
        far_above_its_target(bed);
        blind(bed);
    };
    let advice = check(linux("2.1.11"), damage, &[]);
    let remedy = found(&advice, "arc-shrinking").remedy.clone().unwrap();
    assert!(!format!("{remedy:?}").contains("zfs_arc_max="));
    // One that is growing has less than its target.
    let growing = |bed: &mut Bed| {
        far_above_its_target(bed);
        bed.gauge("size", 1 << 30);
        blind(bed);
    };
    let advice = check(linux("2.1.11"), growing, &[]);
    assert!(advice.findings.iter().all(|finding| finding.id != "arc-shrinking"));
}

#[test]
fn slabs_far_beyond_the_arc_are_told_and_others_are_not() {
    let slabs = |bytes: u64| {
        move |bed: &mut Bed| {
            bed.gauge("size", 4 << 30);
            bed.machine.slabs.insert("zio_buf_16384".to_owned(), Bytes(bytes));
            bed.machine.slabs.insert("ext4_inode_cache".to_owned(), Bytes(1 << 40));
        }
    };
    let advice = check(linux("2.1.11"), slabs(20 << 30), &["slabs-beyond-arc"]);
    assert_eq!(found(&advice, "slabs-beyond-arc").evidence[0].exact, Some(20 << 30));
    check(linux("2.1.11"), slabs(5 << 30), &[]);
}

#[test]
fn slabs_that_few_objects_keep_are_told_and_full_ones_are_not() {
    let slabs = |used: u64| {
        move |bed: &mut Bed| {
            bed.gauge("size", 30 << 30);
            for (name, bytes) in [("dnode_t", 12 << 30), ("ext4_inode_cache", 1 << 40)] {
                bed.machine.slabs.insert(name.to_owned(), Bytes(bytes));
                bed.machine.slabs_used.insert(name.to_owned(), Bytes(used));
            }
        }
    };
    let advice = advice_of(slabs(1 << 30));
    let finding = found(&advice, "slabs-mostly-empty");
    assert!(finding.title.contains("hold 12 GiB and use 1 GiB"), "{}", finding.title);
    assert!(!format!("{:?}", finding.remedy).contains("zfs_arc_max="));
    assert!(!is_said(&advice_of(slabs(7 << 30)), "slabs-mostly-empty"));
    // Of a cache that does not tell it nothing is known.
    let untold = |bed: &mut Bed| {
        bed.machine.slabs.insert("dnode_t".to_owned(), Bytes(12 << 30));
    };
    assert!(!is_said(&advice_of(untold), "slabs-mostly-empty"));
}

#[test]
fn what_the_kernel_holds_far_beyond_the_arc_is_told() {
    let held = |bytes: u64| {
        move |bed: &mut Bed| {
            bed.gauge("size", 2 << 30);
            bed.machine.memory.as_mut().unwrap().slab_held = Some(Bytes(bytes));
        }
    };
    let advice = advice_of(held(20 << 30));
    assert_eq!(found(&advice, "slab-beside-arc").evidence[0].exact, Some(20 << 30));
    assert!(!is_said(&advice_of(held(3 << 30)), "slab-beside-arc"));
    let unread = |bed: &mut Bed| {
        held(20 << 30)(bed);
        bed.unread("zfs/arcstats", "size");
    };
    assert!(!is_said(&advice_of(unread), "slab-beside-arc"));
}

/// Returns what is said of a healthy machine with that damage.
fn advice_of(damage: impl Fn(&mut Bed)) -> Advice {
    let mut bed = linux("2.1.11");
    damage(&mut bed);
    advise(&bed.built(), Estimate::CountersOnly)
}

fn is_said(advice: &Advice, id: &str) -> bool {
    advice.findings.iter().any(|finding| finding.id == id)
}

#[test]
fn a_pool_that_is_suspended_by_its_words_is_cleared_before_damage_is_judged() {
    for (name, bed) in all() {
        let damage = |bed: &mut Bed| {
            let pool = &mut bed.machine.pools[0];
            let words = "One or more devices are faulted in response to IO failures.";
            pool.status = Some(words.to_owned());
            pool.errors = Some("Permanent errors have been detected:".to_owned());
            pool.damaged = vec!["<metadata>:<0x31>".to_owned()];
        };
        let advice = check(bed, damage, &["pool-suspended", "data-errors"]);
        let text = format!("{:?}", advice.findings);
        assert!(text.contains("zpool clear tank"), "{name}: {text}");
        for word in ["zfs send", "zpool scrub", "zpool replace"] {
            assert!(!text.contains(word), "{name}: {word} in {text}");
        }
    }
}
