//! Spares of a pool that is whole: one that stays for a device that works, one that is marked and stands nowhere.

use arcwright_machine::{Class, Pool, Vdev, is_same_vdev};

use crate::changes;
use crate::finding::{Evidence, Finding, Severity};
use crate::format;
use crate::rules::pool_state::{self, Scan, scan};
use crate::rules::pools::health::new;
use crate::rules::pools::steps::{spare_in_use, status};

/// Returns what is to be said of a spare that stands in for a device that works.
pub(super) fn standing_in(pool: &Pool) -> Option<Finding> {
    let (spare, device) = spare_in_use(pool).filter(|_| scan(pool) != Scan::Resilver)?;
    let title = format!("The spare {spare} of {} stands in for {device}, which works", pool.name);
    let mut finding = new(pool, ("spare-in-use", Severity::WorthALook), title, &[]);
    finding.cause = "A spare goes back to the spares by itself when the device it stands in for is \
                     replaced, or is whole again after a resilver without errors; otherwise it stays \
                     until it is detached, and is no spare for the next failure."
        .to_owned();
    let name = format::shell(&pool.name);
    let mut commands =
        vec![format!("zpool detach {name} {}   # it is a spare again", format::shell(&spare))];
    // A spare that is spread over all disks takes no disk's place for good.
    if !spare.starts_with("draid") {
        commands.push(format!(
            "zpool detach {name} {}   # instead, if that device is not to be trusted",
            format::shell(&device)
        ));
    }
    let mut remedy = changes::by_hand(
        "see why the device dropped out (SMART, the kernel log); if it is sound, detach the spare",
        &commands,
    );
    remedy.verify = vec![status(pool)];
    finding.remedy = Some(remedy);
    finding.cost = "None.".to_owned();
    finding.risk = "None, as long as the device that stays is sound.".to_owned();
    finding.sources.push("zpoolconcepts(7), Hot Spares".to_owned());
    Some(finding)
}

/// Returns what is to be said of a spare that is in use and stands in for no device of its pool.
pub(super) fn nowhere_in_use(pool: &Pool) -> Option<Finding> {
    // Another pool may have it; then its row says so.
    let is_used = |leaf: &&Vdev| {
        let elsewhere = leaf.note.as_ref().is_some_and(|note| note.contains("in use by pool"));
        leaf.state.as_deref() == Some("INUSE") && !elsewhere
    };
    let spares = pool_state::whole_vdevs(pool).filter(|vdev| vdev.class == Class::Spare);
    let spare = spares.flat_map(Vdev::leaves).find(is_used)?;
    let mut others = pool_state::whole_vdevs(pool).filter(|vdev| vdev.class != Class::Spare);
    let is_there =
        others.any(|vdev| vdev.leaves().iter().any(|leaf| is_same_vdev(&leaf.name, &spare.name)));
    if is_there || scan(pool) == Scan::Resilver {
        return None;
    }
    let title = format!(
        "The spare {} of {} is marked as in use and stands in for no device: there is no spare for the next \
         failure",
        spare.name, pool.name
    );
    let mut finding = new(pool, ("spare-in-use", Severity::WorthALook), title, &[]);
    finding.evidence = vec![Evidence::now(spare.name.clone(), "INUSE".to_owned())];
    finding.cause = "The pool is whole without it. A spare that was detached in an unusual order may keep its \
                     mark (openzfs issue 7577); a spare of two pools is in use while the other has it."
        .to_owned();
    let (name, shown) = (format::shell(&pool.name), format::shell(&spare.name));
    let mut remedy = changes::by_hand(
        "see that no other pool uses it, then take it out and add it again",
        &[
            "zpool status   # is it in the tree of another pool?".to_owned(),
            format!("zpool remove {name} {shown}"),
            format!("zpool add {name} spare {shown}"),
        ],
    );
    remedy.verify = vec![status(pool)];
    finding.remedy = Some(remedy);
    finding.cost = "None.".to_owned();
    finding.risk = "None to what is stored: it holds nothing of the pool.".to_owned();
    finding.sources.push("zpoolconcepts(7), Hot Spares".to_owned());
    Some(finding)
}
