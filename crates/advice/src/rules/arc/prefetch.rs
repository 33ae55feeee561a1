//! Whether prefetch is worth what it reads.
//!
//! From 2.2 the ARC counts the accesses of predictive prefetch (`predictive_prefetch`) and how many of
//! them a reader then asked for, when they had arrived (`demand_hit_…`) or were on their way
//! (`demand_iohit_…`). Up to 2.1 one that was joined on its way is counted nowhere (`arc_read`,
//! module/zfs/arc.c, 2.1.11): no counter separates there what was used from what was not.

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether prefetch helps", judge };

/// Used of what was prefetched, above which it helps beyond doubt.
const USEFUL: f64 = 0.7;
/// Below this two of three reads were for nothing.
const WASTED: f64 = 0.33;

/// Prefetches below which the share of those used says little: of 200 it is known to ± 7 points.
const READS_MIN: u64 = 200;

fn judge(view: &View<'_>) -> Judged {
    view.arc("misses")?;
    let Ok(all) = view.arc("predictive_prefetch") else {
        return Err(match view.has_fractions() {
            Some(true) => NotJudged::NoCounter("arcstats.predictive_prefetch".to_owned()),
            Some(false) => NotJudged::Lacking(
                "versions before 2.2 do not count hits of prefetched blocks".to_owned(),
            ),
            None => NotJudged::NoCounter("arcstats.predictive_prefetch".to_owned()),
        });
    };
    let (arrived, joined) = (
        view.arc("demand_hit_predictive_prefetch")?,
        view.arc("demand_iohit_predictive_prefetch")?,
    );
    let used = arrived.saturating_add(joined);
    view.enough(all, READS_MIN, "predictive prefetches")?;
    let share = format::fraction(used.min(all), all);
    let evidence = view.rows([
        "predictive_prefetch",
        "demand_hit_predictive_prefetch",
        "demand_iohit_predictive_prefetch",
        "prefetch_data_misses",
        "prefetch_metadata_misses",
    ]);
    if share >= WASTED {
        let what = if share >= USEFUL { "Prefetch helps" } else { "Prefetch is partly used" };
        let text =
            format!("{what}: {} of the prefetched blocks were read", format::share(used, all));
        return Ok(Verdict::fine(text, evidence));
    }
    let read =
        view.arc("prefetch_data_misses")?.saturating_add(view.arc("prefetch_metadata_misses")?);
    // Without reads from disk there is nothing that it wastes.
    if read < READS_MIN {
        return Ok(Verdict::Silent);
    }
    Ok(Verdict::one(finding(view, (used, all, read), evidence)))
}

fn finding(
    view: &View<'_>,
    (used, all, read): (u64, u64, u64),
    evidence: Vec<Evidence>,
) -> Finding {
    let title = format!(
        "Prefetch is mostly wasted: only {} of its blocks were read",
        format::share(used, all)
    );
    let mut finding = Finding::new("prefetch-wasted", Severity::WorthALook, Area::Prefetch, title);
    finding.evidence = evidence;
    finding
        .evidence
        .extend(view.rows_of("zfs/zfetchstats", ["hits", "misses", "future", "stride", "past"]));
    finding.evidence.extend(view.rows_now(["c"]));
    finding.evidence.extend(view.settings(["zfetch_max_distance", "zfs_prefetch_disable"]));
    let distance = view.parameter("zfetch_max_distance");
    let target = view.arc_now("c").ok();
    /// What versions from 2.1.6 have.
    const DISTANCE: u64 = 64 << 20;
    let far = distance.zip(target);
    let far = far.filter(|(held, target)| held.value > DISTANCE && held.value > target / 16);
    match far {
        Some((held, target)) => {
            finding.cause = format!(
                "It reads up to {} ahead ({}), in an ARC of {}: blocks are evicted before they are \
                 read.",
                Bytes(held.value),
                view.shown("zfetch_max_distance"),
                Bytes(target)
            );
            finding.remedy =
                changes::set(view, &[changes::setting("zfetch_max_distance", DISTANCE)]);
        }
        None => {
            finding.cause =
                "Readers start sequentially and then jump (virtual machines, databases, many \
                 clients in one file). Each false start prefetches blocks in vain."
                    .to_owned();
            finding.remedy = changes::set(view, &[changes::setting("zfs_prefetch_disable", 1)])
                .map(|mut remedy| {
                    remedy.what.push_str(
                        " as a trial; it slows down streams (films, backups), so measure both",
                    );
                    remedy
                });
        }
    }
    finding.gain = Gain::Counted(format!(
        "up to {} fewer disk reads {}",
        format::count(read.saturating_sub(used)),
        view.when()
    ));
    finding.cost = "None.".to_owned();
    finding.risk =
        "Without prefetch a single reader of a large file waits for every block.".to_owned();
    finding.confidence = view.confidence(all, "predictive prefetches");
    finding.sources = lines([
        "module/zfs/dmu_zfetch.c",
        "zfs(4) zfetch_max_distance, zfs_prefetch_disable",
        "openzfs issue 17686",
    ]);
    finding
}
