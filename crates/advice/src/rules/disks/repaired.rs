//! A scrub repaired something, and no device has a count of it now.
//!
//! What a scrub repairs counts at the device that had it wrong (`vdev_stat_update`, module/zfs/vdev.c). `zpool clear` and an
//! import set counts to 0, and keep what the last scrub says.

use arcwright_machine::Pool;

use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::rule::Rule;
use crate::rules::pool_state;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether the last scrub repaired something", judge };

fn judge(view: &View<'_>) -> Judged {
    let findings = view.told()?.filter_map(of_pool).collect();
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

fn of_pool(pool: &Pool) -> Option<Finding> {
    let scan = pool.scan.as_deref()?;
    let (amount, rest) = scan.split_once("scrub repaired ")?.1.split_once(' ')?;
    let is_some = amount.contains(|c: char| ('1'..='9').contains(&c));
    let leaves = pool_state::told(pool);
    let clean = |errors: Option<[u64; 3]>| errors == Some([0; 3]);
    // The row of the device may be missing where the pool is not well.
    let is_told = pool_state::is_online_and_whole(pool)
        && pool.status.as_deref().is_none_or(|status| !status.contains("error"));
    let is_clean =
        is_told && !leaves.is_empty() && leaves.iter().all(|(_, leaf)| clean(leaf.errors));
    if !is_some || !rest.contains("with 0 errors") || !is_clean {
        return None;
    }
    let title = format!(
        "The last scrub of {} repaired {amount}, and no device has a count of it now",
        pool.name
    );
    let mut finding = Finding::new("scrub-repaired", Severity::Note, Area::Safety, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = vec![Evidence::now(format!("{}: scan", pool.name), scan)];
    finding.cause = "Some blocks were wrong on a device and right elsewhere. The counts were cleared since, or the pool was \
                     imported anew, so that it is not known which device it was: the next scrub tells whether it comes back."
        .to_owned();
    finding.gain = Gain::Nothing;
    finding.confidence = Confidence::read("zpool status");
    finding.sources = lines(["zpool-scrub(8)", "module/zfs/vdev.c, vdev_stat_update"]);
    Some(finding)
}
