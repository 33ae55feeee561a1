//! While a pool resilvers or scrubs, or is not whole, everything counted is of that time, and says so.

use arcwright_machine::Vdev;

use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Level, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::pool_state;
use crate::verdict::{Judged, Verdict};
use crate::view::{Basis, View};

pub(crate) const RULE: Rule = Rule { about: "whether a scrub or resilver runs", judge };

/// Returns the pools at work on themselves, with what they do.
fn busy(view: &View<'_>) -> Vec<(String, &'static str, String)> {
    let of = |pool: &arcwright_machine::Pool| {
        let scan = pool.scan.clone()?;
        let lower = scan.to_lowercase();
        // What a pool began that lost its devices goes on when they are back, at a rate that nobody knows.
        if !lower.contains("in progress") || !pool_state::is_usable(pool) {
            return None;
        }
        let what = if lower.contains("resilver") { "resilvers" } else { "scrubs" };
        Some((pool.name.clone(), what, scan))
    };
    view.machine.pools.iter().filter_map(of).collect()
}

fn judge(view: &View<'_>) -> Judged {
    let mut findings: Vec<Finding> = expansions(view).collect();
    findings.extend(busy(view).into_iter().map(|(pool, what, scan)| {
        let is_odd = is_impossible(&scan);
        let pace = if is_odd { String::new() } else { pace(&scan) };
        let title = match is_odd {
            true => format!("{pool} {what} now; how far and how fast, zpool counts wrongly"),
            false => format!("{pool} {what} now{pace}{}{}", unusual(view), held_back(view, &pool)),
        };
        let mut finding = Finding::new("scan-running", Severity::Note, Area::Reading, title);
        finding.subject = Some(pool.clone());
        finding.evidence = vec![Evidence::now(format!("{pool}: scan"), scan)];
        finding.cause =
            "It reads the whole pool, so disks are busy, prefetch is prescient and metadata passes \
             through the ARC. Run doctor again when it is done."
                .to_owned();
        if is_odd {
            finding.cause.push_str(
                " More than all of it cannot be done, so neither the share nor the rate nor the time to go says anything.",
            );
        }
        if what == "resilvers" {
            finding.cause.push_str(
                " Until the resilver ends replace, detach and clear nothing, and start no scrub.",
            );
        }
        finding.gain = Gain::Nothing;
        finding.confidence = Confidence::read("zpool status");
        finding.sources = lines(["zpool-scrub(8)"]);
        finding
    }));
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

/// Says whether a scan claims to have done more than all there is.
fn is_impossible(scan: &str) -> bool {
    let mut shares =
        scan.split_whitespace().filter_map(|word| word.trim_end_matches(',').strip_suffix('%'));
    shares.any(|share| share.parse::<f64>().is_ok_and(|share| share > 101.0))
}

/// Returns which device of a pool may hold its scan back: one that is read and fails.
fn held_back(view: &View<'_>, pool: &str) -> String {
    let pools = view.machine.pools.iter().filter(|known| known.name == pool);
    let is_read = |leaf: &&Vdev| {
        matches!(leaf.state.as_deref(), Some("ONLINE" | "DEGRADED")) && !pool_state::is_filled(leaf)
    };
    let fails = |leaf: &&Vdev| {
        leaf.errors.is_some_and(|[read, write, _]| read > 0 || write > 0)
            || pool_state::reports_failure(view, &leaf.name)
    };
    let leaves = pools.flat_map(pool_state::told).map(|(_, leaf)| leaf);
    let names: Vec<String> =
        leaves.filter(is_read).filter(fails).map(|leaf| leaf.name.clone()).collect();
    match names.is_empty() {
        true => String::new(),
        false => {
            let fail = format::plural(names.len(), "fails", "fail");
            format!("; {}, which {fail}, may hold it back", format::list(&names))
        }
    }
}

/// Returns that the counters are of an unusual time, where any was read.
fn unusual(view: &View<'_>) -> &'static str {
    let has_counters = view.basis != Basis::Nothing
        || view.machine.samples.iter().any(|sample| !sample.vdevs.is_empty());
    if has_counters { ": the counters do not show its usual load" } else { "" }
}

/// Below this share in percent the time left is computed from the first moments of a scan, most of them metadata.
const EARLY_PERCENT: f64 = 5.0;

/// Returns how much of a scan is done, in percent: `0.73` of `0.73% done`.
fn percent_done(scan: &str) -> Option<f64> {
    let (before, _) = scan.rsplit_once("% done")?;
    before.rsplit([' ', ',']).next()?.parse().ok()
}

/// Returns how fast a scan goes and what is left, as far as it says so: ` at 88.0M/s (before at 775M/s), 72h0m to go`.
fn pace(scan: &str) -> String {
    let (now, before) = match scan.split_once(" (before: at ") {
        Some((now, before)) => (now, Some(before.trim_end_matches(')'))),
        None => (scan, None),
    };
    let is_rate = |word: &&str| word.ends_with("/s");
    // What is issued comes after what is scanned, and is what reads of the contents do.
    let rate = now.split(" at ").skip(1).filter_map(|rest| rest.split([',', ' ']).next());
    let rate = rate.filter(is_rate).last();
    let left = now.split_once(" to go").and_then(|(before, _)| before.rsplit(", ").next());
    let before = before.map_or_else(String::new, |rate| format!(" (before at {rate})"));
    let rate = rate.map_or_else(String::new, |rate| format!(" at {rate}{before}"));
    if let Some(done) = percent_done(now).filter(|done| *done < EARLY_PERCENT && left.is_some()) {
        return format!(" at {done} %, too early for its rate to tell when it ends");
    }
    let left = left.map_or_else(String::new, |left| format!(", {left} to go"));
    rate + &left
}

/// Returns a note for each pool whose raidz gets another disk now.
fn expansions<'a>(view: &View<'a>) -> impl Iterator<Item = Finding> + 'a {
    let of = |pool: &arcwright_machine::Pool| {
        let text = pool.expansion.as_deref().filter(|text| text.contains("in progress"))?;
        let title = format!("{} is being expanded: let it finish", pool.name);
        let mut finding = Finding::new("expansion-running", Severity::Note, Area::Reading, title);
        finding.subject = Some(pool.name.clone());
        finding.evidence = vec![Evidence::now(format!("{}: expand", pool.name), text)];
        finding.cause =
            "A raidz vdev takes in another disk: all of its blocks are copied once, while the pool \
             is in use and redundant. The new space is there when it has ended; a restart goes on \
             where it was."
                .to_owned();
        finding.gain = Gain::Nothing;
        finding.confidence = Confidence::read("zpool status");
        finding.sources = lines(["zpool-attach(8)", "module/zfs/vdev_raidz.c"]);
        Some(finding)
    };
    view.machine.pools.iter().filter_map(of)
}

/// Lowers the confidence of what was counted meanwhile.
pub(crate) fn mark(view: &View<'_>, findings: &mut [Finding]) {
    let broken = |pool: &&arcwright_machine::Pool| {
        pool.state.as_deref().is_some_and(|state| state != "ONLINE")
    };
    let mut names: Vec<String> =
        busy(view).into_iter().map(|(pool, what, _)| format!("{pool} {what}")).collect();
    names.extend(
        view.machine.pools.iter().filter(broken).map(|pool| format!("{} is not whole", pool.name)),
    );
    if names.is_empty() {
        return;
    }
    let counted = findings.iter_mut().filter(|finding| finding.confidence.events.is_some());
    for finding in counted {
        finding.confidence.level = Level::Low;
        let why = format!("; provisional, since {}", format::list(&names));
        finding.confidence.words.push_str(&why);
    }
}

#[cfg(test)]
mod tests {
    use super::pace;

    #[test]
    fn the_pace_is_that_of_what_is_issued() {
        for (scan, expected) in [
            (
                "scrub in progress since Tue Apr 20 13:49:30 2021 3.20T scanned at 46.9M/s, 2.76T issued at 40.4M/s, 7.47T \
                 total 3.27G repaired, 36.89% done, 1 days 09:57:14 to go",
                " at 40.4M/s, 1 days 09:57:14 to go",
            ),
            (
                "resilver in progress since Wed Nov 29 11:53:46 2023 15.7T scanned out of 37.5T at 88.0M/s, 72h0m to go \
                 2.59T resilvered, 41.91% done (before: at 775M/s)",
                " at 88.0M/s (before at 775M/s), 72h0m to go",
            ),
            ("scrub in progress since Tue Apr 20 13:49:30 2021", ""),
            (
                "resilver in progress since Mon Feb  3 10:00:00 2025 12.0G scanned out of 4.00T at 1.20G/s, 0h57m to go 1.10G \
                 resilvered, 0.30% done",
                " at 0.3 %, too early for its rate to tell when it ends",
            ),
            (
                "resilver in progress since Mon Feb  3 10:00:00 2025 400G scanned out of 4.00T at 120M/s, 8h57m to go 90G \
                 resilvered, 9.76% done",
                " at 120M/s, 8h57m to go",
            ),
        ] {
            assert_eq!(pace(scan), expected, "{scan}");
        }
    }
}
