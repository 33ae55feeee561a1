//! Single requests that take very long at the disks, by the histograms of `zpool iostat -w`.
//!
//! `disk_wait` is the time from when a disk gets a request to its answer (zpool-iostat(8)). A mean does not show the few that
//! take long, and whoever waits for one of them, a group of writes for instance, waits as long.

use arcwright_machine::{BucketCounts, Pool};

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule =
    Rule { about: "whether single requests take very long at the disks (zpool iostat -w)", judge };

/// A bucket that begins here, 0.54 s: no disk that is well takes so long, whatever stands before a request.
const LONG_NS: u64 = 1 << 29;
/// Fewer requests make no share.
const COUNT_MIN: u64 = 100;
/// Of all requests, taking so long: one in a hundred is felt, one in ten thousand is worth knowing.
const FELT: f64 = 0.01;
const KNOWN: f64 = 0.0001;

fn judge(view: &View<'_>) -> Judged {
    let findings = view.pools()?.iter().filter_map(|pool| of_pool(view, pool)).collect();
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

fn of_pool(view: &View<'_>, pool: &Pool) -> Option<Finding> {
    let latency = &view.io(&pool.name)?.get(&pool.name)?.latency;
    let of = |column: &str, what: &'static str| {
        let counts = latency.get(column)?;
        let (all, long) = (counts.count(), long(counts));
        let share = long as f64 / all.max(1) as f64;
        (all >= COUNT_MIN && share >= KNOWN).then_some((what, counts, share))
    };
    let tails = [of("disk_read", "reads"), of("disk_write", "writes")].into_iter().flatten();
    let worst = tails.clone().max_by(|one, other| one.2.total_cmp(&other.2))?;
    let (what, _, share) = worst;
    let title = format!(
        "{} of the {what} of {} take more than half a second at its disks",
        percent(share),
        pool.name
    );
    let severity = if share >= FELT { Severity::WorthALook } else { Severity::Note };
    let mut finding = Finding::new("disk-wait-tail", severity, Area::Disks, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence =
        tails.flat_map(|(what, counts, _)| evidence(view, pool, what, counts)).collect();
    finding.cause = "That is the time at the disks themselves, which a mean hides. A disk that tries to read a sector \
                     again, a link that is reset, a shingled disk that rewrites, or one that had to start up does it. \
                     Whoever waits for such a request waits as long, and so does a group of writes."
        .to_owned();
    finding.remedy = Some(changes::by_hand(
        "find out which disk it is",
        &[
            format!("zpool iostat -wv {}   # disk_wait of each disk", format::shell(&pool.name)),
            "smartctl -a /dev/DISK   # of that one; dmesg for resets of its link".to_owned(),
        ],
    ));
    finding.gain = Gain::NotEstimated("depends on which disk it is and why".to_owned());
    finding.cost = "None to look.".to_owned();
    finding.risk = "None to look.".to_owned();
    finding.confidence = Confidence::fair("histograms of all disks of the pool (zpool iostat -w)");
    finding.sources = lines(["zpool-iostat(8) -w"]);
    Some(finding)
}

fn long(counts: &BucketCounts) -> u64 {
    let long = counts.0.iter().filter(|(first, _)| *first >= LONG_NS);
    long.fold(0, |sum, (_, count)| sum.saturating_add(*count))
}

fn evidence(view: &View<'_>, pool: &Pool, what: &str, counts: &BucketCounts) -> Vec<Evidence> {
    let row = |name: String, value: String| Evidence {
        over: view.io_over(),
        ..Evidence::now(format!("{}: {name}", pool.name), value)
    };
    let below = |share: f64| counts.quantile(share).map(|(_, end)| format::latency(end));
    let half = below(0.5).map(|time| row(format!("half of the {what} below"), time));
    let most = below(0.99).map(|time| row(format!("99 % of the {what} below"), time));
    let long = row(
        format!("{what} of more than half a second"),
        format!("{} of {}", long(counts), counts.count()),
    );
    half.into_iter().chain(most).chain([long]).collect()
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        percent if percent >= 1.0 => format!("{percent:.0} %"),
        percent => format!("{percent:.2} %"),
    }
}
