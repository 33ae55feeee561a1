//! Names of files by their numbers: the folders of a dataset are listed until all that are wanted were found.
//!
//! Nothing is opened but folders, no link is followed, and it stays in its dataset.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{DirEntryExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// Entries of folders that are looked at.
const ENTRIES_MAX: u64 = 20_000_000;
/// Folders that wait to be listed.
const FOLDERS_MAX: usize = 1 << 20;

/// Returns the paths, below `place`, of the files that are wanted and found before `is_over` says so.
#[must_use]
pub fn names_of(
    place: &Path,
    wanted: &BTreeSet<u64>,
    is_over: &dyn Fn() -> bool,
) -> BTreeMap<u64, PathBuf> {
    let mut found = BTreeMap::new();
    let device = |path: &Path| fs::symlink_metadata(path).map(|metadata| metadata.dev()).ok();
    let Some(own) = device(place) else { return found };
    let mut folders = vec![PathBuf::new()];
    let mut entries = 0;
    while let Some(folder) = folders.pop() {
        let Ok(list) = fs::read_dir(place.join(&folder)) else { continue };
        for entry in list.flatten() {
            entries += 1;
            if found.len() == wanted.len() || entries > ENTRIES_MAX || is_over() {
                return found;
            }
            let path = folder.join(entry.file_name());
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder {
                let is_ours = device(&place.join(&path)) == Some(own);
                let is_control = path.as_os_str() == ".zfs";
                if is_ours && !is_control && folders.len() < FOLDERS_MAX {
                    folders.push(path);
                }
            } else if wanted.contains(&entry.ino()) {
                found.entry(entry.ino()).or_insert(path);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, symlink};

    use super::names_of;

    #[test]
    fn files_are_found_by_their_numbers_without_following_links() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::create_dir_all(at("a/b")).unwrap();
        fs::create_dir(at(".zfs")).unwrap();
        for name in ["a/b/film", "a/line\nend", ".zfs/film"] {
            fs::write(at(name), "").unwrap();
        }
        symlink("/", at("a/root")).unwrap();
        let number = |name: &str| fs::metadata(at(name)).unwrap().ino();
        let names = ["a/b/film", "a/line\nend"];
        let wanted: BTreeSet<u64> =
            names.iter().chain(&[".zfs/film"]).map(|name| number(name)).collect();
        let found = names_of(root.path(), &wanted, &|| false);
        assert_eq!(found.len(), 2);
        for name in names {
            assert_eq!(found[&number(name)].to_str(), Some(name));
        }
        assert!(names_of(root.path(), &wanted, &|| true).is_empty());
        assert!(names_of(&at("none"), &wanted, &|| false).is_empty());
    }
}
