//! Writers are slowed down because the disks do not keep up.
//!
//! Above 60 % of `zfs_dirty_data_max` every transaction is delayed, and at the maximum it waits
//! (module/zfs/dmu_tx.c); both are counted in `dmu_tx`.

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Finding, Gain, Severity, lines};
use crate::verdict::{Judged, Rule, Verdict};
use crate::view::View;
use crate::words;

pub(super) const RULE: Rule = Rule { about: "whether writers are slowed down", judge };

const DMU_TX: &str = "zfs/dmu_tx";
/// Delayed transactions among all, above which writers feel it.
const FELT: f64 = 0.05;
/// Fewer than this are one burst.
const DELAYS_MIN: u64 = 100;

fn judge(view: &View<'_>) -> Judged {
    let all = view.counted(DMU_TX, "dmu_tx_assigned")?;
    let row = |row: &str| view.counted(DMU_TX, row).unwrap_or(0);
    let stopped = row("dmu_tx_dirty_over_max").saturating_add(row("dmu_tx_wrlog_delay"));
    let delayed = row("dmu_tx_dirty_delay").saturating_add(stopped);
    let memory = row("dmu_tx_memory_reserve").saturating_add(row("dmu_tx_memory_reclaim"));
    let share = words::fraction(delayed.saturating_add(memory).min(all), all);
    let evidence =
        view.rows_of(DMU_TX, ["dmu_tx_assigned", "dmu_tx_dirty_delay", "dmu_tx_dirty_over_max"]);
    if delayed.saturating_add(memory) < DELAYS_MIN || share < FELT {
        if all == 0 {
            return Ok(Verdict::Silent);
        }
        return Ok(Verdict::fine("Writers are not slowed down", evidence));
    }
    let title = format!(
        "Writers are slowed down: {} of the transactions had to wait for the disks",
        words::share(delayed.saturating_add(memory), all)
    );
    let mut finding = Finding::new("writes-throttled", Severity::WorthALook, Area::Writing, title);
    finding.evidence = evidence;
    finding.evidence.extend(
        view.rows_of(
            DMU_TX,
            ["dmu_tx_wrlog_delay", "dmu_tx_memory_reserve", "dmu_tx_memory_reclaim"],
        ),
    );
    finding.evidence.extend(view.settings(["zfs_dirty_data_max", "zfs_delay_min_dirty_percent"]));
    let room = view
        .parameter("zfs_dirty_data_max")
        .map_or_else(String::new, |held| format!(" ({})", Bytes(held.value)));
    finding.cause = format!(
        "More is written than the disks take, for longer than memory can hold it{room}. That is the write \
         throttle at work, not a fault: it lets writers go as fast as the disks."
    );
    let mut remedy = changes::by_hand(
        "faster or more disks; a larger zfs_dirty_data_max only moves the point where it begins and makes \
         longer bursts",
        &[],
    );
    remedy.verify = lines(["zpool iostat -vly 10 3"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("the disks set the pace".to_owned());
    finding.cost = "Disks.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = view.confidence(all, "transactions");
    finding.sources =
        lines(["module/zfs/dmu_tx.c", "zfs(4) zfs_dirty_data_max, zfs_delay_min_dirty_percent"]);
    Ok(Verdict::one(finding))
}
