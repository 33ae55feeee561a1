//! The L2ARC is still being filled, so its hits say little yet.

use arcwright_units::{Bytes, Nanos};

use crate::finding::{Area, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::l2arc_state;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether the L2ARC is warm", judge };

/// The share of the room below which it is called warming: as long as most of it is empty, nothing has
/// been pushed off it and every miss may be a first one.
const WARM: f64 = 0.5;
/// A cache that got nothing new is not warming: less than a MiB/s over the time judged.
const FILLING: f64 = 1_048_576.0;

fn judge(view: &View<'_>) -> Judged {
    let Some(l2) = l2arc_state::facts(view)? else { return Ok(Verdict::Silent) };
    let (held, written) = (l2arc_state::held(view)?, l2arc_state::written(view)?);
    let Some(rate) = view.per_s(written) else {
        return Err(NotJudged::NotRead("the period of the counters was not read".to_owned()));
    };
    let room = l2arc_state::own_room(view)?;
    let filled = format::fraction(held, room.0);
    if filled >= WARM || rate < FILLING || !l2.is_barely_used() {
        return Ok(Verdict::Silent);
    }
    let left = Nanos::from_secs_f64((room.0.saturating_sub(held)) as f64 / rate);
    let title = format!("The L2ARC is still filling: {} of at most {room}", Bytes(held));
    let mut finding = Finding::new("l2arc-warming", Severity::Note, Area::L2arc, title);
    finding.subject = l2arc_state::pools(view);
    finding.evidence = l2arc_state::evidence(view);
    finding.cause = format!(
        "It holds only blocks fed since the device was added. At the present rate it is full in \
         {}; until then few hits prove nothing.",
        format::span(left)
    );
    finding.gain = Gain::NotEstimated("look again when it is full".to_owned());
    finding.confidence = view.confidence(view.misses()?, "ARC misses");
    finding.sources = lines(["module/zfs/arc.c", "openzfs issue 3774"]);
    Ok(Verdict::one(finding))
}
