//! Eviction that looks at much and frees little.
//!
//! A header that may not go yet is passed over and counted in `evict_skip`: blocks that prefetch
//! brought less than `zfs_arc_min_prefetch_ms` ago and indirect blocks as young (arc.c,
//! `arc_evict_hdr`, 0.7 to 2.4), or of another pool than the one that is emptied. `mutex_miss` counts
//! headers that were locked, `evict_not_enough` passes that ended without what was asked for
//! (`arc_evict_state`). Some of each is normal; many for each block that went (`deleted`) mean that
//! the evicting thread turns in circles (openzfs issue 14005).
//!
//! Where only such rows were copied that tell what could go and what is held, the same is seen from them: next to
//! nothing on the lists while dnodes, bonus buffers and dbufs of files in use take hundreds of times as much.

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::arc::over;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether eviction finds evictable blocks", judge };

/// Headers passed over for each that went, from which eviction is mostly in vain.
const SKIPPED: u64 = 10;
/// Passes that freed too little for each block that went; one in ten is beyond any burst.
const FRUITLESS: (u64, u64) = (1, 10);
/// Fewer events than this are no work.
const EVENTS_MIN: u64 = 10_000;
/// Fewer fruitless passes than this are a burst.
const PASSES_MIN: u64 = 100;

/// What is held, against what could go, from which there is nothing to evict.
const HELD_TIMES: u64 = 64;
/// Less that is held is no burden.
const HELD_MIN: u64 = 256 << 20;

fn judge(view: &View<'_>) -> Judged {
    let skipped = view.arc("evict_skip")?;
    let gone = match view.arc("deleted") {
        Ok(gone) => gone,
        Err(unread) => return pinned(view, skipped).map(Verdict::one).ok_or(unread),
    };
    let missed = view.arc("mutex_miss")?;
    // Versions before 0.6.4 do not count passes; what was passed over tells as much.
    let counted = view.arc("evict_not_enough");
    let passes = counted.as_ref().map_or_else(|_| 0, |passes| *passes);
    let evidence = view.rows(["deleted", "evict_skip", "mutex_miss", "evict_not_enough"]);
    let passed_over = skipped.saturating_add(missed);
    let circles = passed_over >= EVENTS_MIN && passed_over >= gone.saturating_mul(SKIPPED);
    let (one, of) = FRUITLESS;
    let in_vain = passes >= PASSES_MIN && passes.saturating_mul(of) >= gone.saturating_mul(one);
    if !circles && !in_vain {
        counted?;
        return Ok(Verdict::fine("Eviction finds evictable blocks", evidence));
    }
    let title = format!(
        "Eviction is mostly in vain: it passed over {} headers and evicted {} blocks",
        format::count(passed_over),
        format::count(gone)
    );
    let mut finding = Finding::new("eviction-fruitless", Severity::WorthALook, Area::Arc, title);
    finding.evidence = evidence;
    finding.evidence.extend(view.rows(["arc_prune", "prefetch_data_misses"]));
    finding.evidence.extend(view.rows_now(["size", "c", "c_max"]));
    finding.evidence.extend(view.settings(["zfetch_max_distance", "zfs_arc_min_prefetch_ms"]));
    let over = over::is_over(view) == Some(true);
    finding.cause = if over {
        "The ARC is over its maximum, and most of what it holds is in use and not on the lists of what may go. What is left \
         there are prefetched and indirect blocks that are too young, so that the eviction thread goes through them again \
         and again."
            .to_owned()
    } else {
        "Recently prefetched blocks, and indirect blocks as young, may not be evicted yet. When \
         they are most of the ARC, eviction scans its lists again and again, and readers wait for \
         space."
            .to_owned()
    };
    finding.remedy = Some(remedy(view, over));
    finding.gain = Gain::NotEstimated("the eviction thread's time is not counted".to_owned());
    finding.cost = "None.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = view.confidence(passed_over.max(passes), "headers skipped");
    finding.sources = lines([
        "module/zfs/arc.c, arc_evict_hdr, arc_evict_state",
        "zfs(4) zfs_arc_min_prefetch_ms",
        "openzfs issue 14005",
    ]);
    Ok(Verdict::one(finding))
}

/// Returns the finding that nothing can be evicted, where rows tell that without what went.
fn pinned(view: &View<'_>, skipped: u64) -> Option<Finding> {
    let passes = view.arc("evict_not_enough").ok()?;
    let evictable = over::sum(view, &over::EVICTABLE)?;
    // A part of what is held is at least that much.
    let held =
        over::HELD.iter().filter_map(|row| view.arc_now(row).ok()).fold(0, u64::saturating_add);
    let is_work = skipped >= EVENTS_MIN && passes >= PASSES_MIN;
    let is_pinned = held >= HELD_MIN && held / HELD_TIMES >= evictable;
    (is_work && is_pinned).then_some(())?;
    let more = if over::sum(view, &over::HELD).is_some() { "" } else { " or more" };
    let title = format!(
        "Next to nothing of the ARC can be evicted: {}, while files in use hold {}{more}",
        Bytes(evictable),
        Bytes(held)
    );
    let mut finding = Finding::new("eviction-fruitless", Severity::WorthALook, Area::Arc, title);
    finding.evidence = view.rows_now(over::EVICTABLE);
    finding.evidence.extend(view.rows_now(over::HELD));
    finding.evidence.extend(view.rows(["evict_skip", "evict_not_enough", "arc_prune"]));
    finding.cause = "Dnodes, bonus buffers and dbufs of files that are open, or whose inodes the kernel caches, cannot be \
                     evicted. When the ARC has to shrink, its threads (arc_evict, arc_prune) scan their lists in vain and \
                     occupy cores."
        .to_owned();
    let mut remedy = over::remedy(view, true);
    remedy.verify = lines(["arcwright doctor --window 60s   # the evictable rows grow"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("the eviction thread's time is not counted".to_owned());
    finding.cost = "Files that are dropped are looked up again when they are next used.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = view.confidence(skipped, "headers skipped");
    finding.sources =
        lines(["module/zfs/arc.c, arc_evict_state, arc_prune_async", "openzfs issue 14005"]);
    Some(finding)
}

fn remedy(view: &View<'_>, over: bool) -> crate::finding::Remedy {
    /// Prefetch of one stream beyond this share of the ARC fills it with blocks that may not go.
    const FAR: u64 = 64;
    /// What versions from 2.1.6 have.
    const DISTANCE: u64 = 64 << 20;
    let distance = view.parameter("zfetch_max_distance").map(|held| held.value);
    let target = view.arc_now("c").ok();
    let far = match (distance, target) {
        (Some(distance), Some(target)) => distance > DISTANCE && distance > target / FAR,
        _ => false,
    };
    if let Some(mut remedy) = far
        .then(|| changes::set(view, &[changes::setting("zfetch_max_distance", DISTANCE)]))
        .flatten()
    {
        let now = distance.map_or_else(|| "much".to_owned(), |now| Bytes(now).to_string());
        remedy.what = format!("{}: each stream may hold {now} of young blocks now", remedy.what);
        return remedy;
    }
    let what = if over {
        "bring the ARC below its maximum first; see that finding"
    } else {
        "see which thread is busy (arc_evict) and what reads so far ahead at that time; update to \
         the latest release of your series"
    };
    let mut remedy =
        changes::by_hand(what, &lines(["top -H -b -n 1 | grep arc_   # FreeBSD: top -HSb"]));
    remedy.verify = lines(["arcwright doctor --window 60s"]);
    remedy
}
