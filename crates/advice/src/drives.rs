//! The drive that a device of a pool stands on, and what is known of it.

use arcwright_machine::{Class, DriveKind, Machine, Pool, Vdev, below_dev, whole};

/// Returns the kind of drive that a leaf stands on.
pub(crate) fn kind_of(machine: &Machine, leaf: &str) -> Option<DriveKind> {
    machine.drive_of(leaf)?.kind
}

/// Returns the name that all parts of one drive share.
pub(crate) fn same_drive(machine: &Machine, leaf: &str) -> String {
    machine
        .drive_of(leaf)
        .map_or_else(|| whole(below_dev(leaf)).to_owned(), |drive| drive.name.clone())
}

/// Returns the leaves of a class in a pool.
pub(crate) fn leaves_of(pool: &Pool, class: Class) -> Vec<&Vdev> {
    pool.of_class(class).flat_map(Vdev::leaves).collect()
}

/// Returns whether all data disks of a pool are of turning platters; none when one is not known.
pub(crate) fn turns(machine: &Machine, pool: &Pool) -> Option<bool> {
    let leaves = leaves_of(pool, Class::Data);
    if leaves.is_empty() {
        return None;
    }
    let mut all = true;
    for leaf in leaves {
        match kind_of(machine, &leaf.name)? {
            DriveKind::Hdd => {}
            DriveKind::Virtual => return None,
            DriveKind::Ssd | DriveKind::Nvme => all = false,
        }
    }
    Some(all)
}
