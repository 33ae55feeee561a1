//! What is wrong with a scenario file, and where.

use std::fmt;
use std::ops::Range;

use arcwright_units::{cut_after, cut_before, nearest};
use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

/// A problem of a scenario file, with its place in the text.
#[derive(Debug, Clone)]
pub struct ScenarioError {
    details: Box<Details>,
}

#[derive(Debug, Clone)]
struct Details {
    fault: Fault,
    source: NamedSource<String>,
    line: usize,
    column: usize,
}

/// A problem and its place, before the text it was found in is attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) message: String,
    pub(crate) label: String,
    pub(crate) span: Range<usize>,
    pub(crate) help: Option<String>,
    /// The name and text of the file it is in, when that is not the scenario's.
    pub(crate) elsewhere: Option<(String, String)>,
}

/// What the readers of a scenario return.
pub(crate) type Checked<T> = Result<T, Box<Fault>>;

impl Fault {
    /// Returns a problem at `span`.
    pub(crate) fn at(span: &Range<usize>, message: impl Into<String>) -> Box<Self> {
        let label = "here".to_owned();
        Box::new(Self {
            message: shortened(&message.into(), MESSAGE_CHARS_MAX),
            label,
            span: span.clone(),
            help: None,
            elsewhere: None,
        })
    }

    /// Returns the problem of another file in words, with its line but nothing of the file's text: a scenario from
    /// elsewhere may name a file that is none.
    pub(crate) fn in_words(&self, text: &str) -> String {
        let before = text.get(..self.span.start).unwrap_or(text);
        format!("line {}: {}", before.matches('\n').count() + 1, self.message)
    }

    /// Moves the problem to the text of another file.
    pub(crate) fn in_file(mut self: Box<Self>, name: &str, text: &str) -> Box<Self> {
        self.elsewhere = Some((name.to_owned(), text.to_owned()));
        self
    }

    /// Adds what would help.
    pub(crate) fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(shortened(&help.into(), MESSAGE_CHARS_MAX));
        self
    }

    /// Adds the nearest known name as help, or else all of them.
    pub(crate) fn nearest(self: Box<Self>, name: &str, known: &[&str]) -> Box<Self> {
        match nearest(name, known.iter().copied()) {
            Some(like) => self.help(format!("did you mean “{like}”?")),
            None if known.is_empty() => self,
            None => self.help(format!("known are: {}", known.join(", "))),
        }
    }
}

/// No message says more, whatever the file holds.
const MESSAGE_CHARS_MAX: usize = 1000;
/// No line of a file is shown further.
const LINE_BYTES_MAX: usize = 300;

/// Returns a text of so many characters at most, of which the last says that there was more.
fn shortened(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// Returns a text in which no line is longer than a screen, and where a place of it stands then: a long
/// line begins shortly before the place, or where it began.
fn excerpt(text: &str, span: Range<usize>) -> (String, Range<usize>) {
    if text.split('\n').all(|line| line.len() <= LINE_BYTES_MAX) {
        return (text.to_owned(), span);
    }
    let (mut shown, mut place, mut start) = (String::new(), 0..0, 0);
    for line in text.split_inclusive('\n') {
        let (end, code) = (start + line.len(), line.trim_end_matches('\n'));
        let within = span.start.saturating_sub(start);
        let is_here = start <= span.start && (span.start < end || end == text.len());
        let skipped = if is_here { within.saturating_sub(LINE_BYTES_MAX / 4) } else { 0 };
        let from = cut_after(code, skipped);
        let to = cut_before(code, from + LINE_BYTES_MAX);
        if is_here {
            let first = shown.len() + within.saturating_sub(from).min(to - from);
            let length =
                span.len().min(shown.len() + to - from - first.min(shown.len() + to - from));
            place = first..first + length;
        }
        shown.push_str(code.get(from..to).unwrap_or_default());
        if line.len() > code.len() {
            shown.push('\n');
        }
        start = end;
    }
    (shown, place)
}

impl ScenarioError {
    /// Attaches the text called `name` to a problem found in it.
    pub(crate) fn new(mut fault: Fault, text: &str, name: &str) -> Self {
        let elsewhere = fault.elsewhere.take();
        let (name, text) =
            elsewhere.as_ref().map_or((name, text), |(name, text)| (name.as_str(), text.as_str()));
        let before = text.get(..fault.span.start).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        let (text, span) = excerpt(text, fault.span.clone());
        fault.span = span;
        let source = NamedSource::new(name, text);
        Self { details: Box::new(Details { fault, source, line, column }) }
    }

    /// Returns the name of the file that it is in: the scenario's, or one that the scenario names.
    #[must_use]
    pub fn file(&self) -> &str {
        self.details.source.name()
    }

    /// Returns the line of the problem, counted from 1.
    #[must_use]
    pub const fn line(&self) -> usize {
        self.details.line
    }

    /// Returns the column of the problem in characters, counted from 1.
    #[must_use]
    pub const fn column(&self) -> usize {
        self.details.column
    }

    /// Returns what would help, when something is known.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.details.fault.help.as_deref()
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.details.fault.message)
    }
}

impl std::error::Error for ScenarioError {}

impl Diagnostic for ScenarioError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.hint().map(|help| Box::new(help) as Box<dyn fmt::Display + 'a>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.details.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let Fault { label, span, .. } = &self.details.fault;
        Some(Box::new(std::iter::once(LabeledSpan::at(span.clone(), label.clone()))))
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, ScenarioError, excerpt, nearest};

    #[test]
    fn line_and_column_count_characters_from_one() {
        let text = "a = 1\n„b“ = 2\n";
        let at = |start: usize| {
            let error = ScenarioError::new(*Fault::at(&(start..start), "wrong"), text, "x.toml");
            (error.line(), error.column())
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(text.find('=').unwrap()), (1, 3));
        assert_eq!(at(text.rfind('=').unwrap()), (2, 5));
        assert_eq!(at(999), (3, 1));
    }

    #[test]
    fn a_likely_name_is_found() {
        assert_eq!(nearest("memroy", ["memory", "os"]), Some("memory"));
        assert_eq!(nearest("Frist read", ["first read", "second read"]), Some("first read"));
        assert_eq!(nearest("banana", ["memory", "os"]), None);
    }

    #[test]
    fn a_name_that_nobody_meant_is_like_no_other() {
        let long = "memory".repeat(1 << 20);
        assert_eq!(nearest(&long, ["memory"]), None);
        assert_eq!(nearest("memroy", [long.as_str(), "memory"]), Some("memory"));
    }

    #[test]
    fn of_a_long_line_the_place_is_shown_and_little_more() {
        let check = |before: usize, key: &str, after: usize| {
            let text = format!("a = 1\n{}{key}{}\nb = 2\n", "x".repeat(before), "y".repeat(after));
            let start = 6 + before;
            let (shown, span) = excerpt(&text, start..start + key.len());
            let there = shown.get(span).unwrap();
            assert!(key.starts_with(there) && !there.is_empty(), "{there}");
            assert!(shown.starts_with("a = 1\n") && shown.ends_with("\nb = 2\n"), "{shown}");
            assert!(shown.len() <= 320, "{}", shown.len());
        };
        check(0, "key", 10);
        check(10, "key", 1_000_000);
        check(1_000_000, "key", 0);
        check(1_000_000, "k€y", 1_000_000);
        check(500, &"k".repeat(5000), 0);
    }

    #[test]
    fn no_message_is_longer_than_a_screen() {
        let fault = Fault::at(&(0..0), "x".repeat(1 << 20)).help("y".repeat(1 << 20));
        let error = ScenarioError::new(*fault, "", "x.toml");
        assert!(error.to_string().len() < 1100 && error.hint().unwrap().len() < 1100);
    }
}
