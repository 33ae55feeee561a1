//! What was read of a window.

use std::collections::BTreeMap;

use arcwright_machine::{LeafIo, Machine, Pool};

/// Returns what the vdevs of a pool did in the window, by name; none where only rates since the import were read.
pub(crate) fn in_window<'a>(
    machine: &'a Machine,
    pool: &Pool,
) -> Option<&'a BTreeMap<String, LeafIo>> {
    let sample = machine.samples.last().filter(|sample| !sample.vdevs_since_import)?;
    sample.vdevs.get(&pool.name)
}
