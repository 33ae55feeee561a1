//! The journal and the backups on disk.

use arcwright_tunables::journal::{Entry, Journal};

use super::atomic::{digest, put, text};
use super::files::Files;
use super::{HostError, Root};
use crate::root::RootedPath;

/// The journal's path on the machine.
pub const JOURNAL: &str = "/var/lib/arcwright/journal.jsonl";
/// Where texts are kept under their digests.
const BACKUPS: &str = "/var/lib/arcwright/backup";

/// Reads the journal; an empty one when there is none yet.
///
/// # Errors
/// [`HostError::File`] when it is there and cannot be read.
pub fn load(files: &dyn Files, root: &Root) -> Result<Journal, HostError> {
    let path = root.at(JOURNAL);
    // A line cut off in the middle of a letter is a line that cannot be read, not a journal that
    // cannot.
    let bytes = files.read(&path).map_err(HostError::file("read", &path))?;
    let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(Journal::read(&text.unwrap_or_default()))
}

/// Adds a line to the journal on disk and to the one in memory.
pub(super) fn add(
    files: &dyn Files,
    root: &Root,
    journal: &mut Journal,
    entry: Entry,
) -> Result<(), HostError> {
    let path = root.at(JOURNAL);
    let line = journal.line(&entry);
    files.append(&path, line.as_bytes()).map_err(HostError::file("write", &path))?;
    journal.torn = false;
    journal.bytes += line.len();
    journal.entries.push(entry);
    Ok(())
}

/// Keeps a text and returns its digest.
pub(super) fn keep(files: &dyn Files, root: &Root, text: &str) -> Result<String, HostError> {
    let digest = digest(text.as_bytes());
    if kept(files, root, &digest)?.is_none() {
        put(files, &backup(root, &digest), Some(text.as_bytes()))?;
    }
    Ok(digest)
}

/// Returns the text kept under `digest`, for restoring `what`.
///
/// # Errors
/// [`HostError::Backup`] when it is not there or is not what was kept.
pub(super) fn restore(
    files: &dyn Files,
    root: &Root,
    digest: &str,
    what: &str,
) -> Result<String, HostError> {
    let damaged =
        || HostError::Backup { path: backup(root, digest).to_string(), what: what.to_owned() };
    kept(files, root, digest)?.ok_or_else(damaged)
}

/// Returns the text kept under `wanted` if it is there whole; what is no text of ours is damaged, whatever it is.
/// What the system refuses for now is an error.
fn kept(files: &dyn Files, root: &Root, wanted: &str) -> Result<Option<String>, HostError> {
    use std::io::ErrorKind::{InvalidData, InvalidInput, IsADirectory};
    let text = match text(files, &backup(root, wanted)) {
        // Not text, too large, no file, or a link that leads elsewhere.
        Err(HostError::File { why, .. })
            if matches!(why.kind(), InvalidData | InvalidInput | IsADirectory) || is_loop(&why) =>
        {
            None
        }
        text => text?,
    };
    Ok(text.filter(|text| digest(text.as_bytes()) == wanted))
}

/// Returns whether a link stands where a file should.
fn is_loop(why: &std::io::Error) -> bool {
    why.raw_os_error() == Some(libc::ELOOP)
}

fn backup(root: &Root, digest: &str) -> RootedPath {
    root.at(&format!("{BACKUPS}/{digest}"))
}
