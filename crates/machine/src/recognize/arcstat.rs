//! Pasted `arcstat` (`zarcstat` from 2.4): a line per interval, as two samples around all of them.
//!
//! ```text
//!     time  read  ddread  ddh%  dmread  dmh%  pread  ph%   size      c  avail
//! 10:00:01   12K     10K    98      2K    70      0    0    15G    15G   1.2G
//! ```
//!
//! Columns are per second. The first line is about all the time since the module was loaded and is
//! left out where there are others. Counts are rounded; what the chosen columns do not tell stays
//! absent.

use std::collections::BTreeMap;

use arcwright_kstat::{NamedKstat, Value};
use arcwright_units::Nanos;

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text};
use crate::nice;

/// Columns that count, and the row of `arcstats` that each is.
const COUNTED: [(&str, &str); 19] = [
    ("hits", "hits"),
    ("miss", "misses"),
    ("iohs", "iohits"),
    ("ddhit", "demand_data_hits"),
    ("ddmis", "demand_data_misses"),
    ("ddioh", "demand_data_iohits"),
    ("dmhit", "demand_metadata_hits"),
    ("dmmis", "demand_metadata_misses"),
    ("dmioh", "demand_metadata_iohits"),
    ("pdhit", "prefetch_data_hits"),
    ("pdmis", "prefetch_data_misses"),
    ("pmhit", "prefetch_metadata_hits"),
    ("pmmis", "prefetch_metadata_misses"),
    ("mfu", "mfu_hits"),
    ("mru", "mru_hits"),
    ("mfug", "mfu_ghost_hits"),
    ("mrug", "mru_ghost_hits"),
    ("l2hits", "l2_hits"),
    ("l2miss", "l2_misses"),
];
/// Columns that are levels.
const LEVELS: [(&str, &str); 6] = [
    ("size", "size"),
    ("arcsz", "size"),
    ("c", "c"),
    ("l2size", "l2_size"),
    ("l2asize", "l2_asize"),
    ("avail", "memory_available_bytes"),
];
/// Accesses of a class beside their hit ratio, and the rows of hits and misses.
const RATIOS: [(&str, &str, &str, &str); 4] = [
    ("read", "hit%", "hits", "misses"),
    ("ddread", "ddh%", "demand_data_hits", "demand_data_misses"),
    ("dmread", "dmh%", "demand_metadata_hits", "demand_metadata_misses"),
    ("l2read", "l2hit%", "l2_hits", "l2_misses"),
];

type Row = BTreeMap<String, f64>;

/// Takes the lines of an `arcstat`.
pub(super) fn arcstat(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    let titles: Vec<&str> = lines.first()?.text.split_whitespace().collect();
    let is_titles = |words: &[&str]| {
        words.first() == Some(&"time") && ["read", "hits"].iter().any(|title| words.contains(title))
    };
    is_titles(&titles).then_some(())?;
    let (mut rows, mut times, mut count) = (Vec::new(), Vec::new(), 1);
    for line in lines.iter().skip(1) {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let time = words.first().and_then(|word| seconds(word));
        match time {
            Some(time) if words.len() == titles.len() => {
                times.push(time);
                rows.push(row(&titles, &words));
            }
            // Titles come again every screenful.
            _ if is_titles(&words) => {}
            _ => break,
        }
        count += 1;
    }
    if rows.is_empty() {
        return None;
    }
    Some(Taken { lines: count, texts: samples(&rows, &times) })
}

/// Returns the second of the day that `10:00:01` is.
fn seconds(word: &str) -> Option<u64> {
    let parts: Vec<u64> = word.split(':').map_while(|part| part.parse().ok()).collect();
    let [hours, minutes, seconds] = parts.as_slice() else { return None };
    hours.checked_mul(3600)?.checked_add(minutes.checked_mul(60)?)?.checked_add(*seconds)
}

fn row(titles: &[&str], words: &[&str]) -> Row {
    let all = titles.iter().zip(words).skip(1);
    all.filter_map(|(title, word)| {
        let level = LEVELS.iter().any(|(name, _)| name == title);
        let number = if level { nice::binary(word) } else { nice::decimal(word) };
        Some(((*title).to_owned(), number?))
    })
    .collect()
}

fn samples(rows: &[Row], times: &[u64]) -> Vec<Text> {
    /// What the first line, which is about all the time before, is worth among others.
    const FIRST: usize = 1;
    let counted = if rows.len() > 1 { rows.get(FIRST..).unwrap_or_default() } else { rows };
    let day = 24 * 3600;
    let step =
        |pair: &[u64]| (pair.last()? + day).checked_sub(*pair.first()?).map(|step| step % day);
    let interval = times.windows(2).filter_map(step).next().unwrap_or(1).max(1);
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for row in counted {
        for (name, value) in counts(row) {
            *sums.entry(name).or_default() +=
                value * u32::try_from(interval).map_or(1.0, f64::from);
        }
    }
    let span = interval.saturating_mul(u64::try_from(counted.len()).unwrap_or(1));
    let last = rows.last().map(levels).unwrap_or_default();
    let first = counted.first().map(levels).unwrap_or_default();
    let zero = sums.keys().map(|name| (*name, 0.0));
    let begin = zero.chain(first);
    let end = sums.iter().map(|(name, value)| (*name, *value)).chain(last);
    let (begin, end) = (text(begin, 0), text(end, span));
    let path = "proc/spl/kstat/zfs/arcstats";
    let of = |text: String| Text { name: path.to_owned(), text, again: Again::Sample };
    vec![of(begin), of(end)]
}

/// Returns what a line counts, per second.
fn counts(row: &Row) -> Vec<(&'static str, f64)> {
    let get = |name: &str| row.get(name).copied();
    let mut all: Vec<(&'static str, f64)> =
        COUNTED.iter().filter_map(|(column, name)| Some((*name, get(column)?))).collect();
    let has = |all: &[(&str, f64)], name: &str| all.iter().any(|(known, _)| *known == name);
    if let (Some(read), Some(miss), false) = (get("read"), get("miss"), has(&all, "hits")) {
        all.push(("hits", (read - miss).max(0.0)));
    }
    for (reads, ratio, hits, misses) in RATIOS {
        if let (Some(reads), Some(ratio)) = (get(reads), get(ratio)) {
            let found = reads * (ratio / 100.0).clamp(0.0, 1.0);
            for (name, value) in [(hits, found), (misses, reads - found)] {
                if !has(&all, name) {
                    all.push((name, value));
                }
            }
        }
    }
    // The newest default columns tell of all accesses by their classes alone.
    if let (false, Some(reads), Some(ratio)) = (has(&all, "hits"), get("pread"), get("ph%")) {
        let of = |name: &str| all.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let found = of("demand_data_hits").zip(of("demand_metadata_hits"));
        let missed = of("demand_data_misses").zip(of("demand_metadata_misses"));
        let prefetched = reads * (ratio / 100.0).clamp(0.0, 1.0);
        all.extend(found.map(|(one, other)| ("hits", one + other + prefetched)));
        all.extend(missed.map(|(one, other)| ("misses", one + other + reads - prefetched)));
    }
    all
}

fn levels(row: &Row) -> Vec<(&'static str, f64)> {
    LEVELS.iter().filter_map(|(column, name)| Some((*name, row.get(*column).copied()?))).collect()
}

fn text<'a>(rows: impl Iterator<Item = (&'a str, f64)>, at_seconds: u64) -> String {
    let rows =
        rows.filter_map(|(name, value)| Some((name.to_owned(), Value::U64(nice::whole(value)?))));
    let kstat = NamedKstat::of_rows("zfs/arcstats", rows.collect());
    NamedKstat { snaptime: Nanos::secs(at_seconds), ..kstat }.to_text()
}
