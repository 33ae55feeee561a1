//! A device that does not work and that another one stands in for; not a rule itself.
//!
//! In a group `spare-1` or `replacing-1` one device works in the place of another. When the first is detached, the other is a
//! member for good; the one that works is never detached, which would take the last copy (`spa_vdev_detach`,
//! module/zfs/spa.c, refuses where it can tell).

use arcwright_machine::{Pool, Refusal, Vdev};

use crate::format;
use crate::rules::pool_state::{self, Scan};
use crate::view::View;

/// Returns the step for a device that another one stands in for, a spare or the new one of a replacement, and its commands;
/// none where the usual steps hold.
pub(super) fn step(
    view: &View<'_>,
    pool: &Pool,
    (leaf, state): (&Vdev, &str),
) -> Option<(&'static str, Vec<String>)> {
    let (name, device) = (format::shell(&pool.name), format::shell(&leaf.name));
    let is_out = pool_state::is_out(leaf);
    let spare = spare_beside(pool, leaf).filter(|_| is_out);
    if spare.is_none() && pool_state::beside(pool, leaf).is_none() {
        return None;
    }
    let is_refused = |refusal: &Refusal| refusal.verb == "detach" && refusal.subject == leaf.name;
    if view.machine.refusals.iter().any(is_refused) && pool_state::scan(pool) != Scan::Resilver {
        let step = "ZFS refused to detach a device that another one stands in for, because that one lacks blocks: see the \
                    refused command below; detach only the device that does not work, after a scrub without errors";
        return Some((step, vec![format!("zpool status -v {name}")]));
    }
    spare?;
    let mut commands = Vec::new();
    if !is_gone(leaf) && state != "FAULTED" {
        commands.push(format!("zpool online {name} {device}   # if it is there again and sound"));
    }
    commands.push(format!(
        "zpool detach {name} {device}   # if it is dead: the spare stays in its place for good"
    ));
    let instead = "instead, by a new disk: the spare goes back to the spares";
    commands.push(pool_state::replace_by_new(pool, &leaf.name, instead));
    Some((
        "a spare stands in for a device that does not work: if that one is dead, detach it, which makes the spare a member \
         for good; if it comes back, the spare goes back to the spares by itself after a resilver without errors",
        commands,
    ))
}

/// Returns the spare that works beside a device, in a group `spare-1`.
fn spare_beside<'a>(pool: &'a Pool, leaf: &Vdev) -> Option<&'a Vdev> {
    fn find<'a>(vdev: &'a Vdev, leaf: &Vdev) -> Option<&'a Vdev> {
        let is_here = vdev.name.starts_with("spare")
            && vdev.children.iter().any(|child| child.name == leaf.name);
        if !is_here {
            return vdev.children.iter().find_map(|child| find(child, leaf));
        }
        let is_well = |child: &&Vdev| {
            child.state.as_deref() == Some("ONLINE") && !pool_state::is_filled(child)
        };
        vdev.children.iter().filter(|child| child.name != leaf.name).find(is_well)
    }
    pool_state::read_vdevs(pool).find_map(|vdev| find(vdev, leaf))
}

/// Returns whether a device has its number for a name: nothing is left under the path that it had.
pub(super) fn is_gone(leaf: &Vdev) -> bool {
    /// A guid is a random number of 64 bits.
    const DIGITS_MIN: usize = 12;
    leaf.name.len() >= DIGITS_MIN && leaf.name.bytes().all(|c| c.is_ascii_digit())
}
