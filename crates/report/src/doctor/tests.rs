//! Findings on a page: what is shown of each, at every width.

use arcwright_advice::{Advice, BusyDatasets, Estimate, Reading, Severity, advise};
use arcwright_machine::{DatasetRow, Machine, Pool, Problem, Reason, Vdev};

use super::{Detail, DoctorOptions, busy, doctor_text};

/// A machine with a pool that hurts, a note and something that could not be read.
fn advice() -> Advice {
    let leaf = |name: &str| Vdev { name: name.to_owned(), ..Vdev::default() };
    let mut pool = Pool {
        name: "tank".to_owned(),
        state: Some("DEGRADED".to_owned()),
        vdevs: vec![leaf("sda"), leaf("sd\u{1b}[2Jb")],
        ..Pool::default()
    };
    pool.properties.insert("capacity".to_owned(), "84".to_owned());
    let source = "commands/zfs-get".to_owned();
    let problems = vec![Problem { source, reason: Reason::Denied }];
    advise(&Machine { pools: vec![pool], problems, ..Machine::default() }, Estimate::CountersOnly)
}

fn text(width: usize, colour: bool, detail: Detail) -> String {
    doctor_text(&advice(), &[], &DoctorOptions { width, colour, detail })
}

#[test]
fn what_hurts_is_shown_in_full_and_the_rest_in_short() {
    let page = text(100, false, Detail::Usual);
    let hurts = page.find("[hurts now] tank is DEGRADED").unwrap();
    let look = page.find("[worth a look] tank is 84 % full").unwrap();
    let note = page.find("[note] tank has no redundancy").unwrap();
    assert!(hurts < look && look < note, "{page}");
    assert!(page[hurts..look].contains("check     zpool status"), "{page}");
    assert!(!page[look..note].contains("risk"), "{page}");
    assert!(page.contains("--explain"), "{page}");
    assert!(page.contains("commands/zfs-get: needs privilege"), "{page}");
}

#[test]
fn who_was_busy_is_named_where_several_could_have_been() {
    let row = |(name, read, written): &(&str, Option<f64>, Option<f64>)| DatasetRow {
        name: (*name).to_owned(),
        read: *read,
        reads: None,
        written: *written,
        writes: None,
        commits: None,
        primarycache: None,
        secondarycache: None,
        recordsize: None,
    };
    let check = |rows: &[(&str, Option<f64>, Option<f64>)],
                 counted: usize,
                 expected: Option<&str>| {
        let rows = rows.iter().map(row).collect();
        let reading = Reading { busy: Some(BusyDatasets { rows, counted }), ..advice().reading };
        assert_eq!(busy(&reading).as_deref(), expected);
    };
    const MIB: f64 = 1_048_576.0;
    let vm = ("tank/vm", Some(2.0 * MIB), Some(MIB));
    let film = ("tank/a\u{1b}b", Some(MIB), None);
    let idle = ("tank/idle", Some(100.0), Some(0.0));
    check(&[vm], 1, None);
    check(&[], 5, None);
    let both = "Busy: tank/vm (read 2 MiB/s, written 1 MiB/s), tank/a\\x1bb (read 1 MiB/s)";
    check(&[vm, film], 2, Some(&format!("{both}. arcwright who tells more.")));
    check(
        &[vm, film, idle],
        3,
        Some(&format!("{both}; 1 more dataset. arcwright who tells more.")),
    );
    let one =
        "Busy: tank/vm (read 2 MiB/s, written 1 MiB/s); 8 more datasets. arcwright who tells more.";
    check(&[vm], 9, Some(one));
    assert_eq!(busy(&advice().reading), None, "not counted");
}

#[test]
fn explained_every_finding_has_its_source() {
    let page = text(100, false, Detail::Full);
    let advice = advice();
    for finding in &advice.findings {
        assert!(page.contains(&format!("[{}]", finding.id)), "{page}");
    }
    assert!(advice.findings.iter().any(|finding| finding.severity == Severity::Note));
    assert!(!page.contains("--explain"));
}

#[test]
fn sentences_fit_the_width() {
    for width in [60, 80, 120] {
        for line in text(width, false, Detail::Full).lines() {
            let is_command = ["zpool ", "zfs ", "smartctl"].iter().any(|word| line.contains(word));
            assert!(is_command || line.chars().count() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn colour_is_only_where_it_is_wanted_and_names_cannot_steer_the_terminal() {
    assert!(!text(100, false, Detail::Full).contains('\u{1b}'));
    let coloured = text(100, true, Detail::Full);
    assert!(coloured.contains("\u{1b}[31m[hurts now]"));
    assert!(!coloured.contains("\u{1b}[2J"));
}
