//! Counters began anew within the window.

use crate::finding::{Area, Confidence, Finding, Severity, lines};
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(super) const RULE: Rule = Rule { about: "whether counters were reset", judge };

fn judge(view: &View<'_>) -> Judged {
    if !view.was_reset {
        return Ok(Verdict::Silent);
    }
    let title = "The counters began anew within the window: the module was loaded again".to_owned();
    let mut finding = Finding::new("counters-reset", Severity::Note, Area::Reading, title);
    finding.evidence = view.rows(["hits", "misses"]);
    finding.cause =
        "What was counted before is gone, so the last sample is judged by itself: it holds \
                     what happened since then, with an ARC that was empty."
            .to_owned();
    finding.confidence = Confidence::read("two samples of arcstats");
    finding.sources = lines(["arcstats"]);
    Ok(Verdict::one(finding))
}
