//! The ARC is squeezed by the rest of the machine.
//!
//! Under memory pressure the kernel takes from the ARC down to `c_min` (docs/model/arc.md#memory-pressure). A
//! target far below `c_max` alone is no sign: from 2.0 the ARC starts small and grows with what is
//! read. What is a sign and what is not stands in `memory_signs.rs`.

use arcwright_units::Bytes;

use crate::accesses::Class;
use crate::changes;
use crate::finding::{Area, Evidence, Finding, Gain, Remedy, Severity, lines};
use crate::format;
use crate::rows::ARCSTATS;
use crate::rule::Rule;
use crate::rules::arc::{memory_signs, minimum, over};
use crate::verdict::{Judged, Verdict};
use crate::view::{ACCESSES_MIN, View};

pub(crate) const RULE: Rule = Rule { about: "whether memory pressure shrinks the ARC", judge };

/// A target below this share of the maximum has been pushed down, if there is pressure.
const PUSHED: f64 = 0.7;
/// A target above this share of the maximum is at it, and an ARC above this share of its target is full.
const AT_MOST: f64 = 0.98;
const FULL: f64 = 0.95;
/// At this much of the minimum it cannot go lower.
const AT_MIN: f64 = 1.1;
/// Misses of demand accesses above which the smallness is felt.
const MISSED: f64 = 0.02;

fn judge(view: &View<'_>) -> Judged {
    if let Some(finding) = falling(view).filter(|_| view.arc_now("c_max").is_err()) {
        return Ok(Verdict::one(finding));
    }
    let (size, target, most) = (view.arc_now("size")?, view.arc_now("c")?, view.arc_now("c_max")?);
    let is_low = (target as f64) < PUSHED * most as f64;
    let is_used = size as f64 >= PUSHED * target as f64;
    let fine = || {
        let has = match size > most {
            true => format!("{}, and may have {}", Bytes(size), Bytes(most)),
            false => format!("{}, at most {}", Bytes(size), Bytes(most)),
        };
        let what = format!("Nothing pushes the ARC down: it has {has}");
        Ok(Verdict::fine(what, view.rows_now(["size", "c", "c_max"])))
    };
    // One that is above its maximum is to become smaller.
    if over::is_over(view) == Some(true) && (!is_low || !is_used) {
        return Ok(Verdict::Silent);
    }
    // At its minimum it was pushed down, or never grew: that is no praise.
    if !is_low || !is_used {
        let at_minimum = view.arc_now("c_min").map(|_| minimum::stands(view).is_some())?;
        // One that is full to a target below its maximum may have been pushed down to it, or grows still.
        let is_open = is_low
            || (target as f64) < AT_MOST * most as f64 && size as f64 >= FULL * target as f64;
        let is_free = || memory_signs::pressure(view).is_ok_and(|signs| signs.is_empty());
        return if at_minimum || is_open && !is_free() { Ok(Verdict::Silent) } else { fine() };
    }
    let signs = memory_signs::pressure(view)?;
    if signs.is_empty() {
        return fine();
    }
    let felt = view.demand().is_ok_and(|demand| {
        let Class { all, missed } = demand.sum();
        format::fraction(missed, all) >= MISSED && missed >= ACCESSES_MIN / 10
    });
    let at_min = view.arc_now("c_min").is_ok_and(|least| target as f64 <= AT_MIN * least as f64);
    let severity = if felt && at_min { Severity::HurtsNow } else { Severity::WorthALook };
    let title = format!(
        "Memory pressure shrinks the ARC: its target is {} of at most {}",
        Bytes(target),
        Bytes(most)
    );
    let mut finding = Finding::new("arc-squeezed", severity, Area::Arc, title);
    finding.evidence = evidence(view);
    let end = if at_min { " It is at its minimum and cannot shrink further." } else { "" };
    finding.cause = format!("Signs of memory pressure: {}.{end}", signs.join("; "));
    Ok(Verdict::one(completed(view, finding)))
}

/// Returns what is to be said of a target that falls while free memory is too low, whatever the maximum is.
fn falling(view: &View<'_>) -> Option<Finding> {
    let before = view.machine.samples.first()?.kstats.get(ARCSTATS, "c")?;
    let target = view.arc_now("c").ok()?;
    let short = memory_signs::available(view).filter(|available| *available < 0)?;
    let short = u64::try_from(-short).ok().map(Bytes)?;
    (target < before).then_some(())?;
    let (before, target) = (Bytes(before), Bytes(target));
    let title =
        format!("Memory pressure shrinks the ARC: its target fell from {before} to {target}");
    let mut finding = Finding::new("arc-squeezed", Severity::WorthALook, Area::Arc, title);
    finding.evidence = evidence(view);
    finding.cause = format!(
        "Free memory is {short} too low (memory_available_bytes). What the ARC may have at most was not read."
    );
    Some(completed(view, finding))
}

/// Adds to a finding what is to be done, and what it costs.
fn completed(view: &View<'_>, mut finding: Finding) -> Finding {
    finding.remedy = Some(remedy(view));
    finding.gain = Gain::NotEstimated("depends on which memory is freed".to_owned());
    finding.cost = "Memory that other programs have now.".to_owned();
    finding.risk =
        "If zfs_arc_min reserves memory that programs need, the kernel kills them.".to_owned();
    finding.confidence = match view.accesses() {
        Ok(accesses) => view.confidence(accesses, "ARC accesses"),
        Err(_) => crate::finding::Confidence::read("arcstats, as it is now"),
    };
    finding.sources = lines([
        "module/os/linux/zfs/arc_os.c, arc_available_memory",
        "module/zfs/arc.c, arc_reap_cb_check",
        "openzfs issues 9548, 14054",
    ]);
    finding
}

fn evidence(view: &View<'_>) -> Vec<Evidence> {
    let mut evidence = view.rows_now([
        "c",
        "c_min",
        "c_max",
        "size",
        "memory_free_bytes",
        "arc_no_grow",
        "arc_need_free",
        "arc_sys_free",
    ]);
    let available = memory_signs::available(view);
    evidence
        .extend(available.map(|n| Evidence::now("arcstats.memory_available_bytes", n.to_string())));
    evidence.extend(view.rows([
        "memory_throttle_count",
        "memory_direct_count",
        "memory_indirect_count",
    ]));
    if let Some(memory) = view.machine.memory {
        evidence.push(Evidence::now("memory", memory.total.to_string()));
        let swap = memory.swap_used.filter(|swap| swap.0 > 0);
        evidence.extend(swap.map(|swap| Evidence::now("swap used", swap.to_string())));
    }
    evidence
}

fn remedy(view: &View<'_>) -> Remedy {
    let mut what =
        "find what uses the memory (virtual machines, containers, tmpfs) and reduce it".to_owned();
    // How much there is must be known before more of it is asked for.
    if view.machine.memory.is_some() {
        what.push_str("; or add memory");
    }
    let commands = lines(["ps aux --sort=-rss | head   # FreeBSD: top -o res"]);
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = lines(["arcwright doctor --window 60s   # c grows, arc_no_grow is 0"]);
    remedy
}
