//! Lines of pasted text without what forums, mails and terminals add to them.

use super::looks::{Looks, Watched};
use super::{flat, marks};

/// A line with its number in what was pasted.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// Counts from 1.
    pub(super) number: usize,
    pub(super) text: Watched,
}

/// Marks of code that stand alone on a line.
const FENCES: [&str; 8] = ["```", "~~~", "[code", "[/code", "<pre", "</pre", "[quote", "[/quote"];
/// Nobody pastes more lines; what follows them is not read.
pub(super) const LINES_MAX: usize = 200_000;

/// Returns the lines, without quote marks, fences, colours and spaces that only look like one.
pub(super) fn lines(text: &str, looks: &Looks) -> Vec<Line> {
    let text = text.trim_start_matches('\u{feff}').replace("&gt;", ">").replace("&lt;", "<");
    let mut plain = String::with_capacity(text.len());
    for line in text.lines().take(LINES_MAX) {
        plain.push_str(&plain_line(line));
        plain.push('\n');
    }
    let bare = marks::without(&plain);
    let clean = |(index, text): (usize, &str)| {
        let text = text.trim_end().to_owned();
        let parts = flat::lines(&text).unwrap_or_else(|| vec![text]);
        let line = move |text| Line { number: index + 1, text: Watched::new(text, looks) };
        parts.into_iter().map(line)
    };
    bare.into_iter().enumerate().flat_map(clean).filter(|line| !is_fence(&line.text)).collect()
}

fn plain_line(line: &str) -> String {
    let line = without_colours(line.trim_end_matches('\r'));
    let line: String = line.chars().filter_map(plain).collect();
    without_tags(line)
}

/// Tags of forums and pages for a part of a line.
const TAGS: [&str; 9] = ["b", "i", "u", "strong", "em", "color", "size", "font", "mark"];

/// Drops `[B]`, `</b>` and their like.
fn without_tags(line: String) -> String {
    if !line.contains(['[', '<']) {
        return line;
    }
    let mut kept = String::with_capacity(line.len());
    let mut rest = line.as_str();
    while let Some(at) = rest.find(['[', '<']) {
        let (before, tag) = rest.split_at(at);
        kept.push_str(before);
        let length = tag_length(tag);
        let (tag, after) = tag.split_at(length.max(1));
        kept.push_str(if length > 0 { "" } else { tag });
        rest = after;
    }
    kept + rest
}

/// Returns the length of the tag that a text begins with; 0 when it begins with none.
fn tag_length(text: &str) -> usize {
    const LENGTH_MAX: usize = 24;
    let close = if text.starts_with('[') { ']' } else { '>' };
    let end = text.char_indices().take(LENGTH_MAX).find(|(_, c)| *c == close);
    let inner = end.and_then(|(end, _)| Some((end, text.get(1..end)?)));
    let is_tag = |inner: &str| {
        let name = inner.trim_start_matches('/');
        let name = name.split('=').next().unwrap_or(name);
        TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(name))
    };
    inner.filter(|(_, inner)| is_tag(inner)).map_or(0, |(end, _)| end + 1)
}

fn plain(c: char) -> Option<char> {
    match c {
        '\t' | '\n' => Some(c),
        '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}' => None,
        _ if c.is_whitespace() => Some(' '),
        '\u{2010}'..='\u{2012}' | '\u{2212}' => Some('-'),
        _ => Some(c),
    }
}

/// Drops sequences such as `ESC [ 1;31m`.
fn without_colours(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut done, part| {
        let rest = part.find(|c: char| c.is_ascii_alphabetic()).and_then(|at| part.get(at + 1..));
        done.push_str(rest.unwrap_or_default());
        done
    })
}

fn is_fence(line: &str) -> bool {
    /// A fence may name a language behind its mark.
    const LENGTH_MAX: usize = 24;
    let line = line.trim();
    let short = line.len() <= LENGTH_MAX;
    let lower = if short { line.to_ascii_lowercase() } else { String::new() };
    // Some pages keep the title of a box.
    lower == "code:"
        || short
            && FENCES
                .iter()
                .any(|fence| lower.starts_with(fence) && lower.len() <= fence.len() + 12)
}
