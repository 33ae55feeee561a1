//! The cache above the ARC is too small, so that blocks are unpacked again and again.
//!
//! A read that finds its block's dbuf is counted in `hash_hits`, one that must ask the ARC in
//! `hash_misses` (dbuf.c, `dbuf_read`, 0.8 to 2.4): the ARC then decompresses and copies. The dbuf
//! cache keeps what nobody holds, a 32nd of the ARC's target (`dbuf_cache_shift`); a block that leaves
//! it is counted in `cache_total_evicts`.
//!
//! Misses alone prove nothing: a block that is read once misses here as it does everywhere. What is
//! proof are misses that neither the disks nor prefetch answered, so that the block had been in memory
//! for longer, while the cache is full and evicts as fast.

use crate::changes;
use crate::finding::{Area, Finding, Gain, Remedy, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether the dbuf cache is too small", judge };

const DBUFSTATS: &str = "zfs/dbufstats";
/// Reads answered by the ARC again, among all, from which unpacking is most of the work.
const AGAIN: f64 = 0.5;
/// And as many per second, below which a core does not feel it: at 128 KiB 2000 are 250 MiB/s.
const FELT_PER_S: f64 = 2000.0;
/// A cache filled to this share is full: it is emptied to a tenth below its size.
const FULL: f64 = 0.85;

fn judge(view: &View<'_>) -> Judged {
    let counted = |row: &str| view.counted(DBUFSTATS, row);
    let (hits, misses) = (counted("hash_hits")?, counted("hash_misses")?);
    let evicted = counted("cache_total_evicts")?;
    let from_disk =
        view.arc("demand_data_misses")?.saturating_add(view.arc("demand_metadata_misses")?);
    let prefetched = view.arc("demand_hit_predictive_prefetch")?;
    let again = misses.saturating_sub(from_disk).saturating_sub(prefetched);
    let all = hits.saturating_add(misses);
    let evidence = view.rows_of(DBUFSTATS, ["hash_hits", "hash_misses", "cache_total_evicts"]);
    let rate = view.per_s(again);
    let is_often = rate.is_some_and(|rate| rate >= FELT_PER_S);
    let is_again = format::fraction(again, all) >= AGAIN && evicted >= again / 2;
    let fine = !is_often || !is_again;
    // Whether it is full decides only then.
    if fine || !is_full(view)? {
        return Ok(Verdict::fine("The dbuf cache is large enough", evidence));
    }
    let rate = rate.map_or_else(|| "many".to_owned(), format::per_s);
    let title = format!("The ARC decompresses {rate} blocks per second repeatedly");
    let mut finding = Finding::new("dbuf-cache-thrash", Severity::WorthALook, Area::Arc, title);
    finding.evidence = evidence;
    finding.evidence.extend(view.rows([
        "demand_data_misses",
        "demand_metadata_misses",
        "demand_hit_predictive_prefetch",
    ]));
    finding.evidence.extend(view.settings(["dbuf_cache_shift", "dbuf_cache_max_bytes"]));
    finding.cause = format!(
        "{} of the reads find their block in the ARC but not in the dbuf cache above it, which is \
         full and evicts blocks as fast: each is decompressed and copied again. That costs \
         processor time, not disk reads.",
        format::share(again, all)
    );
    finding.remedy = remedy(view);
    finding.gain =
        Gain::NotEstimated("the processor time of decompression is not counted".to_owned());
    finding.cost =
        "A larger part of the ARC holds uncompressed blocks, which cannot be evicted while in the \
         dbuf cache."
            .to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = view.confidence(again, "reads that the ARC served again");
    finding.sources =
        lines(["module/zfs/dbuf.c, dbuf_read, dbuf_evict_one", "zfs(4) dbuf_cache_shift"]);
    Ok(Verdict::one(finding))
}

fn is_full(view: &View<'_>) -> Result<bool, NotJudged> {
    let now = view.machine.now().ok_or(NotJudged::NoCounters)?;
    let level = |row: &str| {
        now.get(DBUFSTATS, row).ok_or_else(|| NotJudged::NoCounter(format!("dbufstats.{row}")))
    };
    let (size, target) = (level("cache_size_bytes")?, level("cache_target_bytes")?);
    Ok(size as f64 >= FULL * target as f64)
}

fn remedy(view: &View<'_>) -> Option<Remedy> {
    /// A sixteenth; more is held twice in an ARC that cannot evict it.
    const WIDER: u64 = 4;
    let limit = view.parameter("dbuf_cache_max_bytes").filter(|held| held.is_read);
    let share = view.arc_now("c").ok()? >> 5;
    // A limit in bytes below the share of the ARC is what keeps it small.
    if limit.is_some_and(|held| held.value > 0 && held.value < share) {
        return changes::set(view, &[changes::setting("dbuf_cache_max_bytes", share)]);
    }
    let shift = view.parameter("dbuf_cache_shift")?;
    (shift.value > WIDER)
        .then(|| changes::set(view, &[changes::setting("dbuf_cache_shift", WIDER)]))
        .flatten()
}
