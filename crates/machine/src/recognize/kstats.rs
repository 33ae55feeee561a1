//! Pasted kstats: whole, without their first lines, or a few rows that somebody picked out.
//!
//! A kstat does not say its own name; the prompt does, or its rows do.

use arcwright_kstat::{NamedKstat, Value};
use arcwright_units::Nanos;

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text, joined};

/// Rows that only one kstat has, and its path. A pool that is not named is called `pool`.
const TELLING: [(&str, &str); 14] = [
    ("arc_no_grow", "zfs/arcstats"),
    ("c_max", "zfs/arcstats"),
    ("mfu_ghost_hits", "zfs/arcstats"),
    ("demand_data_hits", "zfs/arcstats"),
    ("demand_metadata_misses", "zfs/arcstats"),
    ("l2_hdr_size", "zfs/arcstats"),
    ("l2_hits", "zfs/arcstats"),
    ("max_streams", "zfs/zfetchstats"),
    ("cache_target_bytes", "zfs/dbufstats"),
    ("zil_commit_writer_count", "zfs/zil"),
    ("dmu_tx_assigned", "zfs/dmu_tx"),
    ("linear_cnt", "zfs/abdstats"),
    ("trim_extents_written", "zfs/pool/iostats"),
    ("simple_trim_extents_written", "zfs/pool/iostats"),
];
/// So many rows in a row are a kstat even when none of them tells which.
const ROWS_MIN: usize = 2;

/// Takes a named kstat.
pub(super) fn table(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let first = lines.first().and_then(|line| first_line(&line.text));
    let titled = lines.get(usize::from(first.is_some())).is_some_and(|line| is_titles(&line.text));
    let head = usize::from(first.is_some()) + usize::from(titled);
    let rows: Vec<(String, Value)> =
        lines.get(head..)?.iter().map_while(|line| row(&line.text)).collect();
    let enough = head > 0 || rows.len() >= ROWS_MIN || telling(&rows).is_some();
    if rows.is_empty() || !enough {
        return None;
    }
    let count = head + rows.len();
    let path = prompt.kstat().map(str::to_owned).or_else(|| path_of(&rows))?;
    let mut kstat = NamedKstat::of_rows(&path, rows);
    if let Some((crtime, snaptime)) = first {
        (kstat.crtime, kstat.snaptime) = (crtime, snaptime);
    }
    let name = format!("proc/spl/kstat/{path}");
    let texts = vec![Text { name, text: kstat.to_text(), again: Again::Sample }];
    Some(Taken { lines: count, texts })
}

/// Takes a list of transaction groups, whose pool only the prompt tells.
pub(super) fn txgs(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let first = lines.first()?;
    let words: Vec<&str> = first.text.split_whitespace().collect();
    words.starts_with(&["txg", "birth", "state"]).then_some(())?;
    let is_group = |line: &&Line| {
        let mut words = line.text.split_whitespace();
        words.clone().count() == first.text.split_whitespace().count()
            && words.next().is_some_and(|word| word.parse::<u64>().is_ok())
    };
    let count = 1 + lines.iter().skip(1).take_while(is_group).count();
    let path = prompt.kstat().unwrap_or("zfs/pool/txgs");
    let (name, text) = (format!("proc/spl/kstat/{path}"), joined(lines, count));
    Some(Taken { lines: count, texts: vec![Text { name, text, again: Again::Sample }] })
}

/// Reads the line of numbers: the times of creation and reading are of use.
fn first_line(line: &str) -> Option<(Nanos, Nanos)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [kid, kind, flags, count, size, crtime, snaptime] = words.as_slice() else { return None };
    let numbers = [kid, kind, count, size].iter().all(|word| word.parse::<u64>().is_ok());
    (numbers && flags.starts_with("0x")).then_some(())?;
    Some((Nanos(crtime.parse().ok()?), Nanos(snaptime.parse().ok()?)))
}

fn is_titles(line: &str) -> bool {
    line.split_whitespace().eq(["name", "type", "data"])
}

fn row(line: &str) -> Option<(String, Value)> {
    let (name, rest) = line.trim_start().split_once(char::is_whitespace)?;
    let (kind, value) =
        rest.trim_start().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let kind: u8 = kind.trim().parse().ok().filter(|kind| *kind <= 7)?;
    let value = value.trim();
    let value = match kind {
        3 | 5 | 1 => Value::I64(value.parse().ok()?),
        2 | 4 | 6 => Value::U64(value.parse().ok()?),
        7 | 0 => Value::Text(value.to_owned()),
        _ => return None,
    };
    (is_name && name.starts_with(|c: char| c.is_ascii_alphabetic()))
        .then(|| (name.to_owned(), value))
}

fn telling(rows: &[(String, Value)]) -> Option<&'static str> {
    let has = |row: &str| rows.iter().any(|(name, _)| name == row);
    TELLING.iter().find(|(row, _)| has(row)).map(|(_, path)| *path)
}

fn path_of(rows: &[(String, Value)]) -> Option<String> {
    let dataset =
        rows.iter().find(|(name, _)| name == "dataset_name").map(|(_, name)| name.to_string());
    if let Some(dataset) = dataset {
        let pool = dataset.split('/').next()?.to_owned();
        // Its number is not in the text; its name tells it apart from others as well.
        let plain: String =
            dataset.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
        return Some(format!("zfs/{pool}/objset-{plain}"));
    }
    // Somebody who picks out hits and misses means the ARC's.
    let has = |row: &str| rows.iter().any(|(name, _)| name == row);
    let arc = has("hits") && has("misses") || has("size") && has("c");
    telling(rows).or(arc.then_some("zfs/arcstats")).map(str::to_owned)
}
