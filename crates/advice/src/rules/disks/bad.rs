//! Which devices of a pool are to blame for errors; not a rule itself.

use arcwright_machine::{Pool, Vdev};

use crate::rules::weak::{all, is_marked};

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
