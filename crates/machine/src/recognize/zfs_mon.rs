//! Pasted `zfs-mon` of FreeBSD's `zfs-stats`: rates over the last seconds, a row each.
//!
//! ```text
//! Seconds elapsed: 120
//! Cache hits and misses:
//!                                 1s    10s    60s    tot
//!                   ARC hits:    259    431    418    466
//!                 ARC misses:     51     40     49     52
//! ```
//!
//! They are those of `arcstat` with other names, so they are read as such: one minute of it, or what has passed.

use std::collections::BTreeMap;

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text};
use crate::read::arcstat::{INTERVAL, NAME};

const MINUTE: u64 = 60;
/// No screen of it is longer.
const LINES_MAX: usize = 60;
/// What rows are called, and the columns of `arcstat` that they are.
const ROWS: [(&str, &str); 14] = [
    ("ARC hits", "hits"),
    ("ARC misses", "miss"),
    ("ARC demand data hits", "ddhit"),
    ("ARC demand data misses", "ddmis"),
    ("ARC demand metadata hits", "dmhit"),
    ("ARC demand metadata misses", "dmmis"),
    ("ARC prefetch data hits", "pdhit"),
    ("ARC prefetch data misses", "pdmis"),
    ("ARC prefetch metadata hits", "pmhit"),
    ("ARC prefetch metadata misses", "pmmis"),
    ("L2ARC hits", "l2hits"),
    ("L2ARC misses", "l2miss"),
    ("ZFETCH hits", "zhits"),
    ("ZFETCH misses", "zmisses"),
];

/// Takes a screen of it.
pub(super) fn monitor(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    let text = |line: &Line| line.text.trim().to_owned();
    let first = text(lines.first()?);
    let opens = first.starts_with("ZFS real-time cache activity monitor")
        || first == "Cache hits and misses:"
        || first.starts_with("Seconds elapsed:");
    opens.then_some(())?;
    let (mut count, mut elapsed, mut titles) = (0, MINUTE, Vec::new());
    let mut rates: BTreeMap<&str, String> = BTreeMap::new();
    for (at, line) in lines.iter().enumerate().take(LINES_MAX) {
        let line = text(line);
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_titles = words.last() == Some(&"tot") && words.iter().all(|word| is_span(word));
        let label = line.split_once(':');
        match label {
            _ if is_titles => titles = words.into_iter().map(str::to_owned).collect(),
            _ if line.is_empty() => continue,
            _ if at == 0 || line.starts_with("Cache ") && line.ends_with(':') => {}
            Some(("Seconds elapsed", seconds)) => {
                elapsed = seconds.trim().parse().ok()?;
            }
            Some((label, values)) if values.split_whitespace().all(is_number) => {
                let column = ROWS.iter().find(|(name, _)| *name == label.trim());
                let at = titles.iter().position(|title| title == "60s");
                let value = at.and_then(|at| values.split_whitespace().nth(at));
                if let Some(((_, column), value)) = column.zip(value) {
                    rates.entry(column).or_insert_with(|| value.to_owned());
                }
            }
            _ => break,
        }
        count = at + 1;
    }
    (!rates.is_empty()).then_some(())?;
    let columns: Vec<&str> = rates.keys().copied().collect();
    let values: Vec<&str> = rates.values().map(String::as_str).collect();
    let (columns, values) = (columns.join(" "), values.join(" "));
    // The first line of arcstat is of another time; there is none here.
    let text = format!("{columns}\n{INTERVAL}{}\n{values}\n{values}\n", elapsed.clamp(1, MINUTE));
    let texts = vec![Text { name: NAME.to_owned(), text, again: Again::More }];
    Some(Taken { lines: count, texts })
}

fn is_span(word: &str) -> bool {
    word == "tot" || word.strip_suffix('s').is_some_and(|seconds| seconds.parse::<u32>().is_ok())
}

fn is_number(word: &str) -> bool {
    word.trim_end_matches('%').parse::<f64>().is_ok()
}
