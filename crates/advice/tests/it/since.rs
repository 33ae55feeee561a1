//! Texts whose earlier parts are no longer so, and copies that are none yet.

use std::path::Path;

use arcwright_advice::{Advice, Estimate, Severity, advise};
use arcwright_machine::{Machine, Sources};

/// Returns what is said of a text of `fixtures/pastes`.
#[expect(clippy::disallowed_methods, reason = "the texts are files of the project")]
fn of(name: &str) -> Advice {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/pastes");
    let text = std::fs::read_to_string(folder.join(format!("{name}.txt"))).unwrap();
    advise(&Machine::read(&Sources::recognize(&text)), Estimate::CountersOnly)
}

/// Returns all that is said, in one text.
fn all_text(advice: &Advice) -> String {
    let findings = advice.findings.iter().map(|finding| {
        let remedy =
            finding.remedy.as_ref().map(|remedy| (&remedy.what, &remedy.now, &remedy.lasting));
        format!(
            "{}: {}. {} {} {remedy:?}\n",
            finding.id, finding.title, finding.cause, finding.risk
        )
    });
    let fine = advice.fine.iter().map(|fine| format!("fine: {}\n", fine.what));
    findings.chain(fine).collect()
}

/// Checks which words stand in what is said of a text, and which do not.
fn check(name: &str, says: &[&str], never: &[&str]) -> Advice {
    let advice = of(name);
    let said = all_text(&advice);
    for text in says {
        assert!(said.contains(text), "{name}: {text}\n{said}");
    }
    for text in never {
        assert!(!said.contains(text), "{name}: {text}\n{said}");
    }
    advice
}

#[test]
fn a_device_that_comes_is_no_copy_before_its_resilver_ended() {
    check(
        "status-replacing-online-target",
        &["has no redundancy left"],
        &["1 more of its devices"],
    );
}

#[test]
fn what_ended_by_a_later_line_is_not_waited_for() {
    let advice = check(
        "resilver-told-to-have-ended",
        &["was DEGRADED before the end of its resilver: see how it is now"],
        &["let it finish", "resilvers now"],
    );
    let first = advice.findings.iter().find(|finding| finding.id == "pool-degraded").unwrap();
    assert_eq!(first.severity, Severity::WorthALook);
    check(
        "compression-set-afterwards",
        &["compression-off: Compression is off on attic."],
        &["lz4 costs", "scrubs now", "attic/work:"],
    );
}

#[test]
fn a_preferred_size_is_no_sector() {
    check(
        "status-nda-preferred-size",
        &["nothing to change", "prefer 32 KiB"],
        &["revolution", "ashift="],
    );
}

#[test]
fn errors_are_called_by_their_column() {
    check(
        "mirror-read-errors-alike",
        &["cannot be read from any copy"],
        &["checksum in every copy"],
    );
    check(
        "mirror-one-side-fails",
        &["A device of depot makes errors: ada3", "What ada2 counts"],
        &["errors: ada2"],
    );
    check(
        "faulted-again-after-clear",
        &["sdd of scratch made errors again after its counts were cleared: replace it"],
        &["is DEGRADED", "was DEGRADED"],
    );
}

#[test]
fn examples_are_not_held_against_what_is_in_force() {
    check("arc-article-with-examples", &[], &["in force", "setting-not-live"]);
    check("options-that-are-planned", &[], &["setting-not-live"]);
    check("arc-target-pressed-to-half", &[], &["not far below its maximum"]);
}

#[test]
fn little_that_was_read_says_what_it_can() {
    check(
        "l2arc-rows-alone",
        &["The L2ARC served 2.5 % of 500,000,000 ARC misses"],
        &["l2arc_write"],
    );
    check("top-waits-for-disks", &["Programs wait for disks: 62 %", "zpool iostat -vl 5"], &[]);
    check("list-one-vdev-at-its-end", &["raidz1-0 of media is 97 % full"], &[]);
}
