//! What is wrong with a scenario file, and where.

use std::fmt;
use std::ops::Range;

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
            message: message.into(),
            label,
            span: span.clone(),
            help: None,
            elsewhere: None,
        })
    }

    /// Moves the problem to the text of another file.
    pub(crate) fn in_file(mut self: Box<Self>, name: &str, text: &str) -> Box<Self> {
        self.elsewhere = Some((name.to_owned(), text.to_owned()));
        self
    }

    /// Adds what would help.
    pub(crate) fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }

    /// Adds the nearest known name as help, or else all of them.
    pub(crate) fn nearest(self: Box<Self>, name: &str, known: &[&str]) -> Box<Self> {
        match nearest(name, known) {
            Some(like) => self.help(format!("did you mean “{like}”?")),
            None if known.is_empty() => self,
            None => self.help(format!("known are: {}", known.join(", "))),
        }
    }
}

/// Returns the known name most like `name`; none when nothing is alike.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    /// Below this, two names are not a slip of the finger apart.
    const ALIKE: f64 = 0.6;
    let name = name.to_lowercase();
    let alike = |other: &str| strsim::normalized_damerau_levenshtein(&name, &other.to_lowercase());
    let scored = known.iter().map(|other| (alike(other), *other));
    let best = scored.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (best.0 >= ALIKE).then_some(best.1)
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
        let source = NamedSource::new(name, text.to_owned());
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
    use super::{Fault, ScenarioError, nearest};

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
        assert_eq!(nearest("memroy", &["memory", "os"]), Some("memory"));
        assert_eq!(nearest("Frist read", &["first read", "second read"]), Some("first read"));
        assert_eq!(nearest("banana", &["memory", "os"]), None);
    }
}
