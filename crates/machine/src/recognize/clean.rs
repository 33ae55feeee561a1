//! Lines of pasted text without what forums, mails and terminals add to them.

use super::flat;

/// A line with its number in what was pasted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// Counts from 1.
    pub(super) number: usize,
    pub(super) text: String,
}

/// Marks of code that stand alone on a line.
const FENCES: [&str; 8] = ["```", "~~~", "[code", "[/code", "<pre", "</pre", "[quote", "[/quote"];
/// Returns the lines, without quote marks, fences, colours and spaces that only look like one.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let text = text.trim_start_matches('\u{feff}').replace("&gt;", ">").replace("&lt;", "<");
    let mark = quote_mark(&text);
    let clean = |(index, line): (usize, &str)| {
        let text = cleaned(line, mark);
        let parts = flat::lines(&text).unwrap_or_else(|| vec![text]);
        parts.into_iter().map(move |text| Line { number: index + 1, text })
    };
    text.lines().enumerate().flat_map(clean).filter(|line| !is_fence(&line.text)).collect()
}

/// Returns the mark that a good part of the lines carry, that of a mail or of a diff: one alone may be a
/// prompt.
fn quote_mark(text: &str) -> Option<char> {
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    ['>', '+'].into_iter().find(|mark| {
        let marked = text.lines().filter(|line| line.trim_start().starts_with(*mark)).count();
        marked * 3 > lines
    })
}

fn cleaned(line: &str, mark: Option<char>) -> String {
    let line = without_colours(line.trim_end_matches('\r'));
    let line: String = line.chars().filter_map(plain).collect();
    let mut rest = line.as_str();
    while let Some(inner) = mark.and_then(|mark| rest.trim_start().strip_prefix(mark)) {
        rest = inner.strip_prefix(' ').unwrap_or(inner);
    }
    rest.trim_end().to_owned()
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
    short && FENCES.iter().any(|fence| lower.starts_with(fence) && lower.len() <= fence.len() + 12)
}
