//! What memory is left for programs, and whether the ARC is where the rest is.
//!
//! The ARC counts as used memory in `free`, `top` and `MemAvailable` (openzfs issue 10255), and gives back what is
//! above its minimum when programs ask; not at once, so that a virtual machine that takes much may find too
//! little. A machine that looks full is as it should be then. Where hardly anything is left, that is said as a
//! note, whatever the ARC has.

use arcwright_machine::Memory;
use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::arc::over;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether memory is left", judge };

/// Left for programs, of all, below which memory is at its end.
const END: f64 = 0.02;
/// And below which people ask where it is.
const LITTLE: f64 = 0.4;
/// The ARC's part of the memory that is the answer: a third.
const LARGE: f64 = 0.33;
/// A target at this share of the maximum was not pushed down.
const GIVEN: f64 = 0.9;
/// Swap of less than this part of the memory is what any machine has that runs for long.
const SWAPPED_OF: u64 = 20;

fn judge(view: &View<'_>) -> Judged {
    let memory = view.machine.memory.ok_or_else(|| view.not_read("the memory", "meminfo"))?;
    let unread = || view.not_read("how much memory is left", "meminfo");
    let available = memory.available.ok_or_else(unread)?;
    let left = format::fraction(available.0, memory.total.0);
    if left < END {
        return Ok(Verdict::one(at_its_end(view, memory, available)));
    }
    if left >= LITTLE {
        return Ok(Verdict::Silent);
    }
    let (size, target, most) = (view.arc_now("size")?, view.arc_now("c")?, view.arc_now("c_max")?);
    let swapped =
        memory.swap_used.ok_or_else(|| view.not_read("how much swap is used", "meminfo"))?;
    let is_calm = swapped.0 < memory.total.0 / SWAPPED_OF && over::is_over(view) == Some(false);
    let is_given_all = target as f64 >= GIVEN * most as f64;
    let is_large = format::fraction(size, memory.total.0) >= LARGE;
    if !is_calm || !is_given_all || !is_large {
        return Ok(Verdict::Silent);
    }
    let what = format!(
        "The ARC holds {} of the {} of memory, which other tools count as used; it gives it back, not at once, \
         when programs ask",
        Bytes(size),
        memory.total
    );
    Ok(Verdict::fine(what, view.rows_now(["size", "c", "c_max"])))
}

fn evidence(memory: Memory) -> Vec<Evidence> {
    let row = |name: &str, bytes: Option<Bytes>| {
        let bytes = bytes?;
        Some(Evidence { exact: Some(bytes.0), ..Evidence::now(name, bytes.to_string()) })
    };
    let rows = [
        row("memory", Some(memory.total)),
        row("memory available", memory.available),
        row("swap", memory.swap_total),
        row("swap used", memory.swap_used),
        row("slab that cannot be dropped", memory.slab_held),
    ];
    rows.into_iter().flatten().collect()
}

fn at_its_end(view: &View<'_>, memory: Memory, available: Bytes) -> Finding {
    let title =
        format!("Memory is nearly used up: programs can get {available} of {}", memory.total);
    let mut finding = Finding::new("memory-short", Severity::Note, Area::Arc, title);
    finding.evidence = evidence(memory);
    let swap = match (memory.swap_total, memory.swap_used) {
        (Some(Bytes(0)), _) => {
            " There is no swap, so that the kernel kills programs next.".to_owned()
        }
        (Some(total), Some(used)) => format!(" Of {total} of swap {used} are used."),
        _ => String::new(),
    };
    let held = memory.slab_held.filter(|held| held.0 >= memory.total.0 / 10);
    let held = held.map_or_else(String::new, |held| {
        format!(" The kernel's own objects take {held} that it cannot drop by itself; those of ZFS are among them.")
    });
    let gives = || {
        let (size, least) = (view.arc_now("size").ok()?, view.arc_now("c_min").ok()?);
        Some((size, size.saturating_sub(least)))
    };
    let arc = gives().map_or_else(
        || {
            "The ARC counts as used memory and gives back what is above its minimum: how much that is was not read."
                .to_owned()
        },
        |(size, gives)| {
            let (size, gives) = (Bytes(size), Bytes(gives));
            format!("The ARC counts as used memory: it holds {size}, of which {gives} can be given back, not at once.")
        },
    );
    finding.cause = arc + &swap + &held;
    let commands = lines([
        "grep -E '^(size|c|c_min|c_max|arc_meta_used|dnode_size) ' /proc/spl/kstat/zfs/arcstats",
        "slabtop -o -s c | head -20; ps aux --sort=-rss | head",
    ]);
    let what = "see what holds it: the ARC, the kernel's objects or programs; where the ARC leaves programs too \
                little, set zfs_arc_max lower";
    finding.remedy = Some(changes::by_hand(what, &commands));
    finding.gain = Gain::NotEstimated("depends on what holds it".to_owned());
    finding.cost = "None.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = Confidence::read("the memory, as it is now");
    finding.sources = lines(["module/os/linux/zfs/arc_os.c", "proc_meminfo(5)"]);
    finding
}
