//! Data on disks whose tracks overlap (drive-managed SMR).
//!
//! Such a drive writes what comes in a long row at full speed, everything else to a cache on its platters, and rewrites
//! whole bands when that is full. Filling a new disk of a pool is the worst of it: tests of 2020 with raidz needed days
//! where other disks need hours.

use std::collections::BTreeSet;

use arcwright_machine::{Class, Drive, Pool};
use arcwright_twin::is_shingled;

use crate::changes;
use crate::drives::leaves_of;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::pool_state;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether disks are shingled (SMR)", judge };

fn judge(view: &View<'_>) -> Judged {
    let told = view.told();
    let mut findings: Vec<Finding> = match &told {
        Ok(_) => view.told()?.filter_map(|pool| of_pool(view, pool)).collect(),
        Err(_) => Vec::new(),
    };
    findings.extend(of_no_pool(view));
    match told {
        Err(why) if findings.is_empty() => Err(why),
        _ => Ok(Verdict::found_or(findings, Verdict::Silent)),
    }
}

/// Returns the note on drives that no pool has, as far as pools were read: they may be spares, or about to be added.
fn of_no_pool(view: &View<'_>) -> Option<Finding> {
    let leaves = view.machine.pools.iter().flat_map(pool_state::told);
    let used: BTreeSet<&str> = leaves
        .filter_map(|(_, leaf)| Some(view.machine.drive_of(&leaf.name)?.name.as_str()))
        .collect();
    let is_free = |drive: &&Drive| is_shingled(drive) && !used.contains(drive.name.as_str());
    let shingled: Vec<&Drive> = view.machine.drives.iter().filter(is_free).collect();
    if shingled.is_empty() {
        return None;
    }
    let names: Vec<String> = shingled.iter().map(|drive| drive.name.clone()).collect();
    let verb = format::plural(names.len(), "is a shingled disk", "are shingled disks");
    let title = format!(
        "{} {verb} (SMR), of no pool that was read: a poor member of one",
        format::list(&names)
    );
    let mut finding = Finding::new("shingled-disks", Severity::Note, Area::Disks, title);
    finding.evidence = shingled.iter().map(|drive| evidence(drive)).collect();
    finding.cause = CAUSE.to_owned();
    finding.gain = Gain::NotEstimated("it is not known what they are to be used for".to_owned());
    finding.cost = "Other disks. No setting of ZFS changes how these write.".to_owned();
    finding.risk = RISK.to_owned();
    finding.confidence = Confidence::read("the drives' models");
    finding.sources = sources();
    Some(finding)
}

const CAUSE: &str = "Their tracks overlap, so that a write in the middle goes to a cache on the platters, and whole bands \
                     are rewritten later. While that cache is full, the drive answers a few requests a second; a pool \
                     waits for its slowest disk. Reads, and short bursts of writes, are those of other disks.";
const RISK: &str = "A resilver takes days instead of hours, in which the pool has less redundancy, and a disk that does not \
                    answer in time may be taken for a failed one.";

fn sources() -> Vec<String> {
    lines([
        "the makers' lists of drives by recording",
        "Aghayev and Desnoyers, Skylight, FAST 2015",
    ])
}

fn of_pool(view: &View<'_>, pool: &Pool) -> Option<Finding> {
    let leaves = leaves_of(pool, Class::Data);
    let mut shingled: Vec<&Drive> = Vec::new();
    for leaf in &leaves {
        let drive = view.machine.drive_of(&leaf.name).filter(|drive| is_shingled(drive));
        shingled.extend(drive.filter(|drive| !shingled.iter().any(|seen| seen.name == drive.name)));
    }
    if shingled.is_empty() {
        return None;
    }
    let names: Vec<String> = shingled.iter().map(|drive| drive.name.clone()).collect();
    let verb = format::plural(names.len(), "is a shingled disk", "are shingled disks");
    let title = format!(
        "{} of {} {verb} (SMR): long writes and the filling of a new disk are slow there",
        format::list(&names),
        pool.name
    );
    let mut finding = Finding::new("shingled-disks", Severity::WorthALook, Area::Disks, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = shingled.iter().map(|drive| evidence(drive)).collect();
    finding.cause = CAUSE.to_owned();
    finding.remedy = Some(changes::by_hand(
        "buy disks of a series with conventional recording (CMR) as spares, and replace these as they fail",
        &[],
    ));
    finding.gain = Gain::NotEstimated(
        "it is in what a resilver and long writes take, which was not measured here".to_owned(),
    );
    finding.cost = "Other disks. No setting of ZFS changes how these write.".to_owned();
    finding.risk = RISK.to_owned();
    finding.confidence = Confidence::read("the drives' models");
    finding.sources = sources();
    Some(finding)
}

fn evidence(drive: &Drive) -> Evidence {
    let told =
        if drive.is_shingled { "smartctl says SMR" } else { "on its maker's list of SMR drives" };
    let words = match &drive.model {
        Some(model) => format!("{model}, {told}"),
        None => told.to_owned(),
    };
    Evidence::now(drive.name.clone(), words)
}
