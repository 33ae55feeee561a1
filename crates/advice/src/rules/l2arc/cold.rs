//! The L2ARC is full of what nobody reads again.

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::l2arc_state;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether the L2ARC's contents are read again", judge };

/// Holding this many times the ARC, it holds more than the ARC ever dropped lately.
const FULL_OF_ARC: u64 = 2;
/// Misses that a ghost list remembers: below this share what is missed was not in the ARC before.
const GHOSTS: f64 = 0.05;
/// With more prefetch than this among the misses, that is the first reason to look at.
const STREAMS: f64 = 0.5;

/// Misses of all accesses below which nothing below the ARC matters.
const RARE: f64 = 0.01;

fn judge(view: &View<'_>) -> Judged {
    let Some(l2) = l2arc_state::asked(view)? else { return Ok(Verdict::Silent) };
    let (size, held, misses) = (view.arc_now("size")?, l2arc_state::held(view)?, view.misses()?);
    let ghosts = view.ghosts()?;
    let is_known = format::fraction(ghosts, misses) >= GHOSTS;
    let full = held >= size.saturating_mul(FULL_OF_ARC);
    // Where the ARC answers nearly all, an idle L2ARC is no news of its own.
    let rare = format::fraction(misses, view.accesses()?) < RARE;
    if rare || !l2.is_barely_used() || !full || is_known || l2arc_state::streams(view)? >= STREAMS {
        return Ok(Verdict::Silent);
    }
    let title = format!("The L2ARC holds {} that are hardly read again", Bytes(held));
    let mut finding = Finding::new("l2arc-not-reread", Severity::WorthALook, Area::L2arc, title);
    finding.subject = l2arc_state::pools(view);
    finding.evidence = l2arc_state::evidence(view);
    finding.evidence.extend(view.rows(["misses", "mru_ghost_hits", "mfu_ghost_hits"]));
    finding.evidence.extend(view.rows_now(["size", "l2_hdr_size"]));
    finding.cause = format!(
        "It is well filled and serves {}; only {} of the misses had been in the ARC before. A read \
         cache helps repeated reads, and most reads here are new.",
        l2.label(),
        format::share(ghosts, misses),
    );
    let command =
        "zpool remove POOL DEVICE   # a cache device may be removed at any time".to_owned();
    let mut remedy = changes::by_hand(
        "leave it, or use the SSD for something else; observe it over a working day first",
        &[command],
    );
    remedy.verify = lines(["arcwright doctor --window 10m"]);
    remedy.undo = lines(["zpool add POOL cache DEVICE   # it fills again"]);
    finding.remedy = Some(remedy);
    finding.gain = match view.arc_now("l2_hdr_size") {
        Ok(headers) => Gain::Counted(format!("frees {} of memory for the ARC", Bytes(headers))),
        Err(why) => Gain::NotEstimated(why.to_string()),
    };
    finding.cost = "None.".to_owned();
    finding.risk = "None to data. Another job that re-reads may run at another time.".to_owned();
    finding.confidence = view.confidence(misses, "ARC misses");
    finding.sources = lines(["module/zfs/arc.c", "openzfs issue 4738"]);
    Ok(Verdict::one(finding))
}
