//! Which file system a number means: the list of mounts (`/proc/self/mountinfo`).

use std::collections::BTreeMap;
use std::path::PathBuf;

use arcwright_machine::unescaped_mount;

/// A dataset, or a snapshot, that is mounted; or a volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MountedDataset {
    /// Its name.
    pub name: String,
    /// Where its root is seen; none where only a folder of it is mounted, and for a volume.
    pub place: Option<PathBuf>,
}

/// Datasets by the number of their file system or block device, `MAJOR << 20 | MINOR` as the kernel has it.
pub type MountedDatasets = BTreeMap<u32, MountedDataset>;

/// Reads the list of mounts; lines that are not of ZFS, or not understood, are passed over.
#[must_use]
pub fn mounted_datasets(list: &str) -> MountedDatasets {
    let mut found = MountedDatasets::new();
    for (device, dataset) in list.lines().filter_map(mounted) {
        let known = found.entry(device).or_insert_with(|| dataset.clone());
        // A bind mount of a folder tells nothing of where other files are.
        known.place = known.place.take().or(dataset.place);
    }
    found
}

/// `36 35 0:45 / /tank/a rw,noatime shared:1 - zfs tank/a rw,xattr`
fn mounted(line: &str) -> Option<(u32, MountedDataset)> {
    let (mount, source) = line.split_once(" - ")?;
    let mut source = source.split(' ');
    if source.next()? != "zfs" {
        return None;
    }
    let name = unescaped_mount(source.next()?);
    let mut mount = mount.split(' ').skip(2);
    let (major, minor) = mount.next()?.split_once(':')?;
    let (major, minor): (u32, u32) = (major.parse().ok()?, minor.parse().ok()?);
    if major >= 1 << 12 || minor >= 1 << 20 {
        return None;
    }
    let root = mount.next()?;
    let place = mount.next()?;
    let place = (root == "/").then(|| PathBuf::from(unescaped_mount(place)));
    Some((major << 20 | minor, MountedDataset { name, place }))
}

#[cfg(test)]
mod tests {
    use super::mounted_datasets;

    fn check(list: &str, expected: &[&str]) {
        let found = mounted_datasets(list);
        let shown = found.iter().map(|(device, dataset)| {
            let place = dataset.place.as_ref().map(|place| place.display().to_string());
            format!("{device} {} {}", dataset.name, place.as_deref().unwrap_or("-"))
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected, "{list}");
    }

    #[test]
    fn datasets_are_found_by_their_numbers() {
        check(
            "36 35 0:45 / /tank/a rw,noatime shared:1 master:2 - zfs tank/a rw,xattr\n\
             37 35 0:46 / /tank/my\\040music rw - zfs tank/my\\040music rw\n\
             38 35 8:1 / / rw - ext4 /dev/sda1 rw\n39 35 0:47 / /tank/a/.zfs/snapshot/x ro - zfs tank/a@x ro\n",
            &[
                "45 tank/a /tank/a",
                "46 tank/my music /tank/my music",
                "47 tank/a@x /tank/a/.zfs/snapshot/x",
            ],
        );
    }

    #[test]
    fn a_folder_that_is_mounted_elsewhere_is_not_its_root() {
        let folder = "36 35 0:45 /sub /srv rw - zfs tank/a rw\n";
        check(folder, &["45 tank/a -"]);
        let root = "37 35 0:45 / /tank/a rw - zfs tank/a rw\n";
        check(&(folder.to_owned() + root), &["45 tank/a /tank/a"]);
        check(&(root.to_owned() + folder), &["45 tank/a /tank/a"]);
    }

    #[test]
    fn what_is_not_understood_is_passed_over() {
        check("", &[]);
        check(
            "36 35 0:45 / /tank/a rw zfs tank/a rw\n36 35 x:1 / /a rw - zfs a rw\n36 35 - zfs\n",
            &[],
        );
        check("36 35 4096:1 / /a rw - zfs a rw\n36 35 0:1048576 / /a rw - zfs a rw\n", &[]);
        check("36 35 1:2 / /a rw - zfs a rw\n", &["1048578 a /a"]);
    }
}
