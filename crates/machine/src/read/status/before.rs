//! What an earlier text about a pool said of its devices, which a later one no longer tells.

use crate::pool::{Pool, Vdev};

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
