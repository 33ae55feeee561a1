//! `zdb -C`: with which sector each top-level vdev was made.
//!
//! ```text
//!     children[0]:
//!         type: 'mirror'
//!         ashift: 12                  of the group: its members' paths follow
//!         children[0]:
//!             type: 'disk'
//!             path: '/dev/sda1'
//!     children[1]:
//!         type: 'disk'
//!         path: '/dev/sdc1'           of a disk alone its path comes first
//!         ashift: 9
//! ```
//!
//! The order of keys is that of `vdev_config_generate` (`vdev.c`): type, path, then ashift.

use crate::machine::Machine;
use crate::pool::{Class, Layout, Vdev, VdevNames};
use crate::sources::Sources;

/// More disks no configuration has.
const DISKS_MAX: usize = 4096;

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let Some(text) = sources.text("commands/zdb") else { return };
    let (of_disks, bare) = read(text);
    let paths = VdevNames::new(of_disks.iter().map(|(path, _)| path.as_str()));
    for pool in &mut machine.pools {
        for vdev in &mut pool.vdevs {
            let leaves = vdev.leaves();
            let leaves = leaves.iter().filter(|leaf| leaf.layout == Layout::Leaf);
            let found = leaves.filter_map(|leaf| paths.first(&leaf.name)).min();
            let found = found.and_then(|place| of_disks.get(place));
            vdev.ashift = vdev.ashift.or(found.map(|(_, ashift)| *ashift));
        }
    }
    // Lines that somebody picked out say of no vdev; where all are the same it does not matter.
    let first = bare.first().copied().filter(|first| bare.iter().all(|ashift| ashift == first));
    if let ([pool], Some(ashift), true) = (machine.pools.as_mut_slice(), first, of_disks.is_empty())
    {
        let stored = |vdev: &&mut Vdev| !matches!(vdev.class, Class::Cache | Class::Spare);
        let all: Vec<&mut Vdev> = pool.vdevs.iter_mut().filter(stored).collect();
        if all.len() == bare.len() {
            all.into_iter().for_each(|vdev| vdev.ashift = vdev.ashift.or(Some(ashift)));
        }
    }
}

/// Returns the ashift above each path, and every ashift in its order.
fn read(text: &str) -> (Vec<(String, u64)>, Vec<u64>) {
    let (mut of_disks, mut all): (Vec<(String, u64)>, Vec<u64>) = (Vec::new(), Vec::new());
    let (mut group, mut in_group, mut alone): (Option<u64>, bool, Option<String>) =
        (None, false, None);
    for line in text.lines() {
        let Some((key, value)) = line.trim().split_once(':') else { continue };
        let value = value.trim().trim_matches('\'');
        match key {
            "type" if !matches!(value, "disk" | "file" | "root") => {
                (group, in_group) = (None, true);
            }
            "path" if all.len() < DISKS_MAX && of_disks.len() < DISKS_MAX => {
                of_disks.extend(group.map(|ashift| (value.to_owned(), ashift)));
                alone = Some(value.to_owned());
            }
            "ashift" => {
                let Ok(ashift) = value.parse::<u64>() else { continue };
                all.push(ashift);
                // A disk alone tells its path first, also behind the members of a group.
                match alone.take() {
                    Some(path) => {
                        of_disks.retain(|(known, _)| *known != path);
                        of_disks.push((path, ashift));
                        (group, in_group) = (None, false);
                    }
                    None if in_group => group = Some(ashift),
                    None => {}
                }
            }
            _ => {}
        }
    }
    (of_disks, all)
}

#[cfg(test)]
mod tests {
    use super::{Machine, collect};
    use crate::pool::{Layout, Pool, Vdev};
    use crate::sources::{Source, Sources};

    const CONFIG: &str = "\
MOS Configuration:
        version: 5000
        name: 'tank'
        vdev_tree:
            type: 'root'
            children[0]:
                type: 'mirror'
                ashift: 12
                children[0]:
                    type: 'disk'
                    path: '/dev/sda1'
                children[1]:
                    type: 'disk'
                    path: '/dev/sdb1'
            children[1]:
                type: 'disk'
                path: '/dev/sdc1'
                ashift: 9
";

    fn ashifts(text: &str) -> Vec<Option<u64>> {
        let leaf = |name: &str| Vdev { name: name.to_owned(), ..Vdev::default() };
        let children = vec![leaf("sda"), leaf("sdb")];
        let mirror = Vdev { layout: Layout::Mirror, children, ..leaf("mirror-0") };
        let vdevs = vec![mirror, leaf("sdc")];
        let pool = Pool { name: "tank".to_owned(), vdevs, ..Pool::default() };
        let mut machine = Machine { pools: vec![pool], ..Machine::default() };
        let mut sources = Sources::default();
        sources.texts.insert("commands/zdb".to_owned(), Source::Text(text.to_owned()));
        collect(&sources, &mut machine);
        machine.pools[0].vdevs.iter().map(|vdev| vdev.ashift).collect()
    }

    #[test]
    fn paths_tie_a_sector_to_its_vdev() {
        assert_eq!(ashifts(CONFIG), [Some(12), Some(9)]);
        let flat: String = CONFIG.lines().map(|line| format!("{}\n", line.trim())).collect();
        assert_eq!(ashifts(&flat), [Some(12), Some(9)]);
    }

    #[test]
    fn picked_lines_count_where_they_all_agree() {
        assert_eq!(ashifts("ashift: 12\nashift: 12\n"), [Some(12), Some(12)]);
        assert_eq!(ashifts("ashift: 12\nashift: 9\n"), [None, None]);
        assert_eq!(ashifts("ashift: 12\n"), [None, None]);
    }
}
