//! One row of the tree: name, state, counts, and what stands behind them.
//!
//! ```text
//! NAME        STATE     READ WRITE CKSUM  SLOW  POWER  DIO  vendor     titles: -s, --power, -d, -c
//!   sdb       DEGRADED     3  1.2K     0     7      -    0  WDC  too many errors
//! ```

use crate::nicenum;

/// States that a row may have (`zpool_state_to_name`, `libzfs_pool.c`), and those of spares.
const STATES: [&str; 11] = [
    "ONLINE",
    "DEGRADED",
    "FAULTED",
    "OFFLINE",
    "UNAVAIL",
    "REMOVED",
    "SUSPENDED",
    "AVAIL",
    "INUSE",
    "SPLIT",
    "HEALTHY",
];
/// How notes begin (`print_status_config`, `zpool_main.c`), for rows with columns of scripts (`-c`).
const NOTES: [&str; 20] = [
    "was /",
    "cannot open",
    "missing device",
    "insufficient replicas",
    "newer version",
    "unsupported ",
    "currently in use",
    "in use by pool",
    "too many errors",
    "too many slow",
    "experienced I/O",
    "bad intent log",
    "external device fault",
    "split into new pool",
    "all children offline",
    "invalid label",
    "corrupted data",
    "block size:",
    "(resilvering)",
    "(repairing)",
];

/// One row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Row {
    /// Spaces before the name, later the level.
    pub(super) indent: usize,
    pub(super) name: String,
    /// None for the heading of a class.
    pub(super) state: Option<String>,
    pub(super) errors: Option<[u64; 3]>,
    pub(super) slow_ios: Option<u64>,
    pub(super) note: Option<String>,
    /// Rows above it were left out.
    pub(super) is_after_cut: bool,
}

/// What the columns behind the three counts are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Titles {
    more: Vec<String>,
}

impl Titles {
    /// Returns the titles of columns that scripts fill.
    pub(super) fn scripted(&self) -> impl Iterator<Item = &str> {
        const OWN: [&str; 3] = ["SLOW", "POWER", "DIO"];
        self.more.iter().map(String::as_str).filter(|title| !OWN.contains(title))
    }
}

/// Returns what a line of titles announces; none for any other line.
pub(super) fn titles(line: &str) -> Option<Titles> {
    let mut words = line.split_whitespace();
    let named = words.next() == Some("NAME") && words.next() == Some("STATE");
    let more = words.skip_while(|word| ["READ", "WRITE", "CKSUM"].contains(word));
    named.then(|| Titles { more: more.map(str::to_owned).collect() })
}

/// Returns whether a line is that of the titles.
pub(crate) fn is_titles(line: &str) -> bool {
    titles(line).is_some()
}

/// Returns whether a line is one of the tree: a row, titles, the heading of a class, the rest of a row
/// that was broken behind its name.
pub(crate) fn is_row(line: &str) -> bool {
    let rest = || line.split_whitespace().next().is_some_and(is_state);
    let heading = || super::class_of(line).is_some();
    is_titles(line) || read(line, &Titles::default()).is_some() || heading() || rest()
}

/// Returns whether a line is a row that was torn off: behind its name, or within its state (`sda  ONLI`).
pub(crate) fn is_torn(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().take(3).collect();
    match words.as_slice() {
        [_] => true,
        [_, part] => !is_state(part) && STATES.iter().any(|state| state.starts_with(part)),
        _ => false,
    }
}

/// Returns whether a word is a state of a pool or vdev: `ONLINE`, `UNAVAIL`, a spare's `AVAIL`.
#[must_use]
pub fn is_state(word: &str) -> bool {
    STATES.contains(&word)
}

/// Reads a row; none when it has no state, or says what is not known.
pub(super) fn read(line: &str, titles: &Titles) -> Option<Row> {
    let indent = line.len() - line.trim_start().len();
    let line = line.trim();
    // A file vdev's path may hold spaces: the name ends where a state stands.
    let mut from = 0;
    for word in line.split_whitespace() {
        let at = line.get(from..)?.find(word)? + from;
        from = at + word.len();
        if at > 0 && (is_state(word) || is_unknown_state(word, line.get(from..)?)) {
            let row = Row {
                indent,
                name: line.get(..at)?.trim_end().to_owned(),
                state: Some(word.to_owned()),
                ..Row::default()
            };
            return Some(with_counts(row, line.get(from..)?, titles));
        }
    }
    None
}

/// Returns whether a word stands where a state does, before three counts.
fn is_unknown_state(word: &str, rest: &str) -> bool {
    let shouted = word.len() > 3 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    shouted && rest.split_whitespace().take(3).filter_map(count).count() == 3
}

fn with_counts(mut row: Row, rest: &str, titles: &Titles) -> Row {
    let mut rest = rest.trim_start();
    // What a resilver wrote to a device stands behind its counts: `2.91M resilvered`.
    let progress = |word: &str| ["resilvered", "repaired"].contains(&word);
    let is_progress = rest.split_whitespace().nth(4).is_some_and(progress);
    let mut next = |fits: fn(&str) -> bool| {
        let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let found = Some(word.to_owned()).filter(|word| !word.is_empty() && fits(word));
        if found.is_some() {
            rest = after.trim_start();
        }
        found
    };
    let is_count = |word: &str| count(word).is_some() || word == "-";
    let counts: [Option<u64>; 3] =
        std::array::from_fn(|_| next(is_count).as_deref().and_then(count));
    row.errors = match counts {
        [Some(read), Some(write), Some(checksum)] => Some([read, write, checksum]),
        _ => None,
    };
    let mut scripted = false;
    for title in &titles.more {
        match title.as_str() {
            "SLOW" => row.slow_ios = next(is_count).as_deref().and_then(count),
            "POWER" => drop(next(|word| ["on", "off", "-"].contains(&word))),
            "DIO" => drop(next(is_count)),
            _ => scripted = true,
        }
    }
    if titles.more.is_empty() && row.errors.is_some() && !is_progress {
        // Nothing else that stands there is a number.
        row.slow_ios = next(is_count).as_deref().and_then(count);
    }
    let note = match scripted {
        true => NOTES.iter().find_map(|note| rest.get(rest.find(note)?..)).unwrap_or_default(),
        false => rest,
    };
    row.note = Some(note.trim().to_owned()).filter(|note| !note.is_empty());
    row
}

fn count(word: &str) -> Option<u64> {
    nicenum::binary(word).and_then(nicenum::whole)
}

/// Returns whether a row is of a vdev that was removed, `indirect-0`: `zpool import` lists it among the others.
pub(super) fn is_indirect(line: &str) -> bool {
    let name = line.split_whitespace().next().unwrap_or_default();
    let number = name.strip_prefix("indirect-");
    number.is_some_and(|number| number.parse::<u64>().is_ok())
}
