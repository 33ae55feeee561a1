//! Writers are slowed down because the disks do not keep up.
//!
//! Above 60 % of `zfs_dirty_data_max` every transaction is delayed, and at the maximum it waits
//! (module/zfs/dmu_tx.c); `dmu_tx` counts both, and what waited for memory (`memory_reserve`,
//! `memory_reclaim`) or for dirty data to leave the ARC (`dirty_throttle`, arc.c). The names are the
//! same from 0.6.4 to 2.4; `dmu_tx_delay` (txg.c, `txg_delay`) and `dmu_tx_wrlog_delay` (2.1) are two
//! more ways to wait. Every version counts rows that it no longer raises.

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Finding, Gain, Remedy, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether writes are throttled", judge };

const DMU_TX: &str = "zfs/dmu_tx";
/// Delayed transactions among all, above which writers feel it.
const FELT: f64 = 0.05;
/// Fewer than this are one burst.
const DELAYS_MIN: u64 = 100;
/// Rows that count waits for the disks, and the first version that has each.
const FOR_DISKS: [(&str, &str); 5] = [
    ("dmu_tx_dirty_delay", "0.6.0"),
    ("dmu_tx_dirty_over_max", "0.6.0"),
    ("dmu_tx_delay", "0.6.0"),
    ("dmu_tx_dirty_throttle", "0.6.0"),
    ("dmu_tx_wrlog_delay", "2.1.0"),
];
/// Rows that count waits for memory.
const FOR_MEMORY: [(&str, &str); 2] =
    [("dmu_tx_memory_reserve", "0.6.0"), ("dmu_tx_memory_reclaim", "0.6.0")];

fn judge(view: &View<'_>) -> Judged {
    let all = view.counted(DMU_TX, "dmu_tx_assigned")?;
    let (for_disks, lacks_one) = sum(view, &FOR_DISKS);
    let (for_memory, lacks_other) = sum(view, &FOR_MEMORY);
    let delayed = for_disks.saturating_add(for_memory);
    let share = format::fraction(delayed.min(all), all);
    let evidence =
        view.rows_of(DMU_TX, ["dmu_tx_assigned", "dmu_tx_dirty_delay", "dmu_tx_dirty_over_max"]);
    if delayed < DELAYS_MIN || share < FELT {
        if let Some(why) = lacks_one.or(lacks_other) {
            return Err(why);
        }
        if all == 0 {
            return Ok(Verdict::Silent);
        }
        return Ok(Verdict::fine("Writes are not throttled", evidence));
    }
    let memory_first = for_memory > for_disks;
    let what = if memory_first { "memory" } else { "the disks" };
    let title = format!(
        "Writes are throttled: {} of the transactions waited for {what}",
        format::share(delayed, all)
    );
    let mut finding = Finding::new("writes-throttled", Severity::WorthALook, Area::Writing, title);
    finding.evidence = evidence;
    finding.evidence.extend(view.rows_of(
        DMU_TX,
        [
            "dmu_tx_delay",
            "dmu_tx_dirty_throttle",
            "dmu_tx_wrlog_delay",
            "dmu_tx_memory_reserve",
            "dmu_tx_memory_reclaim",
        ],
    ));
    finding.evidence.extend(view.settings(["zfs_dirty_data_max", "zfs_delay_min_dirty_percent"]));
    let room = view
        .parameter("zfs_dirty_data_max")
        .map_or_else(String::new, |held| format!(" ({})", Bytes(held.value)));
    finding.cause = if memory_first {
        "The ARC could not get memory for dirty data: transactions wait until some is free."
            .to_owned()
    } else {
        format!(
            "Programs write faster than the disks for longer than dirty data can buffer{room}. \
             This is the write throttle, not a fault: it slows writers down to the speed of the \
             disks."
        )
    };
    finding.remedy = Some(remedy(memory_first));
    finding.gain = Gain::NotEstimated("the disks set the pace".to_owned());
    finding.cost = if memory_first { "Memory." } else { "Disks." }.to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = view.confidence(all, "transactions");
    finding.sources = lines([
        "module/zfs/dmu_tx.c",
        "module/zfs/arc.c, arc_tempreserve_space",
        "zfs(4) zfs_dirty_data_max, zfs_delay_min_dirty_percent",
    ]);
    Ok(Verdict::one(finding))
}

fn remedy(memory_first: bool) -> Remedy {
    let mut remedy = match memory_first {
        true => changes::by_hand("find what uses the memory and reduce it", &[]),
        false => changes::by_hand(
            "see first whether the disks are as fast as they should be: none slower than its peers, no scan, room in \
             the pool; if they are, faster or more of them. A larger zfs_dirty_data_max only delays the throttle and \
             makes longer bursts",
            &lines([
                "zpool iostat -vly 10 3   # one disk slower than its peers?",
                "zpool list; zpool status",
            ]),
        ),
    };
    remedy.verify = lines(["zpool iostat -vly 10 3"]);
    remedy
}

/// Returns the sum of the rows that were read, and why one is missing that this version has.
fn sum(view: &View<'_>, rows: &[(&str, &str)]) -> (u64, Option<NotJudged>) {
    let mut sum = 0u64;
    let mut lacks = None;
    for (row, since) in rows {
        match view.counted(DMU_TX, row) {
            Ok(count) => sum = sum.saturating_add(count),
            Err(why) if view.is_from(since) != Some(false) => drop(lacks.get_or_insert(why)),
            Err(_) => {}
        }
    }
    (sum, lacks)
}
