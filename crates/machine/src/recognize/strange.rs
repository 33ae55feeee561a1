//! Lines that nobody knew, named a stretch at a time and no more of them than a person reads.

use arcwright_units::visible;

use super::clean::Line;
use crate::machine::Reason;
use crate::reported::looks_reported;
use crate::sources::{Source, Sources};

/// Stretches that are named one by one; beyond this they are named together.
const STRETCHES_MAX: usize = 400;
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

/// Returns how lines are called.
pub(super) fn place(first: usize, last: usize) -> String {
    match first == last {
        true => format!("pasted line {first}"),
        false => format!("pasted lines {first} to {last}"),
    }
}
