//! Lines of pasted text without what forums, mails and terminals add to them.

use super::looks::{Looks, Watched};
use super::{flat, mail, marks};

/// A line with its number in what was pasted.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// Counts from 1.
    pub(super) number: usize,
    pub(super) text: Watched,
}

/// Marks of code that stand alone on a line.
const FENCES: [&str; 10] = [
    "```",
    "~~~",
    "[code",
    "[/code",
    "<pre",
    "</pre",
    "[quote",
    "[/quote",
    "{% highlight",
    "{% endhighlight",
];
/// Nobody pastes more lines; what follows them is not read.
pub(super) const LINES_MAX: usize = 200_000;

/// Returns the lines, without quote marks, fences, colours and spaces that only look like one.
pub(super) fn lines(text: &str, looks: &Looks) -> Vec<Line> {
    let told = mail::lines(text.trim_start_matches('\u{feff}'), LINES_MAX);
    let mut plain = String::with_capacity(text.len());
    for (_, line) in &told {
        plain.push_str(&plain_line(line));
        plain.push('\n');
    }
    let bare = marks::without(&plain);
    let clean = |((number, _), text): (&(usize, String), &str)| {
        let (number, text) = (*number, text.trim_end().to_owned());
        let parts = flat::lines(&text).unwrap_or_else(|| vec![text]);
        let line = move |text| Line { number, text: Watched::new(text, looks) };
        parts.into_iter().map(line)
    };
    told.iter().zip(bare).flat_map(clean).filter(|line| !is_fence(&line.text)).collect()
}

fn plain_line(line: &str) -> String {
    let line = without_colours(line.trim_end_matches('\r'));
    let line = without_entities(line);
    let line: String = line.chars().filter_map(plain).collect();
    let line = without_tags(line);
    let line = of_source(&line).map(str::to_owned).unwrap_or(line);
    let line = without_emphasis(line);
    without_remark(without_ticks(&line)).to_owned()
}

/// Returns the first line of a text that stands in a program as a string: `const text = `13 1 0x01 98 …`.
fn of_source(line: &str) -> Option<&str> {
    const NAME_LENGTH_MAX: usize = 80;
    if !line.contains('=') {
        return None;
    }
    ["`", "\"\"\"", "'''"].iter().find_map(|quote| {
        let (before, rest) = line.split_once(quote)?;
        let set = before.len() <= NAME_LENGTH_MAX && before.trim_end().ends_with('=');
        (set && !rest.contains('`') && !rest.trim().is_empty()).then_some(rest)
    })
}

/// Drops the pairs of asterisks by which Markdown makes a line, a value or several lines bold:
/// `**scan: none requested**`, `ONLINE 0 0 **237**`.
fn without_emphasis(line: String) -> String {
    const MARK: &str = "**";
    if !line.contains(MARK) || line.contains("***") {
        return line;
    }
    // A pair that touches no word is none (`2 ** 10`, a rule).
    let mut kept = String::with_capacity(line.len());
    let mut rest = line.as_str();
    while let Some((before, after)) = rest.split_once(MARK) {
        kept.push_str(before);
        let word = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace());
        let opens = word(after.chars().next()) && !word(kept.chars().next_back());
        let closes = word(kept.chars().next_back()) && !word(after.chars().next());
        if !opens && !closes {
            kept.push_str(MARK);
        }
        rest = after;
    }
    kept + rest
}

/// Drops the backtick of a piece of code that goes over several lines: a line has only one then.
fn without_ticks(line: &str) -> &str {
    let Some((before, after)) = line.split_once('`').filter(|(_, after)| !after.contains('`'))
    else {
        return line;
    };
    match (before.trim().is_empty(), after.trim().is_empty()) {
        (true, false) => after,
        (false, true) => before,
        _ => line,
    }
}

/// Returns a line of values without the remark that somebody wrote behind it: `Max size  4 GiB  # why?`.
fn without_remark(line: &str) -> &str {
    let digits = |text: &str| text.contains(|c: char| c.is_ascii_digit());
    match line.split_once(" # ") {
        // Before what was typed stands a host or a shell's mark.
        Some((before, _)) if before.contains(['@', '$']) => line,
        // Right behind a value only where it stands behind a name.
        Some((before, _))
            if digits(before)
                && (before.ends_with(' ')
                    || before.split_once(": ").is_some_and(|(_, value)| digits(value))) =>
        {
            before.trim_end()
        }
        _ => line,
    }
}

/// Puts signs in the place of `&gt;`, `&#9492;` and their like.
fn without_entities(line: String) -> String {
    const LENGTH_MAX: usize = 10;
    if !line.contains('&') {
        return line;
    }
    let mut kept = String::with_capacity(line.len());
    let mut rest = line.as_str();
    while let Some((before, after)) = rest.split_once('&') {
        kept.push_str(before);
        let end = after.char_indices().take(LENGTH_MAX).find(|(_, c)| *c == ';');
        let name = end.and_then(|(end, _)| Some((after.get(..end)?, after.get(end + 1..)?)));
        match name.and_then(|(name, below)| Some((entity(name)?, below))) {
            Some((sign, below)) => {
                kept.push(sign);
                rest = below;
            }
            None => {
                kept.push('&');
                rest = after;
            }
        }
    }
    kept + rest
}

fn entity(name: &str) -> Option<char> {
    match name {
        "gt" => return Some('>'),
        "lt" => return Some('<'),
        "amp" => return Some('&'),
        "quot" => return Some('"'),
        "apos" => return Some('\''),
        "nbsp" => return Some(' '),
        _ => {}
    }
    let number = name.strip_prefix('#')?;
    let hex = number.strip_prefix(['x', 'X']).map(|digits| u32::from_str_radix(digits, 16));
    let code = hex.unwrap_or_else(|| number.parse()).ok()?;
    char::from_u32(code).filter(|c| !c.is_control())
}

/// Tags of forums and pages for a part of a line.
const TAGS: [&str; 18] = [
    "b", "i", "u", "strong", "em", "color", "size", "font", "mark", "pre", "code", "tt", "kbd",
    "samp", "br", "span", "icode", "plain",
];

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
    const LENGTH_MAX: usize = 96;
    let close = if text.starts_with('[') { ']' } else { '>' };
    let end = text.char_indices().take(LENGTH_MAX).find(|(_, c)| *c == close);
    let inner = end.and_then(|(end, _)| Some((end, text.get(1..end)?)));
    let is_tag = |inner: &str| {
        let name = inner.trim_start_matches('/');
        let name = name.split(['=', ' ', '/']).next().unwrap_or(name);
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
    // Some pages keep the title of a box; a string of a program ends in its quotes.
    ["code:", "`", "``", "\"\"\""].contains(&lower.as_str())
        || short
            && FENCES
                .iter()
                .any(|fence| lower.starts_with(fence) && lower.len() <= fence.len() + 14)
}

#[cfg(test)]
mod tests {
    use super::plain_line;

    #[test]
    fn what_pages_and_programs_add_is_taken_off() {
        for (text, expected) in [
            ("&#9492;&#9472;sda1  8:1", "└─sda1  8:1"),
            ("a &amp; b &lt;c&gt; &x2; & d", "a & b <c> &x2; & d"),
            ("**scan: none requested**", "scan: none requested"),
            ("**a** and **b**", "a and b"),
            ("  sda  ONLINE  0  0  **237**", "  sda  ONLINE  0  0  237"),
            ("**status: it is", "status: it is"),
            ("state.**", "state."),
            ("2 ** 10 and ****", "2 ** 10 and ****"),
            ("`dmesg -T", "dmesg -T"),
            ("<pre># zpool status", "# zpool status"),
            ("<span style=\"color: red\">sda</span> 1", "sda 1"),
            ("const arc = `13 1 0x01 98 26656 1 2", "13 1 0x01 98 26656 1 2"),
            ("let x = `a` and `b`", "let x = `a` and `b`"),
            (
                "Max size (high water):  16:1  4.0 GiB   # why so much?",
                "Max size (high water):  16:1  4.0 GiB",
            ),
            ("Memory throttle count: 0 # as it should be", "Memory throttle count: 0"),
            ("nas1:/root # zpool status", "nas1:/root # zpool status"),
            ("nas4free: ~ # zfs-stats -a", "nas4free: ~ # zfs-stats -a"),
            ("root@nas1:~  # zpool status", "root@nas1:~  # zpool status"),
        ] {
            assert_eq!(plain_line(text), expected);
        }
    }
}
