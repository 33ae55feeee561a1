//! What is to be done about devices that make errors; not a rule itself.

use arcwright_machine::{Pool, Vdev};

use crate::changes;
use crate::format;
use crate::rules::pool_state::{self, Scan, reports_failure};
use crate::view::View;

/// Returns what is to be done about devices that make errors: nothing that reads the whole pool when nothing can stand in for
/// them (`is_weak`), and nothing that clears what was cleared already.
pub(super) fn look_at_disks(
    view: &View<'_>,
    pool: &Pool,
    bad: &[&Vdev],
    is_weak: bool,
) -> crate::finding::Remedy {
    let name = format::shell(&pool.name);
    let is_replaced = |leaf: &&Vdev| pool_state::is_replaced_one(pool, leaf);
    if pool_state::scan(pool) == Scan::Resilver && bad.iter().all(is_replaced) {
        let what =
            "nothing beyond the replacement that runs already: wait for the end of its resilver";
        let mut remedy = changes::by_hand(what, &[]);
        remedy.verify = vec![format!("zpool status -v {name}")];
        return remedy;
    }
    let mut commands: Vec<String> =
        bad.iter().take(2).map(|leaf| pool_state::smart(view, &leaf.name)).collect();
    let fails = bad.iter().any(|leaf| reports_failure(view, &leaf.name));
    let is_again = fails || bad.iter().any(|leaf| pool.errors_beside.again.contains(&leaf.name));
    if !is_again && !is_weak {
        commands.push(format!("zpool clear {name}   # when the cause is fixed"));
    }
    let scrub = pool_state::scrub(pool).filter(|_| !is_weak && !is_again);
    commands.extend(scrub.map(|scrub| format!("{scrub}   # do they come back?")));
    let what = match pool_state::scan(pool) {
        _ if is_weak => {
            "check the disks, and what they share, after what matters was copied: reading all of \
             the pool may be too much for a device that nothing can stand in for"
        }
        _ if fails => "replace the device whose drive reports that it is failing (SMART)",
        // What clearing could show it has shown.
        _ if is_again => "check the disk and its cable, and replace it; clear no more before that",
        Scan::Idle => {
            "check the disk and its cable, clear the counts, scrub, and see whether they come back"
        }
        _ => "check the disk and its cable, let the running scan end, then clear the counts",
    };
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = vec![format!("zpool status -v {name}")];
    remedy
}
