//! A log device that answers no sooner than the disks it should spare.
//!
//! A log device is worth its place when a write to it is done much sooner than one to the data disks.
//! `zpool iostat -l` tells how long each takes at the device (`disk_wait`). An SSD with power-loss
//! protection needs some tens of microseconds; one without must program its cells at every flush and
//! needs milliseconds, and some get slower by the factor of ten when their cache is full.

use arcwright_machine::{Class, DriveKind, Pool};

use crate::changes;
use crate::drives::kind_of;
use crate::finding::{Area, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::disk_state::{self, Leaf};
use crate::rules::pool_state;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether the log device is fast", judge };

/// Slower than this an SSD is no log device: a good disk with its write cache does as well.
const SLOW_NS: u64 = 5_000_000;
/// And slower than this it fails or its cache is full.
const FAILING_NS: u64 = 20_000_000;
/// Bytes of the log for each of the busiest data disk, from which the two do other work.
const LOADED: f64 = 4.0;
/// Fewer writes per second than this make no mean.
const OPS_MIN: f64 = 2.0;

fn judge(view: &View<'_>) -> Judged {
    let with: Vec<&Pool> =
        view.laid_out()?.filter(|pool| pool.of_class(Class::Log).next().is_some()).collect();
    if with.is_empty() {
        return Ok(Verdict::Silent);
    }
    let mut findings = Vec::new();
    let mut evidence = Vec::new();
    let mut read = false;
    let mut is_open = false;
    for pool in with {
        let logs = disk_state::at_work(view, pool, Class::Log);
        read |= logs.iter().any(|leaf| leaf.io.waits.disk_write_ns.is_some());
        let at_work =
            logs.iter().filter(|leaf| leaf.writes_per_s().is_some_and(|rate| rate >= OPS_MIN));
        for leaf in at_work {
            let Some(wait) = leaf.io.waits.disk_write_ns else { continue };
            evidence.push(row(view, leaf, wait));
            let found = queued(view, pool, leaf, wait).or_else(|| slow(view, pool, leaf, wait));
            is_open |= found.is_none() && wait >= SLOW_NS / 5;
            findings.extend(found);
        }
    }
    match (findings.is_empty(), read, evidence.is_empty()) {
        (true, false, _) => Err(NotJudged::NotRead(
            "the log device's latency was not read (zpool iostat -vl)".to_owned(),
        )),
        (true, true, true) => {
            Err(NotJudged::Idle("too few writes went to the log device".to_owned()))
        }
        // A millisecond is much for a log; at a limit of its own it may be what it can do.
        (true, ..) if is_open => Ok(Verdict::Silent),
        _ => Ok(Verdict::found_or(findings, Verdict::fine("The log device is fast", evidence))),
    }
}

fn row(view: &View<'_>, leaf: &Leaf<'_>, wait: u64) -> Evidence {
    let text = format!(
        "{} per write, {} per second",
        format::latency(wait),
        leaf.writes_per_s().map_or_else(|| "-".to_owned(), format::per_s)
    );
    let name = format!("{}: disk_wait", leaf.name);
    Evidence { exact: Some(wait), over: view.io_over(), ..Evidence::now(name, text) }
}

/// Returns a finding where writes wait in front of the log for much longer than it takes for them.
fn queued(view: &View<'_>, pool: &Pool, leaf: &Leaf<'_>, wait: u64) -> Option<Finding> {
    const TIMES: u64 = 4;
    let total = leaf.io.waits.total_write_ns?;
    if total < FAILING_NS || total < wait.saturating_mul(TIMES) {
        return None;
    }
    let title = format!(
        "Writes wait {} for the log device {} of {}, which takes {} for each",
        format::latency(total),
        leaf.name,
        pool.name,
        format::latency(wait)
    );
    let mut finding = Finding::new("slog-slow", Severity::WorthALook, Area::Sync, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = vec![row(view, leaf, wait)];
    finding.evidence.push(Evidence {
        exact: Some(total),
        over: view.io_over(),
        ..Evidence::now(format!("{}: total_wait", leaf.name), format::latency(total))
    });
    finding.cause =
        "More is written at once than the device takes: the rest waits in the queue in \
                     front of it, and every synchronous write with it."
            .to_owned();
    let name = format::shell(&pool.name);
    let mut remedy = changes::by_hand(
        "see whether so much has to be synchronous; then a faster log device, or a second one \
         beside it, which shares the load",
        &[
            format!("zpool iostat -vlyq {name} 10 3   # under load: pend and activ of syncq_write"),
            format!("zfs get -r -t filesystem,volume sync,logbias {name}"),
            format!("zpool add {name} log SECOND-SSD   # shares the load; mirror it if it matters"),
        ],
    );
    remedy.verify = lines(["zpool iostat -vly 10 3   # total_wait of the log"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("depends on the device".to_owned());
    finding.cost = "An SSD, or none.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = view.confidence(1, "writes to the log");
    finding.sources = lines(["zpool-iostat(8) -l -q"]);
    Some(finding)
}

#[expect(clippy::disallowed_methods, reason = "one write at least was seen")]
fn slow(view: &View<'_>, pool: &Pool, leaf: &Leaf<'_>, wait: u64) -> Option<Finding> {
    let data = disk_state::at_work(view, pool, Class::Data);
    let waits: Vec<u64> = data
        .iter()
        .filter(|leaf| leaf.writes_per_s().is_some_and(|rate| rate >= OPS_MIN))
        .filter_map(|leaf| leaf.io.waits.disk_write_ns)
        .collect();
    let best = waits.iter().min().copied();
    let flash = matches!(kind_of(view.machine, leaf.name), Some(DriveKind::Ssd | DriveKind::Nvme));
    // One that carries many times what a disk does is not compared with it: it may be at its limit.
    let rate = |leaf: &Leaf<'_>| leaf.io.write_bytes_per_s.filter(|rate| rate.is_finite());
    let most = data.iter().filter_map(rate).fold(0.0, f64::max);
    let is_loaded = rate(leaf).is_some_and(|rate| rate > most * LOADED);
    let beaten = best.is_some_and(|best| wait >= best) && wait >= SLOW_NS / 5 && !is_loaded;
    let slow_for_flash = flash && wait >= SLOW_NS;
    // No device that keeps a log takes as long, whatever it is and whether the disks were written to.
    let is_hopeless = wait >= FAILING_NS;
    if !beaten && !slow_for_flash && !is_hopeless {
        return None;
    }
    let title = format!(
        "The log device {} of {} takes {} per write{}",
        leaf.name,
        pool.name,
        format::latency(wait),
        best.map_or_else(String::new, |best| format!(", the data disks {}", format::latency(best)))
    );
    let severity = if wait >= FAILING_NS { Severity::HurtsNow } else { Severity::WorthALook };
    let mut finding = Finding::new("slog-slow", severity, Area::Sync, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = vec![row(view, leaf, wait)];
    finding
        .evidence
        .extend(data.iter().filter_map(|leaf| Some(row(view, leaf, leaf.io.waits.disk_write_ns?))));
    finding.cause = match beaten {
        true => "Every synchronous write waits for it, and would wait no longer without it.",
        false => {
            "Every synchronous write waits for it. An SSD with power-loss protection needs less \
             than a tenth of that."
        }
    }
    .to_owned();
    let mut commands = vec![pool_state::smart(view, leaf.name)];
    commands.extend(pool_state::replace(pool, leaf.name, "SSD-WITH-PROTECTION"));
    commands.push(pool_state::without_log(pool, leaf.name));
    let mut remedy = changes::by_hand(
        "check its health and its other load; replace it by an SSD with power-loss protection, or \
         remove it",
        &commands,
    );
    remedy.verify = lines(["zpool iostat -vly 10 3   # disk_wait of the log"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("depends on the replacement device".to_owned());
    finding.cost = "An SSD, or none.".to_owned();
    finding.risk =
        "None: a log device may be removed or replaced while the pool is in use.".to_owned();
    let events = view.per_s(1).and_then(|one| Some(leaf.writes_per_s()? / one));
    finding.confidence = view.confidence(
        events.and_then(|events| format!("{events:.0}").parse().ok()).unwrap_or(1),
        "writes to the log",
    );
    finding.sources =
        lines(["zpool-iostat(8) -l", "openzfs-docs, Hardware: power loss protection"]);
    Some(finding)
}
