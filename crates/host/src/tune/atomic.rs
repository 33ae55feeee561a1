//! A file that changes whole or not at all.
//!
//! The new text is written beside the file, made safe, and given its name; then the folder is made
//! safe. A machine that stops before the renaming has the old file, after it the new one, and perhaps
//! a leftover `.arcwright-…` beside it that the next attempt writes over.

use sha2::{Digest as _, Sha256};

use super::HostError;
use super::files::{Files, Kind};
use crate::root::RootedPath;

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
pub(crate) fn text(files: &dyn Files, place: &RootedPath) -> Result<Option<String>, HostError> {
    let bytes = files.read(place).map_err(HostError::file("read", place))?;
    let text = bytes.map(String::from_utf8).transpose();
    let invalid = |error| std::io::Error::new(std::io::ErrorKind::InvalidData, error);
    text.map_err(|error| HostError::file("read", place)(invalid(error)))
}

/// Refuses what is not a plain file: a link belongs to whoever made it.
pub(super) fn check_plain(
    files: &dyn Files,
    place: &RootedPath,
    name: &str,
) -> Result<(), HostError> {
    let path = name.to_owned();
    match files.kind(place).map_err(HostError::file("look at", place))? {
        None | Some(Kind::File) => Ok(()),
        Some(Kind::Folder) => Err(HostError::Folder { path }),
        Some(Kind::Link) => Err(HostError::Link { path }),
        Some(Kind::Other) => Err(HostError::NoFile { path }),
    }
}

/// Puts a text at `place`, in a folder that is made if need be.
pub(crate) fn put_text(files: &dyn Files, place: &RootedPath, text: &str) -> Result<(), HostError> {
    put(files, place, Some(text.as_bytes()))
}

/// Puts `bytes` at `place`, or removes what is there when they are none.
pub(super) fn put(
    files: &dyn Files,
    place: &RootedPath,
    bytes: Option<&[u8]>,
) -> Result<(), HostError> {
    match bytes {
        Some(bytes) => write(files, place, bytes),
        None => remove(files, place),
    }
}

fn write(files: &dyn Files, place: &RootedPath, bytes: &[u8]) -> Result<(), HostError> {
    let folder = place.parent();
    let draft = place.beside(&format!(".arcwright-{}", place.name()));
    files.make_folder(&folder).map_err(HostError::file("make", &folder))?;
    let filled = files.fill(&draft, bytes, place).and_then(|()| files.sync(&draft));
    let filled = filled.map_err(HostError::file("write", &draft));
    let named =
        filled.and_then(|()| files.rename(&draft, place).map_err(HostError::file("write", place)));
    if let Err(error) = named {
        // What could not be put into place is of use to nobody.
        files.remove(&draft).unwrap_or_default();
        return Err(error);
    }
    files.sync(&folder).map_err(HostError::file("write", &folder))
}

fn remove(files: &dyn Files, place: &RootedPath) -> Result<(), HostError> {
    if files.kind(place).map_err(HostError::file("look at", place))?.is_some() {
        files.remove(place).map_err(HostError::file("remove", place))?;
        let folder = place.parent();
        files.sync(&folder).map_err(HostError::file("write", &folder))?;
    }
    Ok(())
}
