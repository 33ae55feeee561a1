//! Rows that somebody picked out of `zpool status`: devices of a pool that nobody names.

use std::collections::BTreeSet;

use super::row::{self, Row, Titles};
use super::{ROWS, UNNAMED, names, only_pool, tree};
use crate::machine::Machine;
use crate::pool::{Class, Vdev};
use crate::read::properties::pool_named;
use crate::sources::Sources;

/// What ends the output about a pool without damaged files.
const UNDAMAGED: &str = "errors: No known data errors";

/// Takes them where no pool is known to have such a device: a row that stands in a whole list too says
/// nothing new.
pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let Some(text) = sources.text(ROWS) else { return };
    let rows: Vec<Row> = text
        .lines()
        .filter_map(|line| row::read(&line.replace('\t', TAB), &Titles::default()))
        .collect();
    let standing = standing(&rows);
    let rows = rows.into_iter();
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
    // Rows of which some are known from elsewhere stand together in a way that is known too, or is not to be trusted.
    let names: BTreeSet<&str> = fresh.iter().map(|device| device.name.as_str()).collect();
    let is_fresh =
        |vdev: &Vdev| vdev.leaves().iter().all(|leaf| names.contains(leaf.name.as_str()));
    let standing = standing.filter(|vdevs| vdevs.iter().all(is_fresh));
    let beside = if standing.is_some() { "" } else { ", and how they stand together," };
    let why = format!("which pool these devices are of{beside} is not told");
    let fresh = standing.unwrap_or(fresh);
    if let Some(pool) = pool_named(&mut machine.pools, &name) {
        pool.strays.extend(fresh);
        let known = pool.state.take();
        pool.state = known.or_else(|| is_degraded.then(|| "DEGRADED".to_owned()));
        if is_undamaged && pool.errors.is_none() {
            pool.errors = UNDAMAGED.strip_prefix("errors: ").map(str::to_owned);
            pool.data_errors = Some(0);
        }
    }
    machine.garbled(ROWS, why);
}

/// What a tab stands for.
const TAB: &str = "        ";

/// Returns the groups and what is indented below each, where a row of a group stands above all others. Nothing tells that
/// the list ends with the last one.
fn standing(rows: &[Row]) -> Option<Vec<Vdev>> {
    let (first, below) = rows.split_first()?;
    let is_above = names::is_group(&first.name)
        && below.first().is_some_and(|next| next.indent > first.indent)
        && below.iter().all(|row| row.indent >= first.indent);
    (is_above && !tree::is_too_deep(rows)).then_some(())?;
    let (mut vdevs, mut rest) = (Vec::new(), rows);
    while let Some((row, below)) = rest.split_first() {
        let (vdev, after) = tree::vdev(row, below, Class::Data);
        (names::is_group(&row.name) && !vdev.children.is_empty()).then_some(())?;
        vdevs.push(vdev);
        rest = after;
    }
    vdevs.last_mut()?.is_cut = true;
    Some(vdevs)
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;
    use crate::sources::Sources;

    #[test]
    fn a_group_above_rows_has_those_that_are_indented_below_it() {
        let check = |text: &str, expected: &[(&str, usize, bool)]| {
            let machine = Machine::read(&Sources::recognize(text));
            let strays = machine.pools.first().map(|pool| pool.strays.as_slice());
            let told =
                |vdev: &crate::pool::Vdev| (vdev.name.clone(), vdev.children.len(), vdev.is_cut);
            let told: Vec<_> = strays.unwrap_or_default().iter().map(told).collect();
            let expected: Vec<_> = expected
                .iter()
                .map(|(name, members, is_cut)| ((*name).to_owned(), *members, *is_cut))
                .collect();
            assert_eq!(told, expected, "{text}");
        };
        check(
            "  mirror-0  ONLINE 0 0 0\n    sda  ONLINE 0 0 0\n    sdb  ONLINE 0 0 0\n  mirror-1  DEGRADED 0 0 0\n    \
             spare-0  DEGRADED 0 0 3\n      sdc  FAULTED 9 0 0\n      sdd  ONLINE 0 0 0\n    sde  ONLINE 0 0 0\n",
            &[("mirror-0", 2, false), ("mirror-1", 2, true)],
        );
        check(
            "  sda  ONLINE 0 0 0\n  mirror-1  DEGRADED 0 0 0\n    sdc  FAULTED 9 0 0\n    sdd  ONLINE 0 0 0\n",
            &[("sda", 0, false), ("sdc", 0, false), ("sdd", 0, false)],
        );
    }
}
