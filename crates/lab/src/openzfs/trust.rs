//! Whose code may be loaded: libraries in places that nobody else can write, and as they were fetched.
//!
//! A library runs with all rights of whoever runs the lab, often root's. Two things are asked of one that
//! was found and not named:
//!
//! ```text
//!   each folder down to it     belongs to root, to the user, or to the owner of this program; and no
//!                              other user can write it (a sticky one, /tmp, only its own entries)
//!   each file in the folder    has the digest that SHA256SUMS holds since it was fetched
//! ```

use std::fmt::Write as _;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

/// The file of digests, in the form of `sha256sum`.
const SUMS: &str = "SHA256SUMS";
/// Says what the folder was made from; a note, which nothing loads.
pub(super) const SOURCE: &str = "SOURCE.txt";

const STICKY: u32 = 0o1000;
const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;

/// Says why code at `path` must not be loaded: of the file that it leads to and of the folder that the
/// name is in.
///
/// # Errors
/// A sentence that names the folder or file and who could have put it there.
pub(crate) fn check_owners(path: &Path) -> Result<(), String> {
    let trusted = trusted_users();
    let program = std::env::current_exe().and_then(fs::canonicalize).unwrap_or_default();
    for start in [path, path.parent().unwrap_or(path)] {
        let real = fs::canonicalize(start).map_err(|error| told(start, &error))?;
        // Who can write a folder above this program could have replaced the program.
        for place in real.ancestors().take_while(|place| !program.starts_with(place)) {
            let metadata = fs::symlink_metadata(place).map_err(|error| told(place, &error))?;
            if let Some(why) = distrust(&metadata, &trusted, place == real) {
                return Err(format!("{} {why}", place.display()));
            }
        }
    }
    Ok(())
}

/// Returns who else could have put code there, if anybody could.
fn distrust(metadata: &Metadata, trusted: &[u32], is_last: bool) -> Option<String> {
    if !trusted.contains(&metadata.uid()) {
        return Some(format!("belongs to another user (uid {})", metadata.uid()));
    }
    // In a sticky folder nobody renames or removes what another owns; the next step down is looked at.
    if metadata.is_dir() && metadata.mode() & STICKY != 0 && !is_last {
        return None;
    }
    if metadata.mode() & OTHERS_WRITE != 0 {
        return Some("can be written by every user".to_owned());
    }
    // A user's own group has the number of the user and no other member.
    let is_private = metadata.gid() == metadata.uid();
    let by_group = metadata.mode() & GROUP_WRITES != 0 && !is_private;
    by_group.then(|| format!("can be written by a group (gid {})", metadata.gid()))
}

/// Root, the user, and whoever owns this program: it could do anything in its owner's name already.
fn trusted_users() -> Vec<u32> {
    let user = crate::os::user();
    let program = std::env::current_exe().and_then(fs::metadata).map(|program| program.uid());
    [0, user].into_iter().chain(program.ok()).collect()
}

/// Takes the right to write from everybody but the owner, whatever mask the user has: of `folder`, of what
/// is in it, and of the folder that it is in.
pub(super) fn close(folder: &Path) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|error| told(folder, &error))?;
    let files = entries.flatten().map(|entry| entry.path()).filter(|path| !path.is_symlink());
    let above = folder.parent().map(Path::to_path_buf);
    for path in files.chain([folder.to_path_buf()]).chain(above) {
        if path.is_dir() && path.parent() == Some(folder) {
            close(&path)?;
            continue;
        }
        let metadata = fs::metadata(&path).map_err(|error| told(&path, &error))?;
        let closed = metadata.mode() & !(GROUP_WRITES | OTHERS_WRITE);
        if closed != metadata.mode() {
            let rights = fs::Permissions::from_mode(closed & 0o7777);
            fs::set_permissions(&path, rights).map_err(|error| told(&path, &error))?;
        }
    }
    Ok(())
}

/// Writes down the digest of each file in `folder`.
///
/// # Errors
/// Those of the system, with the file.
pub(super) fn record(folder: &Path) -> Result<(), String> {
    let sums = folder.join(SUMS);
    fs::write(&sums, digests(folder)?).map_err(|error| told(&sums, &error))
}

/// Says whether `folder` holds what was recorded, no file less or more.
///
/// A folder that was never fetched has no record and nothing to compare.
///
/// # Errors
/// A sentence on the first difference.
pub(super) fn check_record(folder: &Path) -> Result<(), String> {
    let sums = folder.join(SUMS);
    let recorded = match fs::read_to_string(&sums) {
        Ok(recorded) => recorded,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return if folder.join(SOURCE).exists() {
                Err(format!("{} has no checksums ({SUMS}) of the fetched files", folder.display()))
            } else {
                Ok(())
            };
        }
        Err(error) => return Err(told(&sums, &error)),
    };
    let found = digests(folder)?;
    let differs = |there: &str, line: &str| !there.lines().any(|other| other == line);
    let name = |line: &str| line.split_once("  ").map_or(line, |(_, name)| name).to_owned();
    let lost = recorded.lines().find(|line| differs(&found, line));
    let added = found.lines().find(|line| differs(&recorded, line));
    match lost.or(added).map(name) {
        None => Ok(()),
        Some(name) => {
            Err(format!("{} was changed since it was fetched", folder.join(name).display()))
        }
    }
}

/// Returns the lines of `sha256sum` on all files in `folder` and in the folders in it, links read through.
fn digests(folder: &Path) -> Result<String, String> {
    let mut lines = digests_of(folder, "")?;
    lines.sort();
    Ok(lines.concat())
}

/// Returns the lines of what is in `folder`, whose name below the recorded one is `prefix`.
fn digests_of(folder: &Path, prefix: &str) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|error| told(folder, &error))?;
    let mut lines = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| told(folder, &error))?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if name == SUMS || name == SOURCE {
            continue;
        }
        let path = entry.path();
        // One that is below another holds nothing that was fetched, and so is a difference.
        if path.is_dir() && prefix.is_empty() {
            lines.extend(digests_of(&path, &format!("{name}/"))?);
            continue;
        }
        let bytes = fs::read(&path).map_err(|error| told(&path, &error))?;
        let mut line = String::new();
        for byte in Sha256::digest(bytes) {
            // Writing to a string cannot fail.
            write!(line, "{byte:02x}").unwrap_or_default();
        }
        lines.push(format!("{line}  {name}\n"));
    }
    Ok(lines)
}

fn told(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use super::{check_owners, check_record, record};

    fn folder_with(mode: u32) -> (tempfile::TempDir, std::path::PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("place/2.1.11");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("libzpool.so.5"), b"code").unwrap();
        set(&root.path().join("place"), mode);
        (root, folder)
    }

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn code_is_trusted_where_only_its_owner_writes() {
        let check = |mode: u32, expected: Option<&str>| {
            let (_root, folder) = folder_with(mode);
            let said = check_owners(&folder.join("libzpool.so.5")).err();
            let as_expected = match (&said, expected) {
                (Some(said), Some(part)) => said.contains(part),
                (said, expected) => said.is_none() && expected.is_none(),
            };
            assert!(as_expected, "{mode:o}: {said:?}");
        };
        check(0o755, None);
        check(0o700, None);
        check(0o777, Some("place can be written by every user"));
        check(0o1777, None);
    }

    #[test]
    fn the_last_folder_is_not_saved_by_being_sticky() {
        let (_root, folder) = folder_with(0o755);
        set(&folder, 0o1777);
        assert!(check_owners(&folder).is_err());
    }

    #[test]
    fn a_fetched_folder_is_as_it_was_or_is_named() {
        let changed = |change: &dyn Fn(&Path)| {
            let (_root, folder) = folder_with(0o755);
            record(&folder).unwrap();
            check_record(&folder).unwrap();
            change(&folder);
            check_record(&folder).unwrap_err()
        };
        let write =
            |name: &'static str| move |folder: &Path| fs::write(folder.join(name), b"x").unwrap();
        assert!(changed(&write("libzpool.so.5")).contains("libzpool.so.5"));
        assert!(changed(&write("libnvpair.so.3")).contains("libnvpair.so.3"));
        let removed = |folder: &Path| fs::remove_file(folder.join("libzpool.so.5")).unwrap();
        assert!(changed(&removed).contains("libzpool.so.5"));
    }

    #[test]
    fn a_fetched_folder_is_closed_whatever_the_mask() {
        let (_root, folder) = folder_with(0o777);
        set(&folder, 0o777);
        set(&folder.join("libzpool.so.5"), 0o666);
        super::close(&folder).unwrap();
        check_owners(&folder.join("libzpool.so.5")).unwrap();
    }

    #[test]
    fn what_was_fetched_without_a_record_is_not_trusted() {
        let (_root, folder) = folder_with(0o755);
        check_record(&folder).unwrap();
        fs::write(folder.join(super::SOURCE), b"OpenZFS").unwrap();
        assert!(check_record(&folder).unwrap_err().contains("no checksums (SHA256SUMS)"));
    }
}
