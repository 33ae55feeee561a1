//! The ARC is too small for the working set, by what its ghost lists remember.
//!
//! A ghost hit is a miss of a block that was evicted a short while ago. The ghost lists remember about
//! as much as the ARC holds, so they tell what up to twice the room would have kept and nothing beyond.

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Finding, Gain, Severity, lines};
use crate::rules::room;
use crate::verdict::{Judged, Rule, Verdict};
use crate::view::{ACCESSES_MIN, Accesses, View};
use crate::words;

pub(super) const RULE: Rule = Rule { about: "whether a larger ARC would help", judge };

/// Ghost hits of misses above which more room is worth a look: one read from disk in seven saved.
const GHOSTS: f64 = 0.15;
/// Below this, more room saves hardly a read.
const GHOSTS_FEW: f64 = 0.02;
/// Misses of demand accesses below which the ARC is large enough whatever the ghosts say.
const MISSED: f64 = 0.01;

fn judge(view: &View<'_>) -> Judged {
    let accesses = view.accesses()?;
    let ghosts = words::fraction(accesses.ghosts, accesses.misses);
    let (all, missed) = accesses.demand();
    let rarely = words::fraction(missed, all) < MISSED;
    if rarely || accesses.misses < ACCESSES_MIN {
        let found = words::share(all.saturating_sub(missed), all);
        let what = format!("The ARC answered {found} of what somebody waited for");
        let rows = view.rows([
            "demand_data_hits",
            "demand_data_misses",
            "mru_ghost_hits",
            "mfu_ghost_hits",
        ]);
        return Ok(Verdict::fine(what, rows));
    }
    // Over that limit the ghost lists are drained too (openzfs-model.md §1.12), so they tell nothing.
    if room::metadata_is_at_limit(view) {
        return Ok(Verdict::Silent);
    }
    if ghosts < GHOSTS_FEW {
        let what = format!(
            "A larger ARC would hardly help: {} of the misses had been in it lately",
            words::share(accesses.ghosts, accesses.misses)
        );
        return Ok(Verdict::fine(what, view.rows(["misses", "mru_ghost_hits", "mfu_ghost_hits"])));
    }
    // Where metadata is most of what is missed, its own rule says what to do.
    if ghosts < GHOSTS || accesses.metadata.1 > accesses.data.1 || !room::is_full(view) {
        return Ok(Verdict::Silent);
    }
    Ok(Verdict::one(finding(view, &accesses)))
}

fn finding(view: &View<'_>, accesses: &Accesses) -> Finding {
    let share = words::share(accesses.ghosts, accesses.misses);
    let title = format!(
        "The ARC is too small for what is in use: {share} of the misses had just been in it"
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
            " OpenZFS before 2.3 takes half of the memory on Linux unless told otherwise."
        }
        _ => "",
    };
    finding.cause = format!("{} and is full.{half}", room::words(view));
    match room::larger(view) {
        Some(most) => {
            finding.remedy = changes::set(view, &[("zfs_arc_max", most.0)]);
            let now = view.arc_now("c_max").unwrap_or(0);
            finding.cost =
                format!("Up to {} more memory for the ARC.", Bytes(most.0.saturating_sub(now)));
            finding.risk = "With less memory left, programs may be pushed into swap; a virtual machine that starts later needs its memory at once.".to_owned();
        }
        None => {
            finding.remedy = Some(changes::by_hand(
                "there is no memory to spare here: more memory is the cure; an L2ARC on an SSD is the cheap one",
                &lines(["zpool add POOL cache DEVICE"]),
            ));
            finding.cost = "Memory, or an SSD and 96 B of memory per block on it.".to_owned();
            finding.risk = "None to data.".to_owned();
        }
    }
    finding.gain = Gain::Counted(format!(
        "up to {share} of the misses, if the ARC had up to twice the room ({} of {})",
        words::count(accesses.ghosts),
        words::count(accesses.misses)
    ));
    finding.confidence = view.confidence(accesses.misses, "ARC misses");
    finding.sources = lines(["zfs(4) zfs_arc_max", "module/zfs/arc.c", "openzfs issue 10255"]);
    finding
}
