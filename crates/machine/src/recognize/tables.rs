//! Pasted tables of `zpool iostat`, `zpool list`, `zpool get` and `zfs get`.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text, joined};
use crate::nice;
use crate::read::iostat;

fn one(lines: &[Line], count: usize, name: String) -> Taken {
    let text = joined(lines, count);
    Taken { lines: count, texts: vec![Text { name, text, again: Again::More }] }
}

/// Takes reports of `zpool iostat`: with titles, as histograms, or bare below their command.
pub(super) fn iostat(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let first = lines.first()?.text.trim().to_owned();
    let words: Vec<&str> = first.split_whitespace().collect();
    let asked = prompt.is("zpool", "iostat");
    let histogram = words.iter().any(|word| ["total_wait", "sync_read"].contains(word))
        && words.first() != Some(&"capacity");
    let window = if asked && prompt.has_flag('y') { "y" } else { "" };
    if histogram {
        let count = lines.iter().take_while(|line| is_histogram(&line.text)).count();
        let form = if first.contains("total_wait") { "w" } else { "r" };
        return Some(one(
            lines,
            trimmed(lines, count),
            format!("sample-0/commands/zpool-iostat-{form}{window}"),
        ));
    }
    let titled = words.starts_with(&["capacity", "operations"]);
    let bare = asked && is_row(&first);
    let count = lines.iter().take_while(|line| is_table(&line.text)).count();
    let mut form = String::new();
    for flag in ['l', 'q'].into_iter().filter(|flag| asked && prompt.has_flag(*flag)) {
        form.push(flag);
    }
    // Titles of one kind and rows of another cannot be told apart in one text.
    let name = format!("sample-0/commands/zpool-iostat-v{form}{window}");
    (titled || bare).then(|| one(lines, trimmed(lines, count), name))
}

/// Returns the count without blank lines at the end.
fn trimmed(lines: &[Line], count: usize) -> usize {
    let taken = lines.get(..count).unwrap_or_default();
    let blank = taken.iter().rev().take_while(|line| line.text.trim().is_empty()).count();
    count - blank
}

fn is_table(line: &str) -> bool {
    let text = line.trim();
    let titles =
        text.starts_with("capacity ") || (text.starts_with("pool ") && text.contains("alloc"));
    let rule = text.chars().all(|c| matches!(c, '-' | ' '));
    titles || rule || iostat::is_ornament(line) || is_row(line)
}

fn is_row(line: &str) -> bool {
    const VALUES_MIN: usize = 6;
    let mut words = line.split_whitespace();
    let named = words.next().is_some();
    let values = words.take_while(|word| is_value(word)).count();
    named && values >= VALUES_MIN
}

fn is_value(word: &str) -> bool {
    word == "-" || nice::binary(word).is_some() || nice::nanoseconds(word).is_some()
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

/// Takes `zpool list`, with or without `-v`.
pub(super) fn list(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    let words: Vec<&str> = lines.first()?.text.split_whitespace().collect();
    (words.starts_with(&["NAME", "SIZE"]) && words.contains(&"FREE")).then_some(())?;
    let is_row = |line: &&Line| {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        words.len() >= 4 && words.iter().skip(1).take(3).all(|word| is_value(word))
            || crate::read::class_heading(&line.text)
    };
    let count = 1 + lines.iter().skip(1).take_while(is_row).count();
    Some(one(lines, count, "commands/zpool-list".to_owned()))
}

/// Takes `zpool get` or `zfs get`, told apart by their properties.
pub(super) fn properties(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    const OF_POOLS: [&str; 8] = [
        "ashift",
        "autotrim",
        "capacity",
        "fragmentation",
        "health",
        "autoexpand",
        "bootfs",
        "cachefile",
    ];
    let first = &lines.first()?.text;
    let titled = first.split_whitespace().eq(["NAME", "PROPERTY", "VALUE", "SOURCE"]);
    let asked = prompt.is("zfs", "get") || prompt.is("zpool", "get");
    let columns = |line: &Line| {
        let by_tab = line.text.split('\t').count();
        by_tab >= 3 || line.text.split("  ").filter(|part| !part.trim().is_empty()).count() >= 3
    };
    let bare = asked && lines.first().is_some_and(columns);
    (titled || bare).then_some(())?;
    let rows = lines.iter().skip(usize::from(titled)).take_while(|line| columns(line)).count();
    let count = usize::from(titled) + rows;
    let property = |line: &Line| line.text.split_whitespace().nth(1).map(str::to_owned);
    let of_pool =
        lines.iter().take(count).filter_map(property).any(|p| OF_POOLS.contains(&p.as_str()));
    let name = match prompt.is("zpool", "get") || (!prompt.is("zfs", "get") && of_pool) {
        true => "commands/zpool-get",
        false => "commands/zfs-get",
    };
    Some(one(lines, count, name.to_owned()))
}
