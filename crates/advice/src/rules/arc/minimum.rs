//! The ARC's target stands at its minimum, far below its maximum.
//!
//! It falls there when the kernel asks for memory (arc.c, `arc_reduce_target_size`), and may begin there
//! after the module was loaded. These rows do not tell which; that it is so is said, so that nobody takes
//! silence for “as it should be”. Causes are judged by the rules on memory pressure and on a collapsed ARC.

use arcwright_units::Bytes;

use crate::finding::{Area, Confidence, Finding, Gain, Severity, lines};
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether the ARC stands at its minimum", judge };

/// Says whether the target is at the minimum; reports round both.
fn is_at(target: u64, least: u64) -> bool {
    u128::from(target) * 1000 <= u128::from(least) * 1002
}

/// Returns the target, and the maximum, where the first stands at a minimum below the latter.
///
/// A minimum that is all of the maximum is a size that somebody fixed.
pub(crate) fn stands(view: &View<'_>) -> Option<(u64, u64, u64)> {
    let row = |name| view.arc_now(name).ok();
    let (target, least, most) = (row("c")?, row("c_min")?, row("c_max")?);
    (least > 0 && is_at(target, least) && least < most).then_some((target, least, most))
}

fn judge(view: &View<'_>) -> Judged {
    let Some((target, least, most)) = stands(view) else { return Ok(Verdict::Silent) };
    let title =
        format!("The ARC's target is at its minimum: {} of at most {}", Bytes(target), Bytes(most));
    let mut finding = Finding::new("arc-at-minimum", Severity::Note, Area::Arc, title);
    finding.evidence = view.rows_now(["size", "c", "c_min", "c_max"]);
    finding.cause = match most / 2 < least {
        true => format!(
            "Something else wanted memory, or still does: these values do not tell what. The minimum is set so \
             high that the ARC gives back {} at most, and stands there.",
            Bytes(most.saturating_sub(least))
        ),
        false => "Something else wanted the memory, or the module was loaded a short while ago: \
                  these values do not tell which. The ARC is not what holds the memory now."
            .to_owned(),
    };
    finding.gain = Gain::NotEstimated("depends on why it is so small".to_owned());
    finding.cost = "None.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = Confidence::read("arcstats, as it is now");
    finding.sources = lines(["module/zfs/arc.c, arc_reduce_target_size"]);
    Ok(Verdict::one(finding))
}
