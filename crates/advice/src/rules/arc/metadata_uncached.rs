//! Datasets whose metadata may not stay in memory.
//!
//! `primarycache=none` keeps metadata out of the ARC too: directories, dnodes and indirect blocks are
//! read from the disks again for every lookup (zfsprops(7); dbuf.c, `DBUF_IS_CACHEABLE`). A program
//! with a cache of its own holds its data there, and none of ZFS's metadata.

use crate::accesses::Class;
use crate::changes::{self, OwnProperty};
use crate::finding::{Area, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::{dataset_state, metadata_uncached};
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether metadata may stay in the ARC", judge };

fn judge(view: &View<'_>) -> Judged {
    let barred = metadata_uncached::barred(view);
    if dataset_state::all(view)?.is_empty() || barred.is_empty() {
        return Ok(Verdict::Silent);
    }
    view.enough_accesses()?;
    let Class { all, missed } = view.demand()?.metadata;
    if !metadata_uncached::is_felt(view, all, missed) {
        return Ok(Verdict::Silent);
    }
    let names: Vec<String> = barred.iter().map(|own| own.dataset.clone()).collect();
    let title =
        format!("The ARC does not cache metadata of {} (primarycache=none)", format::list(&names));
    let mut finding =
        Finding::new("metadata-not-cacheable", Severity::WorthALook, Area::Metadata, title);
    finding.subject = Some(format::list(&names));
    finding.evidence = barred
        .iter()
        .take(4)
        .map(|OwnProperty { dataset, value, source }| {
            Evidence::setting(format!("{dataset}: primarycache"), format!("{value} ({source})"))
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
