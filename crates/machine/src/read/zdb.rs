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
//! Devices that did not work when the configuration was written last say so, below their paths: `faulted: 1`,
//! `offline: 1`, `removed: 1`, `not_present: 1`. A pool that nothing else tells of is degraded by one in a group.
//!
//! The order of keys is that of `vdev_config_generate` (`vdev.c`): type, path, then ashift.

use super::properties::pool_named;
use crate::machine::Machine;
use crate::pool::{Class, Layout, Pool, Vdev, VdevNames};
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

/// Adds devices that did not work to pools of which no text says how they are now.
pub(super) fn collect_ill(sources: &Sources, machine: &mut Machine) {
    let Some(text) = sources.text("commands/zdb") else { return };
    for ill in ill(text) {
        let is_told =
            |pool: &Pool| !pool.vdevs.is_empty() || pool.state.as_deref() == Some("ONLINE");
        if machine.pools.iter().any(|pool| pool.name == ill.pool && is_told(pool)) {
            continue;
        }
        let Some(pool) = pool_named(&mut machine.pools, &ill.pool) else { break };
        pool.state.get_or_insert_with(|| "DEGRADED".to_owned());
        pool.errors_beside.lacks_lines = true;
        let state = Some(ill.state.to_owned());
        pool.strays.push(Vdev { name: ill.device, state, ..Vdev::default() });
    }
}

/// A device that does not work, in a group of a pool.
struct Ill {
    pool: String,
    device: String,
    state: &'static str,
}

/// What may stand below the path of a device that does not work, the plainest first (`vdev_config_generate`).
const ILL: [(&str, &str); 4] = [
    ("faulted", "FAULTED"),
    ("offline", "OFFLINE"),
    ("removed", "REMOVED"),
    ("not_present", "UNAVAIL"),
];

/// Returns the devices in groups of data that did not work.
fn ill(text: &str) -> Vec<Ill> {
    let mut all: Vec<Ill> = Vec::new();
    let (mut pool, mut group, mut device): (Option<&str>, Option<usize>, Option<&str>) =
        (None, None, None);
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let Some((key, value)) = line.trim().split_once(':') else { continue };
        let value = value.trim().trim_matches('\'');
        match key {
            "name" => (pool, group, device) = (Some(value), None, None),
            "type" if matches!(value, "disk" | "file") => {
                group = group.filter(|group| *group < indent);
                device = None;
            }
            "type" => (group, device) = (Some(indent).filter(|_| value != "root"), None),
            // A log device that is gone is no part of the contents.
            "is_log" if value == "1" => (group, device) = (None, None),
            "path" => device = value.rsplit('/').next(),
            _ => {}
        }
        let state = ILL.iter().position(|(flag, _)| *flag == key && value == "1");
        let (Some(state), Some(pool), Some(device), Some(_)) = (state, pool, device, group) else {
            continue;
        };
        let Some((_, word)) = ILL.get(state) else { continue };
        let is_same = |known: &Ill| known.pool == pool && known.device == device;
        let place = all.iter().position(is_same);
        match place.and_then(|place| all.get_mut(place)) {
            Some(known) => {
                let at = |word: &str| ILL.iter().position(|(_, state)| *state == word);
                known.state = if at(known.state) <= Some(state) { known.state } else { word };
            }
            None => {
                all.push(Ill { pool: pool.to_owned(), device: device.to_owned(), state: word });
            }
        }
        if all.len() >= DISKS_MAX {
            break;
        }
    }
    all
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
    fn devices_that_do_not_work_make_their_pool_degraded() {
        let told = |below: &str| {
            let text =
                CONFIG.replace("path: '/dev/sdb1'\n", &format!("path: '/dev/sdb1'\n{below}"));
            let mut machine = Machine::default();
            let mut sources = Sources::default();
            sources.texts.insert("commands/zdb".to_owned(), Source::Text(text));
            super::collect_ill(&sources, &mut machine);
            let pool = machine.pools.first()?;
            Some((pool.state.clone()?, pool.strays[0].name.clone(), pool.strays[0].state.clone()?))
        };
        let expected = |state: &str| Some(("DEGRADED".into(), "sdb1".into(), state.into()));
        let flags = "                    not_present: 1\n                    faulted: 1\n";
        assert_eq!(told(flags), expected("FAULTED"));
        assert_eq!(told("                    offline: 1\n"), expected("OFFLINE"));
        assert_eq!(told("                    faulted: 0\n"), None);
        assert_eq!(told(""), None);
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
