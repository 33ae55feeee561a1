//! A case: what doctor is given, what it makes of it, and what it should.

use arcwright_advice::{Advice, Estimate, Severity, advise};
use arcwright_host::capture::open_bytes;
use arcwright_machine::{Machine, Sources};

use super::expected::Expected;

/// One text or machine with its expectations.
#[derive(Debug, Clone)]
pub(super) struct Case {
    /// Its name on the page.
    pub(super) name: String,
    /// The row of the page that it counts in.
    pub(super) class: String,
    /// What doctor is given.
    pub(super) input: Input,
    /// What should come of it.
    pub(super) expected: Expected,
    /// What doctor says of the machine before it was changed; of generated cases alone.
    pub(super) before: Option<Before>,
}

/// What doctor is given.
#[derive(Debug, Clone)]
pub(super) enum Input {
    /// Pasted text.
    Paste(String),
    /// The texts of a machine by name.
    Machine(Sources),
}

/// What is said of a machine before a part of it was taken away.
#[derive(Debug, Clone, Default)]
pub(super) struct Before {
    /// Names of the findings that call for a change.
    pub(super) changes: Vec<String>,
    /// What was fine.
    pub(super) fine: Vec<String>,
    /// Whether the headline was that nothing need be changed.
    pub(super) is_clear: bool,
}

/// What doctor makes of it.
pub(super) enum Seen {
    /// It reads a machine and says something.
    Judged(Box<Machine>, Box<Advice>),
    /// It refuses, with these words.
    Refused(String),
}

impl Case {
    /// Lets doctor look at it, by counters alone: what the model adds changes no verdict.
    pub(super) fn look(&self) -> Seen {
        let sources = match &self.input {
            Input::Machine(sources) => sources.clone(),
            Input::Paste(text) => match open_bytes(&self.name, text.as_bytes()) {
                Ok(sources) => sources,
                Err(error) => return Seen::Refused(error.to_string()),
            },
        };
        let machine = Machine::read(&sources);
        let advice = advise(&machine, Estimate::CountersOnly);
        Seen::Judged(Box::new(machine), Box::new(advice))
    }
}

impl Before {
    /// Returns what is said of a machine.
    pub(super) fn of(sources: &Sources) -> Self {
        let advice = advise(&Machine::read(sources), Estimate::CountersOnly);
        Self {
            changes: changes(&advice),
            fine: advice.fine.iter().map(|fine| fine.what.clone()).collect(),
            is_clear: is_clear(&advice),
        }
    }
}

/// Returns the names of findings that call for a change.
pub(super) fn changes(advice: &Advice) -> Vec<String> {
    let calls = advice.findings.iter().filter(|finding| finding.severity <= Severity::WorthALook);
    calls.map(|finding| finding.id.to_owned()).collect()
}

/// Returns whether the headline is that nothing need be changed.
pub(super) fn is_clear(advice: &Advice) -> bool {
    advice.findings.first().is_some_and(|first| first.severity == Severity::Fine)
}
