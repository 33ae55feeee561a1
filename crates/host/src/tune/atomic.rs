//! A file that changes whole or not at all.
//!
//! The new text is written beside the file, made safe, and given its name; then the folder is made
//! safe. A machine that stops before the renaming has the old file, after it the new one, and perhaps
//! a leftover `.arcwright-…` beside it that the next attempt writes over.

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::HostError;
use super::files::{Files, Kind};

/// Returns the digest of bytes: SHA-256, in hexadecimal.
pub(super) fn digest(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        // Writing to a string cannot fail.
        write!(text, "{byte:02x}").unwrap_or_default();
    }
    text
}

/// Reads a file as text; none when there is none.
pub(super) fn text(files: &dyn Files, path: &Path) -> Result<Option<String>, HostError> {
    let bytes = files.read(path).map_err(HostError::file("read", path))?;
    let text = bytes.map(String::from_utf8).transpose();
    let invalid = |error| std::io::Error::new(std::io::ErrorKind::InvalidData, error);
    text.map_err(|error| HostError::file("read", path)(invalid(error)))
}

/// Refuses what is not a plain file: a link belongs to whoever made it.
pub(super) fn check_plain(files: &dyn Files, path: &Path, name: &str) -> Result<(), HostError> {
    match files.kind(path).map_err(HostError::file("look at", path))? {
        None | Some(Kind::File) => Ok(()),
        Some(_) => Err(HostError::Link { path: name.to_owned() }),
    }
}

/// Puts `bytes` at `path`, or removes what is there when they are none.
pub(super) fn put(files: &dyn Files, path: &Path, bytes: Option<&[u8]>) -> Result<(), HostError> {
    match bytes {
        Some(bytes) => write(files, path, bytes),
        None => remove(files, path),
    }
}

fn write(files: &dyn Files, path: &Path, bytes: &[u8]) -> Result<(), HostError> {
    let folder = folder_of(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let draft: PathBuf = folder.join(format!(".arcwright-{name}"));
    files.make_folder(folder).map_err(HostError::file("make", folder))?;
    files.fill(&draft, bytes, path).map_err(HostError::file("write", &draft))?;
    files.sync(&draft).map_err(HostError::file("write", &draft))?;
    files.rename(&draft, path).map_err(HostError::file("write", path))?;
    files.sync(folder).map_err(HostError::file("write", folder))
}

fn remove(files: &dyn Files, path: &Path) -> Result<(), HostError> {
    if files.kind(path).map_err(HostError::file("look at", path))?.is_some() {
        files.remove(path).map_err(HostError::file("remove", path))?;
        let folder = folder_of(path);
        files.sync(folder).map_err(HostError::file("write", folder))?;
    }
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or_else(|| Path::new("/"))
}
