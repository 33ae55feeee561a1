//! What an earlier text about a pool said of its devices, which a later one no longer tells.

use crate::pool::{Pool, Vdev};

/// Notes devices that have errors in the text which is read now, had some in an earlier one, and none in the last.
pub(super) fn notice_again(pool: &mut Pool, now: &[Vdev]) {
    let known = pool.vdevs.iter().chain(&pool.strays).flat_map(Vdev::leaves);
    let cleared: Vec<&str> =
        known.filter(|leaf| leaf.errors == Some([0; 3])).map(|leaf| leaf.name.as_str()).collect();
    // Typed between the two texts.
    let was_cleared =
        pool.errors_beside.since.as_deref().is_some_and(|since| since.starts_with("zpool clear "));
    let before = &pool.errors_beside.before;
    let is_again = |leaf: &&Vdev| {
        let had = before.iter().any(|known| known.name == leaf.name);
        let is_cleared = was_cleared || cleared.contains(&leaf.name.as_str());
        had && is_cleared && leaf.error_sum() > Some(0)
    };
    let again = now.iter().flat_map(Vdev::leaves).filter(is_again).map(|leaf| leaf.name.clone());
    let again: Vec<String> =
        again.filter(|name| !pool.errors_beside.again.contains(name)).collect();
    pool.errors_beside.again.extend(again);
}

/// Keeps the devices with errors of the text that another one about the pool takes the place of.
pub(super) fn remember(pool: &mut Pool) {
    const DEVICES_MAX: usize = 64;
    let all = pool.vdevs.iter().chain(&pool.strays).flat_map(Vdev::leaves);
    let told: Vec<Vdev> = all.filter(|leaf| leaf.error_sum() > Some(0)).cloned().collect();
    let before = &mut pool.errors_beside.before;
    for leaf in told {
        match before.iter().position(|known| known.name == leaf.name) {
            Some(at) => {
                if let Some(known) =
                    before.get_mut(at).filter(|known| known.error_sum() < leaf.error_sum())
                {
                    *known = leaf;
                }
            }
            None if before.len() < DEVICES_MAX => before.push(leaf),
            None => {}
        }
    }
}
