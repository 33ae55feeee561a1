//! A pool that holds much and that nobody has ever had read as a whole: `scan: none requested` (zpool-status(8), zpool-scrub(8)).
//!
//! What is never read rots unseen, and is found when a disk fails and its group has no copy left to repair it from.

use arcwright_machine::Pool;
use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::pool_state;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether pools have ever been scrubbed", judge };

/// What holds less may be new, or a test.
const LEAST: Bytes = Bytes::gib(100);

fn judge(view: &View<'_>) -> Judged {
    let findings = view.pools()?.iter().filter_map(of_pool).collect();
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

fn of_pool(pool: &Pool) -> Option<Finding> {
    let scan = pool.scan.as_deref().filter(|scan| scan.starts_with("none requested"))?;
    let holds = pool.number("allocated").map(Bytes).filter(|holds| *holds >= LEAST)?;
    let scrub = pool_state::scrub(pool)?;
    let title = format!("{} holds {holds} and has never been scrubbed", pool.name);
    let mut finding = Finding::new("never-scrubbed", Severity::Note, Area::Safety, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = vec![Evidence::now(format!("{}: scan", pool.name), scan.to_owned())];
    finding.cause = "ZFS has not read the pool as a whole since it was made. What went bad on a disk meanwhile is found when it is read, \
                     and repaired only while another copy is there."
        .to_owned();
    let mut remedy = changes::by_hand(
        "scrub it now, in quiet hours, and once a month from then on, unless it was made lately",
        &[scrub],
    );
    remedy.verify = vec!["zpool status   # how far it is, and what it repaired".to_owned()];
    remedy.undo = vec![format!("zpool scrub -s {}", format::shell(&pool.name))];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("what is at stake is data, not speed".to_owned());
    finding.cost = "All of the pool is read: hours in which the disks are slower.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("zpool status");
    finding.sources = lines(["zpool-scrub(8)", "zpool-status(8)"]);
    Some(finding)
}
