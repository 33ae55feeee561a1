//! Pasted tables of `zpool iostat` and `zpool list`.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text, joined};
use crate::nicenum;
use crate::read::arc_summary::is_title;
use crate::read::status::{UNNAMED, is_group};
use crate::read::{iostat, list};

/// The titles of a report without waits, its two lines one after the other.
const TITLES: [&str; 10] = [
    "capacity",
    "operations",
    "bandwidth",
    "pool",
    "alloc",
    "free",
    "read",
    "write",
    "read",
    "write",
];

fn one(lines: &[Line], count: usize, name: String) -> Taken {
    let text = joined(lines, count);
    Taken { lines: count, texts: vec![Text { name, text, again: Again::More }] }
}

/// Returns rows below the titles that they lost, taken from so many lines.
fn below_titles(lines: usize, rows: &str) -> Taken {
    let (top, bottom) = TITLES.split_at(3);
    let text = format!("{}\n{}\n{rows}", top.join(" "), bottom.join(" "));
    let name = "sample-0/commands/zpool-iostat-v".to_owned();
    Taken { lines, texts: vec![Text { name, text, again: Again::More }] }
}

/// Takes reports of `zpool iostat`: with titles, as histograms, or bare below their command.
pub(super) fn iostat(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let first = lines.first()?.text.trim().to_owned();
    let words: Vec<&str> = first.split_whitespace().collect();
    let asked = prompt.is("zpool", "iostat");
    let window = if asked && prompt.has_flag('y') { "y" } else { "" };
    if is_histogram_title(lines) {
        let count = lines.iter().take_while(|line| is_histogram(&line.text)).count();
        let form = if first.contains("total_wait") { "w" } else { "r" };
        return Some(one(
            lines,
            trimmed(lines, count),
            format!("sample-0/commands/zpool-iostat-{form}{window}"),
        ));
    }
    if let Some(count) = untitled(lines).filter(|_| !asked) {
        return Some(below_titles(count, &joined(lines, count)));
    }
    let alone = if prompt.open.iostat.is_none() { vdevs_alone(lines) } else { None };
    if let Some((count, rows)) = alone {
        return Some(below_titles(count, &rows));
    }
    let titled = iostat::is_titles(&first);
    let bare = asked && !words.is_empty() && is_row(&first);
    (titled || bare).then_some(())?;
    let count = table_extent(lines);
    let mut form = String::new();
    for flag in ['l', 'q'].into_iter().filter(|flag| asked && prompt.has_flag(*flag)) {
        form.push(flag);
    }
    // Titles of one kind and rows of another cannot be distinguished in one text.
    let name = format!("sample-0/commands/zpool-iostat-v{form}{window}");
    Some(one(lines, trimmed(lines, count), name))
}

/// Returns whether a line has the titles of a histogram: a name, then its columns, whose buckets follow.
fn is_histogram_title(lines: &[Line]) -> bool {
    let words = |index: usize| {
        lines.get(index).into_iter().flat_map(|line: &Line| line.text.split_whitespace())
    };
    let column = |word: Option<&str>| matches!(word, Some("total_wait" | "sync_read"));
    let own = words(0).next().is_some_and(|name| !["capacity", "operations"].contains(&name));
    let below = matches!(words(1).next(), Some("latency" | "req_size"));
    own && (column(words(0).nth(1)) || column(words(0).next()) && below)
}

/// Returns how many lines are rows of one pool, an interval each, whose titles were left above.
fn untitled(lines: &[Line]) -> Option<usize> {
    const ROWS_MIN: usize = 3;
    let name = lines.first()?.text.split_whitespace().next()?;
    let is_row = |line: &&Line| {
        let words: Vec<&str> = line.text.split_whitespace().take(TITLES.len()).collect();
        let [own, alloc, free, rates @ ..] = words.as_slice() else { return false };
        let size = |word: &str| is_value(word) && word.ends_with(|c: char| "KMGTP".contains(c));
        let own = *own == name && name.starts_with(|c: char| c.is_ascii_alphabetic());
        own && size(alloc)
            && size(free)
            && rates.len() == 4
            && rates.iter().all(|word| is_value(word))
    };
    let count = lines.iter().take_while(is_row).count();
    (count >= ROWS_MIN).then_some(count)
}

/// Returns how many lines are rows of vdevs that somebody picked out, and a table of a pool that has them:
/// `zpool iostat -v | grep raid`.
fn vdevs_alone(lines: &[Line]) -> Option<(usize, String)> {
    const ROWS_MIN: usize = 2;
    let sizes = |line: &Line| {
        let words: Vec<&str> = line.text.split_whitespace().take(TITLES.len()).collect();
        let [name, alloc, free, rates @ ..] = words.as_slice() else { return None };
        let fits = is_group(name) && rates.len() == 4 && rates.iter().all(|word| is_value(word));
        let bytes = |word: &str| nicenum::binary(word).and_then(nicenum::whole);
        Some((bytes(alloc)?, bytes(free)?)).filter(|_| fits)
    };
    if let Some(count) = class_alone(lines) {
        return Some((count, format!("{UNNAMED} 0 0 - - - -\n{}", joined(lines, count))));
    }
    let rows: Vec<(u64, u64)> = lines.iter().map_while(sizes).collect();
    let sum = |of: fn(&(u64, u64)) -> u64| rows.iter().map(of).fold(0_u64, u64::saturating_add);
    let (alloc, free) = (sum(|row| row.0), sum(|row| row.1));
    let count = rows.len();
    let rows = joined(lines, count);
    (count >= ROWS_MIN).then(|| (count, format!("{UNNAMED} {alloc} {free} - - - -\n{rows}")))
}

/// Returns how many lines are the part of a table that a heading begins: `cache  -  -  -  -  -  -`, and its devices.
fn class_alone(lines: &[Line]) -> Option<usize> {
    const COLUMNS: usize = 7;
    let heading = lines.first()?;
    let words: Vec<&str> = heading.text.split_whitespace().take(COLUMNS + 1).collect();
    let is_heading = words.len() == COLUMNS
        && crate::read::class_heading(&heading.text)
        && words.iter().skip(1).all(|word| *word == "-");
    is_heading.then_some(())?;
    let is_device = |line: &&Line| {
        let words: Vec<&str> = line.text.split_whitespace().take(COLUMNS + 1).collect();
        words.len() == COLUMNS && words.iter().skip(1).all(|word| is_value(word))
    };
    let rows = lines.iter().skip(1).take_while(is_device).count();
    (rows > 0).then_some(rows + 1)
}

/// Returns how many lines are of a table, with rows that a forum broke or cut.
fn table_extent(lines: &[Line]) -> usize {
    let values = |line: &Line| {
        let mut words = line.text.split_whitespace().peekable();
        words.peek().is_some() && words.all(is_value)
    };
    let short = |line: &Line| {
        const VALUES_MIN: usize = 3;
        let rest: Vec<&str> = line.text.split_whitespace().skip(1).collect();
        rest.len() >= VALUES_MIN && rest.iter().all(|word| is_value(word))
    };
    // Dates and headings have words of their own; a name alone is one whose values follow.
    let broken = |index: usize| lines.get(index + 1).is_some_and(values);
    let is_part = |(index, line): &(usize, &Line)| {
        let named = line.text.split_whitespace().count() == 1;
        is_table(&line.text) || values(line) || short(line) || named && broken(*index)
    };
    lines.iter().enumerate().take_while(is_part).count()
}

/// Takes reports whose lines a web page ran together into one.
pub(super) fn flattened(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    const COLUMNS: usize = 7;
    let words: Vec<&str> = lines.first()?.text.split_whitespace().collect();
    let rest = words.strip_prefix(TITLES.as_slice()).filter(|rest| !rest.is_empty())?;
    let rule = |word: &&&str| word.chars().all(|c| c == '-') && word.len() > 1;
    let values: Vec<&str> = rest.iter().filter(|word| !rule(word)).copied().collect();
    let rows = values.chunks_exact(COLUMNS).map(|row| row.join(" "));
    let rows: Vec<String> = rows.take_while(|row| is_row(row)).collect();
    (!rows.is_empty()).then(|| below_titles(1, &format!("{}\n", rows.join("\n"))))
}

/// Returns the count without blank lines at the end.
fn trimmed(lines: &[Line], count: usize) -> usize {
    let taken = lines.get(..count).unwrap_or_default();
    let blank = taken.iter().rev().take_while(|line| line.text.trim().is_empty()).count();
    count - blank
}

fn is_table(line: &str) -> bool {
    let rule = line.trim().chars().all(|c| matches!(c, '-' | ' '));
    // A report's title has a date as well.
    let date = iostat::is_ornament(line) && !is_title(line);
    iostat::is_titles(line) || rule || date || is_row(line)
}

/// Returns whether a line ends with the values of a row, behind a name.
fn is_row(line: &str) -> bool {
    const VALUES_MIN: usize = 6;
    let words: Vec<&str> = line.split_whitespace().collect();
    let values = words.iter().skip(1).take_while(|word| is_value(word)).count();
    let at_end = words.iter().skip(1).rev().take_while(|word| is_value(word)).count();
    values.max(at_end) >= VALUES_MIN
}

fn is_value(word: &str) -> bool {
    word == "-" || nicenum::binary(word).is_some() || nicenum::nanoseconds(word).is_some()
}

fn is_histogram(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else { return true };
    let titles = ["latency", "req_size"].contains(&first);
    let rule = line.trim().chars().all(|c| matches!(c, '-' | ' '));
    let names =
        words.clone().next().is_some_and(|word| ["total_wait", "sync_read"].contains(&word));
    titles || rule || names || (is_value(first) && words.all(is_value))
}

/// Takes `zpool list`, with or without `-v`, with titles, below its command, or from a pool's row on that is like no other.
pub(super) fn list(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let first = lines.first()?;
    let titles = list::titles(&first.text);
    let asked = prompt.is("zpool", "list");
    let bare = list::is_bare(&first.text) && (asked || list::is_telling(&first.text));
    (titles.is_some() || bare).then_some(())?;
    let columns = titles.map_or(0, |titles| titles.len());
    let is_row = |line: &&Line| {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let values = words.iter().skip(1).filter(|word| is_value(word)).count();
        // A few chosen columns are all there, or it is no row.
        let fits = values >= 3 || columns > 0 && words.len() == columns && is_cells(&words);
        let is_part = columns > 0 && list::is_rest(&line.text);
        fits || is_part || list::is_bare(&line.text) || crate::read::class_heading(&line.text)
    };
    let begins = usize::from(!bare);
    let count = begins + lines.iter().skip(begins).take_while(is_row).count();
    Some(one(lines, count, list::TEXT.to_owned()))
}

/// Returns whether the words behind a name are cells: values, ratios, states.
fn is_cells(words: &[&str]) -> bool {
    let cell = |word: &&str| {
        let state = word.len() > 4 && word.chars().all(|c| c.is_ascii_uppercase());
        is_value(word.trim_end_matches(['%', 'x'])) || state
    };
    words.iter().any(cell)
}
