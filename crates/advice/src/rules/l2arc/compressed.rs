//! What compression saves on the L2ARC: blocks lie there as they lie in the pool.
//!
//! `l2_size` counts them as they would be without compression, `l2_asize` as they are (module/zfs/arc.c,
//! `arcstat_l2_lsize` and `arcstat_l2_psize`; 0.7 and later, before that the L2ARC compressed for itself).

use arcwright_units::Bytes;

use crate::finding::{Area, Confidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::l2arc_state;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "what compression saves on the L2ARC", judge };

/// Saved, of all, from which it is worth a sentence: a tenth.
const SAVED: f64 = 0.1;
/// Less on it tells nothing yet.
const LEAST: u64 = 1 << 30;
/// No data shrinks to less than a fiftieth in the mean: such a counter went wrong (openzfs issue 3114).
const TIMES_MAX: u64 = 50;

fn judge(view: &View<'_>) -> Judged {
    if !l2arc_state::has_cache(view)? {
        return Ok(Verdict::Silent);
    }
    let (logical, real) = (view.arc_now("l2_size")?, l2arc_state::held(view)?);
    let saved = logical.saturating_sub(real);
    let is_sane = real >= LEAST && logical / real.max(1) < TIMES_MAX;
    if !is_sane || format::fraction(saved, logical) < SAVED {
        return Ok(Verdict::Silent);
    }
    let title = format!(
        "The L2ARC holds {} of data in {} of its device: compression saves {}",
        Bytes(logical),
        Bytes(real),
        format::share(saved, logical)
    );
    let mut finding = Finding::new("l2arc-compressed", Severity::Note, Area::L2arc, title);
    finding.subject = l2arc_state::pools(view);
    finding.evidence = view.rows_now(["l2_size", "l2_asize", "l2_hdr_size"]);
    finding.cause = "Blocks lie on the L2ARC as they lie in the pool, compressed by what their datasets set. Tools that \
                     show the larger size (l2_size) may show more than the device has room for; how full it is, the \
                     smaller one tells (l2_asize)."
        .to_owned();
    finding.gain = Gain::Counted(format!("{} less of the device is taken", Bytes(saved)));
    finding.cost = "None: blocks are not compressed again.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("arcstats, as it is now");
    finding.sources = lines(["module/zfs/arc.c, arcstat_l2_lsize, arcstat_l2_psize"]);
    Ok(Verdict::one(finding))
}
