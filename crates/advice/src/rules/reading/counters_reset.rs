//! Counters began anew within the window.

use crate::finding::{Area, Confidence, Finding, Severity, lines};
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether counters were reset", judge };

fn judge(view: &View<'_>) -> Judged {
    if !view.was_reset {
        return Ok(Verdict::Silent);
    }
    let title = "The counters restarted within the window: the module was reloaded".to_owned();
    let mut finding = Finding::new("counters-reset", Severity::Note, Area::Reading, title);
    finding.evidence = view.rows(["hits", "misses"]);
    finding.cause =
        "The earlier counts are lost, so the last sample is judged by itself: it counts since the \
         reload, which began with an empty ARC."
            .to_owned();
    finding.confidence = Confidence::read("two samples of arcstats");
    finding.sources = lines(["arcstats"]);
    Ok(Verdict::one(finding))
}
