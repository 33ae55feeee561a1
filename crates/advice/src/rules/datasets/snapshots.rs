//! Snapshots that hold much of what their dataset takes.
//!
//! USED of a snapshot is what no other snapshot and not the dataset has: it comes back when that one is destroyed.
//! What several snapshots share is in none of them (zfsprops(7) used, usedbysnapshots). `df` shows what a
//! dataset refers to and what is available, so that it seems to shrink by what snapshots hold.

use arcwright_units::Bytes;

use crate::changes;
use crate::config::number;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::dataset_state::property;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether snapshots hold much space", judge };

/// Less is nobody's question.
const HELD_MIN: u64 = 10 << 30;
/// The part of what the dataset refers to, from which it is much: a quarter.
const PART: u64 = 4;
/// Datasets that are named.
const NAMED_MAX: usize = 4;

fn judge(view: &View<'_>) -> Judged {
    let mut all: Vec<(String, u64, u64, String)> = Vec::new();
    for (dataset, snapshots) in &view.machine.snapshots {
        let what = match snapshots.count {
            1 => "its snapshot".to_owned(),
            count => format!("{} snapshots, each what no other has", format::count(count)),
        };
        all.push((dataset.clone(), snapshots.held.0, snapshots.refers.0, what));
    }
    for dataset in &view.machine.datasets {
        let of = |name| property(dataset, name).and_then(number);
        if let (Some(held), Some(refers)) =
            (of("usedbysnapshots"), of("referenced").or_else(|| of("usedbydataset")))
        {
            all.retain(|(name, ..)| *name != dataset.name);
            all.push((dataset.name.clone(), held, refers, "usedbysnapshots".to_owned()));
        }
    }
    all.retain(|(_, held, refers, _)| *held >= HELD_MIN && *held >= refers / PART && *refers > 0);
    all.sort_by_key(|(name, held, ..)| (std::cmp::Reverse(*held), name.clone()));
    let findings = all.iter().take(NAMED_MAX).map(finding).collect();
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

fn finding((name, held, refers, what): &(String, u64, u64, String)) -> Finding {
    let title = format!("Snapshots of {name} hold {} that nothing else does", Bytes(*held));
    let mut finding = Finding::new("snapshots-hold-space", Severity::Note, Area::Layout, title);
    finding.subject = Some(name.clone());
    let row = |name: String, bytes: u64| Evidence {
        exact: Some(bytes),
        ..Evidence::now(name, Bytes(bytes).to_string())
    };
    finding.evidence = vec![
        row(format!("{name}: held by {what}"), *held),
        row(format!("{name}: refers to, at most"), *refers),
    ];
    finding.cause = "Blocks that were deleted or overwritten stay as long as a snapshot has them. df does not count \
                     them for the dataset, and shows it smaller instead."
        .to_owned();
    let shown = format::shell(name);
    let mut remedy = changes::by_hand(
        "destroy snapshots that nobody needs any more; a dry run says what that gives back",
        &[
            format!("zfs list -t snapshot -o name,creation,used,refer -s used -r {shown}"),
            format!(
                "zfs destroy -nv {shown}@FIRST%LAST   # what it would give back; -n changes nothing"
            ),
        ],
    );
    remedy.verify = vec![format!("zfs list -o space {shown}")];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated(format!("{} of space or more", Bytes(*held)));
    finding.cost = "The state that they kept.".to_owned();
    finding.risk =
        "A destroyed snapshot does not come back; one that a replication needs breaks it."
            .to_owned();
    finding.confidence = Confidence::read("zfs list");
    finding.sources = lines(["zfsprops(7) used, usedbysnapshots", "zfs-destroy(8)"]);
    finding
}
