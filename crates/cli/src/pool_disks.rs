//! The counters of disks that belong to pools, as the kernel keeps them beside ZFS.

use std::collections::BTreeMap;
use std::path::Path;

use arcwright_machine::{DeviceCount, DiskCounts, Machine};

/// The kernel's name of a disk, and what pools use it for.
pub(crate) type Roles = BTreeMap<String, String>;

/// Returns the disks of all pools by the kernel's names, and what they are used for.
pub(crate) fn roles_of(machine: &Machine) -> Roles {
    let named = roles(machine).into_iter();
    named.filter_map(|(leaf, role)| Some((kernel_name(&leaf)?, role))).collect()
}

/// Returns the disks of all pools as the pools name them, and what they are used for.
pub(crate) fn roles(machine: &Machine) -> Vec<(String, String)> {
    let tops = machine.pools.iter().flat_map(|pool| &pool.vdevs);
    let leaves = tops.flat_map(|top| top.leaves().into_iter().map(|leaf| (leaf, top.class)));
    leaves.map(|(leaf, class)| (leaf.name.clone(), class.name().to_owned())).collect()
}

/// Returns what the disks have counted, those of one role beside each other.
pub(crate) fn counts(root: &Path, roles: &Roles) -> Vec<DeviceCount> {
    if roles.is_empty() {
        return Vec::new();
    }
    let text = std::fs::read_to_string(root.join("proc/diskstats")).unwrap_or_default();
    let counts = DiskCounts::parse_all(&text).into_iter();
    let of_pools = counts
        .filter_map(|disk| Some(DeviceCount::of_kernel(roles.get(&disk.name)?.clone(), disk)));
    let mut found: Vec<DeviceCount> = of_pools.collect();
    found.sort_by(|one, other| (&other.role, &one.name).cmp(&(&one.role, &other.name)));
    found
}

/// Returns the kernel's name of a disk that a pool names by a path, a link or a name in `/dev`.
pub(crate) fn kernel_name(leaf: &str) -> Option<String> {
    let folders = ["", "/dev/", "/dev/disk/by-id/", "/dev/disk/by-path/", "/dev/mapper/"];
    let found =
        folders.iter().find_map(|folder| std::fs::canonicalize(format!("{folder}{leaf}")).ok());
    Some(found?.file_name()?.to_string_lossy().into_owned())
}
