//! Programs are swapped out while the ARC keeps all the memory that it may have.
//!
//! On Linux the kernel swaps programs and shrinks the ARC side by side; what it takes from each depends on
//! the shrinker's limit (`zfs_arc_shrinker_limit`, module/os/linux/zfs/arc_os.c) and on `vm.swappiness`. An ARC
//! that stands at its maximum beside much used swap has given nothing. How much of that swap is still asked for,
//! these values do not tell.

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::rule::Rule;
use crate::rules::arc::{over, swap_full};
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule =
    Rule { about: "whether programs are swapped out beside the ARC", judge };

/// Less than a twentieth of the memory is what any machine puts there that runs for long.
const OF_MEMORY: u64 = 20;
/// An ARC of less than a quarter of the memory is not what programs lack.
const ARC_OF_MEMORY: u64 = 4;
/// From this share of its maximum on it has given nothing back.
const FULL: f64 = 0.9;
/// Where its maximum was not read, an ARC of half the memory is large.
const LARGE_OF_MEMORY: u64 = 2;
/// What is proposed is rounded down to.
const STEP: u64 = 64 << 20;

fn judge(view: &View<'_>) -> Judged {
    let unread = |what: &str| NotJudged::NotRead(format!("{what} was not read"));
    let memory = view.machine.memory.ok_or_else(|| unread("the memory"))?;
    let used = memory.swap_used.ok_or_else(|| unread("how much swap is used"))?;
    let (size, most) = (view.arc_now("size")?, view.arc_now("c_max"));
    let all = swap_full::nearly_all(memory).map(|(_, all)| all);
    let much =
        used.0 >= swap_full::USED_MIN && (all.is_some() || used.0 >= memory.total.0 / OF_MEMORY);
    let fills = match &most {
        Ok(most) => size as f64 >= FULL * *most as f64,
        Err(_) => size >= memory.total.0 / LARGE_OF_MEMORY && size <= memory.total.0,
    };
    let is_large = fills && size >= memory.total.0 / ARC_OF_MEMORY;
    if let (true, false, Err(why)) = (much, is_large, most) {
        return Err(why);
    }
    // What is over its maximum does not fall by another maximum.
    if !much || !is_large || over::is_over(view) == Some(true) {
        return Ok(Verdict::Silent);
    }
    let of_swap = all.map_or_else(String::new, |all| format!(", of {all} that there is"));
    let title = format!(
        "Programs are swapped out ({used}{of_swap}) while the ARC keeps {} of {}",
        Bytes(size),
        memory.total
    );
    let mut finding = Finding::new("swapped-beside-arc", Severity::WorthALook, Area::Arc, title);
    finding.evidence = view.rows_now(["size", "c", "c_min", "c_max"]);
    finding.evidence.extend([
        Evidence::now("swap used", used.to_string()),
        Evidence::now("memory", memory.total.to_string()),
    ]);
    finding.cause = "The ARC keeps what it has, so the kernel made room by swapping instead of shrinking it. \
                     Swap that was filled long ago and is not asked for again hurts nobody: see whether pages \
                     come in now."
        .to_owned();
    // Half of the ARC stays, and what it must have.
    let half = size / 2;
    let least = match view.arc_now("c_min") {
        Ok(least) => half.max(least),
        Err(_) => half,
    };
    let lower = size.saturating_sub(used.0).max(least) / STEP * STEP;
    finding.remedy =
        changes::set(view, &[changes::setting("zfs_arc_max", lower)]).map(|mut remedy| {
            remedy.what = format!(
                "if pages come in while people wait (vmstat 5, column si), {}",
                remedy.what
            );
            remedy.verify.push("vmstat 5   # si and so stay near 0 after a while".to_owned());
            remedy
        });
    finding.gain =
        Gain::Counted(format!("{} of memory for programs", Bytes(size.saturating_sub(lower))));
    finding.cost = "A smaller ARC: reads that it served come from the disks.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = Confidence::read("the memory and arcstats, as they are now");
    finding.sources = lines([
        "module/os/linux/zfs/arc_os.c, arc_shrinker_count",
        "zfs(4) zfs_arc_shrinker_limit",
    ]);
    Ok(Verdict::one(finding))
}
