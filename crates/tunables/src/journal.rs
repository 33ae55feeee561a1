//! The record of what was changed: JSON lines, only ever added to.
//!
//! A step is `planned` before it is made and `done` after, so that a machine that stops in between
//! leaves a line that says what may have happened. What is `planned` and nothing more is settled later by
//! looking at the machine. Each change to the shape of a line raises [`VERSION`]; older lines stay
//! readable, newer ones are named and left alone.
//!
//! ```text
//!   planned ──> done ──> undoing ──> undone
//!      └──────> failed      └──────> done, when the way back did not happen
//! ```

mod check;
#[cfg(test)]
pub(super) mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::persist::Change;
use check::OPERATION_MAX;

/// The version of the lines written here.
pub const VERSION: u32 = 1;
/// The keys of an entry alone take more; shorter lines are not even looked at.
const LINE_BYTES_MIN: usize = 60;
/// Lines that are named when they cannot be read; of more it is said how many.
const PROBLEMS_MAX: usize = 20;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Entry {
    /// Version of the shape.
    pub v: u32,
    /// The operation it belongs to: one command of somebody's.
    pub operation: u64,
    /// The step of the operation, from 0.
    pub step: u32,
    /// Seconds since 1970.
    pub time: u64,
    /// Who did it.
    pub who: String,
    /// Why, in their words or the name of a profile.
    pub why: String,
    /// What happened.
    pub event: Event,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the step does.
    pub action: Action,
}

/// What happened to a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// It is about to be made.
    Planned,
    /// It was made, and read back.
    Done,
    /// It was not made.
    Failed,
    /// It is about to be taken back.
    Undoing,
    /// It was taken back.
    Undone,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Action {
    /// Sets a parameter of the running module.
    Live {
        /// The parameter.
        name: String,
        /// The module that has it.
        module: String,
        /// Its value before.
        old: String,
        /// Its value after.
        new: String,
        /// What is set before `new`, which only stands for a default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        through: Option<String>,
        /// What is set before `old` on the way back, likewise.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        back_through: Option<String>,
    },
    /// Writes or removes a file.
    File {
        /// Its path on the machine.
        path: String,
        /// Digest of the text before, under which it is kept; none when there was no file.
        old: Option<String>,
        /// Digest of the text after; none when there is no file.
        new: Option<String>,
        /// What our block sets before, and after.
        names: [Vec<String>; 2],
    },
    /// Changes what a middleware keeps.
    Middleware {
        /// The change.
        change: Change,
    },
}

/// Everything that a journal tells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Journal {
    /// Its lines.
    pub entries: Vec<Entry>,
    /// Lines that could not be read, in words.
    pub problems: Vec<String>,
    /// Whether the last line lacks its end, so that the next one must begin with it.
    pub torn: bool,
    /// How long it is.
    pub bytes: usize,
}

/// One command and its steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Its number.
    pub id: u64,
    /// When it began, in seconds since 1970.
    pub time: u64,
    /// Who.
    pub who: String,
    /// Why.
    pub why: String,
    /// Its steps, in order.
    pub steps: Vec<Done>,
}

/// A step and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// Its number in the operation.
    pub step: u32,
    /// What it does.
    pub action: Action,
    /// The last thing that happened to it.
    pub event: Event,
    /// Why it failed.
    pub reason: Option<String>,
}

impl Journal {
    /// Reads a journal; a line that cannot be read is a problem and hides no other.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut journal = Self {
            torn: !text.is_empty() && !text.ends_with('\n'),
            bytes: text.len(),
            ..Self::default()
        };
        let mut unread = 0;
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let read = journal.entries.len();
            match entry(line) {
                Some(entry) if entry.v <= VERSION => match entry.check() {
                    Ok(()) => journal.entries.push(entry),
                    Err(why) if unread < PROBLEMS_MAX => {
                        journal.problems.push(format!("line {} {why}; it is ignored", index + 1));
                    }
                    Err(_) => {}
                },
                _ if unread < PROBLEMS_MAX => journal.problems.push(problem(index + 1, line)),
                _ => {}
            }
            unread += usize::from(journal.entries.len() == read);
        }
        if unread > PROBLEMS_MAX {
            let more = unread - PROBLEMS_MAX;
            journal.problems.push(format!("{more} more lines are ignored too"));
        }
        journal
    }

    /// Returns the operations, oldest first.
    #[must_use]
    pub fn operations(&self) -> Vec<Operation> {
        let mut all: Vec<Operation> = Vec::new();
        // Where each operation and each of its steps stands: a journal may be long.
        let mut places: BTreeMap<u64, (usize, BTreeMap<u32, usize>)> = BTreeMap::new();
        for entry in &self.entries {
            let done = Done {
                step: entry.step,
                action: entry.action.clone(),
                event: entry.event,
                reason: entry.reason.clone(),
            };
            let there = places.get_mut(&entry.operation);
            let there = there.and_then(|(place, steps)| Some((all.get_mut(*place)?, steps)));
            let Some((operation, steps)) = there else {
                let first = BTreeMap::from([(entry.step, 0)]);
                places.insert(entry.operation, (all.len(), first));
                all.push(Operation {
                    id: entry.operation,
                    time: entry.time,
                    who: entry.who.clone(),
                    why: entry.why.clone(),
                    steps: vec![done],
                });
                continue;
            };
            let place = *steps.entry(entry.step).or_insert(operation.steps.len());
            match operation.steps.get_mut(place) {
                Some(step) => *step = done,
                None => operation.steps.push(done),
            }
        }
        all
    }

    /// Returns the number of the next operation: the one after the largest, or the smallest that is free where
    /// a foreign line has the largest there can be.
    #[must_use]
    pub fn next_id(&self) -> u64 {
        let used = self.entries.iter().map(|entry| entry.operation);
        let after = used.clone().max().map_or(1, |last| last + 1);
        if after <= OPERATION_MAX {
            return after;
        }
        let used: BTreeSet<u64> = used.collect();
        (1..after).find(|number| !used.contains(number)).unwrap_or(after)
    }

    /// Returns the text that adds `entry`.
    #[must_use]
    pub fn line(&self, entry: &Entry) -> String {
        let lead = if self.torn { "\n" } else { "" };
        // Every field is a plain record, number or text, which JSON always holds.
        format!("{lead}{}\n", serde_json::to_string(entry).unwrap_or_default())
    }
}

fn entry(line: &str) -> Option<Entry> {
    if line.len() < LINE_BYTES_MIN {
        return None;
    }
    serde_json::from_str(line).ok()
}

fn problem(line: usize, text: &str) -> String {
    #[derive(Deserialize)]
    struct Shape {
        v: u32,
    }
    match serde_json::from_str::<Shape>(text) {
        Ok(Shape { v }) if v > VERSION => {
            format!("line {line} was written by a newer arcwright (format {v}); it is ignored")
        }
        _ => format!("line {line} cannot be read; it was truncated or edited"),
    }
}

impl Done {
    /// Says whether the step may be in force, so that undoing it means something.
    #[must_use]
    pub const fn may_be_in_force(&self) -> bool {
        matches!(self.event, Event::Planned | Event::Done | Event::Undoing)
    }

    /// Says whether the machine stopped in the middle of it.
    #[must_use]
    pub const fn is_pending(&self) -> bool {
        matches!(self.event, Event::Planned | Event::Undoing)
    }

    /// Returns its state in a word.
    #[must_use]
    pub const fn state(&self) -> &'static str {
        match (self.event, &self.action) {
            (Event::Planned, _) => "planned",
            (Event::Done, Action::Live { .. }) => "applied",
            (Event::Done, _) => "written",
            (Event::Failed, _) => "failed",
            (Event::Undoing, _) => "undoing",
            (Event::Undone, _) => "undone",
        }
    }

    /// Returns what must be added to the journal now that the machine shows the step to be made
    /// (`Some(true)`), not to be made (`Some(false)`), or neither.
    #[must_use]
    pub fn settled(&self, made: Option<bool>) -> Option<(Event, Option<String>)> {
        let somebody = || Some("it was changed by others since".to_owned());
        match (self.event, made) {
            (Event::Planned | Event::Undoing, Some(true)) => Some((Event::Done, None)),
            (Event::Planned, Some(false)) => {
                Some((Event::Failed, Some("arcwright was stopped before making it".to_owned())))
            }
            (Event::Undoing, Some(false)) => Some((Event::Undone, None)),
            (Event::Planned, None) => Some((Event::Failed, somebody())),
            (Event::Undoing, None) => Some((Event::Done, somebody())),
            _ => None,
        }
    }
}

impl Operation {
    /// Returns the steps to be undone, the last first.
    #[must_use]
    pub fn in_force(&self) -> Vec<&Done> {
        self.steps.iter().rev().filter(|step| step.may_be_in_force()).collect()
    }
}
