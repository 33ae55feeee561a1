//! One file, read whole and within bounds; what is no file is refused before it is opened.
//!
//! A pipe without a writer would wait for ever and a device would never end, so that the kind is looked
//! at first, and the file is opened without waiting: between the look and the opening it may change.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::Path;

/// Why a file was not read.
#[derive(Debug)]
pub(super) enum FileError {
    /// It is a folder, pipe, socket or device.
    Kind(&'static str),
    /// It holds more than it may.
    TooLarge,
    /// The system refuses.
    Read(io::Error),
}

/// Reads a file that `path` leads to, of at most so many bytes.
pub(super) fn read_file(path: &Path, bytes_max: u64) -> Result<Vec<u8>, FileError> {
    refuse(&std::fs::metadata(path).map_err(FileError::Read)?, bytes_max)?;
    let mut options = OpenOptions::new();
    let file: File =
        options.read(true).custom_flags(libc::O_NONBLOCK).open(path).map_err(FileError::Read)?;
    refuse(&file.metadata().map_err(FileError::Read)?, bytes_max)?;
    read_bounded(file, bytes_max)
}

/// Reads the beginning of a file; none when it is no file or cannot be read.
pub(super) fn read_head(path: &Path, bytes_max: u64) -> Option<Vec<u8>> {
    let mut options = OpenOptions::new();
    if !std::fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let file = options.read(true).custom_flags(libc::O_NONBLOCK).open(path).ok()?;
    let mut head = Vec::new();
    file.take(bytes_max).read_to_end(&mut head).ok()?;
    Some(head)
}

/// Reads a stream to its end, which must come after at most so many bytes.
pub(super) fn read_bounded(stream: impl Read, bytes_max: u64) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    let limit = bytes_max.saturating_add(1);
    stream.take(limit).read_to_end(&mut bytes).map_err(FileError::Read)?;
    if bytes.len() as u64 > bytes_max { Err(FileError::TooLarge) } else { Ok(bytes) }
}

/// Returns what something is that is no file.
pub(super) fn kind_of(meta: &Metadata) -> Option<&'static str> {
    let kind = meta.file_type();
    match () {
        () if kind.is_dir() => Some("a folder"),
        () if kind.is_fifo() => Some("a pipe"),
        () if kind.is_socket() => Some("a socket"),
        () if kind.is_char_device() || kind.is_block_device() => Some("a device"),
        () => None,
    }
}

fn refuse(meta: &Metadata, bytes_max: u64) -> Result<(), FileError> {
    match kind_of(meta) {
        Some(kind) => Err(FileError::Kind(kind)),
        // Files of /proc announce nothing; what they hold is counted while it is read.
        None if meta.len() > bytes_max => Err(FileError::TooLarge),
        None => Ok(()),
    }
}
