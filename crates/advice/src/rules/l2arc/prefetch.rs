//! The L2ARC is left out of what the prefetcher reads.
//!
//! With `l2arc_noprefetch=1`, the default, blocks that were prefetched and not yet read again are not
//! written to the L2ARC; before 2.2.1 prefetch does not read from it either (see
//! docs/model/l2arc.md#reading-from-l2arc; openzfs issue 15451). A stream is nearly all prefetch, so a film or a game read twice comes
//! from the disks twice.

use arcwright_scenario::Setting;
use arcwright_units::Bytes;

use crate::changes::{self, setting};
use crate::finding::{Area, Finding, Over, Severity, lines};
use crate::format;
use crate::model;
use crate::rule::Rule;
use crate::rules::l2arc_state::{self, L2};
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether prefetch is kept out of the L2ARC", judge };

/// Prefetch's share of misses above which streams are what the disks work for: the greater half.
const STREAMS: f64 = 0.5;

/// Prefetch misses per second below which nobody streams: of 128 KiB each these are 2 MiB/s, a film.
const PER_S_MIN: f64 = 16.0;

fn judge(view: &View<'_>) -> Judged {
    let Some(l2) = l2arc_state::asked(view)? else { return Ok(Verdict::Silent) };
    let excluded = view.parameter("l2arc_noprefetch");
    let excluded =
        excluded.ok_or_else(|| view.not_read("l2arc_noprefetch", "parameters"))?.value == 1;
    let prefetched = view.prefetch_misses()?;
    let slow =
        view.over() == Over::Window && view.per_s(prefetched).is_some_and(|rate| rate < PER_S_MIN);
    if !l2.is_barely_used() || !excluded || slow || l2arc_state::streams(view)? < STREAMS {
        return Ok(Verdict::Silent);
    }
    Ok(Verdict::one(finding(view, &l2, prefetched, view.misses()?)))
}

fn finding(view: &View<'_>, l2: &L2, prefetched: u64, misses: u64) -> Finding {
    let title = "The L2ARC does not cache streaming reads, which are most of the misses";
    let severity = Severity::WorthALook;
    let mut finding =
        Finding::new("l2arc-prefetch-excluded", severity, Area::L2arc, title.to_owned());
    finding.subject = l2arc_state::pools(view);
    finding.evidence = l2arc_state::evidence(view);
    finding.evidence.extend(view.rows([
        "misses",
        "prefetch_data_misses",
        "demand_data_misses",
        "evict_l2_ineligible",
        "evict_l2_eligible",
    ]));
    finding.evidence.extend(view.settings(["l2arc_noprefetch", "l2arc_write_max"]));
    let reads_too = match view.is_from("2.2.1") {
        Some(false) => "neither written to the L2ARC nor, on this version, read from it",
        Some(true) => "not written to the L2ARC (this version may read them from it)",
        None => "not written to the L2ARC, and in older versions not read from it either",
    };
    finding.cause = format!(
        "The L2ARC served {}. {} of the misses are prefetch, i.e. sequential reads; with {}=1 such \
         blocks are {reads_too}.",
        l2.label(),
        format::share(prefetched, misses),
        view.shown("l2arc_noprefetch"),
    );
    let settings = settings(view);
    finding.remedy = changes::set(view, &settings).map(|mut remedy| {
        remedy
            .what
            .push_str(", if the same large files are read again and again; otherwise leave it");
        remedy.verify = lines([
            "arcwright doctor --window 60s   # while such a file is read again: l2_hits grow",
        ]);
        remedy
    });
    finding.gain = model::reread(view, &settings);
    finding.cost = cost(view, &settings);
    finding.risk =
        "Streams that are read once displace useful blocks from the L2ARC. No data is at risk."
            .to_owned();
    finding.confidence = view.confidence(misses, "ARC misses");
    finding.sources =
        lines(["zfs(4) l2arc_noprefetch", "module/zfs/arc.c", "openzfs issues 10464, 15451"]);
    finding
}

/// Returns what to set: streams let in, and a feed that can follow a stream.
fn settings(view: &View<'_>) -> Vec<Setting> {
    /// A stream from a few disks; the feed thread passes at least once a second.
    const FEED: u64 = 256 << 20;
    let mut settings = vec![setting("l2arc_noprefetch", 0)];
    let slow = view.parameter("l2arc_write_max").is_some_and(|held| held.value < FEED / 4);
    if slow && view.has_parameter("l2arc_write_max") == Some(true) {
        settings.push(setting("l2arc_write_max", FEED));
    }
    settings
}

fn cost(view: &View<'_>, settings: &[Setting]) -> String {
    let left =
        l2arc_state::left(view).map(|left| left.eligible.saturating_add(left.ineligible)).ok();
    let wear = left.and_then(|left| l2arc_state::per_day(view, left)).map_or_else(
        || "More writes to the SSD; how many is not known without a window".to_owned(),
        |per_day| {
            format!("Up to {per_day} of writes to the SSD while the load is as {}", view.when())
        },
    );
    let cap = settings.iter().find(|setting| setting.name == "l2arc_write_max");
    let cap = cap.map_or_else(String::new, |Setting { value, .. }| {
        format!(", limited by l2arc_write_max to {} per pass", Bytes(*value))
    });
    format!("{wear}{cap}. {}.", l2arc_state::header_cost(view))
}
