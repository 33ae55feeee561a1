//! One answer does not say two things: no two findings about one pool tell its owner the opposite, and nothing is praised
//! that a finding finds fault with.
//!
//! The texts are those of `fixtures/pastes`.

use arcwright_advice::{Advice, Finding};
use arcwright_machine::{Machine, Sources};

use crate::pasted_lines::{said, texts};

/// Words of one finding, and of another about the same pool, of which only one can be right. `POOL` stands for its name.
const OPPOSITES: [(&str, &str); 9] = [
    ("start no scrub", "\nzpool scrub POOL"),
    ("scrub only when", "\nzpool scrub POOL"),
    ("reading all of the pool may be too much", "\nzpool scrub POOL"),
    ("No device is missing", "is missing"),
    ("No device is missing", "A device is missing"),
    ("clear no more", "\nzpool clear POOL"),
    ("replace nothing else", "\nzpool replace POOL"),
    ("replace no disk", "\nzpool replace POOL"),
    ("before the disk is replaced", "\nzpool replace POOL"),
];

/// Praise, and findings that it does not stand beside.
const FAULTS: [(&str, &[&str]); 2] = [
    (
        "All pools are whole",
        &["data-errors", "data-errors-likely", "metadata-damaged", "pool-not-imported"],
    ),
    ("No file is known to be damaged", &["data-errors", "data-errors-likely"]),
];

/// Returns all that a finding says and asks for; each command stands on a line of its own.
fn all_said(finding: &Finding) -> String {
    let mut all = [&finding.title, &finding.cause, &finding.cost, &finding.risk]
        .map(String::as_str)
        .join("\n");
    if let Some(remedy) = &finding.remedy {
        all.push_str(&remedy.what);
        for line in remedy.now.iter().chain(&remedy.lasting) {
            all.push('\n');
            all.push_str(line);
        }
    }
    all
}

/// Returns the contradictions of an answer about a pool.
fn of_pool(pool: &str, advice: &Advice) -> Vec<String> {
    let is_of = |finding: &&Finding| {
        finding.subject.as_deref() == Some(pool) || all_said(finding).contains(&format!(" {pool} "))
    };
    let all: Vec<(&str, String)> =
        advice.findings.iter().filter(is_of).map(|one| (one.id, all_said(one))).collect();
    let mut found = Vec::new();
    for (one, opposite) in OPPOSITES {
        let opposite = opposite.replace("POOL", pool);
        for (id, _) in all.iter().filter(|(_, text)| text.contains(one)) {
            let others = all.iter().filter(|(_, text)| {
                text.replace("No device is missing", "").contains(opposite.as_str())
            });
            found.extend(others.map(|(other, _)| format!("{id}: {one}; {other}: {opposite}")));
        }
    }
    found
}

#[test]
fn no_answer_says_two_things_about_one_pool() {
    let mut found = Vec::new();
    for (name, text) in texts() {
        let Some(advice) = said(&text) else { continue };
        let sources = Sources::recognize_one(&text).unwrap();
        for pool in Machine::read(&sources).pools {
            let two = of_pool(&pool.name, &advice);
            found.extend(two.into_iter().map(|two| format!("{name}: {two}")));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn nothing_is_praised_that_a_finding_finds_fault_with() {
    let mut found = Vec::new();
    for (name, text) in texts() {
        let Some(advice) = said(&text) else { continue };
        for (praise, ids) in FAULTS {
            let is_praised = advice.fine.iter().any(|fine| fine.what.starts_with(praise));
            let faults = advice.findings.iter().filter(|finding| ids.contains(&finding.id));
            let faults = faults.filter(|_| is_praised);
            found.extend(faults.map(|finding| format!("{name}: {praise}; {}", finding.title)));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
