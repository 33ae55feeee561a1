//! The ARC is squeezed by the rest of the machine.
//!
//! Under memory pressure the kernel takes from the ARC down to `c_min` (openzfs-model.md §1.9). A
//! target far below `c_max` alone is no sign: from 2.0 the ARC starts small and grows with what is read.

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Finding, Gain, Remedy, Severity, lines};
use crate::verdict::{Judged, Rule, Verdict};
use crate::view::{ACCESSES_MIN, View};
use crate::words;

pub(super) const RULE: Rule = Rule { about: "whether other programs squeeze the ARC", judge };

/// A target below this share of the maximum has been pushed down, if there is pressure.
const PUSHED: f64 = 0.7;
/// At this much of the minimum it cannot go lower.
const AT_MIN: f64 = 1.1;
/// Misses of demand accesses above which the smallness is felt.
const MISSED: f64 = 0.02;

fn judge(view: &View<'_>) -> Judged {
    let now = |row: &str| view.arc_now(row);
    let (target, most, least) = (now("c")?, now("c_max")?, now("c_min").unwrap_or(0));
    let size = now("size")?;
    let signs = signs(view);
    let is_low = (target as f64) < PUSHED * most as f64;
    let is_used = size as f64 >= PUSHED * target as f64;
    if !is_low || !is_used || signs.is_empty() {
        let evidence = view.rows_now(["size", "c", "c_max"]);
        let what = format!(
            "No other program squeezes the ARC: it has {}, at most {}",
            Bytes(size),
            Bytes(most)
        );
        return Ok(Verdict::fine(what, evidence));
    }
    let accesses = view.accesses();
    let felt = accesses.as_ref().is_ok_and(|accesses| {
        let (all, missed) = accesses.demand();
        words::fraction(missed, all) >= MISSED && missed >= ACCESSES_MIN / 10
    });
    let at_min = target as f64 <= AT_MIN * least as f64;
    let severity = if felt && at_min { Severity::HurtsNow } else { Severity::WorthALook };
    let title = format!(
        "Other programs squeeze the ARC: its target is {} of at most {}",
        Bytes(target),
        Bytes(most)
    );
    let mut finding = Finding::new("arc-squeezed", severity, Area::Arc, title);
    finding.evidence = view.rows_now([
        "c",
        "c_min",
        "c_max",
        "size",
        "memory_available_bytes",
        "memory_free_bytes",
        "arc_no_grow",
        "arc_need_free",
        "arc_sys_free",
    ]);
    finding.evidence.extend(view.rows([
        "memory_throttle_count",
        "memory_direct_count",
        "memory_indirect_count",
    ]));
    if let Some(memory) = view.machine.memory {
        finding.evidence.push(crate::finding::Evidence::now("memory", memory.total.to_string()));
        let swap = memory.swap_used.filter(|swap| swap.0 > 0);
        finding
            .evidence
            .extend(swap.map(|swap| crate::finding::Evidence::now("swap used", swap.to_string())));
    }
    let end = if at_min { " It is at its minimum and can give no more." } else { "" };
    finding.cause = format!("The kernel asks the ARC for memory: {}.{end}", signs.join("; "));
    finding.remedy = Some(remedy(view, least, most));
    finding.gain = Gain::NotEstimated("depends on what gives way".to_owned());
    finding.cost = "Memory that other programs have now.".to_owned();
    finding.risk = "A floor that programs need makes the kernel kill them (OOM).".to_owned();
    let events = accesses.map_or(0, |accesses| accesses.all);
    finding.confidence = view.confidence(events, "ARC accesses");
    finding.sources = lines(["module/os/linux/zfs/arc_os.c", "openzfs issues 14054, 12354, 14686"]);
    Ok(Verdict::one(finding))
}

fn remedy(view: &View<'_>, least: u64, most: u64) -> Remedy {
    let floor = Bytes((most / 4).max(least) / (64 << 20) * (64 << 20));
    let mut remedy = changes::set(view, &[("zfs_arc_min", floor.0)])
        .filter(|_| floor.0 > least && floor.0 < most)
        .unwrap_or_default();
    remedy.what = "find what takes the memory (virtual machines, containers, tmpfs) and give it less, or add memory".to_owned();
    if !remedy.now.is_empty() {
        let floor = format!("; a floor for the ARC of {floor} is the second choice");
        remedy.what.push_str(&floor);
    }
    remedy.verify = lines(["arcwright doctor --window 60s   # c grows, arc_no_grow is 0"]);
    remedy
}

/// Returns the signs of pressure there are.
fn signs(view: &View<'_>) -> Vec<String> {
    let counted = |row: &str| view.arc(row).unwrap_or(0);
    let mut signs = Vec::new();
    let asked = counted("memory_direct_count").saturating_add(counted("memory_indirect_count"));
    if asked > 0 {
        signs.push(format!("it was asked to shrink {} times {}", words::count(asked), view.when()));
    }
    let throttled = counted("memory_throttle_count");
    if throttled > 0 {
        signs.push(format!("{} writes had to wait for memory", words::count(throttled)));
    }
    let needed = view.arc_now("arc_need_free").unwrap_or(0);
    if needed > 0 {
        signs.push(format!("{} are wanted back now", Bytes(needed)));
    }
    if view.arc_now("arc_no_grow") == Ok(1) {
        signs.push("it may not grow (arc_no_grow)".to_owned());
    }
    signs
}
