//! Why an L2ARC is barely used.

use arcwright_advice::{Estimate, Severity, advise};
use arcwright_units::Bytes;

use crate::healthy::{Bed, all, check, check_note, found, linux};

/// Files larger than the ARC read from start to end, as in the field report steam-library.
fn streams(bed: &mut Bed) {
    bed.prefetched(160_000, 158_000);
    bed.counted("demand_data_misses", 1_000);
    bed.counted("evict_l2_ineligible", 19 << 30);
    bed.sum_up();
    bed.with_cache(500);
    bed.counted("l2_write_bytes", 60 << 20);
}

/// Lets nobody stream: prefetch is what little misses need.
fn no_streams(bed: &mut Bed) {
    bed.prefetched(800, 780);
    bed.sum_up();
}

#[test]
fn an_l2arc_that_serves_is_fine() {
    for (_, mut bed) in all() {
        bed.with_cache(1_500);
        let advice = check(bed, |_| {}, &[]);
        assert!(advice.fine.iter().any(|fine| fine.what.contains("The L2ARC served")));
    }
}

#[test]
fn what_compression_saves_on_the_l2arc_is_noted() {
    let title = |logical: u64, real: u64| {
        let mut bed = linux("2.1.11");
        bed.with_cache(1_500);
        bed.gauge("l2_size", logical);
        bed.gauge("l2_asize", real);
        let advice = advise(&bed.built(), Estimate::CountersOnly);
        let mut all = advice.findings.into_iter();
        all.find(|finding| finding.id == "l2arc-compressed").map(|finding| finding.title)
    };
    let told = title(160 << 30, 100 << 30);
    assert!(
        told.as_ref().is_some_and(|told| told.contains("160 GiB of data in 100 GiB")),
        "{told:?}"
    );
    assert_eq!(title(104 << 30, 100 << 30), None);
    // A counter that went below zero is no size.
    assert_eq!(title(u64::MAX - 5, 100 << 30), None);
    assert_eq!(title(160 << 30, 0), None);
}

#[test]
fn prefetch_kept_out_is_the_cause_in_report_001() {
    for (name, bed) in all() {
        let advice = check(bed, streams, &["l2arc-prefetch-excluded"]);
        let finding = found(&advice, "l2arc-prefetch-excluded");
        assert_eq!(finding.severity, Severity::WorthALook);
        let neither = finding.cause.contains("nor, on this version, read from it");
        let reads_since = finding.cause.contains("this version may read them from it");
        let old = ["2.1.11", "FreeBSD 11"].contains(&name);
        assert_eq!((neither, reads_since), (old, !old), "{name}: {}", finding.cause);
        assert!(finding.cost.contains("TB/day"), "{}", finding.cost);
    }
}

#[test]
fn with_prefetch_let_in_another_cause_is_looked_for() {
    check(
        linux("2.1.11"),
        |bed| {
            streams(bed);
            bed.parameter("l2arc_noprefetch", 0);
            bed.machine.config[0].text = "options zfs l2arc_noprefetch=0\n".to_owned();
        },
        &[],
    );
}

#[test]
fn a_feed_that_cannot_follow_is_seen() {
    let advice = check(
        linux("2.1.11"),
        |bed| {
            bed.counted("demand_data_misses", 60_000);
            bed.counted("evict_l2_eligible", 6 << 30);
            bed.sum_up();
            bed.with_cache(9_000);
            bed.counted("l2_write_bytes", 480 << 20);
        },
        &["l2arc-feed-slow"],
    );
    let finding = found(&advice, "l2arc-feed-slow");
    assert!(finding.title.contains("8 MiB/s of the"), "{}", finding.title);
    assert!(finding.remedy.as_ref().unwrap().now[0].contains("l2arc_write_max=128MiB"));
}

#[test]
fn a_cache_that_fills_is_given_time() {
    let mut bed = linux("2.2.4");
    no_streams(&mut bed);
    bed.with_cache(100);
    check_note(
        bed,
        |bed| {
            bed.gauge("l2_asize", 12 << 30);
            bed.counted("l2_write_bytes", 70 << 20);
        },
        "l2arc-warming",
    );
}

#[test]
fn what_nobody_reads_again_is_told_from_what_is_new() {
    let mut bed = linux("2.3.2");
    bed.counted("demand_data_misses", 30_000);
    bed.sum_up();
    bed.with_cache(300);
    check(bed, |bed| bed.gauge("size", 14 << 30), &["l2arc-not-reread"]);
}

#[test]
fn headers_that_eat_the_arc_are_seen() {
    for (headers, severity) in [(1 << 30, Severity::WorthALook), (3 << 30, Severity::HurtsNow)] {
        let mut bed = linux("2.1.11");
        bed.with_cache(1_500);
        let advice = check(bed, |bed| bed.gauge("l2_hdr_size", headers), &["l2arc-headers"]);
        assert_eq!(found(&advice, "l2arc-headers").severity, severity);
    }
}

#[test]
fn datasets_that_may_not_use_it_are_named() {
    let mut bed = linux("2.1.11");
    no_streams(&mut bed);
    bed.with_cache(100);
    bed.property("tank", "secondarycache", "none");
    let advice = check(
        bed,
        |bed| bed.property("tank/home", "secondarycache", "metadata"),
        &["l2arc-excluded"],
    );
    let remedy = found(&advice, "l2arc-excluded").remedy.clone().unwrap();
    assert_eq!(
        remedy.now,
        ["zfs set secondarycache=all tank", "zfs set secondarycache=all tank/home"]
    );
    assert_eq!(remedy.undo[1], "zfs set secondarycache=metadata tank/home");
}

#[test]
fn an_arc_that_answers_leaves_it_idle() {
    let mut bed = linux("2.2.4");
    bed.counted("prefetch_data_misses", 100);
    bed.counted("demand_hit_predictive_prefetch", 90);
    bed.sum_up();
    bed.with_cache(2);
    check_note(bed, |bed| bed.counted("l2_write_bytes", 0), "l2arc-unneeded");
}

#[test]
fn most_that_is_ineligible_is_noted() {
    let mut bed = linux("2.2.4");
    bed.counted("demand_data_misses", 5_000);
    bed.counted("mru_ghost_hits", 600);
    bed.counted("evict_l2_ineligible", 3 << 30);
    bed.sum_up();
    bed.with_cache(10);
    check_note(bed, |bed| bed.gauge("c", 4 << 30), "l2arc-ineligible");
}

#[test]
fn errors_of_the_device_count_since_it_was_loaded() {
    let mut bed = linux("2.1.11");
    bed.with_cache(1_500);
    check(bed, |bed| bed.gauge("l2_cksum_bad", 3), &["l2arc-errors"]);
}

#[test]
fn a_small_device_that_is_written_over_and_over_wears() {
    let mut bed = linux("2.3.2");
    no_streams(&mut bed);
    bed.with_cache(100);
    check(
        bed,
        |bed| {
            bed.machine.drives[2].size = Some(Bytes::gib(16));
            bed.machine.pools[0].vdevs[1].space = None;
            bed.gauge("l2_asize", 15 << 30);
            bed.counted("l2_write_bytes", 300 << 20);
        },
        &["l2arc-wear"],
    );
}
