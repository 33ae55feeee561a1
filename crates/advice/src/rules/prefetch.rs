//! Whether prefetch is worth what it reads.
//!
//! From 2.2 the ARC counts predictive prefetch reads (`predictive_prefetch`) and how many of them a
//! reader then asked for. Up to 2.1 only those are counted that were complete when asked for; one
//! joined in flight is not, so there a low share proves nothing (openzfs-model.md §1.6).

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Evidence, Finding, Gain, Severity, lines};
use crate::verdict::{Judged, Rule, Verdict};
use crate::view::View;
use crate::words;

pub(super) const RULE: Rule = Rule { about: "whether prefetch helps", judge };

/// Used of what was prefetched, above which it helps beyond doubt.
const USEFUL: f64 = 0.7;
/// Below this two of three reads were for nothing.
const WASTED: f64 = 0.33;

/// Reads below which the share of those used says little: of 200 it is known to ± 7 percent points.
const READS_MIN: u64 = 200;

fn judge(view: &View<'_>) -> Judged {
    let row = |row: &str| view.arc(row).unwrap_or(0);
    let used = row("demand_hit_predictive_prefetch")
        .saturating_add(row("demand_iohit_predictive_prefetch"));
    let is_counted = view.arc("predictive_prefetch").is_ok();
    view.arc("misses")?;
    // A prefetch that finds its block in memory reads nothing: what counts is what it read.
    let misses = row("prefetch_data_misses").saturating_add(row("prefetch_metadata_misses"));
    view.enough(misses, READS_MIN, "prefetch reads")?;
    let share = words::fraction(used.min(misses), misses);
    let evidence = view.rows([
        "predictive_prefetch",
        "prefetch_data_misses",
        "prefetch_metadata_misses",
        "demand_hit_predictive_prefetch",
        "demand_iohit_predictive_prefetch",
    ]);
    if share >= USEFUL || !is_counted || share >= WASTED {
        let what = match share >= USEFUL {
            true => "Prefetch helps",
            false => "Prefetch is used in part",
        };
        let at_least = if is_counted { "" } else { "at least " };
        let text = format!(
            "{what}: readers asked for {at_least}{} of what it read",
            words::share(used, misses)
        );
        return Ok(Verdict::fine(text, evidence));
    }
    Ok(Verdict::one(finding(view, (used, misses), evidence)))
}

fn finding(view: &View<'_>, (used, misses): (u64, u64), evidence: Vec<Evidence>) -> Finding {
    let title = format!(
        "Prefetch reads for nothing: only {} of it was asked for",
        words::share(used, misses)
    );
    let mut finding = Finding::new("prefetch-wasted", Severity::WorthALook, Area::Prefetch, title);
    finding.evidence = evidence;
    finding
        .evidence
        .extend(view.rows_of("zfs/zfetchstats", ["hits", "misses", "future", "stride", "past"]));
    finding.evidence.extend(view.rows_now(["c"]));
    finding.evidence.extend(view.settings(["zfetch_max_distance", "zfs_prefetch_disable"]));
    let distance = view.parameter("zfetch_max_distance");
    let target = view.arc_now("c").unwrap_or(u64::MAX);
    /// What versions from 2.1.6 have.
    const DISTANCE: u64 = 64 << 20;
    let far = distance.filter(|held| held.value > DISTANCE && held.value > target / 16);
    match far {
        Some(held) => {
            finding.cause = format!(
                "It reads up to {} ahead ({}), in an ARC of {}: blocks leave it before they are asked for.",
                Bytes(held.value),
                view.shown("zfetch_max_distance"),
                Bytes(target)
            );
            finding.remedy = changes::set(view, &[("zfetch_max_distance", DISTANCE)]);
        }
        None => {
            finding.cause =
                "Readers begin in order and then jump: virtual machines, databases, many \
                             clients in one file. Each false start reads ahead for nothing."
                    .to_owned();
            finding.remedy =
                changes::set(view, &[("zfs_prefetch_disable", 1)]).map(|mut remedy| {
                    remedy.what.push_str(
                        " for a trial; streams (films, backups) get slower by it, so measure both",
                    );
                    remedy
                });
        }
    }
    finding.gain = Gain::Counted(format!(
        "up to {} reads of disks fewer {}",
        words::count(misses.saturating_sub(used)),
        view.when()
    ));
    finding.cost = "None.".to_owned();
    finding.risk =
        "Without prefetch a single reader of a large file waits for every block.".to_owned();
    finding.confidence = view.confidence(misses, "prefetch reads");
    finding.sources = lines([
        "module/zfs/dmu_zfetch.c",
        "zfs(4) zfetch_max_distance, zfs_prefetch_disable",
        "openzfs issue 17686",
    ]);
    finding
}
