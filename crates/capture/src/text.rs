//! The text form of a capture: all texts of a machine in one file that people read and git compares.
//!
//! ```text
//!   arcwright capture as text, format 1
//!   === commands/zpool-status
//!     pool: tank
//!    state: ONLINE
//!   === sys/block/sda/serial
//!   WD-1234
//!   \ No newline at end of file
//!   ===
//! ```
//!
//! `=== NAME` begins a text; `===` alone ends the file, so that a file that was cut is noticed. A line of a
//! text that begins with `===` or `\` has one more `\` in front. As in the output of diff, a line says when a
//! text's last line has no end. So every text comes back byte for byte, and no length has to be counted when
//! a line is changed by hand.

use std::collections::BTreeMap;

use arcwright_machine::{Source, Sources};
use arcwright_units::visible;

use crate::archive::{COPY_AGAIN, ENTRIES_MAX};
use crate::manifest::MANIFEST;
use crate::{CaptureError, FORMAT, Manifest};

/// How the first line begins; the number of the format follows.
const FIRST: &str = "arcwright capture as text, format ";
/// What a line that begins or ends a text begins with.
const MARK: &str = "===";
/// Stands before a text's own line that looks like one of ours.
const ESCAPE: char = '\\';
/// Follows a line that has no end.
const NO_NEWLINE: &str = "\\ No newline at end of file";

/// Writes texts, and their manifest if there is one, into one text; what could not be read stands in the
/// manifest alone.
///
/// # Errors
/// [`CaptureError::Pack`], when a name has more than one line.
pub fn pack_text(sources: &Sources, manifest: Option<&Manifest>) -> Result<String, CaptureError> {
    let mut packed = format!("{FIRST}{FORMAT}\n");
    if let Some(manifest) = manifest {
        let text = serde_json::to_string_pretty(manifest)
            .map_err(|error| CaptureError::Pack { error: error.into() })?;
        write(&mut packed, MANIFEST, &(text + "\n"))?;
    }
    for (name, source) in &sources.texts {
        if let Source::Text(text) = source {
            write(&mut packed, name, text)?;
        }
    }
    packed.extend([MARK, "\n"]);
    Ok(packed)
}

fn write(packed: &mut String, name: &str, text: &str) -> Result<(), CaptureError> {
    if name.is_empty() || name.contains(['\n', '\0']) {
        let why = format!("the name of a text, “{}”, is not one line", visible(name));
        return Err(CaptureError::Pack { error: std::io::Error::other(why) });
    }
    packed.extend([MARK, " ", name, "\n"]);
    for line in text.split_inclusive('\n') {
        if line.starts_with(MARK) || line.starts_with(ESCAPE) {
            packed.push(ESCAPE);
        }
        packed.push_str(line);
    }
    if !text.is_empty() && !text.ends_with('\n') {
        packed.extend(["\n", NO_NEWLINE, "\n"]);
    }
    Ok(())
}

/// Returns whether a file begins as this form does.
#[must_use]
pub fn is_text_form(bytes: &[u8]) -> bool {
    bytes.starts_with(FIRST.as_bytes())
}

/// Returns the texts by name; `place` names the file in errors.
pub(crate) fn unpack_text(place: &str, file: &str) -> Result<Vec<(String, Vec<u8>)>, CaptureError> {
    let (first, rest) = file.split_once('\n').unwrap_or((file, ""));
    let Some(first) = first.strip_suffix('\r') else { return unpack_lines(place, first, rest) };
    // The whole file was given the line ends of Windows on its way.
    unpack_lines(place, first, &rest.replace("\r\n", "\n"))
}

fn unpack_lines(
    place: &str,
    first: &str,
    rest: &str,
) -> Result<Vec<(String, Vec<u8>)>, CaptureError> {
    check_format(place, first)?;
    if rest.matches("\n=== ").count() > ENTRIES_MAX {
        let limit = format!("{ENTRIES_MAX} texts");
        return Err(CaptureError::TooLarge { place: place.to_owned(), limit });
    }
    let mut reader = Reader::default();
    let mut number = 1;
    for line in rest.split_inclusive('\n') {
        number += 1;
        let whole = line.strip_suffix('\n').ok_or_else(|| "the file ends within it".to_owned());
        whole
            .and_then(|whole| reader.line(number, whole))
            .map_err(|why| damaged(place, number, why))?;
    }
    match reader.state {
        State::Ended => {
            Ok(reader.texts.into_iter().map(|(name, text)| (name, text.into_bytes())).collect())
        }
        _ => Err(damaged(place, number, format!("the file ends without a line “{MARK}”"))),
    }
}

fn check_format(place: &str, first: &str) -> Result<(), CaptureError> {
    let found = first.strip_prefix(FIRST).and_then(|number| number.parse().ok());
    match found {
        Some(1..=FORMAT) => Ok(()),
        Some(found) if found > FORMAT => {
            Err(CaptureError::Newer { place: place.to_owned(), found, known: FORMAT })
        }
        _ => Err(damaged(place, 1, format!("expected “{FIRST}{FORMAT}”"))),
    }
}

fn damaged(place: &str, line: usize, why: String) -> CaptureError {
    CaptureError::Damaged { place: format!("{place}: line {line}"), why, hint: COPY_AGAIN }
}

/// Where a reader is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the first text.
    #[default]
    Begun,
    /// In the last text.
    InText,
    /// After the last line of a text that has no end.
    AfterText,
    /// After the end.
    Ended,
}

/// Puts lines together to texts.
#[derive(Debug, Default)]
struct Reader {
    texts: Vec<(String, String)>,
    /// The line in which each text began.
    lines: BTreeMap<String, usize>,
    state: State,
}

impl Reader {
    /// Takes a line without its end; an error says what is wrong with it.
    fn line(&mut self, number: usize, line: &str) -> Result<(), String> {
        if self.state == State::Ended {
            return match line.trim().is_empty() {
                true => Ok(()),
                false => Err("text follows the end".to_owned()),
            };
        }
        match line.strip_prefix(MARK) {
            Some("") => {
                self.state = State::Ended;
                Ok(())
            }
            Some(rest) => self.begin(number, rest),
            None if line == NO_NEWLINE => self.without_newline(),
            None => self.own(line),
        }
    }

    fn begin(&mut self, number: usize, rest: &str) -> Result<(), String> {
        let name = rest.strip_prefix(' ').filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| format!("expected “{MARK} NAME” or “{MARK}”"))?;
        if let Some(first) = self.lines.insert(name.to_owned(), number) {
            return Err(format!("“{}” exists already, in line {first}", visible(name)));
        }
        self.texts.push((name.to_owned(), String::new()));
        self.state = State::InText;
        Ok(())
    }

    fn without_newline(&mut self) -> Result<(), String> {
        let ended = self.texts.last_mut().and_then(|(_, text)| text.pop());
        match (self.state, ended) {
            (State::InText, Some(_)) => {
                self.state = State::AfterText;
                Ok(())
            }
            _ => Err("no line precedes it".to_owned()),
        }
    }

    /// Takes a line of a text.
    fn own(&mut self, line: &str) -> Result<(), String> {
        let text = match (self.state, self.texts.last_mut()) {
            (State::InText, Some((_, text))) => text,
            (State::AfterText, _) => return Err("the text ended before it".to_owned()),
            _ => return Err(format!("it belongs to no text, “{MARK} NAME” begins one")),
        };
        let own = match line.strip_prefix(ESCAPE) {
            None => line,
            Some(own) if own.starts_with(MARK) || own.starts_with(ESCAPE) => own,
            Some(_) => return Err(format!("a line of a text begins with “{ESCAPE}{ESCAPE}”")),
        };
        text.extend([own, "\n"]);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
