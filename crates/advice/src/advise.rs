//! All rules over one machine, and what they say, the most important first.

use std::collections::BTreeMap;

use arcwright_machine::{Machine, Reason};
use arcwright_units::Bytes;
use serde::Serialize;

use crate::finding::{Area, Confidence, Evidence, Finding, Severity};
use crate::rules;
use crate::verdict::{Fine, NotJudged, Verdict};
use crate::view::{Basis, View};

/// Whether the model may be asked what a remedy would bring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Estimate {
    /// Yes; that takes part of a second.
    WithModel,
    /// No: counters alone.
    CountersOnly,
}

/// What the first finding is called when too little was read for any verdict.
const NOTHING_JUDGED: &str = "nothing-judged";
const NO_COUNTERS: &str = "no-counters";

/// What is said of a machine.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Advice {
    /// What was looked at.
    pub reading: Reading,
    /// What was found, the most important first; never empty.
    pub findings: Vec<Finding>,
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
        self.findings
            .first()
            .is_some_and(|first| ![NOTHING_JUDGED, NO_COUNTERS].contains(&first.id))
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
    let view = View::of(machine, estimate == Estimate::WithModel);
    let mut findings = Vec::new();
    let mut fine = Vec::new();
    let mut unjudged: BTreeMap<NotJudged, Vec<String>> = BTreeMap::new();
    for rule in rules::ALL {
        match (rule.judge)(&view) {
            Ok(Verdict::Found(found)) => findings.extend(found),
            Ok(Verdict::Fine(what)) => fine.push(what),
            Ok(Verdict::Silent) => {}
            Err(why) => unjudged.entry(why).or_default().push(rule.about.to_owned()),
        }
    }
    rules::provisional::mark(&view, &mut findings);
    findings.sort_by_key(|finding| (finding.severity, rank(finding)));
    let unjudged: Vec<Unjudged> =
        unjudged.into_iter().map(|(why, what)| Unjudged { why: why.to_string(), what }).collect();
    if let Some(nothing) = nothing_to_change(&view, &findings, (&fine, &unjudged)) {
        findings.insert(0, nothing);
    }
    Advice { reading: reading(&view), findings, fine, unjudged, unread: unread(machine) }
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

/// Returns “nothing to change”, with what it rests on; none when something should be changed.
///
/// Silence because nothing could be judged is not “nothing to change”, and is said as what it is.
fn nothing_to_change(
    view: &View<'_>,
    findings: &[Finding],
    (fine, unjudged): (&[Fine], &[Unjudged]),
) -> Option<Finding> {
    if findings.iter().any(|finding| finding.severity <= Severity::WorthALook) {
        return None;
    }
    let evidence: Vec<Evidence> =
        fine.iter().flat_map(|fine| fine.evidence.iter().cloned()).collect();
    if evidence.is_empty() {
        let title = "Nothing can be said: too little was read or happened".to_owned();
        let mut finding = Finding::new(NOTHING_JUDGED, Severity::Note, Area::Reading, title);
        finding.cause = unjudged.first().map_or_else(
            || "No rule applies to what was read.".to_owned(),
            |first| format!("The first reason of several: {}.", first.why),
        );
        finding.confidence = Confidence::read("what is missing");
        return Some(finding);
    }
    if let Some(idle) = nothing_happened(view) {
        return Some(idle);
    }
    let title = "Nothing to change".to_owned();
    let mut finding = Finding::new("nothing-to-change", Severity::Fine, Area::Reading, title);
    finding.cause = format!(
        "{} rules looked and found their matter as it should be; what each of them says stands below.",
        fine.len()
    );
    if !unjudged.is_empty() {
        finding
            .cause
            .push_str(" What could not be judged stands there too; it may hold another answer.");
    }
    finding.evidence = evidence;
    let events = view.accesses().map_or(0, |accesses| accesses.all);
    finding.confidence = view.confidence(events, "ARC accesses");
    finding.sources = vec!["every rule that looked found its matter in order".to_owned()];
    Some(finding)
}

/// Returns that caches cannot be judged, when nobody used them while they were watched.
fn nothing_happened(view: &View<'_>) -> Option<Finding> {
    let why = view.accesses().err()?;
    let machine = view.machine;
    let knows_pools = view.parameters_were_read()
        && !machine.problems.iter().any(|problem| problem.source.contains("zpool"));
    let (id, title, cause) = if machine.pools.is_empty() && knows_pools {
        ("no-pool", "No pool is imported, so there is nothing to judge", "The module is loaded.")
    } else if !matches!(why, NotJudged::Idle(_)) {
        let title = "No counters of the caches were read, so they cannot be judged";
        (NO_COUNTERS, title, "What was read stands below and is as it should be.")
    } else {
        let title = "Nobody used the caches meanwhile, so they cannot be judged";
        let cause = "Look again while it is slow, with a longer --window if need be. What does not \
                     depend on the load was looked at and stands below.";
        ("nothing-happened", title, cause)
    };
    let mut finding = Finding::new(id, Severity::Note, Area::Reading, title.to_owned());
    finding.cause = format!("{cause} Seen: {why}.");
    finding.confidence = Confidence::read("how little happened");
    Some(finding)
}

fn reading(view: &View<'_>) -> Reading {
    let machine = view.machine;
    Reading {
        platform: machine.platform_name.clone(),
        zfs: machine.zfs_text.clone().or_else(|| machine.zfs.map(|version| version.to_string())),
        memory: machine.memory.map(|memory| memory.total),
        pools: machine.pools.iter().map(|pool| pool.name.clone()).collect(),
        basis: view.basis,
    }
}

fn unread(machine: &Machine) -> Vec<Unread> {
    let why = |reason: &Reason| match reason {
        Reason::Denied => "needs privilege".to_owned(),
        Reason::Absent => "is not there".to_owned(),
        Reason::Garbled(words) => format!("not understood: {words}"),
        Reason::Failed(words) => format!("failed: {words}"),
    };
    let mut unread: Vec<Unread> = machine
        .problems
        .iter()
        .map(|problem| Unread { source: problem.source.clone(), why: why(&problem.reason) })
        .collect();
    unread.sort();
    unread.dedup();
    unread
}
