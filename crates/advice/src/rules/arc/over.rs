//! An ARC that is larger than it may be, and what holds it there.
//!
//! The ARC evicts only what nobody references. Dnodes, bonus buffers and dbufs of open and cached
//! files are counted in its size and are not on its lists: the kernel must first give the files'
//! inodes back, which the ARC asks for by `arc_prune` (arc.c, `arc_prune_async`; openzfs issues 9966,
//! 13079, 14005). While it is over, no limit of it helps by being raised: what is held grows on.

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Remedy, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether the ARC stays within its maximum", judge };

/// The ARC floats around its target by some percent; a tenth more than the maximum is none of that.
const OVER: (u64, u64) = (11, 10);
/// More than it overshoots by: no limit of it is raised then.
const BEYOND: (u64, u64) = (21, 20);
/// It always overshoots by a block of the largest size (`zfs_max_recordsize`), and in a small ARC that
/// is more than any share; sums over processors are off by some MiB besides.
const BLOCK: u64 = 16 << 20;
/// Half as much again is beyond what a burst leaves behind.
const FAR_OVER: (u64, u64) = (3, 2);

/// The least maximum that the module takes.
pub(crate) const LEAST: u64 = 64 << 20;

/// What counts to the ARC's size and cannot be evicted while files are in use.
pub(crate) const HELD: [&str; 3] = ["dnode_size", "bonus_size", "dbuf_size"];
/// What could be evicted, by list (0.6.5 and later).
pub(crate) const EVICTABLE: [&str; 4] = [
    "mru_evictable_data",
    "mru_evictable_metadata",
    "mfu_evictable_data",
    "mfu_evictable_metadata",
];

/// Says whether the ARC is larger than its maximum, so that no limit of it may be raised; none where
/// that was not read.
///
/// A twentieth and a block are more than it overshoots by (arc.c, `arc_is_overflowing`).
pub(crate) fn is_over(view: &View<'_>) -> Option<bool> {
    let (size, most) = (view.arc_now("size").ok()?, maximum(view).ok()?);
    Some(exceeds(size, most, BEYOND) && size.saturating_sub(most) > BLOCK)
}

fn exceeds(size: u64, most: u64, (more, of): (u64, u64)) -> bool {
    most > 0 && u128::from(size) * u128::from(of) > u128::from(most) * u128::from(more)
}

/// Returns the maximum of the ARC: what it says, else what is set.
fn maximum(view: &View<'_>) -> Result<u64, NotJudged> {
    // The module takes no smaller one (`limits.rs`).
    let set = || view.parameter("zfs_arc_max").filter(|held| held.is_read && held.value >= LEAST);
    view.arc_now("c_max").or_else(|why| set().map(|held| held.value).ok_or(why))
}

/// Returns a sum when all of it was read.
pub(crate) fn sum(view: &View<'_>, rows: &[&str]) -> Option<u64> {
    rows.iter().try_fold(0u64, |sum, row| Some(sum.saturating_add(view.arc_now(row).ok()?)))
}

fn judge(view: &View<'_>) -> Judged {
    let (size, most) = (view.arc_now("size")?, maximum(view)?);
    let excess = size.saturating_sub(most);
    if !exceeds(size, most, OVER) || excess <= 2 * BLOCK {
        let what = match excess {
            0 => "The ARC stays within its maximum".to_owned(),
            _ => format!(
                "The ARC is {} above its maximum of {}, which is its normal overshoot",
                Bytes(excess),
                Bytes(most)
            ),
        };
        return Ok(Verdict::fine(what, view.rows_now(["size", "c_max"])));
    }
    let title = format!("The ARC holds {}, above its maximum of {}", Bytes(size), Bytes(most));
    let severity = match exceeds(size, most, FAR_OVER) {
        true => Severity::HurtsNow,
        false => Severity::WorthALook,
    };
    let mut finding = Finding::new("arc-over-max", severity, Area::Arc, title);
    finding.evidence = view.rows_now([
        "size",
        "c",
        "c_max",
        "dnode_size",
        "bonus_size",
        "dbuf_size",
        "other_size",
        "hdr_size",
        "l2_hdr_size",
        "arc_dnode_limit",
    ]);
    finding.evidence.extend(view.rows_now(EVICTABLE));
    finding.evidence.extend(view.rows(["arc_prune", "evict_skip", "evict_not_enough"]));
    let pruned = view.arc("arc_prune").ok().and_then(|count| view.per_s(count));
    finding.evidence.extend(pruned.map(|rate| Evidence {
        over: view.over(),
        ..Evidence::now("arc_prune per second", format::per_s(rate))
    }));
    // Up to 0.7 the three were one row, and on FreeBSD longer.
    let held = sum(view, &HELD).or_else(|| view.arc_now("other_size").ok());
    let evictable = sum(view, &EVICTABLE);
    let is_held = held.is_some_and(|held| held >= excess / 2);
    // With enough on its lists it was mostly the maximum that was lowered a moment ago.
    let could_go = evictable.is_some_and(|evictable| evictable >= excess.saturating_mul(2));
    let target = view.arc_now("c").ok().filter(|target| exceeds(*target, most, OVER));
    (finding.cause, finding.remedy) = match target {
        Some(target) => (aims_beyond(target, most), Some(take_over(view, most))),
        None => {
            let cause = cause(view, held, is_held, could_go && !is_held);
            (cause, Some(remedy(view, is_held)))
        }
    };
    finding.gain = Gain::Counted(format!("up to {} of memory for the machine", Bytes(excess)));
    finding.cost = "Files that are dropped are looked up again when they are next used.".to_owned();
    finding.risk =
        "Raising zfs_arc_max or the dnode limit now only lets the ARC hold more.".to_owned();
    finding.confidence = Confidence::read("arcstats, as it is now");
    finding.sources = lines([
        "module/zfs/arc.c, arc_evict, arc_prune_async",
        "zfs(4) zfs_arc_dnode_limit_percent",
        "openzfs issues 9966, 13079, 14005",
    ]);
    Ok(Verdict::one(finding))
}

fn cause(view: &View<'_>, held: Option<u64>, is_held: bool, could_go: bool) -> String {
    let limit = view.arc_now("arc_dnode_limit").ok().filter(|limit| *limit > 0);
    let dnodes = view.arc_now("dnode_size").ok();
    let over_limit = match (dnodes, limit) {
        (Some(dnodes), Some(limit)) if dnodes > limit => {
            format!(" Dnodes alone take {}; their limit is {}.", Bytes(dnodes), Bytes(limit))
        }
        _ => String::new(),
    };
    match held {
        Some(held) if is_held => format!(
            "Dnodes, bonus buffers and dbufs take {}: they belong to files that are open or whose \
             inodes the kernel caches, and the ARC cannot evict them until these are \
             released.{over_limit}",
            Bytes(held)
        ),
        _ if could_go => {
            "Its lists hold enough evictable blocks: either the maximum was lowered a moment ago, \
             or the eviction thread does not keep up."
                .to_owned()
        }
        _ => format!(
            "What it holds beyond its maximum is in use and cannot be evicted now; the rows below \
             show which part, as far as they were read.{over_limit}"
        ),
    }
}

/// Returns why an ARC is too large whose target is.
fn aims_beyond(target: u64, most: u64) -> String {
    format!(
        "Its target ({}) is above the maximum of {}, so nothing makes it shrink: the maximum was \
         set while the module was loaded, and this release did not lower the target with it. A \
         limit set when the module is loaded is kept.",
        Bytes(target),
        Bytes(most)
    )
}

fn take_over(view: &View<'_>, most: u64) -> Remedy {
    let commands = match view.is_freebsd() {
        true => vec![format!("arcwright tune persist vfs.zfs.arc_max={most}   # then reboot")],
        false => vec![
            format!("arcwright tune persist zfs_arc_max={most}   # then reboot"),
            "sync; echo 3 > /proc/sys/vm/drop_caches   # until then, for a trial".to_owned(),
        ],
    };
    let mut remedy = changes::by_hand(
        "persist the limit, so that it applies when the module is loaded at the next boot; update \
         to a release that applies it at once",
        &commands,
    );
    remedy.verify = lines(["arcwright doctor   # c is not above c_max"]);
    remedy
}

pub(crate) fn remedy(view: &View<'_>, is_held: bool) -> Remedy {
    let mut commands = Vec::new();
    let what = if is_held {
        "find what keeps so many files open or walks through them (backup, locate, virus scanner, \
         NFS, containers) and reduce it; as a trial make the kernel drop its inodes; update to the \
         latest release of your series; do not raise ARC limits meanwhile"
    } else {
        "look again in a few minutes; if it stays, update to the latest release of your series; do \
         not raise ARC limits meanwhile"
    };
    if view.is_freebsd() {
        commands.push("sysctl kern.maxvnodes vfs.numvnodes   # vnodes hold dnodes".to_owned());
    } else {
        commands.push(
            "sync; echo 2 > /proc/sys/vm/drop_caches   # a trial: inodes and names are read again"
                .to_owned(),
        );
        commands
            .push("grep -E 'zfs_znode|dnode_t' /proc/slabinfo   # how many are held".to_owned());
    }
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = lines(["arcwright doctor --window 60s   # size falls below c_max"]);
    remedy
}
