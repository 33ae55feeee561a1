//! All rules over one machine, and what they say, the most important first.

use std::collections::BTreeMap;

use arcwright_machine::{DatasetRow, DatasetTable, LeafIo, Machine, Reason, Sample, UNNAMED_POOL};
use arcwright_units::Bytes;
use serde::Serialize;

use crate::beside;
use crate::estimate::Estimate;
use crate::facts::{self, Fact};
use crate::finding::{Area, Finding};
use crate::headline::{self, NO_COUNTERS, NOT_ENOUGH, NOTHING_JUDGED, Reasons};
use crate::one_device;
use crate::praise;
use crate::reconcile;
use crate::refused;
use crate::rounding;
use crate::rows::has_arcstats;
use crate::rules::{self, disk_state};
use crate::verdict::{Fine, Judged, NotJudged, Verdict};
use crate::view::{Basis, View};

/// What is said of a machine.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Advice {
    /// What was looked at.
    pub reading: Reading,
    /// What was found, the most important first; never empty.
    pub findings: Vec<Finding>,
    /// What was read, in figures, judged or not.
    pub facts: Vec<Fact>,
    /// Every value that was read, judged or not; for people, since captures have it as it is.
    #[serde(skip)]
    pub values: Vec<Fact>,
    /// What was looked at and is as it should be.
    pub fine: Vec<Fine>,
    /// What could not be judged, and why.
    pub unjudged: Vec<Unjudged>,
    /// What could not be read.
    pub unread: Vec<Unread>,
}

impl Advice {
    /// Says whether the caches could be judged at all: false when too little was read, true when they
    /// were merely idle.
    #[must_use]
    pub fn is_verdict(&self) -> bool {
        let is_none =
            |found: &Finding| [NOTHING_JUDGED, NO_COUNTERS, NOT_ENOUGH].contains(&found.id);
        !self.findings.is_empty() && !self.findings.iter().any(is_none)
    }
}

/// What was looked at.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Reading {
    /// The distribution, as it calls itself.
    pub platform: Option<String>,
    /// The module's version.
    pub zfs: Option<String>,
    /// The machine's memory.
    pub memory: Option<Bytes>,
    /// Names of the pools.
    pub pools: Vec<String>,
    /// The time that counters were counted over.
    pub basis: Basis,
    /// The time of other counters that stand beside, for what the first do not show.
    pub beside: Option<Basis>,
    /// Whether the rates of pools are means since they were imported: the first table of `zpool iostat`.
    pub rates_since_import: bool,
    /// Whether anything of the ARC was read, be it only sizes as they are now; for the heading alone.
    #[serde(skip)]
    pub has_sizes: bool,
    /// Who was busy over that time; absent where datasets were not counted over a window.
    pub busy: Option<BusyDatasets>,
}

/// Datasets that read and wrote over a time.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct BusyDatasets {
    /// The busiest first, a few of them.
    pub rows: Vec<DatasetRow>,
    /// How many datasets were counted.
    pub counted: usize,
}

/// Something that could not be judged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct Unjudged {
    /// Why.
    pub why: String,
    /// What.
    pub what: Vec<String>,
}

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct Unread {
    /// The file or command.
    pub source: String,
    /// Why.
    pub why: String,
}

/// Returns what the rules say of `machine`.
#[must_use]
pub fn advise(machine: &Machine, estimate: Estimate) -> Advice {
    let view = View::of(machine, estimate);
    let whole = beside::machine(machine);
    let beside = whole.as_ref().map(|machine| View::of(machine, estimate));
    let mut findings = Vec::new();
    let mut fine = Vec::new();
    let mut unjudged = Reasons::new();
    for rule in rules::ALL {
        let judged = (rule.judge)(&view);
        let judged = match &beside {
            Some(beside) => beside::both(judged, (rule.judge)(beside), &view),
            None => judged,
        };
        let judged = unless_unknown(machine, rule.about, judged);
        match judged {
            Ok(Verdict::Found(found)) => findings.extend(found),
            Ok(Verdict::Partly(found, why)) => {
                findings.extend(found);
                unjudged.entry(why).or_default().push(rule.about.to_owned());
            }
            Ok(Verdict::Fine(what)) => fine.push((rule.about, what)),
            Ok(Verdict::Silent) => {}
            Err(why) => unjudged.entry(why).or_default().push(rule.about.to_owned()),
        }
    }
    let mut fine = praise::uncontradicted(machine, &findings, fine);
    rules::reading::provisional::mark(&view, &mut findings);
    let mut facts = facts::of(&view);
    if machine.rounded.is_some() {
        rounding::shorten(&mut findings, &mut fine);
        facts.iter_mut().for_each(|fact| rounding::shortened(&mut fact.says));
    }
    findings.sort_by_key(|finding| (finding.severity, rank(finding)));
    refused::leave_out(machine, &mut findings);
    one_device::point_to_first(machine, &mut findings);
    one_device::point_to_full(&mut findings);
    findings.sort_by_key(|finding| (finding.severity, rank(finding)));
    reconcile::remedies(&mut findings);
    if let Some(first) = headline::of(&view, &findings, (&fine, &unjudged)) {
        // That caches cannot be judged comes behind what was found of something else.
        let at = if first.id == NO_COUNTERS { findings.len() } else { 0 };
        findings.insert(at, first);
    }
    let unjudged =
        unjudged.into_iter().map(|(why, what)| Unjudged { why: why.to_string(), what }).collect();
    let reading = Reading { beside: beside.map(|it| it.basis), ..reading(&view) };
    let values = facts::values(machine);
    Advice { reading, findings, facts, values, fine, unjudged, unread: unread(machine) }
}

/// Takes back praise where rows of an output were not understood: what they tell is not in what it rests on.
fn unless_unknown(machine: &Machine, about: &str, judged: Judged) -> Judged {
    /// What these rest on stands in rows with a state, which rows of other tools are not.
    const BY_STATE: [&str; 3] =
        ["whether pools are healthy", "whether files are damaged", "whether devices report errors"];
    let is_unknown = match BY_STATE.contains(&about) {
        true => machine.has_unknown_states,
        false => machine.has_unknown_rows,
    };
    match judged {
        Ok(Verdict::Fine(_)) if is_unknown => Err(NotJudged::NotRead(
            "lines that look like rows of an output were not understood".to_owned(),
        )),
        judged => judged,
    }
}

/// Orders findings of one severity: what others follow from comes first.
fn rank(finding: &Finding) -> (u8, Area) {
    let order = match finding.id {
        // Causes before what they cause: disks that seek do so because of what the ARC lacks.
        "seek-bound" | "writes-throttled" | "prefetch-wasted" => 2,
        // What is there already comes before memory that has to be given or bought.
        "arc-small" => 1,
        _ => 0,
    };
    (order, finding.area)
}

fn reading(view: &View<'_>) -> Reading {
    let machine = view.machine;
    Reading {
        platform: machine.platform_name.clone(),
        zfs: machine.zfs_text.clone().or_else(|| machine.zfs.map(|version| version.to_string())),
        memory: machine.memory.map(|memory| memory.total),
        pools: named(machine),
        basis: view.basis,
        beside: None,
        rates_since_import: machine
            .samples
            .last()
            .is_some_and(|last| last.vdevs_since_import && has_means(last)),
        has_sizes: has_arcstats(machine),
        busy: busy(view),
    }
}

/// Returns the names of pools; one that was not read is not made up where others were.
fn named(machine: &Machine) -> Vec<String> {
    let names: Vec<String> = machine.pools.iter().map(|pool| pool.name.clone()).collect();
    let known: Vec<String> = names.iter().filter(|name| *name != UNNAMED_POOL).cloned().collect();
    if known.is_empty() { names } else { known }
}

/// Returns whether rates of a pool were read that may be means since its import.
fn has_means(sample: &Sample) -> bool {
    let own = |(pool, io): (&String, &BTreeMap<String, LeafIo>)| io.get(pool).cloned();
    sample.vdevs.iter().any(|rows| own(rows).is_none_or(|io| !disk_state::is_no_mean(&io)))
}

/// Returns who was busy between the first reading and the last.
fn busy(view: &View<'_>) -> Option<BusyDatasets> {
    /// More are a table of their own: `arcwright who`.
    const ROWS: usize = 5;
    let (Basis::Window(_), [first, .., last]) = (view.basis, view.machine.samples.as_slice())
    else {
        return None;
    };
    let table = DatasetTable::between(first, last, None);
    let counted = table.rows.len() + table.more;
    let is_busy = |row: &DatasetRow| row.moved().is_some_and(|moved| moved > 0.0);
    let rows = table.rows.into_iter().filter(is_busy).take(ROWS).collect();
    table.is_counted.then_some(BusyDatasets { rows, counted })
}

/// How the reason ends of lines that are known, and of which nothing is judged.
pub const UNJUDGED_LINES: &str = "of which nothing is judged";

fn unread(machine: &Machine) -> Vec<Unread> {
    let why = |reason: &Reason| match reason {
        Reason::Denied => "needs privilege".to_owned(),
        Reason::Absent => "does not exist".to_owned(),
        // Pasted lines that are of no tool say so themselves.
        Reason::Garbled(words)
            if ["not recognised", "not read", "not used"]
                .iter()
                .any(|own| words.starts_with(own)) =>
        {
            words.clone()
        }
        Reason::Garbled(words) => format!("not understood: {words}"),
        Reason::Failed(words) => format!("failed: {words}"),
    };
    let names: Vec<&str> =
        machine.problems.iter().filter_map(|problem| unknown_name(&problem.reason)).collect();
    let others = machine.problems.iter().filter(|problem| unknown_name(&problem.reason).is_none());
    let mut unread: Vec<Unread> = others
        .map(|problem| Unread { source: problem.source.clone(), why: why(&problem.reason) })
        .collect();
    unread.extend((!names.is_empty()).then(|| Unread {
        source: "sysctl".to_owned(),
        why: format!(
            "has no {} (names that this version does not have: no fault)",
            names.join(", ")
        ),
    }));
    let known = machine.passed_over.iter();
    unread.extend(known.map(|(place, program)| Unread {
        source: place.clone(),
        why: format!("lines of {program}, {UNJUDGED_LINES}"),
    }));
    unread.sort_by(|one, other| {
        numbered(&one.source).cmp(&numbered(&other.source)).then_with(|| one.cmp(other))
    });
    unread.dedup();
    unread
}

/// Returns the name that `sysctl` did not know.
fn unknown_name(reason: &Reason) -> Option<&str> {
    match reason {
        Reason::Failed(words) => {
            let name = words.strip_prefix("sysctl: unknown oid ")?;
            Some(name.trim_matches('\''))
        }
        _ => None,
    }
}

/// Returns a text in parts that sort by their numbers: line 2 before line 11.
fn numbered(text: &str) -> Vec<(Option<u64>, &[u8])> {
    let is_alike = |one: &u8, other: &u8| one.is_ascii_digit() == other.is_ascii_digit();
    let number = |part: &[u8]| std::str::from_utf8(part).ok().and_then(|text| text.parse().ok());
    text.as_bytes().chunk_by(is_alike).map(|part| (number(part), part)).collect()
}
