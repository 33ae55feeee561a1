//! Text of others, shown so that it cannot steer the reader's terminal.
//!
//! Names of pools, models of disks, pasted lines and file names may hold anything: escape sequences that
//! repaint the screen or set its title, marks that turn the order of letters round (“Trojan Source”,
//! CVE-2021-42574), characters that cannot be seen. Every such character is written as an escape that
//! can be seen, `\x1b` or `\u{202e}`; nothing is dropped, so that two names stay two names.
//!
//! One function decides which characters those are, [`is_hidden`]; all others here are ways to write
//! them. The ranges are Unicode 16's general categories Cc, Cf, Zl and Zp and the property
//! `Default_Ignorable_Code_Point` (DerivedCoreProperties.txt), so that a later version's additions to
//! blocks reserved for them are covered too.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

/// Inclusive ranges of characters, controls aside, that leave no mark of their own on a screen or change
/// the order of others.
const HIDDEN: [(char, char); 33] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    // The braille pattern without a dot is a blank that is no white space.
    ('\u{2800}', '\u{2800}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fdd0}', '\u{fdef}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{fffe}', '\u{ffff}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    // What a private agreement shows as, nobody else knows.
    ('\u{e000}', '\u{f8ff}'),
    ('\u{e0000}', '\u{e0fff}'),
    ('\u{f0000}', '\u{ffffd}'),
    ('\u{ffffe}', '\u{fffff}'),
    ('\u{100000}', '\u{10fffd}'),
    ('\u{10fffe}', '\u{10ffff}'),
];

/// The codes that the program's own colours have: `ESC [ code m`.
const COLOURS: [&str; 20] = [
    "0", "1", "2", "7", "30", "31", "32", "33", "34", "35", "36", "37", "90", "91", "92", "93",
    "94", "95", "96", "97",
];

/// Says whether a character steers a terminal, turns letters round or cannot be seen.
#[must_use]
pub fn is_hidden(letter: char) -> bool {
    match letter {
        ' '..='~' => false,
        letter if letter.is_control() => true,
        letter => HIDDEN.iter().any(|(first, last)| (*first..=*last).contains(&letter)),
    }
}

/// Returns a name or a line with every hidden character written out, line ends and tabs too.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    written_out(text, |_| false, escape)
}

/// Returns text of several lines or columns with everything hidden written out but `\n` and `\t`.
#[must_use]
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    written_out(text, |letter| matches!(letter, '\n' | '\t'), escape)
}

/// Returns a path as text, with everything hidden written out.
#[must_use]
pub fn visible_path(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}

/// Returns JSON of the same value that shows everything hidden as JSON's own escapes.
///
/// Outside strings JSON has no such characters but white space, so that this changes no value.
#[must_use]
pub fn visible_json(json: &str) -> Cow<'_, str> {
    written_out(
        json,
        |letter| matches!(letter, '\n' | '\t' | '\r'),
        |text, letter| {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                // A String takes every write.
                write!(text, "\\u{unit:04x}").unwrap_or_default();
            }
        },
    )
}

/// Returns a page with the program's own colours, and with everything else hidden written out.
#[must_use]
pub fn visible_page(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    for (index, part) in page.split('\u{1b}').enumerate() {
        let code = part.strip_prefix('[').and_then(|rest| rest.split_once('m'));
        match code {
            Some((code, _)) if index > 0 && COLOURS.contains(&code) => text.push('\u{1b}'),
            _ if index > 0 => text.push_str("\\x1b"),
            _ => {}
        }
        text.push_str(&visible_lines(part));
    }
    text
}

fn written_out(
    text: &str,
    stays: fn(char) -> bool,
    write_out: fn(&mut String, char),
) -> Cow<'_, str> {
    let is_odd = |letter: char| is_hidden(letter) && !stays(letter);
    if !text.contains(is_odd) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match is_odd(letter) {
            true => write_out(&mut shown, letter),
            false => shown.push(letter),
        }
    }
    Cow::Owned(shown)
}

fn escape(text: &mut String, letter: char) {
    match letter {
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        // A String takes every write.
        '\0'..='\u{7f}' => write!(text, "\\x{:02x}", u32::from(letter)).unwrap_or_default(),
        _ => write!(text, "\\u{{{:x}}}", u32::from(letter)).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_hidden, visible, visible_json, visible_lines, visible_page};

    #[test]
    fn what_steers_or_hides_is_written_out() {
        for (text, expected) in [
            ("tank/home-1.a:b é 雪 “x”", "tank/home-1.a:b é 雪 “x”"),
            ("a\u{1b}[2Jb", "a\\x1b[2Jb"),
            ("a\r\nb\tc\0", "a\\r\\nb\\tc\\x00"),
            ("\u{7f}\u{9b}31m", "\\x7f\\u{9b}31m"),
            ("ab\u{202e}dc\u{2066}", "ab\\u{202e}dc\\u{2066}"),
            (
                "\u{200e}\u{200f}\u{61c}\u{feff}\u{200b}",
                "\\u{200e}\\u{200f}\\u{61c}\\u{feff}\\u{200b}",
            ),
            ("\u{ad}\u{e0041}\u{2028}", "\\u{ad}\\u{e0041}\\u{2028}"),
        ] {
            assert_eq!(visible(text), expected);
        }
    }

    #[test]
    fn nothing_hidden_is_left_of_any_character() {
        for letter in (0..=0x10_ffff).filter_map(char::from_u32).filter(|letter| is_hidden(*letter))
        {
            let text = format!("a{letter}b");
            assert!(!visible(&text).contains(is_hidden), "{:x}", u32::from(letter));
            assert!(!visible_json(&text).contains(|l| is_hidden(l) && !"\n\r\t".contains(l)));
        }
    }

    #[test]
    fn lines_and_columns_stay_where_the_program_makes_them() {
        assert_eq!(visible_lines("a\tb\nc\r\n"), "a\tb\nc\\r\n");
    }

    #[test]
    fn the_value_of_json_is_the_same() {
        let json = "{\n  \"a\": \"\u{202e}\u{7f}\u{e0041}é\"\n}";
        assert_eq!(visible_json(json), "{\n  \"a\": \"\\u202e\\u007f\\udb40\\udc41é\"\n}");
    }

    #[test]
    fn a_page_keeps_the_programs_own_colours_alone() {
        assert_eq!(visible_page("\u{1b}[31mred\u{1b}[0m\n"), "\u{1b}[31mred\u{1b}[0m\n");
        assert_eq!(visible_page("\u{1b}[5mx\u{1b}]0;t\u{7}"), "\\x1b[5mx\\x1b]0;t\\x07");
        assert_eq!(visible_page("[31m"), "[31m");
    }
}
