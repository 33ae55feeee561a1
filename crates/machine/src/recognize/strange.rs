//! Lines that nobody knew, named a stretch at a time and no more of them than a person reads.

use arcwright_units::visible;

use super::clean::Line;
use crate::machine::Reason;
use crate::sources::{Source, Sources};

/// Stretches that are named one by one; beyond this they are named together.
const STRETCHES_MAX: usize = 20;
const SHOWN_CHARS_MAX: usize = 60;

/// Lines that are not understood, in their order.
#[derive(Debug, Default)]
pub(super) struct Strange {
    /// First and last line of a stretch, and how it begins.
    stretches: Vec<(usize, usize, String)>,
    /// Stretches beyond those, and the lines of the last.
    left: usize,
    last: usize,
    /// The last line of all, within which the text ends.
    torn: Option<(usize, String)>,
}

impl Strange {
    /// Adds a line; lines come in their order.
    pub(super) fn push(&mut self, line: &Line) {
        let goes_on = self.last > 0 && self.last + 1 == line.number;
        self.last = line.number;
        let has_room = self.stretches.len() < STRETCHES_MAX;
        match self.stretches.last_mut() {
            Some((_, last, shown)) if goes_on && self.left == 0 => {
                *last = line.number;
                // A report is what its reader would look for, not the prose above it.
                if !looks_reported(shown) && looks_reported(&line.text) {
                    *shown = shown_of(line);
                }
            }
            _ if goes_on => {}
            _ if has_room => {
                self.stretches.push((line.number, line.number, shown_of(line)));
            }
            _ => self.left += 1,
        }
    }

    /// Keeps a line within which the text ends.
    pub(super) fn torn(&mut self, line: &Line) {
        self.torn = Some((line.number, shown_of(line)));
    }

    /// Names the stretches among `sources`.
    pub(super) fn name(self, sources: &mut Sources) {
        for (first, last, shown) in self.stretches {
            let reason = Reason::Garbled(format!("not recognised: “{shown}”"));
            sources.texts.insert(place(first, last), Source::Unreadable(reason));
        }
        if let Some((line, shown)) = self.torn {
            let reason = Reason::Garbled(format!("the text ends within it: “{shown}”"));
            sources.texts.insert(place(line, line), Source::Unreadable(reason));
        }
        if self.left > 0 {
            let left = self.left;
            let words = format!("{left} more pieces of text are not recognised");
            let source = Source::Unreadable(Reason::Garbled(words));
            sources.texts.insert("pasted text".to_owned(), source);
        }
    }
}

fn shown_of(line: &Line) -> String {
    let begin: String = line.text.trim().chars().take(SHOWN_CHARS_MAX).collect();
    visible(&begin).into_owned()
}

/// Returns whether a line looks like one of a report: a name, and at least as many numbers as words.
pub(super) fn looks_reported(line: &str) -> bool {
    const WORDS_MAX: usize = 40;
    const NUMBERS_MIN: usize = 3;
    let words = || line.split_whitespace().take(WORDS_MAX);
    let is_number = |word: &&str| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        digits > 0 && 2 * digits + 1 >= word.chars().count()
    };
    let numbers = words().filter(is_number).count();
    numbers >= NUMBERS_MIN && 2 * numbers >= words().count()
}

/// Returns how lines are called.
pub(super) fn place(first: usize, last: usize) -> String {
    match first == last {
        true => format!("pasted line {first}"),
        false => format!("pasted lines {first} to {last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::looks_reported;

    #[test]
    fn rows_of_numbers_look_like_a_report_and_prose_does_not() {
        for (line, expected) in [
            ("sda 0,00 0,00 145,00 0,00 1,21 0,00 17,12 4,80", true),
            ("13884754 4186536500234 C 29129728 116928512", true),
            ("I have 3 disks of 4 TB in it", false),
            ("Joined Dec 2, 2015", false),
            ("", false),
        ] {
            assert_eq!(looks_reported(line), expected, "{line}");
        }
    }
}
