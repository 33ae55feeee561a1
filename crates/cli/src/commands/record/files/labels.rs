//! What datasets and files are called: by their numbers, by their paths, or by digits that stand for them.
//!
//! No name may part a trace's columns or its lines, and no two files have one name.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;

use arcwright_host::file_trace::{MountedDatasets, names_of};
use arcwright_machine::FileAccess;
use arcwright_units::visible;

use crate::arguments::FileNames;

/// Letters of a path that are kept; a trace has names of 4096 bytes at most.
const PATH_LETTERS_MAX: usize = 900;

/// A file: the number of its file system and its own.
pub(super) type FileNumber = (u32, u64);

/// Names of datasets and files.
#[derive(Debug)]
pub(super) struct Labels {
    how: FileNames,
    mounts: MountedDatasets,
    /// Names of datasets as they are shown.
    names: BTreeMap<u32, String>,
    paths: BTreeMap<FileNumber, String>,
    /// A key of 128 bits by chance, which nobody ever sees.
    key: RandomState,
}

impl Labels {
    pub(super) fn new(how: FileNames, mounts: MountedDatasets) -> Self {
        let key = RandomState::new();
        let (names, paths) = (BTreeMap::new(), BTreeMap::new());
        let mut labels = Self { how, mounts: MountedDatasets::new(), names, paths, key };
        labels.add(mounts);
        labels
    }

    /// Whether the dataset of a file system is known.
    pub(super) fn knows(&self, device: u32) -> bool {
        self.mounts.contains_key(&device)
    }

    /// Adds what was mounted since; what is known keeps its name.
    pub(super) fn add(&mut self, mounts: MountedDatasets) {
        for (device, dataset) in mounts {
            self.names.entry(device).or_insert_with(|| plain(&dataset.name));
            self.mounts.entry(device).or_insert(dataset);
        }
    }

    pub(super) fn dataset(&self, device: u32) -> String {
        match self.how {
            FileNames::Hashed => format!("{:016x}", self.key.hash_one(self.own_name(device))),
            FileNames::Numbers | FileNames::Paths => self.own_name(device).into_owned(),
        }
    }

    pub(super) fn file(&self, (device, inode): FileNumber) -> String {
        if self.how == FileNames::Hashed {
            return format!("{:016x}", self.key.hash_one((self.own_name(device), inode)));
        }
        if inode == FileAccess::VOLUME {
            return self.own_name(device).into_owned();
        }
        let path = self.paths.get(&(device, inode));
        path.cloned().unwrap_or_else(|| format!("{}/{inode}", self.own_name(device)))
    }

    fn own_name(&self, device: u32) -> Cow<'_, str> {
        match self.names.get(&device) {
            Some(name) => name.into(),
            None => format!("device {}:{}", device >> 20, device & 0xf_ffff).into(),
        }
    }

    /// Returns the names in a trace that changed when paths were found.
    pub(super) fn renamed(&self) -> BTreeMap<String, String> {
        let number = |(device, inode): FileNumber| format!("{}/{inode}", self.own_name(device));
        self.paths.iter().map(|(file, path)| (number(*file), path.clone())).collect()
    }

    /// Looks for the paths of files, dataset by dataset, until it is over; returns how many have none.
    pub(super) fn find_paths(
        &mut self,
        files: impl Iterator<Item = FileNumber>,
        is_over: &dyn Fn() -> bool,
    ) -> usize {
        let mut wanted: BTreeMap<u32, BTreeSet<u64>> = BTreeMap::new();
        for (device, inode) in files.filter(|(_, inode)| *inode != FileAccess::VOLUME) {
            wanted.entry(device).or_default().insert(inode);
        }
        let mut without = 0;
        for (device, inodes) in wanted {
            let place = self.mounts.get(&device).and_then(|dataset| dataset.place.as_deref());
            let found = place.map(|place| names_of(place, &inodes, is_over)).unwrap_or_default();
            without += inodes.len() - found.len();
            let dataset = self.own_name(device).into_owned();
            let named = found.into_iter().map(|(inode, path)| {
                ((device, inode), format!("{dataset}:/{}", plain_path(&path, inode)))
            });
            self.paths.extend(named);
        }
        without
    }
}

/// A dataset's name has none of the letters that are replaced; this does not rely on it.
fn plain(name: &str) -> String {
    let letter = |letter: char| match letter {
        ',' | ';' | '|' | '"' => '_',
        letter if letter.is_control() => '_',
        letter => letter,
    };
    visible(name).chars().map(letter).collect()
}

/// A path as a name in a trace; one that had to be changed also has its file's number, so that it stays the only one.
fn plain_path(path: &Path, inode: u64) -> String {
    let text = path.to_string_lossy();
    // The mark before the number is in no other name.
    let shown: String = plain(&text).replace('#', "_").chars().take(PATH_LETTERS_MAX).collect();
    let shown = shown.trim();
    match shown == text && path.to_str().is_some() {
        true => shown.to_owned(),
        false => format!("{shown}#{inode}"),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::MetadataExt as _;

    use arcwright_host::file_trace::{MountedDataset, MountedDatasets};

    use super::{Labels, plain_path};
    use crate::arguments::FileNames;

    fn mounts(place: Option<&std::path::Path>) -> MountedDatasets {
        let place = place.map(std::path::Path::to_owned);
        MountedDatasets::from([(45, MountedDataset { name: "tank/my music".to_owned(), place })])
    }

    #[test]
    fn numbers_are_told_without_looking() {
        let labels = Labels::new(FileNames::Numbers, mounts(None));
        assert_eq!(labels.dataset(45), "tank/my music");
        assert_eq!(labels.file((45, 128)), "tank/my music/128");
        assert_eq!(labels.file((46, 128)), "device 0:46/128");
        assert_eq!(labels.file((45, 0)), "tank/my music");
        assert_eq!(labels.file((230 << 20 | 16, 0)), "device 230:16");
        assert!(labels.knows(45) && !labels.knows(46));
    }

    #[test]
    fn digits_are_the_same_for_one_file_and_differ_for_each_recording() {
        let labels = || Labels::new(FileNames::Hashed, mounts(None));
        let (one, other) = (labels(), labels());
        assert_eq!(one.file((45, 128)), one.file((45, 128)));
        assert_eq!(one.file((45, 128)).len(), 16);
        assert_ne!(one.file((45, 128)), one.file((45, 129)));
        assert_ne!(one.file((45, 128)), other.file((45, 128)));
        assert_ne!(one.dataset(45), "tank/my music");
    }

    #[test]
    fn paths_are_found_and_what_has_none_keeps_its_number() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("film"), "").unwrap();
        let inode = fs::metadata(root.path().join("film")).unwrap().ino();
        let mut labels = Labels::new(FileNames::Paths, mounts(Some(root.path())));
        // A volume has no path, and needs none.
        let files = [(45, inode), (45, u64::MAX), (46, 1), (47, 0)];
        assert_eq!(labels.find_paths(files.into_iter(), &|| false), 2);
        assert_eq!(labels.file((45, inode)), "tank/my music:/film");
        assert_eq!(labels.file((45, u64::MAX)), format!("tank/my music/{}", u64::MAX));
    }

    #[test]
    fn names_that_would_break_a_trace_are_made_plain_and_stay_apart() {
        let check = |name: &[u8], expected: &str| {
            let path = std::path::Path::new(std::ffi::OsStr::from_bytes(name));
            let shown = plain_path(path, 7);
            assert_eq!(shown, expected);
            assert!(!shown.contains([',', ';', '|', '"', '\n', '\r', '\t', '\u{1b}']));
        };
        check(b"a/b c.txt", "a/b c.txt");
        check(b"a,b", "a_b#7");
        check(b"a_b#7", "a_b_7#7");
        check(b"line\nend,read,0,1", "line\\nend_read_0_1#7");
        check(b"\x1b[2J", "\\x1b[2J#7");
        check(b" a ", "a#7");
        check(b"\xff", "\u{fffd}#7");
        let long = "x".repeat(5000);
        assert!(plain_path(long.as_ref(), 7).len() < 1000);
    }
}
