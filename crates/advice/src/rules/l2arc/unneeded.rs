//! The L2ARC is hardly asked, because the ARC answers already; or it works.

use crate::accesses::Class;
use crate::finding::{Area, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::l2arc_state;
use crate::verdict::{Judged, Verdict};
use crate::view::{ACCESSES_MIN, View};

pub(crate) const RULE: Rule = Rule { about: "whether the L2ARC has work", judge };

/// Misses among accesses below which nothing below the ARC can matter: one in a hundred.
const RARE: f64 = 0.01;

fn judge(view: &View<'_>) -> Judged {
    let Some(l2) = l2arc_state::facts(view)? else { return Ok(Verdict::Silent) };
    let Class { all, missed } = view.demand()?.sum();
    let asked = l2.hits.saturating_add(l2.misses);
    if asked >= l2arc_state::ASKED_MIN && !l2.is_barely_used() {
        let what = format!("The L2ARC served {}", l2.label());
        return Ok(Verdict::fine(what, view.rows(["l2_hits", "l2_misses"])));
    }
    let rare = |part: u64, whole: u64| format::fraction(part, whole) < RARE;
    // Where prefetch brings what is read, nobody misses and the disks work all the same.
    let all_rare = rare(missed, all) && rare(view.misses()?, view.accesses()?);
    if !all_rare || all < ACCESSES_MIN {
        return Ok(Verdict::Silent);
    }
    let title = "The L2ARC is hardly needed: the ARC serves nearly all accesses".to_owned();
    let mut finding = Finding::new("l2arc-unneeded", Severity::Note, Area::L2arc, title);
    finding.subject = l2arc_state::pools(view);
    finding.evidence = view.rows([
        "demand_data_hits",
        "demand_data_misses",
        "demand_metadata_hits",
        "demand_metadata_misses",
    ]);
    finding.evidence.extend(l2arc_state::evidence(view));
    finding.cause = format!(
        "Only {} of the demand accesses missed the ARC, and only misses go to the L2ARC. That is \
         good: memory is faster than any SSD.",
        format::share(missed, all)
    );
    finding.gain = Gain::Nothing;
    finding.confidence = view.confidence(all, "demand accesses");
    finding.sources = lines(["module/zfs/arc.c"]);
    Ok(Verdict::one(finding))
}
