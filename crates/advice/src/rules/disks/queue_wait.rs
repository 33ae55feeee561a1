//! Reads that wait far longer for their turn in ZFS's own queues than they take at the disks, by `zpool iostat -l`.
//!
//! Each disk takes so many requests of a class at a time (docs/model/vdev-queues.md); what is asked for beyond that waits before it,
//! reads that somebody waits for in `syncq`, prefetch and others in `asyncq`. Means of a long time: a burst is no reason.
//! Writes are not judged: those of a transaction group all wait, and nobody for them.

use arcwright_machine::{LeafIo, Pool};

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::disk_state::positive;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule =
    Rule { about: "whether reads wait long in the queues before the disks", judge };

/// So long a read waits before a disk only where far more is asked for than the disks serve.
const LONG_NS: u64 = 500_000_000;
/// And so many times as long as the disk takes for it: otherwise the disk is the reason, and other rules speak.
const TIMES: u64 = 4;
/// Fewer requests per second make no mean.
const OPS_MIN: f64 = 2.0;

fn judge(view: &View<'_>) -> Judged {
    let pools = view.pools()?;
    let findings = pools.iter().filter_map(|pool| of_pool(view, pool)).collect();
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

fn of_pool(view: &View<'_>, pool: &Pool) -> Option<Finding> {
    let io = view.io(&pool.name)?.get(&pool.name)?;
    positive(io.read_ops_per_s).filter(|rate| *rate >= OPS_MIN)?;
    let disk = io.waits.disk_read_ns?;
    let long = |wait: Option<u64>| wait.filter(|wait| *wait >= LONG_NS && *wait / TIMES >= disk);
    let (demanded, ahead) = (long(io.waits.syncq_read_ns), long(io.waits.asyncq_read_ns));
    let wait = demanded.max(ahead)?;
    let title = format!(
        "Reads of {} wait {} before its disks take them, and {} at the disks",
        pool.name,
        format::latency(wait),
        format::latency(disk)
    );
    let severity = if demanded.is_some() { Severity::HurtsNow } else { Severity::WorthALook };
    let mut finding = Finding::new("reads-queued", severity, Area::Disks, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = evidence(view, pool, io);
    let whose = match demanded {
        Some(_) => "Programs wait for these reads.",
        None => {
            "They are reads that no program waits for yet: read ahead, or those of a scan before OpenZFS 0.8. A program that comes to \
             such a block waits for it all the same."
        }
    };
    finding.cause = format!(
        "Far more is asked for than the disks serve, and the wait is in ZFS's queues. Where requests to all disks wait alike \
         (zpool iostat -vl), no single disk is the reason. {whose}"
    );
    finding.remedy = Some(changes::by_hand(
        "find out what asks for so much: a scan, a backup, many readers at once; let it end, or let it ask for less",
        &[
            format!("zpool status {}   # does a scrub or resilver run?", format::shell(&pool.name)),
            format!(
                "zpool iostat -vlq {} 5   # waits and queues, by disk",
                format::shell(&pool.name)
            ),
        ],
    ));
    finding.gain = Gain::NotEstimated("depends on what asks".to_owned());
    finding.cost = "None to look.".to_owned();
    finding.risk = "None to look.".to_owned();
    finding.confidence = Confidence::fair("means of all reads of the pool (zpool iostat -l)");
    finding.sources = lines(["zpool-iostat(8) -l"]);
    Some(finding)
}

fn evidence(view: &View<'_>, pool: &Pool, io: &LeafIo) -> Vec<Evidence> {
    let rows = [
        ("total_wait read", io.waits.total_read_ns),
        ("disk_wait read", io.waits.disk_read_ns),
        ("syncq_wait read", io.waits.syncq_read_ns),
        ("asyncq_wait read", io.waits.asyncq_read_ns),
    ];
    let rows = rows.into_iter().filter_map(|(name, wait)| Some((name, wait?)));
    let row = |(name, wait)| Evidence {
        over: view.io_over(),
        ..Evidence::now(format!("{}: {name}", pool.name), format::latency(wait))
    };
    rows.map(row).collect()
}
