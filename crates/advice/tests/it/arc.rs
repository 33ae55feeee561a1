//! Metadata, the ARC's size, pressure, prefetch.

use arcwright_advice::{Gain, Severity};
use arcwright_units::Bytes;

use crate::checks::advice;
use crate::healthy::{Bed, all, check, check_note, check_unjudged, found, linux};

/// Reads of metadata from disk as in field report 003: some hundred a second.
fn lookups(bed: &mut Bed) {
    bed.counted("demand_metadata_misses", 18_000);
    bed.counted("mru_ghost_hits", 4_000);
    bed.counted("mfu_ghost_hits", 2_000);
    bed.sum_up();
}

/// Limits the ARC far below the memory.
fn small(bed: &mut Bed) {
    for row in ["c", "c_max"] {
        bed.gauge(row, 2 << 30);
    }
    bed.gauge("size", 2 << 30);
    bed.machine.memory.as_mut().unwrap().available = Some(Bytes::gib(12));
    bed.parameter("zfs_arc_max", 2 << 30);
    bed.machine.config[0].text = match bed.machine.config[0].path.contains("modprobe") {
        true => "options zfs zfs_arc_max=2147483648\n".to_owned(),
        false => format!("{}=\"2G\"\n", bed.machine.parameters["zfs_arc_max"].name),
    };
}

#[test]
fn metadata_that_does_not_fit_is_the_first_thing_said_on_every_version() {
    for (name, mut bed) in all() {
        lookups(&mut bed);
        let advice = check(bed, small, &["metadata-misses"]);
        let finding = found(&advice, "metadata-misses");
        assert_eq!(finding.severity, Severity::HurtsNow, "{name}");
        let remedy = finding.remedy.as_ref().unwrap();
        assert!(remedy.what.contains("to 8 GiB"), "{name}: {}", remedy.what);
        assert!(
            matches!(&finding.gain, Gain::Counted(words) if words.contains("ghost hits")),
            "{name}"
        );
        let rows: Vec<&str> = finding.evidence.iter().map(|row| row.name.as_str()).collect();
        assert!(rows.contains(&"arcstats.demand_metadata_misses"), "{name}: {rows:?}");
    }
}

#[test]
fn contents_that_miss_are_not_hidden_by_metadata_that_is_found() {
    for (name, mut bed) in all() {
        bed.counted("demand_metadata_hits", 4_000_000);
        bed.counted("demand_metadata_misses", 90);
        bed.counted("demand_data_hits", 21_000);
        bed.counted("demand_data_misses", 7_000);
        bed.sum_up();
        let advice = advice(bed);
        let said = advice.findings.iter().find(|finding| finding.id == "demand-misses");
        assert!(said.unwrap().title.starts_with("25.0 % of the demand reads of file"), "{name}");
        let praise = advice.fine.iter().find(|fine| fine.what.starts_with("The ARC served"));
        assert!(praise.is_none(), "{name}: {praise:?}");
    }
}

#[test]
fn at_the_metadata_limit_it_is_named_and_raised() {
    let advice = check(
        linux("2.1.11"),
        |bed| {
            lookups(bed);
            bed.gauge("arc_meta_used", 6 << 30);
        },
        &["metadata-misses"],
    );
    let finding = found(&advice, "metadata-misses");
    assert!(
        finding.cause.contains("arc_meta_limit") && finding.cause.contains("file data too"),
        "{}",
        finding.cause
    );
    let remedy = finding.remedy.as_ref().unwrap();
    assert!(remedy.now[0].contains("zfs_arc_meta_limit_percent=95"), "{:?}", remedy.now);
}

#[test]
fn over_its_limit_metadata_counts_though_data_is_missed_more_often() {
    // As the real 2.1.11 counted it: the limit throws out file data, and ghosts are drained.
    let missed = |bed: &mut Bed| {
        bed.counted("demand_metadata_misses", 2_600);
        bed.counted("demand_data_misses", 3_400);
        bed.counted("mru_ghost_hits", 0);
        bed.counted("mfu_ghost_hits", 0);
        bed.sum_up();
    };
    check(
        linux("2.1.11"),
        |bed| {
            missed(bed);
            bed.gauge("arc_meta_used", 7 << 30);
        },
        &["metadata-misses"],
    );
    let roomy = |bed: &mut Bed| {
        missed(bed);
        bed.counted("demand_data_misses", 13_000);
        bed.sum_up();
    };
    check(linux("2.1.11"), roomy, &[]);
}

#[test]
fn without_memory_to_spare_the_balance_is_moved_where_there_is_one() {
    let advice = check(linux("2.3.2"), lookups, &["metadata-misses"]);
    let remedy = found(&advice, "metadata-misses").remedy.clone().unwrap();
    assert_eq!(remedy.now[0], "arcwright tune apply zfs_arc_meta_balance=2000");
    assert!(
        remedy
            .undo
            .contains(&"echo 500 > /sys/module/zfs/parameters/zfs_arc_meta_balance".to_owned())
    );
}

#[test]
fn metadata_read_for_the_first_time_is_no_fault() {
    check_note(
        linux("2.3.2"),
        |bed| {
            bed.counted("demand_metadata_misses", 18_000);
            bed.sum_up();
            bed.gauge("c", 4 << 30);
            bed.gauge("size", 3 << 30);
        },
        "metadata-cold",
    );
}

#[test]
fn an_arc_that_was_full_before_is_not_said_to_read_for_the_first_time() {
    let titles = [(0, "read for the first time"), (40 << 30, "whether it fits was not seen")];
    for (evicted, words) in titles {
        let mut bed = linux("2.3.2");
        bed.gauge("evict_l2_eligible", evicted);
        bed.counted("demand_metadata_misses", 18_000);
        bed.sum_up();
        bed.gauge("c", 4 << 30);
        bed.gauge("size", 3 << 30);
        let advice = advice(bed);
        let title = &found(&advice, "metadata-cold").title;
        assert!(title.contains(words), "{evicted}: {title}");
    }
}

#[test]
fn dnodes_at_their_limit_are_seen() {
    check(linux("2.2.4"), |bed| bed.gauge("dnode_size", 610 << 20), &["dnode-limit"]);
}

#[test]
fn a_working_set_beyond_the_arc_is_told_by_ghosts() {
    for (_, bed) in all() {
        let advice = check(
            bed,
            |bed| {
                bed.counted("demand_data_misses", 30_000);
                bed.counted("mru_ghost_hits", 9_000);
                bed.counted("mfu_ghost_hits", 3_000);
                bed.sum_up();
                small(bed);
            },
            &["arc-small"],
        );
        assert!(
            matches!(&found(&advice, "arc-small").gain, Gain::Counted(words) if words.contains("36."))
        );
    }
}

#[test]
fn without_ghosts_a_larger_arc_is_said_to_bring_nothing() {
    let mut bed = linux("2.1.11");
    bed.counted("demand_data_misses", 30_000);
    bed.sum_up();
    let advice = check(bed, |_| {}, &[]);
    let fine: Vec<&str> = advice.fine.iter().map(|fine| fine.what.as_str()).collect();
    assert!(fine.iter().any(|what| what.contains("larger ARC would hardly help")), "{fine:?}");
}

#[test]
fn prefetch_for_nothing_is_seen_where_it_is_counted() {
    let waste = |bed: &mut Bed| {
        bed.counted("predictive_prefetch", 45_000);
        bed.counted("prefetch_data_misses", 40_000);
        bed.sum_up();
    };
    for version in ["2.2.4", "2.3.2"] {
        let advice = check(linux(version), waste, &["prefetch-wasted"]);
        assert!(found(&advice, "prefetch-wasted").remedy.is_some());
    }
    // What prefetch read and what was asked for of it are two things: hits over disk reads say nothing.
    let many_reads = |bed: &mut Bed| {
        bed.counted("prefetch_data_misses", 40_000);
        bed.sum_up();
    };
    check(linux("2.2.4"), many_reads, &[]);
}

#[test]
fn where_its_use_is_not_counted_prefetch_is_not_judged() {
    let about = "whether prefetch helps";
    check_unjudged(linux("2.1.11"), |_| {}, about, "before 2.2");
    for row in ["predictive_prefetch", "demand_iohit_predictive_prefetch"] {
        let unread = |bed: &mut Bed| bed.unread("zfs/arcstats", row);
        check_unjudged(linux("2.3.2"), unread, about, row);
    }
}

#[test]
fn prefetch_that_is_off_is_worth_a_look() {
    for (_, bed) in all() {
        let name = "zfs_prefetch_disable";
        check(
            bed,
            |bed| {
                bed.parameter(name, 1);
                let shown = bed.machine.parameters[name].name.clone();
                let linux = bed.machine.config[0].path.contains("modprobe");
                let lead = if linux { "options zfs " } else { "" };
                bed.machine.config[0].text = format!("{lead}{shown}=1\n");
            },
            &["prefetch-off"],
        );
    }
}
