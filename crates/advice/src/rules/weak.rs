//! Which devices of a pool make errors, and whether it can do without them; not a rule itself.

use arcwright_machine::{Pool, Vdev};

use crate::rules::pool_state;

/// Returns all vdevs of a pool, groups before what they are made of.
pub(super) fn all(pool: &Pool) -> Vec<&Vdev> {
    fn add<'a>(vdev: &'a Vdev, all: &mut Vec<&'a Vdev>) {
        all.push(vdev);
        vdev.children.iter().for_each(|child| add(child, all));
    }
    let mut found = Vec::new();
    pool.vdevs.iter().chain(&pool.strays).for_each(|vdev| add(vdev, &mut found));
    found
}

/// Returns whether a vdev counts any error.
pub(super) fn has_counted(vdev: &Vdev) -> bool {
    vdev.error_sum() > Some(0)
}

/// Returns whether a device was found to be failing and is still used.
pub(super) fn is_marked(leaf: &Vdev) -> bool {
    let noted = leaf.note.as_deref().is_some_and(|note| note.contains("too many errors"));
    leaf.children.is_empty() && noted && leaf.state.as_deref() == Some("DEGRADED")
}

/// Returns whether reading all of a pool may be too much for a device that makes errors and that nothing can stand in for:
/// nobody is told to scrub it.
pub(super) fn is_too_weak_to_scrub(pool: &Pool) -> bool {
    let is_bad = |vdev: &&Vdev| {
        vdev.children.is_empty()
            && (has_counted(vdev) || is_marked(vdev))
            && !pool_state::is_filled(vdev)
    };
    let bad: Vec<&Vdev> = all(pool).into_iter().filter(is_bad).collect();
    cannot_do_without(pool, &bad)
}

/// Returns whether no complete copy is left of what devices hold that make errors.
pub(super) fn cannot_do_without(pool: &Pool, bad: &[&Vdev]) -> bool {
    is_last(pool, bad) || is_alone(pool, bad) || pool_state::unsound(pool).is_some()
}

/// Returns whether one of the devices is a vdev of its own: no other copy of file data is there, whatever it still does.
pub(super) fn is_alone(pool: &Pool, bad: &[&Vdev]) -> bool {
    pool_state::with_contents(pool).any(|vdev| vdev.children.is_empty() && bad.contains(&vdev))
}

/// Returns whether a device that makes errors is one that its vdev cannot do without any more: as many others as may
/// fail are missing or have failed already.
pub(super) fn is_last(pool: &Pool, bad: &[&Vdev]) -> bool {
    // One that is being resilvered has not yet what could stand in for another.
    let is_well = |leaf: &&Vdev| {
        let is_online = leaf.state.as_deref().is_none_or(|state| state == "ONLINE");
        is_online && !pool_state::is_filled(leaf)
    };
    // In a group that is being replaced the one that comes has not either, whatever its state.
    let is_gone = |member: &&Vdev| {
        let is_replaced = member.name.starts_with("replacing");
        !member.leaves().iter().any(is_well)
            || is_replaced && !pool_state::has_sound_copy(pool, member)
    };
    pool_state::with_contents(pool).any(|vdev| {
        let gone = vdev.children.iter().filter(is_gone).count();
        let is_weak = pool_state::may_fail(vdev).is_some_and(|most| gone >= most.max(1));
        let has_bad = || {
            let leaves = vdev.leaves();
            let there = leaves.into_iter().filter(is_well);
            // Names may be equal, as where somebody made their ends unreadable.
            there.into_iter().any(|leaf| bad.contains(&leaf))
        };
        is_weak && has_bad()
    })
}
