//! Snapshots that hold much of what their dataset takes.
//!
//! USED of a snapshot is what no other snapshot and not the dataset has: it comes back when that one is destroyed.
//! What several snapshots share is in none of them (zfsprops(7) used, usedbysnapshots). `df` shows what a
//! dataset refers to and what is available, so that it seems to shrink by what snapshots hold.

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::dataset_state::size;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether snapshots hold much space", judge };

/// Less is nobody's question.
const HELD_MIN: u64 = 10 << 30;
/// The part of what the dataset refers to, from which it is much: a quarter.
const PART: u64 = 4;
/// Datasets that are named.
const NAMED_MAX: usize = 4;

/// What snapshots of a dataset hold.
struct SpaceHeld {
    dataset: String,
    bytes: u64,
    /// What the dataset or the largest of them refers to.
    refers: u64,
    /// Which snapshots were added up.
    what: String,
}

fn judge(view: &View<'_>) -> Judged {
    let mut all: Vec<SpaceHeld> = Vec::new();
    for (dataset, snapshots) in &view.machine.snapshots {
        let Some(refers) = snapshots.refers else { continue };
        let what = match snapshots.count {
            1 => "its snapshot".to_owned(),
            count => format!("{} snapshots, each what no other has", format::count(count)),
        };
        let dataset = dataset.clone();
        all.push(SpaceHeld { dataset, bytes: snapshots.held.0, refers: refers.0, what });
    }
    for dataset in &view.machine.datasets {
        let of = |name| size(dataset, name);
        let refers = of("referenced").or_else(|| of("usedbydataset"));
        if let (Some(bytes), Some(refers)) = (of("usedbysnapshots"), refers) {
            // The dataset's own sum has what snapshots share, too.
            all.retain(|held| held.dataset != dataset.name);
            let (dataset, what) = (dataset.name.clone(), "usedbysnapshots".to_owned());
            all.push(SpaceHeld { dataset, bytes, refers, what });
        }
    }
    all.retain(|held| {
        held.bytes >= HELD_MIN && held.bytes >= held.refers / PART && held.refers > 0
    });
    all.sort_by(|one, other| (other.bytes, &one.dataset).cmp(&(one.bytes, &other.dataset)));
    let findings = all.iter().take(NAMED_MAX).map(finding).collect();
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

fn finding(SpaceHeld { dataset: name, bytes: held, refers, what }: &SpaceHeld) -> Finding {
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
