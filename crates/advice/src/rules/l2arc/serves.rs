//! What the L2ARC serves of all that is asked for, whatever it costs.
//!
//! Its own hit ratio counts misses of the ARC alone: a quarter of few misses is next to nothing of all accesses.

use arcwright_units::Bytes;

use crate::finding::{Area, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::l2arc_state;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "how much of all accesses the L2ARC serves", judge };

/// Of all accesses, below which nobody notices what it serves: one in a hundred.
pub(crate) const FEW: f64 = 0.01;

/// Of all accesses, below which a cache device is no success unless it has most of what it is asked for,
const LITTLE: f64 = 0.05;
/// which is at least this share of that.
const POOR: f64 = 0.25;
/// Of all accesses, from which the ARC serves nearly all.
const NEARLY: f64 = 0.95;

fn judge(view: &View<'_>) -> Judged {
    let Some(l2) = l2arc_state::asked(view)? else { return Ok(Verdict::Silent) };
    let all = view.accesses()?;
    let share = format::share(l2.hits, all);
    let told = format!("The L2ARC serves {share} of all accesses: {}", l2.label());
    let evidence = view.rows(["l2_hits", "l2_misses", "hits", "misses"]);
    let is_poor = format::fraction(l2.hits, all) < LITTLE
        && format::fraction(l2.hits, l2.hits.saturating_add(l2.misses)) < POOR;
    if format::fraction(l2.hits, all) >= FEW && !is_poor {
        return l2arc_state::praise(view, told, evidence);
    }
    // What holds less than the ARC itself adds hardly anything to it yet.
    let sizes = view.arc_now("l2_size").ok().zip(view.arc_now("size").ok());
    let small = sizes.filter(|(held, size)| held < size);
    let yet = small.map_or_else(String::new, |(held, _)| format!("; it holds {} yet", Bytes(held)));
    let title = told + &yet;
    let mut finding = Finding::new("l2arc-serves-little", Severity::Note, Area::L2arc, title);
    finding.subject = l2arc_state::pools(view);
    finding.evidence = evidence;
    // What the ARC serves is known where its hits are.
    let served = view.arc("hits").ok().filter(|_| all > 0).map(|hits| format::fraction(hits, all));
    let why = match served {
        Some(served) if served >= NEARLY => "The ARC itself serves nearly all that is asked for.",
        Some(_) => "What the ARC lacks is mostly not on the cache device either.",
        None => {
            "The ARC itself serves nearly all that is asked for, or what it lacks is not on the cache device either."
        }
    };
    finding.cause =
        format!("{why} A cache device may be removed at any time, and no data is lost by it.");
    if let Some((held, size)) = small {
        finding.cause = format!(
            "It holds {}, less than the ARC itself ({}): it is still being filled, or too small to add much. Few \
             hits prove nothing until it is full.",
            Bytes(held),
            Bytes(size)
        );
    }
    finding.gain = Gain::NotEstimated("depends on what it costs in memory and wear".to_owned());
    finding.cost = format!("{} more reads of the disks {}.", format::count(l2.hits), view.when());
    finding.risk = "None to data.".to_owned();
    finding.confidence = view.confidence(all, "ARC accesses");
    finding.sources = lines(["module/zfs/arc.c"]);
    Ok(Verdict::one(finding))
}
