//! Parameters, and files that set them.

use crate::healthy::{Bed, all, check, check_note, found, linux};

fn file(bed: &mut Bed, text: &str) {
    bed.machine.config[0].text = text.to_owned();
}

#[test]
fn a_maximum_that_is_ignored_says_why() {
    for (value, why) in [
        (32 << 20, "below 64 MiB"),
        (20 << 30, "not below the machine's memory"),
        (400 << 20, "not above the minimum"),
    ] {
        let advice = check(
            linux("2.3.2"),
            |bed| {
                bed.parameter("zfs_arc_max", value);
                file(bed, &format!("options zfs zfs_arc_max={value}\n"));
            },
            &["arc-max-ignored"],
        );
        let cause = &found(&advice, "arc-max-ignored").cause;
        assert!(
            cause.contains(why) || cause.contains(&why.replace("below", "Values below")),
            "{cause}"
        );
    }
}

#[test]
fn a_maximum_that_leaves_no_memory_is_told() {
    let most: u64 = (15 << 30) + (600 << 20);
    check(
        linux("2.1.11"),
        |bed| {
            bed.parameter("zfs_arc_max", most);
            bed.gauge("c_max", most);
            bed.gauge("c", most);
            bed.gauge("size", most);
            file(bed, &format!("options zfs zfs_arc_max={most}\n"));
        },
        &["arc-max-too-large"],
    );
}

#[test]
fn what_a_file_sets_and_the_module_lacks_is_told_both_ways() {
    for (name, bed) in all() {
        let shown = bed.machine.parameters["zfs_txg_timeout"].name.clone();
        let is_linux = bed.machine.config[0].path.contains("modprobe");
        let lead = if is_linux { "options zfs " } else { "" };
        let line = format!("{lead}{shown}=10\n");
        let advice = check(bed, |bed| file(bed, &line), &["setting-not-live"]);
        let finding = found(&advice, "setting-not-live");
        assert!(finding.title.contains(&shown), "{name}: {}", finding.title);
    }
    for (name, bed) in all().into_iter().filter(|(name, _)| *name != "FreeBSD 11") {
        let advice =
            check_note(bed, |bed| bed.parameter("zfs_txg_timeout", 10), "setting-not-persisted");
        assert!(!found(&advice, "setting-not-persisted").evidence.is_empty(), "{name}");
    }
}

#[test]
fn without_files_read_nothing_is_said_of_what_lasts() {
    let advice = check(
        linux("2.1.11"),
        |bed| {
            bed.parameter("zfs_txg_timeout", 10);
            bed.machine.config.clear();
        },
        &[],
    );
    assert!(advice.findings.iter().all(|finding| finding.id != "setting-not-persisted"));
}

#[test]
fn parameters_that_went_away_have_a_successor_named() {
    let advice = check(
        linux("2.2.4"),
        |bed| file(bed, "options zfs zfs_arc_meta_limit=4294967296 zfs_prefetch_dissable=1\n"),
        &["parameter-gone"],
    );
    let cause = &found(&advice, "parameter-gone").cause;
    assert!(cause.contains("zfs_arc_meta_balance"), "{cause}");
    assert!(cause.contains("did you mean zfs_prefetch_disable"), "{cause}");
    check(
        linux("2.1.11"),
        |bed| {
            bed.parameter("zfs_arc_meta_limit", 4 << 30);
            file(bed, "options zfs zfs_arc_meta_limit=4294967296\n");
        },
        &[],
    );
}

#[test]
fn obsolete_advice_is_told_where_it_is_obsolete() {
    let slow = |bed: &mut Bed| {
        bed.parameter("l2arc_write_max", 8 << 20);
        file(bed, "options zfs l2arc_write_max=8388608\n");
    };
    check(linux("2.3.2"), slow, &["obsolete-advice"]);
    check(linux("2.1.11"), slow, &[]);
}
