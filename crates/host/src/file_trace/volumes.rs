//! Which volume (zvol) a block device is: the major number of volumes (`/proc/devices`), and udev's links (`/dev/zvol`).

use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use super::mounts::{MountedDataset, MountedDatasets};

/// What the kernel module calls its block devices.
const DRIVER: &str = "zvol";
/// Minor numbers of a volume: its own and those of its partitions.
pub(super) const MINORS: u32 = 16;
/// Entries of folders that are looked at.
const ENTRIES_MAX: u32 = 1 << 20;
/// Folders below each other: OpenZFS allows no deeper datasets.
const DEPTH_MAX: usize = 256;

/// Reads the major number of volumes from the kernel's list of devices; none without the module.
#[must_use]
pub fn volume_major(list: &str) -> Option<u32> {
    let (_, blocks) = list.split_once("Block devices:")?;
    let mut lines = blocks.lines().map(str::split_whitespace);
    let number = lines.find_map(|mut words| {
        let number = words.next()?;
        (words.next() == Some(DRIVER)).then_some(number)
    });
    number?.parse().ok().filter(|major| *major < 1 << 12)
}

/// Returns the volumes to which links below `folder` lead, by their numbers as the kernel has them.
#[must_use]
pub fn volumes_below(folder: &Path, major: u32) -> MountedDatasets {
    let mut found = MountedDatasets::new();
    let (mut folders, mut entries) = (vec![PathBuf::new()], 0);
    while let Some(below) = folders.pop() {
        let Ok(list) = fs::read_dir(folder.join(&below)) else { continue };
        for entry in list.flatten() {
            entries += 1;
            if entries > ENTRIES_MAX {
                return found;
            }
            let path = below.join(entry.file_name());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.extend((path.components().count() < DEPTH_MAX).then_some(path));
            } else if let Some(number) = number_of(&folder.join(&path), major) {
                found.insert(number, MountedDataset { name: name_of(&path), place: None });
            }
        }
    }
    found
}

/// Returns a volume's number; none where it is a partition of one, or something else.
fn number_of(path: &Path, of_volumes: u32) -> Option<u32> {
    let metadata = fs::metadata(path).ok()?;
    if !metadata.file_type().is_block_device() {
        return None;
    }
    let device = metadata.rdev();
    whole((rustix::fs::major(device), rustix::fs::minor(device)), of_volumes)
}

fn whole((major, minor): (u32, u32), of_volumes: u32) -> Option<u32> {
    let is_whole = major == of_volumes && minor.is_multiple_of(MINORS) && minor < 1 << 20;
    is_whole.then_some(major << 20 | minor)
}

/// Returns a volume's name. Where it has a blank its link has a plus, which no name has.
fn name_of(path: &Path) -> String {
    path.to_string_lossy().replace('+', " ")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::{name_of, volume_major, volumes_below, whole};

    #[test]
    fn the_number_of_volumes_is_that_of_block_devices() {
        let check =
            |list: &str, expected: Option<u32>| assert_eq!(volume_major(list), expected, "{list}");
        let characters = "Character devices:\n  1 mem\n249 zvol\n\n";
        check(&format!("{characters}Block devices:\n  8 sd\n230 zvol\n259 blkext\n"), Some(230));
        check(&format!("{characters}Block devices:\n  8 sd\n"), None);
        check("Block devices:\nx zvol\n", None);
        check("Block devices:\n4096 zvol\n", None);
        check("Block devices:\n230 zvols\n", None);
        check(characters, None);
        check("", None);
    }

    #[test]
    fn links_that_lead_to_no_volume_are_passed_over() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("tank/vm")).unwrap();
        fs::write(root.path().join("tank/file"), "").unwrap();
        symlink("/dev/null", root.path().join("tank/vm/a")).unwrap();
        symlink("/none", root.path().join("tank/vm/b")).unwrap();
        symlink("/", root.path().join("tank/root")).unwrap();
        assert!(volumes_below(root.path(), 230).is_empty());
        assert!(volumes_below(&root.path().join("none"), 230).is_empty());
    }

    #[test]
    fn partitions_and_other_disks_are_no_volumes() {
        let check = |numbers: (u32, u32), expected: Option<u32>| {
            assert_eq!(whole(numbers, 230), expected, "{numbers:?}");
        };
        check((230, 0), Some(241_172_480));
        check((230, 16), Some(241_172_496));
        check((230, 17), None);
        check((231, 16), None);
        check((230, 1 << 20), None);
    }

    #[test]
    fn a_blank_in_a_name_is_a_plus_in_its_link() {
        assert_eq!(name_of(Path::new("tank/my+vm")), "tank/my vm");
    }
}
