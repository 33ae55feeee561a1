//! A pool whose last free space is the part that nobody may write.
//!
//! The last 32nd of a pool (`spa_slop_shift` 5, at least 128 MiB, from 2.0 at most 128 GiB) is kept for
//! what must still be possible when it is full: deleting, setting properties, ZFS's own records
//! (spa_misc.c, `spa_get_slop_space`). `zpool list` counts it as free; writes fail with ENOSPC when
//! nothing else is left, whatever quotas and reservations say.

use arcwright_machine::{Pool, Refusal};
use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::dataset_state;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether pools have space for writes", judge };

/// What was kept before there was a parameter for it: a 64th (dsl_pool.c, `dsl_pool_adjustedsize`, up to 0.6.4).
const SHIFT_BEFORE: u32 = 6;
/// `spa_slop_shift` when it was not read.
const SHIFT: u64 = 5;
/// The least that is kept, unless that is more than half of the pool.
const LEAST: u64 = 128 << 20;
/// The most that is kept, from 2.0 on.
const MOST: u64 = 128 << 30;
/// Free in percent of the slop, below which the end is near: as much again.
const NEAR: u64 = 150;

/// A figure of three digits may be off by this part of it.
const ROUNDED: u64 = 200;

/// `zpool list` knows nothing of what quotas and reservations leave.
const FINE: &str = "Pools have unwritten space beyond the reserve, quotas and reservations apart";

fn judge(view: &View<'_>) -> Judged {
    let mut findings = Vec::new();
    let mut evidence = Vec::new();
    let mut open = None;
    for pool in view.pools()? {
        let Some((free, slop)) = room(view, pool) else { continue };
        // Up to 0.8 more is kept of a large pool: that counts where the version was not read.
        let is_near = |slop: u64| is_near(free, slop);
        let before = view.is_from("2.0.0").is_none().then(|| uncapped(view, pool)).flatten();
        if !is_near(slop) && before.is_some_and(is_near) {
            let what = format!("how much is reserved in {} (the version of ZFS)", pool.name);
            open.get_or_insert(NotJudged::NotRead(format!("{what} was not read")));
        }
        evidence.push(Evidence {
            exact: Some(free),
            ..Evidence::now(format!("{}: free", pool.name), Bytes(free).to_string())
        });
        if is_near(slop) {
            findings.push(finding(view, pool, free, slop));
        }
    }
    if evidence.is_empty() {
        return Err(view.not_read("how much is free in pools", "zpool-get"));
    }
    // What a dataset may still have goes before what the pool has.
    if let Some(full) = dataset_state::without_space(view) {
        open.get_or_insert(NotJudged::NotRead(format!("why {full} has no space left")));
    }
    Verdict::of_all(findings, open, Verdict::fine(FINE, evidence))
}

/// Says whether little more is free than what nobody may write.
fn is_near(free: u64, slop: u64) -> bool {
    u128::from(free) * 100 <= u128::from(slop) * u128::from(NEAR)
}

/// Returns how much of a pool is kept up to 0.8; none when its size was not read.
fn uncapped(view: &View<'_>, pool: &Pool) -> Option<u64> {
    let shift = view.parameter("spa_slop_shift").map_or_else(|| SHIFT, |held| held.value.min(63));
    pool.number("size")?.checked_shr(u32::try_from(shift).ok()?)
}

/// Returns what is free in a pool and how much of that is kept; none when either was not read.
fn room(view: &View<'_>, pool: &Pool) -> Option<(u64, u64)> {
    let (free, size) = (pool.number("free")?, pool.number("size")?);
    if is_before_slop(view) {
        return Some((free, size >> SHIFT_BEFORE));
    }
    let shift = view.parameter("spa_slop_shift").map_or_else(|| SHIFT, |held| held.value.min(63));
    let capped = view.is_from("2.0.0") != Some(false);
    let share = size.checked_shr(u32::try_from(shift).ok()?)?;
    let share = if capped { share.min(MOST) } else { share };
    Some((free, share.max(LEAST.min(size / 2))))
}

/// Says whether the module is older than `spa_slop_shift` (0.6.5 on Linux; FreeBSD's own ZFS got it in time).
fn is_before_slop(view: &View<'_>) -> bool {
    view.is_from("0.6.5") == Some(false) && !view.is_freebsd()
}

/// Returns what failed for want of space by the text, where it is about one pool.
pub(super) fn refusal_for_space<'a>(view: &View<'a>) -> Option<&'a Refusal> {
    let [_] = view.machine.pools.as_slice() else { return None };
    view.machine.refusals.iter().find(|refusal| refusal.reason.starts_with("No space left"))
}

/// Returns whether the free space of the only pool is what nobody may write.
pub(super) fn explains_refusals(view: &View<'_>) -> bool {
    let of_pool = |pool: &Pool| room(view, pool).is_some_and(|(free, slop)| is_near(free, slop));
    refusal_for_space(view).is_some() && view.machine.pools.iter().any(of_pool)
}

fn title(pool: &Pool, (free, slop): (u64, u64), failed: Option<&Refusal>) -> String {
    // Figures of three digits tell no difference that is smaller.
    let is_full = free <= slop || free - slop <= slop / ROUNDED;
    match (is_full, failed) {
        (_, Some(failed)) => format!(
            "{} is full: by the text “{} {}” fails already, for its {} of free space are reserved",
            pool.name,
            failed.verb,
            failed.subject,
            Bytes(free)
        ),
        (true, None) => format!(
            "{} is full: its {} of free space are reserved, writes fail",
            pool.name,
            Bytes(free)
        ),
        (false, None) => {
            format!("{} is nearly full: after {} more, writes fail", pool.name, Bytes(free - slop))
        }
    }
}

fn finding(view: &View<'_>, pool: &Pool, free: u64, slop: u64) -> Finding {
    let failed = refusal_for_space(view);
    let title = title(pool, (free, slop), failed);
    let mut finding = Finding::new("slop-space", Severity::HurtsNow, Area::Layout, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = vec![
        Evidence {
            exact: Some(free),
            ..Evidence::now(format!("{}: free", pool.name), Bytes(free).to_string())
        },
        Evidence {
            exact: Some(slop),
            ..Evidence::now(format!("{}: reserved", pool.name), Bytes(slop).to_string())
        },
    ];
    if !is_before_slop(view) {
        finding.evidence.extend(view.settings(["spa_slop_shift"]));
    }
    finding.cause = format!(
        "ZFS reserves {} of the pool for deletions and its own records (slop space), though zpool \
         list counts them as free. When the rest is written, programs get “no space left on \
         device”.",
        Bytes(slop)
    );
    let name = format::shell(&pool.name);
    let cannot_delete = failed.is_some_and(|failed| failed.verb == "remove");
    let what = match (cannot_delete, is_before_slop(view)) {
        (true, _) => {
            "free space by what works without any: destroy snapshots that are not needed; else empty a large file that no \
             snapshot holds in its place, then delete files as usual"
        }
        (false, true) => "free space now: old snapshots first, then files",
        (false, false) => {
            "free space now: old snapshots first, then files; leave spa_slop_shift as it is"
        }
    };
    let mut commands = vec![format!("zfs list -t snapshot -o name,used -s used -r {name}")];
    if cannot_delete {
        commands.push(
            ": > FILE   # empties a file in its place, and needs less than to delete it".to_owned(),
        );
    }
    commands.push(format!(
        "zpool add -n {name} LAYOUT DISKS   # more space: the dry run; a vdev like those that are there, for good"
    ));
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = vec![format!("zfs list -o name,used,available {name}")];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("writes that do not fail".to_owned());
    finding.cost = "Data or disks.".to_owned();
    finding.risk =
        "A destroyed snapshot cannot be recovered; a pool without any free block cannot even \
         delete."
            .to_owned();
    finding.confidence = Confidence::read("zpool get free, size");
    finding.sources = lines(["module/zfs/spa_misc.c, spa_get_slop_space", "zfs(4) spa_slop_shift"]);
    finding
}
