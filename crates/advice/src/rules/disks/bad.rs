//! Which devices of a pool are to blame for errors, and what depends on them; not a rule itself.

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
            there.into_iter().any(|leaf| bad.iter().any(|bad| bad.name == leaf.name))
        };
        is_weak && has_bad()
    })
}

/// Returns the devices that have only the checksum errors of their own group, beside others that failed to read or
/// write: blocks that were wrong in every copy, which tell nothing of this one.
pub(super) fn like_their_group<'a>(pool: &Pool, bad: &[&'a Vdev]) -> Vec<&'a Vdev> {
    let failed =
        |leaf: &&Vdev| matches!(leaf.errors, Some([read, write, _]) if read > 0 || write > 0);
    if !bad.iter().any(failed) {
        return Vec::new();
    }
    let checksums = |vdev: &Vdev| vdev.errors.map(|[_, _, checksum]| checksum);
    let groups = || all(pool).into_iter().filter(|vdev| !vdev.children.is_empty());
    let is_alike = |leaf: &&&Vdev| {
        let group = groups().find(|group| group.children.iter().any(|one| one.name == leaf.name));
        let own = checksums(leaf).filter(|own| *own > 0);
        !failed(leaf) && !is_marked(leaf) && own.is_some() && group.and_then(checksums) == own
    };
    bad.iter().filter(is_alike).copied().collect()
}
