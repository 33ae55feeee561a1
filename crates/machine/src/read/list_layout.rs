//! The layout of a pool from `zpool list -v` alone, where no `zpool status` tells it.
//!
//! ```text
//! tank          44.0T  25.1T  18.9T
//!   mirror-0    43.7T  24.8T  18.9T      a group, or a disk of its own: it says what is allocated
//!     sda       21.8T      -      -      a member of the group above: it does not
//! special           -      -      -      the heading of a class
//!   mirror-1     278G   271G  7.20G
//! ```
//!
//! Up to 0.7 log devices stand among the disks, without a heading: a disk of its own beside groups leaves
//! the layout in doubt.

use std::collections::BTreeMap;

use super::list::{Row, space};
use super::status::{is_group, layout_of, members_missing};
use crate::machine::Machine;
use crate::pool::{Class, Layout, Vdev};

/// Gives pools without a layout the one that the rows of a list tell.
pub(super) fn add(machine: &mut Machine, rows: &[Row]) {
    let mut by_pool: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.vdev.is_some()) {
        by_pool.entry(&row.pool).or_default().push(row);
    }
    for pool in &mut machine.pools {
        let Some(rows) = by_pool.get(pool.name.as_str()) else { continue };
        if pool.vdevs.is_empty() && pool.strays.is_empty() {
            let (vdevs, is_sure) = vdevs(rows);
            pool.vdevs = vdevs;
            if !is_sure {
                pool.doubt_layout();
                pool.errors_beside.lacks_lines = true;
            }
        }
    }
}

/// Returns the vdevs of one pool's rows, and whether they can be so.
fn vdevs(rows: &[&Row]) -> (Vec<Vdev>, bool) {
    let mut all: Vec<Vdev> = Vec::new();
    let mut is_sure = true;
    for row in rows {
        let Some(name) = row.vdev.clone() else { continue };
        let told = space(&row.cells);
        let layout = if is_group(&name) { layout_of(&name) } else { Layout::Leaf };
        let vdev = Vdev {
            class: row.class,
            layout,
            state: row.cells.get("health").cloned(),
            space: Some(told),
            name,
            ..Vdev::default()
        };
        let is_member = told.allocated.is_none() && row.class != Class::Spare;
        match all.last_mut().filter(|_| is_member) {
            Some(group) if group.layout != Layout::Leaf && group.class == row.class => {
                group.children.push(vdev);
            }
            Some(_) => {
                is_sure = false;
                all.push(vdev);
            }
            None => {
                is_sure &= !is_member;
                all.push(vdev);
            }
        }
    }
    let whole =
        |vdev: &Vdev| members_missing(&vdev.name, vdev.layout, vdev.children.len()).is_none();
    let of_data = |group: bool| {
        let data = all.iter().filter(|vdev| vdev.class == Class::Data);
        data.filter(|vdev| (vdev.layout == Layout::Leaf) != group).count()
    };
    let nested = all.iter().flat_map(|vdev| &vdev.children).any(|child| is_group(&child.name));
    let mixed = of_data(true) > 0 && of_data(false) > 0;
    let is_sure = is_sure && !mixed && !nested && all.iter().all(whole);
    (all, is_sure)
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;
    use crate::sources::{Source, Sources};

    fn check(rows: &[&str], vdevs: &[(&str, usize)], strays: usize) {
        const TITLES: &str = "NAME SIZE ALLOC FREE CKPOINT EXPANDSZ FRAG CAP DEDUP HEALTH ALTROOT";
        let text =
            format!("{TITLES}\ntank 44T 25T 19T - - 14% 57% 1.00x ONLINE -\n{}\n", rows.join("\n"));
        let texts = [("commands/zpool-list".to_owned(), Source::Text(text))];
        let pool =
            Machine::read(&Sources { texts: texts.into(), ..Sources::default() }).pools.remove(0);
        let found: Vec<(&str, usize)> =
            pool.vdevs.iter().map(|vdev| (vdev.name.as_str(), vdev.children.len())).collect();
        assert_eq!((found.as_slice(), pool.strays.len()), (vdevs, strays), "{rows:?}");
    }

    #[test]
    fn a_list_tells_the_layout_where_nothing_else_does() {
        let mirror = "  mirror-0 43.7T 24.8T 18.9T - - 13% 56.8% - ONLINE";
        let (a, b) = ("    sda 22T - - - - - - - ONLINE", "    sdb 22T - - - - - - - ONLINE");
        let special = "special - - - - - - - - -";
        let nvme = "  nvme0n1 278G 271G 7G - - 81% 97.4% - ONLINE";
        check(&[mirror, a, b], &[("mirror-0", 2)], 0);
        check(&[mirror, a, b, special, nvme], &[("mirror-0", 2), ("nvme0n1", 0)], 0);
        check(&[nvme], &[("nvme0n1", 0)], 0);
        // A line is missing, or a log device stands among the disks.
        check(&[mirror, a], &[], 1);
        check(&[a, b], &[], 2);
        check(&[mirror, a, b, nvme], &[], 3);
    }
}
