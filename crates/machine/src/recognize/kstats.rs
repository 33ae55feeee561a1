//! Pasted kstats: whole, without their first lines, or a few rows that somebody picked out.
//!
//! A kstat does not say its own name; the prompt does, or its rows do. Rows that nothing tells belong
//! to the kstat that an unknown line interrupted.

use std::collections::BTreeMap;

use arcwright_kstat::{KstatValue, NamedKstat};
use arcwright_units::Nanos;

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text, joined};
use crate::read::status::UNNAMED;

pub(super) const ARCSTATS: &str = "zfs/arcstats";

/// Rows that only one kstat has, and its path. A pool that is not named is called `pool`.
const TELLING: [(&str, &str); 24] = [
    ("c_max", ARCSTATS),
    ("c_min", ARCSTATS),
    ("deleted", ARCSTATS),
    ("mutex_miss", ARCSTATS),
    ("access_skip", ARCSTATS),
    ("hdr_size", ARCSTATS),
    ("data_size", ARCSTATS),
    ("metadata_size", ARCSTATS),
    ("dbuf_size", ARCSTATS),
    ("dnode_size", ARCSTATS),
    ("bonus_size", ARCSTATS),
    ("compressed_size", ARCSTATS),
    ("overhead_size", ARCSTATS),
    ("iohits", ARCSTATS),
    ("max_streams", "zfs/zfetchstats"),
    ("io_issued", "zfs/zfetchstats"),
    ("colinear_hits", "zfs/zfetchstats"),
    ("delegations", "zfs/vdev_cache_stats"),
    ("cache_target_bytes", "zfs/dbufstats"),
    ("zil_commit_writer_count", "zfs/zil"),
    ("dmu_tx_assigned", "zfs/dmu_tx"),
    ("linear_cnt", "zfs/abdstats"),
    ("trim_extents_written", "zfs/pool/iostats"),
    ("simple_trim_extents_written", "zfs/pool/iostats"),
];
/// Beginnings of rows that only one kstat has.
const TELLING_STARTS: [(&str, &str); 18] = [
    ("mru_", ARCSTATS),
    ("mfu_", ARCSTATS),
    ("anon_", ARCSTATS),
    ("uncached_", ARCSTATS),
    ("l2_", ARCSTATS),
    ("arc_", ARCSTATS),
    ("demand_", ARCSTATS),
    ("prefetch_data_", ARCSTATS),
    ("prefetch_metadata_", ARCSTATS),
    ("evict_", ARCSTATS),
    ("memory_", ARCSTATS),
    ("predictive_", ARCSTATS),
    ("prescient_", ARCSTATS),
    ("cache_level_", "zfs/dbufstats"),
    ("metadata_cache_", "zfs/dbufstats"),
    ("zil_", "zfs/zil"),
    ("dmu_tx_", "zfs/dmu_tx"),
    ("scatter_", "zfs/abdstats"),
];
/// So many rows in a row are a kstat even when none of them tells which.
const ROWS_MIN: usize = 2;
/// `arcstats` has had more rows than this in every version (0.6.0 has 69), no other kstat with
/// `hits` and `misses` has.
const ARC_ROWS_MIN: usize = 40;
/// The others have at least so many (`zfetchstats` of 0.7); fewer were picked by hand.
const OTHER_ROWS_MIN: usize = 3;

/// The line of numbers above a kstat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    /// How many rows it announces.
    count: usize,
    crtime: Nanos,
    snaptime: Nanos,
}

/// Takes rows as `kstat -p` of illumos prints them: `zfs:0:arcstats:l2_hits  2832237`.
pub(super) fn parsable(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    parsed(&lines.first()?.text)?;
    let mut kstats: BTreeMap<String, Vec<(String, KstatValue)>> = BTreeMap::new();
    let mut count = 0;
    for (name, row, value) in lines.iter().map_while(|line| parsed(&line.text)) {
        count += 1;
        // When a kstat was made and read stands among its rows, in seconds.
        if let Some(value) = value {
            kstats.entry(format!("zfs/{name}")).or_default().push((row.to_owned(), value));
        }
    }
    let text = |(path, rows): (String, Vec<(String, KstatValue)>)| Text {
        name: format!("proc/spl/kstat/{path}"),
        text: NamedKstat::of_rows(&path, rows).to_text(),
        again: Again::Sample,
    };
    Some(Taken { lines: count, texts: kstats.into_iter().map(text).collect() })
}

/// Splits such a row into the kstat, the row, and the value where it is a whole number.
fn parsed(line: &str) -> Option<(&str, &str, Option<KstatValue>)> {
    let (place, value) = line.trim().split_once(char::is_whitespace)?;
    let mut parts = place.split(':');
    let (module, instance) = (parts.next()?, parts.next()?);
    let (name, row) = (parts.next()?, parts.next()?);
    let known = module == "zfs" && instance.parse::<u32>().is_ok() && parts.next().is_none();
    let word = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    (known && word(name) && word(row))
        .then(|| (name, row, value.trim().parse().ok().map(KstatValue::U64)))
}

/// Takes a named kstat.
pub(super) fn table(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let own = lines.first().and_then(|line| head(&line.text));
    let titled = lines.get(usize::from(own.is_some())).is_some_and(|line| is_titles(&line.text));
    let above = usize::from(own.is_some()) + usize::from(titled);
    let (rows, taken) = rows(lines.get(above..)?);
    let head = own.or(prompt.open.head);
    let goes_on = prompt.open.kstat.as_ref().filter(|_| head.is_none() && !titled);
    let enough = above > 0
        || head.is_some()
        || goes_on.is_some()
        || rows.len() >= ROWS_MIN
        || telling(&rows).is_some();
    if rows.is_empty() || !enough {
        return None;
    }
    let count = above + taken;
    let path = prompt.kstat().map(str::to_owned).or_else(|| path_of(&rows, head));
    let Some(path) = path.or_else(|| goes_on.cloned()) else {
        // Nobody can say what these rows are of; they are named as what they are.
        return Some(Taken { lines: count, texts: Vec::new() });
    };
    let mut kstat = NamedKstat::of_rows(&path, rows);
    if let Some(Head { crtime, snaptime, .. }) = head {
        (kstat.crtime, kstat.snaptime) = (crtime, snaptime);
    }
    let name = format!("proc/spl/kstat/{path}");
    let texts = vec![Text { name, text: kstat.to_text(), again: Again::Sample }];
    Some(Taken { lines: count, texts })
}

/// Returns the rows at the beginning of the lines, and how many lines they take: a mail may have broken
/// each before its value.
fn rows(lines: &[Line]) -> (Vec<(String, KstatValue)>, usize) {
    let mut rows = Vec::new();
    let mut taken = 0;
    while let Some(line) = lines.get(taken) {
        let broken = || {
            let value = lines.get(taken + 1)?.text.trim();
            let number = value.trim_start_matches('-').parse::<u64>().is_ok();
            let whole = line.text.split_whitespace().count() == 2 && number;
            whole.then(|| row(&format!("{} {value}", line.text)))?
        };
        let (found, count) = match row(&line.text) {
            Some(found) => (found, 1),
            None => match broken() {
                Some(found) => (found, 2),
                None => break,
            },
        };
        // Its first row once more begins another reading.
        if rows.first().is_some_and(|(name, _): &(String, KstatValue)| *name == found.0) {
            break;
        }
        rows.push(found);
        taken += count;
    }
    (rows, taken)
}

/// Takes a list of transaction groups, whose pool only the prompt tells.
pub(super) fn txgs(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let first = lines.first()?;
    let words: Vec<&str> = first.text.split_whitespace().collect();
    let titled =
        matches!(words.as_slice(), ["txg", "birth", "state", ..] | ["txg", "state", "birth", ..]);
    let columns = if titled { words.len() } else { TXG_TITLES.split_whitespace().count() };
    let is_group = |line: &&Line| is_group(&line.text, columns);
    (titled || is_group(&first)).then_some(())?;
    let begins = usize::from(titled);
    let count = begins + lines.iter().skip(begins).take_while(is_group).count();
    let unnamed = format!("zfs/{UNNAMED}/txgs");
    let path = prompt.kstat().filter(|path| path.ends_with("/txgs")).unwrap_or(&unnamed);
    let titles = if titled { String::new() } else { format!("{TXG_TITLES}\n") };
    let (name, text) = (format!("proc/spl/kstat/{path}"), titles + &joined(lines, count));
    Some(Taken { lines: count, texts: vec![Text { name, text, again: Again::Sample }] })
}

/// What stands above the rows of groups since 0.6.3 (`txg_history`, module/zfs/spa_stats.c).
const TXG_TITLES: &str =
    "txg birth state ndirty nread nwritten reads writes otime qtime wtime stime";

/// Returns whether a line is a group's row: a number, a moment, a letter of a state, and numbers.
fn is_group(line: &str, columns: usize) -> bool {
    let mut words = line.split_whitespace();
    let is_number = |word: &str| word.parse::<u64>().is_ok();
    // The state stands third, second in the first versions.
    let is_state = |word: &&str| word.len() == 1 && "BOQWSC".contains(*word);
    let (number, second, third) = (words.next(), words.next(), words.next());
    let head = number.is_some_and(is_number);
    let pair = [second, third];
    let state = pair.into_iter().flatten().filter(is_state).count() == 1
        && pair.into_iter().flatten().filter(|word| is_number(word)).count() == 1;
    let rest = words.clone().take(columns).filter(|word| is_number(word)).count();
    head && state && rest + 3 == columns && words.count() == rest
}

/// Reads the line of numbers: how many rows follow, and when they were made and read.
pub(super) fn head(line: &str) -> Option<Head> {
    let words: Vec<&str> = line.split_whitespace().take(8).collect();
    let [kid, kind, flags, count, size, crtime, snaptime] = words.as_slice() else { return None };
    let numbers = [kid, kind, count, size].iter().all(|word| word.parse::<u64>().is_ok());
    (numbers && flags.starts_with("0x")).then_some(())?;
    let (crtime, snaptime) = (Nanos(crtime.parse().ok()?), Nanos(snaptime.parse().ok()?));
    Some(Head { count: count.parse().ok()?, crtime, snaptime })
}

/// Returns whether a line is the one of titles above a kstat's rows.
pub(super) fn is_titles(line: &str) -> bool {
    line.split_whitespace().eq(["name", "type", "data"])
}

fn row(line: &str) -> Option<(String, KstatValue)> {
    let (name, rest) = line.trim_start().split_once(char::is_whitespace)?;
    let (kind, value) =
        rest.trim_start().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let kind: u8 = kind.trim().parse().ok().filter(|kind| *kind <= 7)?;
    // Some watchers mark a value that has changed.
    let value = if kind == 7 { value.trim() } else { value.trim().trim_end_matches('+') };
    let value = match kind {
        3 | 5 | 1 => KstatValue::I64(value.parse().ok()?),
        2 | 4 | 6 => unsigned(value)?,
        // `Nov 7 10:00:02 nas kernel: …` is a line of a log.
        7 | 0 if name.starts_with(|c: char| c.is_ascii_lowercase()) => {
            KstatValue::Text(value.to_owned())
        }
        _ => return None,
    };
    (is_name && name.starts_with(|c: char| c.is_ascii_alphabetic()))
        .then(|| (name.to_owned(), value))
}

/// Reads a number that should have no sign; one that has is kept, to be called out.
fn unsigned(text: &str) -> Option<KstatValue> {
    text.parse().map(KstatValue::U64).or_else(|_| text.parse().map(KstatValue::I64)).ok()
}

fn telling(rows: &[(String, KstatValue)]) -> Option<&'static str> {
    let whole = |name: &str| TELLING.iter().find(|(row, _)| *row == name);
    let start = |name: &str| TELLING_STARTS.iter().find(|(start, _)| name.starts_with(start));
    let of =
        |(name, _): &(String, KstatValue)| whole(name).or_else(|| start(name)).map(|(_, at)| *at);
    rows.iter().find_map(of)
}

/// Returns whether rows without a name are the ARC's.
pub(super) fn is_arc(rows: &[(String, KstatValue)]) -> bool {
    path_of(rows, None).is_some_and(|path| path == ARCSTATS)
}

fn path_of(rows: &[(String, KstatValue)], head: Option<Head>) -> Option<String> {
    let dataset =
        rows.iter().find(|(name, _)| name == "dataset_name").map(|(_, name)| name.to_string());
    if let Some(dataset) = dataset {
        let pool = dataset.split('/').next()?.to_owned();
        // Its number is not in the text; its name tells it apart from others as well.
        let plain: String =
            dataset.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
        return Some(format!("zfs/{pool}/objset-{plain}"));
    }
    // Somebody who picks out hits and misses means the ARC's; a table that was cut says its length.
    let has = |row: &str| rows.iter().any(|(name, _)| name == row);
    let arc = has("hits") && has("misses") || has("size") && has("c");
    let small = head.is_some_and(|head| (OTHER_ROWS_MIN..ARC_ROWS_MIN).contains(&head.count));
    let large = has("hits") && head.is_some_and(|head| head.count >= ARC_ROWS_MIN);
    telling(rows).or((arc && !small || large).then_some(ARCSTATS)).map(str::to_owned)
}
