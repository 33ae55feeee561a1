//! The ARC's target stands at its minimum, far below its maximum.
//!
//! It falls there when the kernel asks for memory (arc.c, `arc_reduce_target_size`), and may begin there
//! after the module was loaded; one that has more than such a target is being made to give it up. These rows do not tell which; that it is so is said, so that nobody takes
//! silence for “as it should be”. Causes are judged by the rules on memory pressure and on a collapsed ARC.

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Confidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::arc::memory_signs;
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

/// Returns whether an ARC has more than its target by more than a moment's delay of eviction.
fn is_above(size: u64, target: u64) -> bool {
    size as f64 >= 1.2 * target as f64
}

/// Returns the size, the target and the memory where an ARC has much more than its target, and that is a sliver of
/// the memory; how much it may be was not read, and no default of the maximum is as small.
fn gives_up_most(view: &View<'_>) -> Option<(u64, u64, u64)> {
    /// Of the memory.
    const SLIVER: f64 = 1.0 / 32.0;
    let row = |name| view.arc_now(name).ok();
    let memory = view.machine.memory?.total.0;
    let (size, target) = (row("size")?, row("c")?);
    let is_sliver = target > 0 && (target as f64) <= SLIVER * memory as f64;
    (row("c_max").is_none() && is_sliver && is_above(size, target))
        .then_some((size, target, memory))
}

/// Says that the ARC is being made to give up nearly all of the memory it could have.
fn giving_most(view: &View<'_>, (size, target, memory): (u64, u64, u64)) -> Finding {
    let title = format!(
        "The ARC's target is only {} of {} memory, and it is giving up the rest: it has {}",
        Bytes(target),
        Bytes(memory),
        Bytes(size)
    );
    let mut finding = Finding::new("arc-shrinking", Severity::WorthALook, Area::Arc, title);
    finding.evidence = view.rows_now(["size", "c"]);
    let mut finding = with_cause(view, finding);
    finding.cause = "Its target fell, or has not risen since the module was loaded, where it begins low from 2.0 on: programs, the page \
                     cache of other file systems or of memory that programs share, or a call of the kernel's shrinker \
                     that took too much may be behind it. A minimum \
                     (zfs_arc_min) keeps what is given to it, at the price of swapping or of killed programs where \
                     the memory is really needed. How much the ARC may have was not read."
        .to_owned();
    finding
}

/// Returns the size and the target of an ARC that has much more than its target, which is far below its maximum:
/// one that grows has less than its target, so this one is being made to give up memory.
fn gives_up(view: &View<'_>) -> Option<(u64, u64, u64)> {
    /// Of the maximum, a target that nobody takes for one that just grows.
    const FAR: f64 = 0.25;
    let row = |name| view.arc_now(name).ok();
    let (size, target, most) = (row("size")?, row("c")?, row("c_max")?);
    let is_far = target > 0 && (target as f64) <= FAR * most as f64;
    (is_far && size <= most && is_above(size, target)).then_some((size, target, most))
}

/// Returns the target and the maximum of an ARC that fills a target far below its maximum, and has
/// evicted more blocks than it knows: one that only began small has evicted few.
fn held_low(view: &View<'_>) -> Option<(u64, u64)> {
    /// Of the maximum, a target that is far below it.
    const FAR: f64 = 0.5;
    /// Of the target, what fills it.
    const FILLED: f64 = 0.9;
    let row = |name| view.arc_now(name).ok();
    let (size, target, most) = (row("size")?, row("c")?, row("c_max")?);
    let (evicted, known) = (row("deleted")?, row("hash_elements")?);
    let is_low = (target as f64) <= FAR * most as f64 && size as f64 >= FILLED * target as f64;
    (is_low && known > 0 && evicted > known).then_some((target, most))
}

/// Says that something keeps the ARC small, where no sign tells what.
fn held(view: &View<'_>, (target, most): (u64, u64)) -> Finding {
    let title = format!(
        "The ARC has evicted more blocks than it holds, though its target is only {} of at most {}",
        Bytes(target),
        Bytes(most)
    );
    let mut finding = Finding::new("arc-held-low", Severity::Note, Area::Arc, title);
    finding.evidence = view.rows_now(["size", "c", "c_min", "c_max", "deleted", "hash_elements"]);
    with_cause(view, finding)
}

/// Says that the ARC is being made to give up memory, where no sign tells what for.
fn shrinking(view: &View<'_>, (size, target, most): (u64, u64, u64)) -> Finding {
    let title = format!(
        "The ARC is giving up memory: it has {}, its target is {} of at most {}",
        Bytes(size),
        Bytes(target),
        Bytes(most)
    );
    /// Of the demand accesses, what misses where its smallness is felt.
    const FELT: f64 = 0.1;
    let demand = view.enough_accesses().and_then(|_| Ok(view.demand()?.sum()));
    let felt = demand.ok().filter(|sum| format::fraction(sum.missed, sum.all) >= FELT);
    let (severity, title) = match felt {
        Some(sum) => {
            let missed = format::share(sum.missed, sum.all);
            (Severity::WorthALook, format!("{title}, and {missed} of the demand reads miss it"))
        }
        None => (Severity::Note, title),
    };
    let mut finding = Finding::new("arc-shrinking", severity, Area::Arc, title);
    finding.evidence = view.rows_now(["size", "c", "c_min", "c_max"]);
    with_cause(view, finding)
}

/// Adds to a finding what may be the matter, and what to look at.
fn with_cause(view: &View<'_>, mut finding: Finding) -> Finding {
    finding.cause = "Its target fell, or has not risen since the module was loaded, where it begins low from 2.0 on: programs that \
                     want the memory, a call of the kernel's shrinker that took too much, or drop_caches may be \
                     behind it. How much memory is free was not read, so \
                     these values do not tell which; the maximum is not what limits the ARC."
        .to_owned();
    let commands = match view.is_freebsd() {
        true => lines(["top -o res", "swapinfo -h"]),
        false => lines(["free -m", "ps aux --sort=-rss | head"]),
    };
    let what = "see how much memory is free and what uses the rest; change no limit of the ARC before that";
    finding.remedy = Some(changes::by_hand(what, &commands));
    finding.gain = Gain::NotEstimated("depends on what wants the memory".to_owned());
    finding.cost = "None to look.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = Confidence::read("arcstats, as it is now");
    finding.sources = lines(["module/zfs/arc.c, arc_reduce_target_size", "openzfs issue 6630"]);
    finding
}

fn judge(view: &View<'_>) -> Judged {
    let Some((target, least, most)) = stands(view) else {
        // Where memory was read, the rules on pressure and on a collapsed ARC know more.
        let is_blind = memory_signs::pressure(view).is_err() && memory_signs::is_roomy_unread(view);
        let found = gives_up(view).map(|facts| shrinking(view, facts));
        let found = found.or_else(|| Some(held(view, held_low(view)?))).filter(|_| is_blind);
        let found = found.or_else(|| Some(giving_most(view, gives_up_most(view)?)));
        return Ok(found.map_or_else(|| Verdict::Silent, Verdict::one));
    };
    let title =
        format!("The ARC's target is at its minimum: {} of at most {}", Bytes(target), Bytes(most));
    let mut finding = Finding::new("arc-at-minimum", Severity::Note, Area::Arc, title);
    finding.evidence = view.rows_now(["size", "c", "c_min", "c_max"]);
    finding.cause = match most / 2 < least {
        true => format!(
            "Something else wanted memory, or the target has not risen since: these values do not tell which. The minimum is set so \
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
