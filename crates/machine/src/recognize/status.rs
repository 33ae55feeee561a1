//! Pasted `zpool status`, of one pool at a time, also without its first lines.

use std::collections::BTreeMap;

use super::clean::Line;
use super::prompt::Prompt;
use super::status_rows::are_picked;
use super::{Again, Taken, Text, joined};
use crate::cut::{is_bracketed_cut, is_cut};
use crate::read::list;
use crate::read::status::is_torn as is_torn_row;
use crate::read::status::{
    DETAILS, LABELS, PROGRESS, SINCE, WRITTEN, class_of, is_on_more_devices, is_row, is_state,
    is_titles,
};

/// A field (`status:`, `action:`) has no more lines than this.
const FIELD_LINES_MAX: usize = 16;
/// A line of a field has no more characters than this, even indented in a mail.
const FIELD_CHARS_MAX: usize = 96;
/// Lines about single devices below a tree.
const DETAILS_MAX: usize = 256;
pub(super) const NAME: &str = "commands/zpool-status";
/// No vdev has a longer name.
const NAME_CHARS_MAX: usize = 256;
/// A scan that runs has no more lines below its first.
const PROGRESS_LINES_MAX: usize = 3;
/// Cache devices and spares of a pool.
const DEVICES_MAX: usize = 64;

/// Takes the output about one pool, to its last line.
pub(super) fn status(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let first = lines.first()?.text.trim();
    let healthy = first == "all pools are healthy"
        || first.starts_with("pool '") && first.ends_with("' is healthy")
        || first == "no pools available";
    if healthy {
        return Some(taken(1, format!("{first}\n")));
    }
    if are_picked(lines) {
        return None;
    }
    if let Some(scan) = scan_alone(lines) {
        let more = lines.iter().skip(1).take(PROGRESS_LINES_MAX);
        let more: Vec<&str> = more.map(|line| line.text.trim()).take_while(is_progress).collect();
        let words = more.iter().fold(scan.to_owned(), |words, line| words + " " + line);
        return Some(taken(1 + more.len(), format!("{SINCE} {words}\n")));
    }
    // How far it is at a later time, without the line that names it.
    if is_progress(&first) && first.contains(" scanned") {
        let more = lines.iter().take(PROGRESS_LINES_MAX).map(|line| line.text.trim());
        let more: Vec<&str> = more.take_while(is_progress).collect();
        let is_whole = more.iter().any(|line| line.contains("% done"));
        return is_whole
            .then(|| taken(more.len(), format!("{SINCE} {PROGRESS}{}\n", more.join(" "))));
    }
    let opens = label(&lines.first()?.text).filter(|label| *label != "dedup");
    let titled = |line: &Line| line.text.split_whitespace().take(3).eq(["NAME", "STATE", "READ"]);
    let table_alone = first.starts_with("dedup: DDT entries ");
    // As people quote it, without its label.
    if first.starts_with("DDT entries ") && first.contains(", size ") && first.ends_with(" in core")
    {
        return Some(taken(1, format!("dedup: {first}\n")));
    }
    let begins = table_alone
        || match opens {
            // The lines between may have been cut out: `...`.
            Some("pool") => {
                let is_config = |line: &Line| line.text.trim() == "config:";
                says_state(lines)
                    || lines.get(1).is_some_and(|line| is_cut(&line.text))
                        && lines.iter().skip(2).take(2).any(is_config)
            }
            Some("id" | "comment") => false,
            Some("errors") => is_tail(lines),
            // As `grep` shows it.
            Some("expand") if first.contains(" in progress since ") => true,
            // Without its first lines it is known by its titles.
            _ if opens.is_some() || first == "config:" => {
                // One that ends like a sentence is one, unless another field follows.
                let is_field = || lines.get(1).is_some_and(|line| label(&line.text).is_some());
                lines.iter().take(FIELD_LINES_MAX).any(titled)
                    && (!first.ends_with('.') || is_field())
            }
            _ => titled(lines.first()?),
        };
    begins.then_some(())?;
    let count = extent(lines);
    // The table says of no pool what it is called; the command above it does.
    let told = || prompt.mention.table_at(lines.first()?.number);
    // The line on errors may stand above it.
    let has_table = table_alone
        || opens == Some("errors")
            && lines.iter().take(count).any(|line| line.text.contains("DDT entries "));
    let named = prompt.pool_of_table().or_else(told).filter(|_| has_table);
    let pool = named.map_or_else(String::new, |name| format!("  pool: {name}\n"));
    // Dots below the name of the pool stand for lines, and are none of its name.
    let is_cut_out = opens == Some("pool") && lines.get(1).is_some_and(|line| is_cut(&line.text));
    let text = match (is_cut_out, lines.get(2..count)) {
        (true, Some(rest)) => joined(lines, 1) + &joined(rest, rest.len()),
        _ => joined(lines, count),
    };
    (count > 0).then(|| taken(count, pool + &text + "\n"))
}

/// Returns whether a line says how far a scan is, below the one that names it.
fn is_progress(line: &&str) -> bool {
    [" scanned", " issued", " done", " to go"].iter().any(|words| line.contains(words))
        && line.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns what a line says of a scan that has ended or runs, where no list of devices is below it.
fn scan_alone(lines: &[Line]) -> Option<&str> {
    let scan = lines.first()?.text.trim().strip_prefix("scan:")?.trim();
    let ended = scan.starts_with("resilvered ") || scan.starts_with("scrub repaired ");
    let below = lines.iter().skip(1).take(FIELD_LINES_MAX);
    let goes_on = below.take_while(|line| label(&line.text) != Some("pool")).any(|line| {
        line.text.trim() == "config:"
            || is_titles(&line.text)
            || label(&line.text) == Some("errors")
    });
    let runs = ["resilver in progress since ", "scrub in progress since "];
    let tells =
        ended && scan.contains(" errors on ") || runs.iter().any(|run| scan.starts_with(run));
    (tells && !goes_on).then_some(scan)
}

/// Adds to the statuses that were read what a list of pools below them says of their states.
pub(super) fn add_states(texts: &mut BTreeMap<String, String>, name: &str, text: &str) {
    let Some(known) = texts.get_mut(NAME).filter(|_| name == list::TEXT) else { return };
    for row in text.lines().filter(|line| !line.starts_with([' ', '\t'])) {
        let mut words = row.split_whitespace();
        let states = words.next().zip(words.find(|word| is_state(word)));
        known.extend(states.map(|(pool, state)| format!("{SINCE} list: {pool} {state}\n")));
    }
}

/// Returns the text of a typed command that changes the state of a pool, below what was read of it.
pub(super) fn changed(prompt: &Prompt) -> Option<Text> {
    let words: Vec<&str> = prompt.arguments().iter().map(String::as_str).collect();
    let changes = match words.as_slice() {
        ["zpool", "scrub", rest @ ..] => rest.contains(&"-s"),
        ["zpool", "clear" | "replace" | "online" | "attach" | "remove", ..] => true,
        _ => false,
    };
    // Without a prompt it may be what somebody is to do, or what was done; only what it replaces or removes is noted of it.
    let is_noted = matches!(words.as_slice(), ["zpool", "replace" | "remove", ..]);
    let is_written = prompt.host.is_none() && is_noted;
    let mark = if is_written { WRITTEN } else { "" };
    let text = || format!("{SINCE} {mark}{}\n", words.join(" "));
    (changes && (prompt.host.is_some() || is_written)).then(|| Text {
        name: NAME.to_owned(),
        text: text(),
        again: Again::More,
    })
}

/// Returns whether the last lines of a pool's output stand here alone: a list of what is damaged, or the
/// table of deduplication below it.
fn is_tail(lines: &[Line]) -> bool {
    let told = |line: &Line| {
        line.text.contains("Permanent errors have been detected")
            || line.text.trim_start().starts_with("dedup: DDT entries ")
    };
    lines.iter().take(4).any(told)
}

fn taken(lines: usize, text: String) -> Taken {
    Taken { lines, texts: vec![Text { name: NAME.to_owned(), text, again: Again::More }] }
}

/// Returns the label that a line begins with.
fn label(line: &str) -> Option<&str> {
    let label = line.split_once(':')?.0.trim();
    LABELS.contains(&label).then_some(label)
}

/// Returns whether a state follows before another pool: a sentence with a pool in it has none.
fn says_state(lines: &[Line]) -> bool {
    let near = lines.iter().skip(1).take(FIELD_LINES_MAX);
    let mut labels = near.filter_map(|line| label(&line.text)).take_while(|label| *label != "pool");
    labels.any(|label| label == "state")
}

/// Which part of the output a line is in.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Part {
    /// Labels, with so many lines below the last.
    Fields(usize),
    Tree,
    /// What is said of each device below it, and so many lines of it.
    Details(usize),
    /// After `errors:`, and whether a list follows.
    Errors(bool),
    Dedup,
}

/// Returns how many lines belong to the pool whose output begins here.
fn extent(lines: &[Line]) -> usize {
    let (mut part, mut count) = (Part::Fields(0), 0);
    for (index, line) in lines.iter().enumerate() {
        let text = &*line.text;
        let found = label(text).filter(|_| part != Part::Tree || text.find(':') < Some(12));
        let next = found == Some("pool") || Prompt::of(text).is_some();
        // What somebody wrote below a field that he picked out.
        let is_prose = || {
            let above = index.checked_sub(1).and_then(|above| lines.get(above));
            let is_apart = above.is_some_and(|above| above.text.trim().is_empty());
            is_apart && (text.len() > FIELD_CHARS_MAX || text.trim_end().ends_with(':'))
        };
        let done = matches!(part, Part::Errors(_) | Part::Dedup);
        // The count stands on a line of its own where the list may not be read.
        let counts = found == Some("errors") && text.contains(" data errors, use ");
        if index > 0 && (next || done && !counts && found.is_some_and(|label| label != "dedup")) {
            break;
        }
        part = match (found, part) {
            (Some("errors"), _) => Part::Errors(text.contains("following files")),
            (Some("dedup"), _) => Part::Dedup,
            (Some(_), Part::Details(below)) if below < DETAILS_MAX => Part::Details(below + 1),
            (Some(_), _) => Part::Fields(0),
            (None, Part::Tree) if text.trim() == DETAILS => Part::Details(0),
            (None, part) if text.trim().is_empty() => {
                if part == Part::Dedup && count + 2 < index {
                    break;
                }
                continue;
            }
            (None, _) if text.trim() == "config:" => Part::Tree,
            (None, Part::Fields(_)) if is_row(text) => Part::Tree,
            (None, Part::Fields(below)) if below < FIELD_LINES_MAX && !is_prose() => {
                Part::Fields(below + 1)
            }
            (None, Part::Tree) if is_row(text) || goes_on(lines, index) => Part::Tree,
            (None, Part::Tree) if is_on_more_devices(text) => Part::Tree,
            (None, Part::Tree) if is_offered(lines, index) || is_torn(lines, index) => Part::Tree,
            (None, Part::Tree) if is_bracketed_cut(text) && ends_below(lines, index) => Part::Tree,
            (None, Part::Details(below)) if below < DETAILS_MAX => Part::Details(below + 1),
            (None, Part::Errors(true)) if is_damaged(text) => part,
            (None, Part::Dedup) if is_histogram(text) => part,
            // The first tools had no label before it.
            (None, _) if text.trim_start().starts_with("DDT entries ") => Part::Dedup,
            _ => break,
        };
        count = index + 1;
    }
    count
}

/// Returns whether a line is the name of a cache device or spare that `zpool import` offers.
fn is_offered(lines: &[Line], index: usize) -> bool {
    let named = |line: &&Line| line.text.split_whitespace().count() == 1;
    let above = lines.get(..=index).unwrap_or_default().iter().rev().take(DEVICES_MAX);
    let mut above = above.skip_while(|line| named(line) && class_of(&line.text).is_none());
    let heading = above.next().is_some_and(|line| class_of(&line.text).is_some());
    let offered = lines.iter().take(FIELD_LINES_MAX).any(|line| label(&line.text) == Some("id"));
    offered && heading
}

/// Returns whether a line is the last of all, and a row that was torn off behind its name.
fn is_torn(lines: &[Line], index: usize) -> bool {
    let Some((line, rest)) = lines.get(index..).and_then(<[Line]>::split_first) else {
        return false;
    };
    let indented = line.text.starts_with([' ', '\t']);
    let torn = line.text.len() < NAME_CHARS_MAX && is_torn_row(&line.text);
    indented && torn && rest.iter().all(|line| line.text.trim().is_empty())
}

/// Returns whether the tree goes on below a line that is none of it.
fn goes_on(lines: &[Line], index: usize) -> bool {
    // The next pool's `state: DEGRADED` is no row.
    let is_own = |text: &str| is_row(text) && !is_titles(text) && label(text).is_none();
    lines.iter().skip(index + 1).take(2).any(|line| is_own(&line.text))
}

/// Returns whether the pool's output ends below lines that were left out.
fn ends_below(lines: &[Line], index: usize) -> bool {
    let below = lines.iter().skip(index + 1).map(|line| &*line.text);
    let next =
        below.take(FIELD_LINES_MAX).find(|text| !text.trim().is_empty() && !is_bracketed_cut(text));
    next.is_some_and(|text| is_row(text) && !is_titles(text) || label(text) == Some("errors"))
}

/// Returns whether a line may be of the list of damaged files: it is indented, or a path.
fn is_damaged(line: &str) -> bool {
    let titles = line.trim_start().starts_with("capacity ");
    let path = line.starts_with(['/', '<']) || line.contains(":<0x") || line.contains(":/");
    !titles && (line.starts_with([' ', '\t']) || path)
}

/// Returns whether a line is of the table that `-D` prints: how many blocks are referenced how often.
pub(super) fn is_histogram(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else { return true };
    let value = |word: &str| crate::nicenum::binary(word).is_some();
    let row = first == "Total" || value(first);
    let titles = ["bucket", "refcnt"].contains(&first);
    let rule = line.trim().chars().all(|c| matches!(c, '_' | '-' | ' '));
    titles || rule || row && words.clone().count() >= 4 && words.all(value)
}
