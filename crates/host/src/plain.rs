//! One file, read whole and within bounds; what is no file is refused before it is opened.
//!
//! A pipe without a writer would wait for ever and a device would never end, so that the kind is looked
//! at first, and the file is opened without waiting: between the look and the opening it may change.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a file was not read.
#[derive(Debug, Error)]
pub enum FileError {
    /// It is a folder, pipe, socket or device.
    #[error("it is {0}, not a file")]
    Kind(&'static str),
    /// It holds more than it may.
    #[error("it is larger than {} KiB, as no such file is", bytes_max >> 10)]
    TooLarge {
        /// So many bytes are read at most.
        bytes_max: u64,
    },
    /// The system refuses.
    #[error(transparent)]
    Read(io::Error),
}

/// Why a text was not read.
#[derive(Debug, Error)]
pub enum TextError {
    /// The file was not read.
    #[error(transparent)]
    File(FileError),
    /// It is no text.
    #[error("it is not UTF-8 text")]
    NotText,
    /// It lies outside of the folder that it was to be in.
    #[error("it is outside the folder {}", .0.display())]
    Outside(PathBuf),
}

/// Reads a text file that `path` leads to, of at most so many bytes.
///
/// # Errors
/// [`TextError::File`] and [`TextError::NotText`].
pub fn read_text(path: &Path, bytes_max: u64) -> Result<String, TextError> {
    let bytes = read_file(path, bytes_max).map_err(TextError::File)?;
    String::from_utf8(bytes).map_err(|_| TextError::NotText)
}

/// Reads a text file that a text from elsewhere names: `path` begins at `folder` and stays in it, links
/// followed to their end.
///
/// # Errors
/// [`TextError`].
pub fn read_text_within(folder: &Path, path: &Path, bytes_max: u64) -> Result<String, TextError> {
    read_text(&path_within(folder, path)?, bytes_max)
}

/// Returns where a file is that a text from elsewhere names: `path` begins at `folder` and stays in it, links followed
/// to their end.
///
/// # Errors
/// [`TextError::Outside`], and [`TextError::File`] where there is none.
pub fn path_within(folder: &Path, path: &Path) -> Result<PathBuf, TextError> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let unread = |error| TextError::File(FileError::Read(error));
    let real = folder.canonicalize().map_err(unread)?;
    let file = real.join(path).canonicalize().map_err(unread)?;
    if !file.starts_with(&real) {
        return Err(TextError::Outside(folder.to_owned()));
    }
    Ok(file)
}

/// Reads a file that `path` leads to, of at most so many bytes.
pub(crate) fn read_file(path: &Path, bytes_max: u64) -> Result<Vec<u8>, FileError> {
    refuse(&std::fs::metadata(path).map_err(FileError::Read)?, bytes_max)?;
    let mut options = OpenOptions::new();
    let file: File =
        options.read(true).custom_flags(libc::O_NONBLOCK).open(path).map_err(FileError::Read)?;
    refuse(&file.metadata().map_err(FileError::Read)?, bytes_max)?;
    read_bounded(file, bytes_max)
}

/// Reads the beginning of a file; none when it is no file or cannot be read.
pub(crate) fn read_head(path: &Path, bytes_max: u64) -> Option<Vec<u8>> {
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
pub(crate) fn read_bounded(stream: impl Read, bytes_max: u64) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    let limit = bytes_max.saturating_add(1);
    stream.take(limit).read_to_end(&mut bytes).map_err(FileError::Read)?;
    if bytes.len() as u64 > bytes_max { Err(FileError::TooLarge { bytes_max }) } else { Ok(bytes) }
}

/// Returns what something is that is no file.
#[must_use]
pub fn kind_of(meta: &Metadata) -> Option<&'static str> {
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
        None if meta.len() > bytes_max => Err(FileError::TooLarge { bytes_max }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::{FileError, TextError, read_text, read_text_within};

    #[test]
    fn a_file_is_read_within_its_folder_alone() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("scenarios");
        fs::create_dir_all(folder.join("jobs")).unwrap();
        fs::write(folder.join("jobs/a.fio"), "[a]").unwrap();
        fs::write(outer.path().join("secret"), "root:x").unwrap();
        symlink("../../secret", folder.join("jobs/out")).unwrap();
        symlink("a.fio", folder.join("jobs/in")).unwrap();
        let read = |path: &str| read_text_within(&folder, Path::new(path), 100);
        assert_eq!(read("jobs/a.fio").unwrap(), "[a]");
        assert_eq!(read("jobs/in").unwrap(), "[a]");
        let secret = outer.path().join("secret").display().to_string();
        for outside in ["../secret", "jobs/out", &secret, "/dev/zero", "/etc/passwd"] {
            assert!(matches!(read(outside), Err(TextError::Outside(_))), "{outside}");
        }
    }

    #[test]
    fn what_is_no_plain_text_of_bounded_size_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap();
        assert!(made.success());
        fs::write(path("large"), "12345").unwrap();
        fs::write(path("bytes"), [0xff]).unwrap();
        let why = |path: &Path| match read_text(path, 4).unwrap_err() {
            TextError::File(error) => error,
            other => panic!("{other}"),
        };
        assert!(matches!(why(&path("pipe")), FileError::Kind("a pipe")));
        assert!(matches!(why(Path::new("/dev/zero")), FileError::Kind("a device")));
        assert!(matches!(why(folder.path()), FileError::Kind("a folder")));
        assert!(matches!(why(&path("large")), FileError::TooLarge { .. }));
        assert!(matches!(read_text(&path("bytes"), 4), Err(TextError::NotText)));
    }
}
