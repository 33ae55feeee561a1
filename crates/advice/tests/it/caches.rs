//! The ARC beyond and below its limits, eviction, dbufs, what goes past it, what the L2ARC is worth.

use arcwright_advice::Severity;
use arcwright_kstat::KstatValue;
use arcwright_units::Bytes;

use crate::healthy::{Bed, all, check, check_note, check_unjudged, found, linux};

const ARCSTATS: &str = "zfs/arcstats";

/// An ARC a third over its maximum, held by dnodes and what belongs to them.
fn over(bed: &mut Bed) {
    bed.gauge("c", 6 << 30);
    bed.gauge("c_max", 6 << 30);
    bed.gauge("size", 8 << 30);
    bed.gauge("dnode_size", 3 << 30);
    bed.gauge("arc_dnode_limit", 614 << 20);
    bed.counted("arc_prune", 60_000);
}

#[test]
fn an_arc_over_its_maximum_is_told_and_no_limit_is_raised() {
    for (name, bed) in all() {
        let advice = check(bed, over, &["arc-over-max"]);
        let finding = found(&advice, "arc-over-max");
        assert!(finding.cause.contains("Dnodes alone take 3 GiB"), "{name}: {}", finding.cause);
        let commands: Vec<&String> = advice
            .findings
            .iter()
            .filter_map(|finding| finding.remedy.as_ref())
            .flat_map(|remedy| remedy.now.iter().chain(&remedy.lasting))
            .collect();
        for raised in ["arc_max", "arc.max", "dnode_limit", "meta_limit"] {
            assert!(commands.iter().all(|line| !line.contains(raised)), "{name}: {commands:?}");
        }
    }
}

#[test]
fn far_over_its_maximum_hurts_and_a_little_is_nothing() {
    let sized = |size: u64| {
        move |bed: &mut Bed| {
            over(bed);
            bed.gauge("size", size);
        }
    };
    let advice = check(linux("2.1.11"), sized(10 << 30), &["arc-over-max"]);
    assert_eq!(found(&advice, "arc-over-max").severity, Severity::HurtsNow);
    check(linux("2.1.11"), |bed| bed.gauge("size", Bytes::gib(8).0 / 100 * 105), &[]);
    // A block is a quarter of an ARC of 64 MiB.
    let tiny = |bed: &mut Bed| {
        over(bed);
        bed.gauge("c", 64 << 20);
        bed.gauge("c_max", 64 << 20);
        bed.gauge("size", 80 << 20);
    };
    let mut bed = linux("2.1.11");
    tiny(&mut bed);
    let advice = crate::healthy::advice(bed);
    assert!(advice.findings.iter().all(|finding| finding.id != "arc-over-max"));
}

#[test]
fn an_arc_without_a_maximum_is_not_judged_by_it() {
    let unread = |bed: &mut Bed| bed.unread(ARCSTATS, "c_max");
    check_unjudged(linux("2.3.2"), unread, "whether the ARC stays within its maximum", "c_max");
}

/// A small ARC that misses what it gave up.
fn small(bed: &mut Bed) {
    bed.gauge("c", 600 << 20);
    bed.gauge("size", 590 << 20);
    bed.counted("demand_data_misses", 9_000);
    bed.counted("mru_ghost_hits", 3_000);
    bed.sum_up();
}

#[test]
fn an_arc_that_collapsed_with_memory_free_hurts_and_no_floor_is_guessed() {
    for (name, bed) in all() {
        let advice = check(
            bed,
            |bed| {
                small(bed);
                bed.gauge("memory_available_bytes", 12 << 30);
            },
            &["arc-collapsed"],
        );
        let finding = found(&advice, "arc-collapsed");
        let remedy = finding.remedy.as_ref().unwrap();
        assert!(remedy.now.iter().all(|line| !line.contains("arc_min")), "{name}: {remedy:?}");
    }
}

#[test]
fn with_little_memory_free_a_small_arc_has_not_collapsed() {
    let short = |bed: &mut Bed| {
        small(bed);
        bed.gauge("memory_available_bytes", 500 << 20);
    };
    check(linux("2.3.2"), short, &[]);
}

#[test]
fn without_the_free_memory_a_collapse_is_not_judged() {
    let unread = |bed: &mut Bed| {
        small(bed);
        bed.unread(ARCSTATS, "memory_available_bytes");
        bed.machine.memory = None;
    };
    let about = "whether the ARC shrank while memory is free";
    check_unjudged(linux("2.1.11"), unread, about, "memory is free");
}

/// An ARC below its maximum that fills its target.
fn low(bed: &mut Bed) {
    bed.gauge("c", 700 << 20);
    bed.gauge("size", 690 << 20);
    bed.gauge("memory_available_bytes", 900 << 20);
}

#[test]
fn pressure_is_told_by_what_is_short_now() {
    let available = |bytes: i64| {
        move |bed: &mut Bed| {
            low(bed);
            bed.level(ARCSTATS, "memory_available_bytes", KstatValue::I64(bytes));
        }
    };
    for (name, bed) in all() {
        let advice = check(bed, available(-(300 << 20)), &["arc-squeezed"]);
        let cause = &found(&advice, "arc-squeezed").cause;
        assert!(cause.contains("300 MiB too low"), "{name}: {cause}");
    }
    let needed = |bed: &mut Bed| {
        low(bed);
        bed.gauge("arc_need_free", 100 << 20);
    };
    check(linux("2.1.11"), needed, &["arc-squeezed"]);
}

#[test]
fn three_calls_of_the_shrinker_are_no_pressure() {
    let calls = |count: u64| {
        move |bed: &mut Bed| {
            low(bed);
            bed.counted("memory_indirect_count", count);
        }
    };
    check(linux("2.3.2"), calls(3), &[]);
    check(linux("2.3.2"), calls(600), &["arc-squeezed"]);
}

#[test]
fn no_grow_with_plenty_free_is_no_pressure() {
    let stuck = |free: u64| {
        move |bed: &mut Bed| {
            low(bed);
            bed.gauge("arc_no_grow", 1);
            bed.gauge("memory_available_bytes", free);
        }
    };
    check(linux("2.3.2"), stuck(900 << 20), &[]);
    check(linux("2.3.2"), stuck(5 << 20), &["arc-squeezed"]);
}

#[test]
fn a_sign_of_pressure_that_was_not_read_is_not_taken_for_none() {
    for row in [
        "memory_available_bytes",
        "arc_need_free",
        "arc_no_grow",
        "memory_direct_count",
        "memory_indirect_count",
        "memory_throttle_count",
    ] {
        let unread = |bed: &mut Bed| {
            low(bed);
            bed.unread(ARCSTATS, row);
        };
        check_unjudged(linux("2.1.11"), unread, "whether memory pressure shrinks the ARC", row);
    }
}

#[test]
fn the_floor_of_the_arc_is_not_raised_by_a_guess() {
    let advice = check(
        linux("2.1.11"),
        |bed| {
            low(bed);
            bed.gauge("arc_need_free", 100 << 20);
        },
        &["arc-squeezed"],
    );
    let remedy = found(&advice, "arc-squeezed").remedy.clone().unwrap();
    assert!(remedy.now.is_empty() && !remedy.what.contains("arc_min"), "{remedy:?}");
}

#[test]
fn eviction_in_vain_is_seen_in_what_it_passes_over() {
    for (_, bed) in all() {
        check(bed, |bed| bed.counted("evict_skip", 900_000), &["eviction-fruitless"]);
    }
    check(linux("2.1.11"), |bed| bed.counted("evict_not_enough", 2_000), &["eviction-fruitless"]);
    check(linux("2.1.11"), |bed| bed.counted("evict_not_enough", 20), &[]);
    let unread = |bed: &mut Bed| bed.unread(ARCSTATS, "evict_skip");
    check_unjudged(linux("2.3.2"), unread, "whether eviction finds evictable blocks", "evict_skip");
}

/// Blocks are asked of the ARC again and again, and prefetch brought none of them.
fn thrash(bed: &mut Bed) {
    bed.row("zfs/dbufstats", "hash_misses", 1_400_000);
    bed.row("zfs/dbufstats", "cache_total_evicts", 1_350_000);
    bed.level("zfs/dbufstats", "cache_size_bytes", KstatValue::U64(250 << 20));
    bed.level("zfs/dbufstats", "cache_target_bytes", KstatValue::U64(256 << 20));
}

#[test]
fn a_dbuf_cache_that_drops_what_is_asked_for_again_is_widened() {
    for version in ["2.1.11", "2.2.4", "2.3.2"] {
        let advice = check(linux(version), thrash, &["dbuf-cache-thrash"]);
        let remedy = found(&advice, "dbuf-cache-thrash").remedy.clone().unwrap();
        assert_eq!(remedy.now[0], "arcwright tune apply dbuf_cache_shift=4", "{version}");
    }
}

#[test]
fn blocks_read_once_are_no_thrash_of_the_dbuf_cache() {
    let streamed = |bed: &mut Bed| {
        thrash(bed);
        bed.counted("demand_hit_predictive_prefetch", 1_380_000);
        bed.counted("predictive_prefetch", 1_500_000);
    };
    check(linux("2.3.2"), streamed, &[]);
    let unread = |bed: &mut Bed| bed.unread("zfs/dbufstats", "hash_misses");
    check_unjudged(linux("2.3.2"), unread, "whether the dbuf cache is too small", "hash_misses");
}

/// Direct reads of 8 KiB, a third of all.
fn direct(bed: &mut Bed, size: u64) {
    for (row, count) in [
        ("direct_read_count", 9_000),
        ("direct_read_bytes", 9_000 * size),
        ("direct_write_count", 0),
        ("direct_write_bytes", 0),
        ("arc_read_count", 18_000),
        ("arc_write_count", 2_000),
    ] {
        bed.row("zfs/tank/iostats", row, count);
    }
}

#[test]
fn small_direct_requests_are_told_where_the_property_makes_them() {
    let advice = check(
        linux("2.3.2"),
        |bed| {
            direct(bed, 8_192);
            bed.property("tank/home", "direct", "always");
        },
        &["direct-io-small"],
    );
    let remedy = found(&advice, "direct-io-small").remedy.clone().unwrap();
    assert_eq!(remedy.now, ["zfs set direct=standard tank/home"]);
    check_note(linux("2.3.2"), |bed| direct(bed, 8_192), "direct-io-small");
    check(linux("2.3.2"), |bed| direct(bed, 1 << 20), &[]);
    let unread = |bed: &mut Bed| bed.unread("zfs/tank/iostats", "direct_read_count");
    let about = "whether small requests bypass the ARC";
    check_unjudged(linux("2.3.2"), unread, about, "direct_read_count");
}

#[test]
fn metadata_that_may_not_be_kept_gets_one_value_for_primarycache() {
    for (name, bed) in all() {
        let advice = check(
            bed,
            |bed| {
                bed.property("tank/home", "primarycache", "none");
                bed.counted("demand_metadata_misses", 15_000);
                bed.sum_up();
            },
            &["metadata-not-cacheable"],
        );
        let values: Vec<String> = advice
            .findings
            .iter()
            .filter_map(|finding| finding.remedy.as_ref())
            .flat_map(|remedy| remedy.now.clone())
            .filter(|line| line.contains("primarycache"))
            .collect();
        assert_eq!(values, ["zfs set primarycache=metadata tank/home"], "{name}");
    }
}

#[test]
fn an_l2arc_that_is_worn_for_next_to_nothing_is_told() {
    let worn = |bed: &mut Bed| {
        bed.with_cache(1_500);
        bed.counted("l2_write_bytes", 1 << 30);
    };
    for (_, bed) in all() {
        let advice = check(bed, worn, &["l2arc-not-worth-it"]);
        assert!(found(&advice, "l2arc-not-worth-it").title.contains("TB/day"));
    }
    check(linux("2.3.2"), |bed| bed.with_cache(1_500), &[]);
}

#[test]
fn an_l2arc_whose_reads_fail_is_void() {
    let failing = |count: u64| {
        move |bed: &mut Bed| {
            bed.with_cache(1_500);
            bed.level(ARCSTATS, "l2_hits", KstatValue::U64(100_000));
            bed.gauge("l2_cksum_bad", count);
        }
    };
    let severity = |count: u64| {
        let mut bed = linux("2.1.11");
        failing(count)(&mut bed);
        let advice = crate::healthy::advice(bed);
        found(&advice, "l2arc-errors").severity
    };
    assert_eq!(severity(3), Severity::WorthALook);
    assert_eq!(severity(5_000), Severity::HurtsNow);
}

/// An ARC at its maximum, which is half of the memory, beside so much swap in use.
fn swapped(bed: &mut Bed, used: Bytes) {
    let memory = bed.machine.memory.as_mut().unwrap();
    memory.swap_used = Some(used);
    let most = memory.total.0 / 2;
    ["c", "c_max", "size"].iter().for_each(|row| bed.gauge(row, most));
}

#[test]
fn programs_that_are_swapped_out_beside_a_full_arc_are_told() {
    for (name, bed) in all() {
        let advice = check(bed, |bed| swapped(bed, Bytes::gib(4)), &["swapped-beside-arc"]);
        let finding = found(&advice, "swapped-beside-arc");
        assert_eq!(finding.severity, Severity::WorthALook, "{name}");
        assert!(finding.cause.contains("not asked for again hurts nobody"), "{name}");
    }
    check(linux("2.1.11"), |bed| swapped(bed, Bytes::mib(300)), &[]);
    let half_full = |bed: &mut Bed| {
        swapped(bed, Bytes::gib(4));
        let size = bed.machine.memory.unwrap().total.0 / 8;
        bed.gauge("size", size);
        bed.gauge("c", size);
    };
    let mut bed = linux("2.1.11");
    half_full(&mut bed);
    let advice = crate::healthy::advice(bed);
    assert!(advice.findings.iter().all(|finding| finding.id != "swapped-beside-arc"));
}
