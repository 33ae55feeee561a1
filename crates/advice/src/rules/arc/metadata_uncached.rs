//! Datasets whose metadata may not stay in memory.
//!
//! `primarycache=none` keeps metadata out of the ARC too: directories, dnodes and indirect blocks are
//! read from the disks again for every lookup (zfsprops(7); dbuf.c, `DBUF_IS_CACHEABLE`). A program
//! with a cache of its own holds its data there, and none of ZFS's metadata.

use crate::accesses::Class;
use crate::changes;
use crate::finding::{Area, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::datasets;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether metadata may stay in the ARC", judge };

/// Misses of metadata per second from which disks feel it: a tenth of what one does in seeks.
const FELT_PER_S: f64 = 10.0;
/// And as many in all, so that one directory listing is none.
const MISSES_MIN: u64 = 200;
/// Misses of metadata among its accesses, above what an ARC that may keep it has.
const SHARE: f64 = 0.05;

fn judge(view: &View<'_>) -> Judged {
    let barred = barred(view);
    if datasets::all(view)?.is_empty() || barred.is_empty() {
        return Ok(Verdict::Silent);
    }
    view.enough_accesses()?;
    let Class { all, missed } = view.demand()?.metadata;
    if !is_felt(view, all, missed) {
        return Ok(Verdict::Silent);
    }
    let names: Vec<String> = barred.iter().map(|(name, _, _)| name.clone()).collect();
    let title =
        format!("The ARC does not cache metadata of {} (primarycache=none)", format::list(&names));
    let mut finding =
        Finding::new("metadata-not-cacheable", Severity::WorthALook, Area::Metadata, title);
    finding.subject = Some(format::list(&names));
    finding.evidence = barred
        .iter()
        .take(4)
        .map(|(name, value, source)| {
            Evidence::setting(format!("{name}: primarycache"), format!("{value} ({source})"))
        })
        .collect();
    finding.evidence.extend(view.rows(["demand_metadata_hits", "demand_metadata_misses"]));
    finding.cause = format!(
        "{} of the metadata accesses miss. For these datasets every name and every block address \
         is read from the disks again, however often it is needed; caching metadata alone costs \
         little memory and still keeps file data out.",
        format::share(missed, all)
    );
    finding.remedy = Some(changes::property("primarycache", "metadata", &barred));
    finding.gain =
        Gain::Counted(format!("up to {} fewer disk reads {}", format::count(missed), view.when()));
    finding.cost = "ARC memory for metadata, mostly less than 1 % of the data.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = view.confidence(missed, "misses of metadata");
    finding.sources = lines(["zfsprops(7) primarycache", "module/zfs/dbuf.c"]);
    Ok(Verdict::one(finding))
}

/// Returns the datasets that keep all out of the ARC and themselves say so.
fn barred(view: &View<'_>) -> Vec<(String, String, String)> {
    datasets::own(&view.machine.datasets, "primarycache", &["none"])
}

fn is_felt(view: &View<'_>, all: u64, missed: u64) -> bool {
    let rate = view.per_s(missed);
    missed >= MISSES_MIN
        && format::fraction(missed, all) >= SHARE
        && rate.is_none_or(|rate| rate >= FELT_PER_S)
}

/// Says whether this rule speaks of `primarycache=none`, so that no other gives another value for it
/// or another remedy for what it explains.
pub(crate) fn speaks(view: &View<'_>) -> bool {
    !barred(view).is_empty()
        && view.enough_accesses().is_ok()
        && view.demand().is_ok_and(|demand| {
            let Class { all, missed } = demand.metadata;
            is_felt(view, all, missed)
        })
}
