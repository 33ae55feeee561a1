//! Requests of a pool take long at its disks, where `zpool iostat -l` tells of the pool and not of each disk.
//!
//! `disk_wait` is the time from when a disk gets a request to its answer (zpool-iostat(8)); of a pool it is the mean over its disks.
//! Which of them is slow, its row does not tell: `-v` does, and then the rules on single disks speak.

use arcwright_machine::{Class, LeafIo, Pool};

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::disk_state::{at_work, positive};
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule =
    Rule { about: "whether requests take long at the disks of a pool", judge };

/// Longer than this no hard disk takes that is well, unless many requests stand before it.
const LONG_NS: u64 = 100_000_000;
/// So long somebody is sure to feel it.
const VERY_LONG_NS: u64 = 500_000_000;
/// Fewer requests per second make no mean.
const OPS_MIN: f64 = 2.0;

fn judge(view: &View<'_>) -> Judged {
    let pools = view.pools()?;
    let findings = pools.iter().filter_map(|pool| of_pool(view, pool)).collect();
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

fn of_pool(view: &View<'_>, pool: &Pool) -> Option<Finding> {
    let io = view.io(&pool.name)?.get(&pool.name)?;
    // Where each disk is told the rules on disks say more.
    let leaves = at_work(view, pool, Class::Data);
    if leaves.iter().any(|leaf| leaf.read_ns().or(leaf.write_ns()).is_some()) {
        return None;
    }
    let long = |wait: Option<u64>, rate: Option<f64>| {
        let is_busy = positive(rate).is_some_and(|rate| rate >= OPS_MIN);
        wait.filter(|wait| is_busy && *wait >= LONG_NS)
    };
    let read = long(io.waits.disk_read_ns, io.read_ops_per_s);
    let write = long(io.waits.disk_write_ns, io.write_ops_per_s);
    let (what, wait) = match (read, write) {
        (Some(read), write) if write.is_none_or(|write| read >= write) => ("reads", read),
        (_, Some(write)) => ("writes", write),
        _ => return None,
    };
    Some(finding(view, pool, io, (what, wait)))
}

fn finding(view: &View<'_>, pool: &Pool, io: &LeafIo, (what, wait): (&str, u64)) -> Finding {
    let title = format!("{what} of {} take {} at its disks", pool.name, format::latency(wait));
    let title = title.replacen(what, if what == "reads" { "Reads" } else { "Writes" }, 1);
    let severity = if wait >= VERY_LONG_NS { Severity::HurtsNow } else { Severity::WorthALook };
    let mut finding = Finding::new("disk-waits-long", severity, Area::Disks, title);
    finding.subject = Some(pool.name.clone());
    let rows = [
        ("disk_wait read", io.waits.disk_read_ns),
        ("disk_wait write", io.waits.disk_write_ns),
        ("total_wait read", io.waits.total_read_ns),
        ("total_wait write", io.waits.total_write_ns),
    ];
    let row = |(name, wait): (&str, Option<u64>)| {
        let wait = wait?;
        let value = format::latency(wait);
        let name = format!("{}: {name}", pool.name);
        Some(Evidence { exact: Some(wait), over: view.io_over(), ..Evidence::now(name, value) })
    };
    finding.evidence = rows.into_iter().filter_map(row).collect();
    finding.cause = "That is the time at the disks themselves. A disk that is well answers within \
                     some 20 ms; longer, it has a long queue before it (many writes at once, \
                     shingled recording), retries, or its link does."
        .to_owned();
    finding.remedy = Some(changes::by_hand(
        "find out whether it is one disk or all of them, and ask that disk",
        &[
            format!(
                "zpool iostat -vly {} 10 1   # disk_wait of each disk",
                format::shell(&pool.name)
            ),
            "smartctl -a /dev/DISK   # of the slowest; dmesg for resets of its link".to_owned(),
        ],
    ));
    finding.gain = Gain::NotEstimated("depends on which disk waits and why".to_owned());
    finding.cost = "None to look.".to_owned();
    finding.risk = "None to look.".to_owned();
    finding.confidence = Confidence::fair("the mean of all disks of the pool (zpool iostat -l)");
    finding.sources = lines(["zpool-iostat(8)"]);
    finding
}
