//! A larger ARC would save waiting under the machine's own load, though no counter calls it too small.
//!
//! The ghost lists remember what was evicted a short while ago; a load that comes back later than that leaves no trace in
//! them, and neither does one that misses seldom but waits long for it. The model of the machine under its own load counts both.
//! It is asked only where memory is there for a larger ARC: what more memory would bring, `arcwright advise` asks.

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Level, Severity, lines};
use crate::own_load::{self, Saved};
use crate::rule::Rule;
use crate::rules::arc::room::{self, Room};
use crate::rules::arc::small;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule =
    Rule { about: "whether clients would wait less with a larger ARC", judge };

fn judge(view: &View<'_>) -> Judged {
    let (Room::Larger(most), Ok(now)) = (room::of(view), view.arc_now("c_max")) else {
        return Ok(Verdict::Silent);
    };
    // What the ghost lists tell already is said by its own rule, and what nobody asked for by none.
    let Ok(accesses) = view.enough_accesses() else { return Ok(Verdict::Silent) };
    if small::is_small(view) {
        return Ok(Verdict::Silent);
    }
    let wanted = changes::setting("zfs_arc_max", most.0);
    let Ok(saved) = view.saved(&own_load::settings(std::slice::from_ref(&wanted))) else {
        return Ok(Verdict::Silent);
    };
    let evidence = || view.rows_now(["size", "c", "c_max"]);
    if saved.is_nothing() {
        let what = format!("With an ARC of {most} instead of {} {}", Bytes(now), saved.sentence());
        return Ok(Verdict::fine(what, evidence()));
    }
    if !saved.is_sure() {
        return Ok(Verdict::Silent);
    }
    let mut found = finding(view, (Bytes(now), most), &saved, evidence());
    found.remedy = changes::set(view, &[wanted]);
    found.confidence = confidence(view, accesses);
    Ok(Verdict::one(found))
}

fn finding(
    view: &View<'_>,
    (now, most): (Bytes, Bytes),
    saved: &Saved,
    evidence: Vec<Evidence>,
) -> Finding {
    let title = format!("The ARC may take {now}, and clients would wait less with {most}");
    let mut finding = Finding::new("arc-larger", Severity::WorthALook, Area::Arc, title);
    finding.evidence = evidence;
    finding.evidence.extend(view.settings(["zfs_arc_max"]));
    finding.cause = "No counter shows that the ARC is too small; the model of this machine, under a \
                     load that counts what was counted here, waits less for its disks with more of it."
        .to_owned();
    finding.gain = saved.gain();
    finding.cost =
        format!("Up to {} more memory for the ARC.", Bytes(most.0.saturating_sub(now.0)));
    finding.risk = small::RISK.to_owned();
    finding.sources = lines(["zfs(4) zfs_arc_max", "the model, under the load of this window"]);
    finding
}

/// Returns how sure that is: a prediction, and no count.
fn confidence(view: &View<'_>, accesses: u64) -> Confidence {
    let counted = view.confidence(accesses, "ARC accesses");
    let level = counted.level.min(Level::Fair);
    Confidence { level, words: format!("a prediction from {}", counted.words), ..counted }
}
