//! What an expert would say of a text: the verdicts that doctor is held against.
//!
//! They are written from the thread or manual page that a text is modelled on, and are never bent to
//! what the program says. Ids of findings stand for claims: `a|b` is satisfied by either.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The expectations of one text.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Expected {
    /// The format that it is an example of; the page has a row for each.
    pub(super) class: String,
    /// What is the matter, in one sentence.
    pub(super) about: String,
    /// Where its facts, its format and the right answer are from.
    pub(super) from: Vec<String>,
    /// What must be read out of it.
    pub(super) facts: Facts,
    /// Lines that are nothing that a program printed: `4`, `7-12`.
    pub(super) prose: Vec<String>,
    /// Findings that must be there.
    pub(super) must: Vec<Must>,
    /// Findings that may call for a change besides.
    pub(super) may: Vec<String>,
    /// Findings that would be wrong.
    pub(super) never: Vec<String>,
    /// Words that must not stand in any remedy: they would do harm here.
    pub(super) forbidden: Vec<String>,
    /// Words that must stand in what is said.
    pub(super) says: Vec<String>,
    /// What the whole of it comes to.
    pub(super) verdict: Headline,
}

/// Facts that must be read.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Facts {
    /// The module's version, or its beginning.
    pub(super) version: Option<String>,
    /// `linux` or `freebsd`.
    pub(super) os: Option<String>,
    /// The machine's memory, in bytes.
    pub(super) memory: Option<u64>,
    /// Pools in short: `tank ONLINE raidz1[sda sdb sdc] cache:sdd`.
    pub(super) pools: Vec<String>,
    /// Counters and levels as last read: `zfs/arcstats.hits`.
    pub(super) counters: BTreeMap<String, u64>,
    /// What was counted between the first reading and the last.
    pub(super) window: BTreeMap<String, u64>,
    /// Parameters by their Linux name.
    pub(super) parameters: BTreeMap<String, u64>,
    /// Properties of datasets: `tank/home.recordsize`.
    pub(super) properties: BTreeMap<String, String>,
    /// Programs whose results must be read, one for each result: `dd`, `fio`.
    pub(super) timings: Vec<String>,
    /// Names of drives of which something must be known.
    pub(super) drives: Vec<String>,
}

/// A finding that must be there.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Must {
    /// Its name, or several with `|` between them.
    pub(super) id: String,
    /// How much it must matter, where that is beyond doubt.
    pub(super) severity: Option<String>,
    /// What it must be about.
    pub(super) subject: Option<String>,
    /// Whether it must come first.
    pub(super) first: bool,
    /// Whether it calls for no change, so that “nothing to change” may stand beside it.
    pub(super) note: bool,
}

/// What the whole comes to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Headline {
    /// The findings say it.
    #[default]
    Findings,
    /// All is as it should be, and enough was read to say so.
    Fine,
    /// Too little stands in it for a verdict on the caches, and that must be said.
    NotEnough,
    /// It must be refused with the reason: two machines, nothing that is known.
    Refused,
}

impl Must {
    /// Returns whether a finding's name is one of those wanted.
    pub(super) fn is(&self, id: &str) -> bool {
        self.id.split('|').any(|wanted| wanted == id)
    }
}

impl Expected {
    /// Returns the numbers of the lines that may stay unrecognised.
    pub(super) fn prose_lines(&self) -> impl Fn(usize) -> bool + '_ {
        let number = |text: &str| text.trim().parse::<usize>().ok();
        move |line| {
            self.prose.iter().any(|range| match range.split_once('-') {
                Some((first, last)) => {
                    number(first).zip(number(last)).is_some_and(|(a, b)| (a..=b).contains(&line))
                }
                None => number(range) == Some(line),
            })
        }
    }

    /// Returns whether a finding that calls for a change is expected or allowed.
    pub(super) fn allows(&self, id: &str) -> bool {
        let named = |list: &[String]| list.iter().any(|may| may.split('|').any(|may| may == id));
        self.must.iter().any(|must| must.is(id)) || named(&self.may)
    }
}
