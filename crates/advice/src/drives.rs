//! From what a pool calls a device to the drive it stands on.
//!
//! A pool names a partition (`sda1`, `nvme0n1p2`, `ada0p3`) or a link
//! (`/dev/disk/by-id/ata-…-part1`, `gpt/log0`); what the drives say of themselves stands under the
//! kernel's name of the whole drive.

use arcwright_machine::{Class, Drive, DriveKind, Machine, Pool, Vdev};

/// Returns the drive that a leaf stands on; none when it is not known.
pub(crate) fn drive_of<'a>(machine: &'a Machine, leaf: &str) -> Option<&'a Drive> {
    let name = below_dev(leaf);
    let is_it = |drive: &&Drive| {
        let linked = |link: &String| {
            let link = below_dev(link);
            link == name || link.ends_with(&format!("/{name}")) || whole(link) == whole(name)
        };
        drive.name == whole(name) || drive.name == name || drive.links.iter().any(linked)
    };
    machine.drives.iter().find(is_it)
}

/// Returns a device's name without the folder of devices.
fn below_dev(name: &str) -> &str {
    name.trim_start_matches("/dev/")
}

/// Returns the kind of drive that a leaf stands on.
pub(crate) fn kind_of(machine: &Machine, leaf: &str) -> Option<DriveKind> {
    drive_of(machine, leaf)?.kind
}

/// Returns the name that all parts of one drive share.
pub(crate) fn same_drive(machine: &Machine, leaf: &str) -> String {
    drive_of(machine, leaf).map_or_else(|| whole(below_dev(leaf)), |drive| drive.name.clone())
}

/// Returns the name without a partition: `sda1` → `sda`, `nvme0n1p2` → `nvme0n1`, `…-part1` → `…`.
fn whole(name: &str) -> String {
    let digits = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    if digits.len() == name.len() {
        return name.to_owned();
    }
    if let Some(stem) = digits.strip_suffix("-part") {
        return stem.to_owned();
    }
    if let Some(stem) = digits.strip_suffix('p').or_else(|| digits.strip_suffix('s')) {
        // `nvme0n1p2`, `mmcblk0p1`, `ada0p3`, `da0s1`: a drive's own number stands before the letter.
        if stem.ends_with(|letter: char| letter.is_ascii_digit()) {
            return stem.to_owned();
        }
    }
    let scsi = ["sd", "hd", "vd", "xvd"].iter().any(|kind| {
        digits.strip_prefix(kind).is_some_and(|rest| {
            !rest.is_empty() && rest.chars().all(|letter| letter.is_ascii_lowercase())
        })
    });
    if scsi { digits.to_owned() } else { name.to_owned() }
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

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn a_partition_leads_to_its_drive() {
        for (part, drive) in [
            ("sda", "sda"),
            ("sda1", "sda"),
            ("sdaa12", "sdaa"),
            ("nvme0n1", "nvme0n1"),
            ("nvme0n1p2", "nvme0n1"),
            ("ada0", "ada0"),
            ("ada0p3", "ada0"),
            ("da10s1", "da10"),
            ("vda2", "vda"),
            ("disk/by-id/ata-WDC_WD40EFRX-part9", "disk/by-id/ata-WDC_WD40EFRX"),
            ("gpt/log0", "gpt/log0"),
            ("md127", "md127"),
            ("", ""),
            ("7", "7"),
        ] {
            assert_eq!(whole(part), drive);
        }
    }
}
