//! A line less is less known: whichever line of a pasted text is taken away, no new claim is made, nothing becomes
//! fine, and nobody hears that there is nothing to change.
//!
//! The texts are those of `fixtures/pastes`. A line may be missing because somebody copied badly, or because a
//! reader does not know its form, so this holds for any line, wherever the text itself can tell.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use arcwright_advice::{Advice, Estimate, Finding, Remedy, advise};
use arcwright_machine::{Machine, Sources};

use crate::missing::MISSING;

/// The folder of the texts, from this crate.
const FOLDER: &str = "../../fixtures/pastes";

/// Returns all texts by their names.
#[expect(clippy::disallowed_methods, reason = "the texts are files of the project")]
pub(crate) fn texts() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let texts = paths.filter(|path| path.extension().is_some_and(|ending| ending == "txt"));
    let named = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(&path).unwrap())
    };
    texts.map(named).collect()
}

/// Returns what is said of a text; none where it is refused as that of two machines.
pub(crate) fn said(text: &str) -> Option<Advice> {
    let sources = Sources::recognize_one(text).ok()?;
    Some(advise(&Machine::read(&sources), Estimate::CountersOnly))
}

/// Returns a sentence without its figures: of a part of the rows another number is right.
fn without_figures(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// Returns the terms of a sentence without its figures.
fn terms(title: &str) -> BTreeSet<String> {
    without_figures(title).split([' ', ',', ':']).map(str::to_owned).collect()
}

/// Findings of which the second says less than the first, of fewer lines: it may be said in its place.
const LESSER: [(&str, &str); 12] = [
    ("kernel-log-shared", "kernel-log"),
    ("shared-checksum-errors", "device-errors"),
    ("data-errors", "data-errors-likely"),
    ("pool-unopened", "command-refused"),
    ("pool-unopened", "pool-not-imported"),
    ("space-reserved", "usable-space-low"),
    // What a table of deduplication takes, and what it saves for that, are one matter.
    ("dedup", "dedup-table"),
    ("dedup-table", "dedup"),
    // A window, and all the time before it.
    ("metadata-misses", "demand-misses"),
    ("spare-lost", "pool-degraded"),
    ("cache-device-lost", "pool-degraded"),
    ("log-device-failed", "pool-degraded"),
];

/// Returns what `after` claims that `before` did not: a finding that is new, or weighs more than it did, and praise.
fn anew(before: &Advice, after: &Advice) -> Vec<String> {
    let is_said = |finding: &Finding| {
        let is_kept = |old: &Finding| {
            let same = old.id == finding.id || LESSER.contains(&(old.id, finding.id));
            // A state that the text shows weighs more without the row that explains it, and a list of damage without a later
            // one.
            let explained = matches!(finding.id, "pool-degraded" | "data-errors");
            // What points to another finding is as urgent as that one.
            let points = |remedy: &Remedy| remedy.what.starts_with("see “");
            let points = old.remedy.as_ref().is_some_and(points);
            same && (finding.severity >= old.severity || explained || points)
        };
        before.findings.iter().any(is_kept)
    };
    let found = after.findings.iter().filter(|finding| !MISSING.contains(&finding.id));
    // A command stands in the text, and is told of where the property that it sets was not read.
    let found = found.filter(|finding| finding.id != "set-by-command");
    let found = found.filter(|finding| !is_said(finding));
    let is_praised =
        |what: &str| before.fine.iter().any(|fine| terms(what).is_subset(&terms(&fine.what)));
    let praise = after.fine.iter().filter(|fine| !is_praised(&fine.what));
    let found = found.map(|finding| format!("{}: {}", finding.id, finding.title));
    found.chain(praise.map(|fine| format!("fine: {}", fine.what))).collect()
}

/// Returns whether a text cannot tell that such a line is missing, or is one of another situation without it.
fn is_untold(line: &str) -> bool {
    const CLASSES: [&str; 6] = ["cache", "log", "logs", "special", "dedup", "spares"];
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some(first) = words.first().copied() else { return false };
    let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    // What stands below the heading of a class is taken for disks with contents without it.
    let is_heading = CLASSES.contains(&first) && words.iter().skip(1).all(|word| *word == "-");
    // An interval, a date: without it something else was counted.
    let is_interval = first.split(':').count() == 3 && first.split(':').all(is_number);
    let is_date = words.len() == 6 && words.iter().any(|word| word.split(':').count() == 3);
    // What somebody set is not set without it; the default holds of a parameter that no line is about.
    let is_stated = line.starts_with("options ") || line.trim_start().starts_with("zfs_");
    // A pool that nothing names is none.
    let is_pool = words.contains(&"ONLINE")
        && words.iter().any(|word| word.ends_with('x') && word.contains('.'));
    // What was done, had ended or had begun since a state was read is not known without it.
    let is_since = ["scan: resilvered ", "scan: resilver in progress since "]
        .iter()
        .any(|scan| line.trim_start().starts_with(scan))
        || ["zpool clear ", "zpool replace ", "zpool remove ", "zpool scrub -s", "zfs set "]
            .iter()
            .any(|typed| line.contains(typed));
    // Nothing else says that requests wait.
    let is_said_once = line.contains("pool I/O is currently suspended");
    // Without it nobody knows who wrote what stands below.
    let is_author = line.contains("Post by ");
    is_heading
        || is_interval
        || is_date
        || is_stated
        || is_pool
        || is_since
        || is_author
        || is_said_once
}

/// Returns what is claimed anew when one line of a text is missing: the line's number and the claim.
fn claims(text: &str) -> Vec<(usize, String)> {
    let Some(before) = said(text) else { return Vec::new() };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut all = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        if line.trim().is_empty() || is_untold(line) {
            continue;
        }
        let kept = lines.iter().enumerate().filter(|(index, _)| *index != number);
        let less: String = kept.map(|(_, line)| *line).collect();
        let Some(after) = said(&less) else { continue };
        all.extend(anew(&before, &after).into_iter().map(|claim| (number + 1, claim)));
    }
    all
}

/// Claims that a line less still makes, which is wrong: the text and the line's number.
///
/// A page took the indentation and the sum of a list's numbers does not show that one is missing; of a table without
/// blanks only the rule between two pools tells where one ends.
const LEFT: [(&str, usize); 5] = [
    ("iostat-listed-by-a-page", 17),
    ("iostat-listed-by-a-page", 18),
    ("status-numbered-resilver", 28),
    ("status-numbered-resilver", 32),
    ("status-numbered-resilver", 33),
];

#[test]
fn without_a_line_of_a_pasted_text_nothing_new_is_claimed() {
    let mut found = Vec::new();
    for (name, text) in texts() {
        let claims = claims(&text).into_iter();
        found.extend(claims.map(|(line, claim)| (name.clone(), line, claim)));
    }
    let is_left = |name: &str, line: usize| LEFT.contains(&(name, line));
    let new: Vec<_> = found.iter().filter(|(name, line, _)| !is_left(name, *line)).collect();
    assert!(new.is_empty(), "{new:#?}");
    for (name, line) in LEFT {
        let is_there = found.iter().any(|(found, at, _)| found == name && *at == line);
        assert!(is_there, "{name}, line {line} is mended: take it out of LEFT");
    }
}
