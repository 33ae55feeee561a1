//! Most of what leaves the ARC may not go to the L2ARC, and neither prefetch nor a property says why.

use arcwright_machine::Class;

use crate::drives::leaves_of;
use crate::finding::{Area, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::l2arc_state;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "which blocks may not enter the L2ARC", judge };

/// Ineligible bytes among those evicted, above which most of the ARC's contents is meant.
const MOST: f64 = 0.5;
/// Fewer bytes evicted than this tell nothing: a few records.
const BYTES_MIN: u64 = 64 << 20;

fn judge(view: &View<'_>) -> Judged {
    let Some(l2) = l2arc_state::facts(view)? else { return Ok(Verdict::Silent) };
    let (left, cached) = (l2arc_state::left(view)?, view.arc("evict_l2_cached")?);
    let all = left.eligible.saturating_add(left.ineligible).saturating_add(cached);
    let share = format::fraction(left.ineligible, all);
    if all < BYTES_MIN
        || share < MOST
        || !l2.is_barely_used()
        || l2arc_state::streams(view)? >= MOST
    {
        return Ok(Verdict::Silent);
    }
    let title = "Most blocks that the ARC evicts are not eligible for the L2ARC".to_owned();
    let mut finding = Finding::new("l2arc-ineligible", Severity::Note, Area::L2arc, title);
    finding.evidence = view.rows(["evict_l2_ineligible", "evict_l2_eligible", "evict_l2_cached"]);
    finding.evidence.extend(view.settings([
        "l2arc_noprefetch",
        "l2arc_exclude_special",
        "l2arc_mfuonly",
    ]));
    let pools = &view.machine.pools;
    let without: Vec<String> = pools
        .iter()
        .filter(|pool| leaves_of(pool, Class::Cache).is_empty())
        .map(|pool| pool.name.clone())
        .collect();
    let mut reasons = Vec::new();
    if !without.is_empty() {
        reasons.push(format!(
            "the blocks belong to pools without a cache device ({})",
            format::list(&without)
        ));
    }
    if view.parameter("l2arc_exclude_special").is_some_and(|held| held.value == 1) {
        reasons.push("they are on a special vdev, excluded by l2arc_exclude_special".to_owned());
    }
    reasons.push("the dataset's secondarycache or primarycache excludes them".to_owned());
    reasons.push("they were prefetched and never read".to_owned());
    finding.cause = format!(
        "{} of the evicted bytes were not eligible. Possible reasons: {}.",
        format::share(left.ineligible, all),
        reasons.join("; ")
    );
    finding.gain = Gain::NotEstimated("the counters do not show which reason applies".to_owned());
    finding.confidence = view.confidence(view.misses()?, "ARC misses");
    finding.sources = lines(["module/zfs/arc.c", "openzfs issue 10913"]);
    Ok(Verdict::one(finding))
}
