//! Rows that somebody picked out of `zpool status`: devices of a pool that nobody names.

use std::collections::BTreeSet;

use super::row::{self, Row, Titles};
use super::{ROWS, UNNAMED, names, only_pool, tree};
use crate::machine::Machine;
use crate::pool::Vdev;
use crate::read::properties::pool_named;
use crate::sources::Sources;

/// What ends the output about a pool without damaged files.
const UNDAMAGED: &str = "errors: No known data errors";

/// Takes them where no pool is known to have such a device: a row that stands in a whole list too says
/// nothing new.
pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let Some(text) = sources.text(ROWS) else { return };
    let rows = text.lines().filter_map(|line| row::read(line, &Titles::default()));
    let (groups, rows): (Vec<Row>, Vec<Row>) = rows.partition(|row| names::is_group(&row.name));
    let devices: Vec<Vdev> = rows.iter().map(tree::leaf).collect();
    // A pool is no better than its groups; a device alone may be a cache, which it does without, unless another
    // is filled meanwhile.
    let is_filled =
        |row: &Vdev| row.note.as_deref().is_some_and(|note| note.contains("(resilvering)"));
    let is_ill = |row: &Vdev| {
        row.state.as_deref().is_some_and(|state| !["ONLINE", "AVAIL", "INUSE"].contains(&state))
    };
    let is_degraded = groups.iter().any(|group| group.state.as_deref() == Some("DEGRADED"))
        || devices.iter().any(is_filled) && devices.iter().any(is_ill);
    let is_undamaged = text.lines().any(|line| line.trim() == UNDAMAGED);
    let all = machine.pools.iter().flat_map(|pool| pool.vdevs.iter().chain(&pool.strays));
    let mut known: BTreeSet<String> =
        all.flat_map(Vdev::leaves).map(|leaf| leaf.name.clone()).collect();
    // Of a device that was picked out twice the first row counts.
    let is_new = |device: &Vdev| known.insert(device.name.clone());
    let fresh: Vec<Vdev> = devices.into_iter().filter(is_new).collect();
    if fresh.is_empty() {
        return;
    }
    // A pool whose devices are all known has no others.
    let is_open = |machine: &Machine| machine.pools.iter().all(|pool| pool.vdevs.is_empty());
    let name = if is_open(machine) { only_pool(machine) } else { UNNAMED.to_owned() };
    if let Some(pool) = pool_named(&mut machine.pools, &name) {
        pool.strays.extend(fresh);
        let known = pool.state.take();
        pool.state = known.or_else(|| is_degraded.then(|| "DEGRADED".to_owned()));
        if is_undamaged && pool.errors.is_none() {
            pool.errors = UNDAMAGED.strip_prefix("errors: ").map(str::to_owned);
            pool.data_errors = Some(0);
        }
    }
    machine
        .garbled(ROWS, "which pool these devices are of, and how they stand together, is not told");
}
