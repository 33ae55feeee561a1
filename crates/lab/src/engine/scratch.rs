//! Where disks of a run are kept: a folder that goes with it, however it ends.
//!
//! A run that is killed leaves its folder behind, gigabytes of it. So each holds a lock on a file in its
//! folder, and whoever makes a folder next removes those whose lock nobody holds. The file gets its name
//! only when it is locked, so that a folder in the making is never taken for one that was left.

use std::fs::File;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

const PREFIX: &str = "arcwright-lab-";
const LOCK: &str = "in-use";

/// A folder of a run; removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    // The lock goes last, after the folder.
    folder: tempfile::TempDir,
    _lock: File,
}

impl Scratch {
    /// Makes a folder in `parent`, and removes what runs that were killed have left there.
    ///
    /// # Errors
    /// Those of making a folder and a file in it.
    pub(crate) fn make(parent: &Path) -> io::Result<Self> {
        // What a pool holds is nobody else's business.
        let own = std::fs::Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new().prefix(PREFIX).permissions(own).tempdir_in(parent)?;
        remove_left(parent, std::fs::metadata(folder.path())?.uid());
        let nascent = folder.path().join("nascent");
        let lock = File::create(&nascent)?;
        lock.lock()?;
        std::fs::rename(&nascent, folder.path().join(LOCK))?;
        Ok(Self { folder, _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders of `owner`'s runs that are over. What cannot be removed stays, and hinders nobody.
fn remove_left(parent: &Path, owner: u32) {
    let Ok(entries) = std::fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let is_folder = entry.metadata().is_ok_and(|about| about.is_dir() && about.uid() == owner);
        if !is_ours || !is_folder {
            continue;
        }
        let Ok(lock) = File::open(entry.path().join(LOCK)) else { continue };
        if lock.try_lock().is_ok() {
            drop(std::fs::remove_dir_all(entry.path()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Scratch;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_that_was_left_is_removed_by_the_next_run_and_nothing_else_is() {
        let parent = tempfile::tempdir().unwrap();
        let made = |name: &str, lock: bool| {
            let folder = parent.path().join(name);
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join("disk"), "data").unwrap();
            if lock {
                std::fs::write(folder.join("in-use"), "").unwrap();
            }
        };
        made("arcwright-lab-left", true);
        made("arcwright-lab-in-the-making", false);
        made("somebody-elses", true);
        let first = Scratch::make(parent.path()).unwrap();
        let name =
            |scratch: &Scratch| scratch.path().file_name().unwrap().to_string_lossy().into_owned();
        let mut expected =
            vec![name(&first), "arcwright-lab-in-the-making".into(), "somebody-elses".into()];
        expected.sort();
        assert_eq!(names(parent.path()), expected);
        let second = Scratch::make(parent.path()).unwrap();
        assert!(first.path().is_dir(), "a run at work keeps its folder");
        drop((first, second));
        assert_eq!(names(parent.path()), ["arcwright-lab-in-the-making", "somebody-elses"]);
    }
}
