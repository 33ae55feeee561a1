//! Reading files of the machine into sources: a limit on size, and a reason where there is none.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use arcwright_machine::{Reason, Source, Sources};

use crate::plain::{FileError, read_file};

/// Larger than this no text of a machine is that anybody reads.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Reads a file that may be missing: nothing is noted then.
pub(super) fn read_if_there(root: &Path, name: &str, sources: &mut Sources) {
    match read(&root.join(name)) {
        Err(Reason::Absent) => {}
        read => note(name, read, sources),
    }
}

/// Notes a text, or why there is none.
pub(super) fn note(name: &str, read: Result<String, Reason>, sources: &mut Sources) {
    let source = read.map_or_else(Source::Unreadable, Source::Text);
    sources.texts.insert(name.to_owned(), source);
}

/// Reads a file of the machine, whole or not at all, and waits for no pipe.
pub(super) fn read(path: &Path) -> Result<String, Reason> {
    let bytes = read_file(path, FILE_BYTES_MAX).map_err(|error| match error {
        FileError::Read(error) => reason(&error),
        other => Reason::Failed(other.to_string()),
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns why a file could not be read.
pub(super) fn reason(error: &std::io::Error) -> Reason {
    match error.kind() {
        ErrorKind::PermissionDenied => Reason::Denied,
        ErrorKind::NotFound => Reason::Absent,
        _ => Reason::Failed(error.to_string()),
    }
}

/// Returns the names of what is in a folder, sorted; none when it cannot be read.
pub(super) fn names_in(folder: &Path) -> Result<Vec<String>, Reason> {
    let entries = fs::read_dir(folder).map_err(|error| reason(&error))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort();
    Ok(names)
}

/// Reads every file of a folder that `wanted` takes; a folder that is denied is noted itself.
pub(super) fn read_folder(
    root: &Path,
    folder: &str,
    wanted: impl Fn(&str) -> bool,
    sources: &mut Sources,
) {
    match names_in(&root.join(folder)) {
        Ok(names) => {
            for name in names.iter().filter(|name| wanted(name)) {
                let path = format!("{folder}/{name}");
                if root.join(&path).is_file() {
                    read_if_there(root, &path, sources);
                }
            }
        }
        Err(Reason::Absent) => {}
        Err(reason) => note(folder, Err(reason), sources),
    }
}

/// Returns the path with the root in front.
pub(super) fn below(root: &Path, name: &str) -> PathBuf {
    root.join(name)
}
