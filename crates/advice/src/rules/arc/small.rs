//! The ARC is too small for the working set, by what its ghost lists remember.
//!
//! A ghost hit is a miss of a block that was evicted a short while ago. The ghost lists remember about
//! as much as the ARC holds, so they tell what up to twice the room would have kept and nothing beyond.

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Finding, Gain, Remedy, Severity, lines};
use crate::format;
use crate::gains;
use crate::own_load;
use crate::rule::Rule;
use crate::rules::arc::room::{self, Room};
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::{ACCESSES_MIN, View};

pub(crate) const RULE: Rule = Rule { about: "whether a larger ARC would help", judge };

/// Ghost hits of misses above which more room is worth a look: one read from disk in seven saved.
const GHOSTS: f64 = 0.15;
/// Below this, more room saves hardly a read.
const GHOSTS_FEW: f64 = 0.02;
/// What could go wrong with a larger one.
pub(super) const RISK: &str = "With less memory left, programs may be swapped out; a virtual machine \
     that starts later needs its memory at once.";
/// Misses of demand accesses below which the ARC is large enough whatever the ghosts say.
const MISSED: f64 = 0.01;

fn judge(view: &View<'_>) -> Judged {
    Ok(match look(view)? {
        Look::Small { ghosts, misses } => Verdict::one(finding(view, ghosts, misses)),
        Look::Other(verdict) => verdict,
    })
}

/// What the counters say of the ARC's size.
enum Look {
    /// It is too small, by so many ghost hits of so many misses.
    Small { ghosts: u64, misses: u64 },
    /// Anything else.
    Other(Verdict),
}

/// Says whether the counters show that the ARC is too small.
pub(super) fn is_small(view: &View<'_>) -> bool {
    matches!(look(view), Ok(Look::Small { .. }))
}

fn look(view: &View<'_>) -> Result<Look, NotJudged> {
    view.enough_accesses()?;
    let (demand, misses) = (view.demand()?, view.misses()?);
    let waited = demand.sum();
    if format::fraction(waited.missed, waited.all) < MISSED || misses < ACCESSES_MIN {
        // Metadata that is always there hides contents that are not.
        if view.hides_contents() {
            return Ok(Look::Other(Verdict::Silent));
        }
        let found = format::share(waited.all.saturating_sub(waited.missed), waited.all);
        let what = format!("The ARC served {found} of the demand accesses");
        let rows = view.rows([
            "demand_data_hits",
            "demand_data_misses",
            "mru_ghost_hits",
            "mfu_ghost_hits",
        ]);
        return Ok(Look::Other(Verdict::fine(what, rows)));
    }
    // Over that limit the ghost lists are drained too (docs/model/arc.md#metadata-limit), so they tell nothing.
    if room::metadata_is_at_limit(view)? {
        return Ok(Look::Other(Verdict::Silent));
    }
    let ghosts = view.ghosts()?;
    let share = format::fraction(ghosts, misses);
    if share < GHOSTS_FEW {
        // They remember about as much as the target: of one that was pushed far down they tell nothing of what it may have.
        if let (Ok(target), Ok(most)) = (view.arc_now("c"), view.arc_now("c_max"))
            && target < most / 2
        {
            return Err(NotJudged::Lacking(format!(
                "the ghost lists remember about as much as the ARC's target, {}, and it may have {}",
                Bytes(target),
                Bytes(most)
            )));
        }
        let what = format!(
            "A larger ARC would hardly help: {} of the misses hit a ghost list",
            format::share(ghosts, misses)
        );
        let rows = view.rows(["misses", "mru_ghost_hits", "mfu_ghost_hits"]);
        return Ok(Look::Other(Verdict::fine(what, rows)));
    }
    // Where metadata is most of what is missed, its own rule says what to do.
    let is_metadata = demand.metadata.missed > demand.data.missed;
    // What holds more than it may does not lack a larger maximum.
    if share < GHOSTS || is_metadata || !room::is_full(view)? || room::is_over_maximum(view)? {
        return Ok(Look::Other(Verdict::Silent));
    }
    Ok(Look::Small { ghosts, misses })
}

fn finding(view: &View<'_>, ghosts: u64, misses: u64) -> Finding {
    let share = format::share(ghosts, misses);
    let title = format!(
        "The ARC is smaller than the working set: {share} of the misses had recently been in it"
    );
    let mut finding = Finding::new("arc-small", Severity::WorthALook, Area::Arc, title);
    finding.evidence = view.rows([
        "misses",
        "mru_ghost_hits",
        "mfu_ghost_hits",
        "demand_data_misses",
        "demand_data_hits",
    ]);
    finding.evidence.extend(view.rows_now(["size", "c", "c_max"]));
    finding.evidence.extend(view.settings(["zfs_arc_max"]));
    let half = match (view.is_from("2.3.0"), view.is_freebsd()) {
        (Some(false), false) => {
            " This version takes half of the memory on Linux unless zfs_arc_max says otherwise."
        }
        _ => "",
    };
    finding.cause = format!("{} and is full.{half}", room::label(view));
    let (remedy, cost) = remedy(view);
    finding.remedy = remedy;
    finding.cost = cost;
    finding.risk = RISK.to_owned();
    let counted = Gain::Counted(format!(
        "up to {share} fewer misses with an ARC of up to twice the size ({} of {})",
        format::count(ghosts),
        format::count(misses)
    ));
    finding.gain = match room::of(view) {
        Room::Larger(most) => {
            let wanted = changes::setting("zfs_arc_max", most.0);
            gains::gain(view, own_load::settings(&[wanted]), || Ok(counted))
        }
        _ => counted,
    };
    finding.confidence = view.confidence(misses, "ARC misses");
    finding.sources = lines(["zfs(4) zfs_arc_max", "module/zfs/arc.c", "openzfs issue 10255"]);
    finding
}

/// Returns what to do, and what that costs.
fn remedy(view: &View<'_>) -> (Option<Remedy>, String) {
    match (room::of(view), view.arc_now("c_max")) {
        (Room::Larger(most), Ok(now)) => {
            let more = Bytes(most.0.saturating_sub(now));
            let cost = format!("Up to {more} more memory for the ARC.");
            (changes::set(view, &[changes::setting("zfs_arc_max", most.0)]), cost)
        }
        (Room::Taken, _) => {
            let remedy = changes::by_hand(
                "no memory is to spare here: add memory, or an L2ARC on an SSD as the cheaper way",
                &lines(["zpool add POOL cache DEVICE"]),
            );
            (Some(remedy), "Memory, or an SSD and 96 B of memory per block on it.".to_owned())
        }
        (Room::Unknown(_) | Room::Over | Room::Larger(_), _) => {
            let remedy = changes::by_hand(
                "check whether there is memory for a larger ARC (zfs_arc_max) before buying any: \
                 that was not read here",
                &lines(["sudo arcwright doctor   # on the machine itself"]),
            );
            (Some(remedy), "Memory for the ARC.".to_owned())
        }
    }
}
