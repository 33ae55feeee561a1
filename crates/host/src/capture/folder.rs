//! The files of a folder, one machine's: what cannot be read is named and hides nothing else.

use std::fs::{self, DirEntry, Metadata};
use std::path::Path;

use arcwright_capture::{BYTES_MAX, CaptureError, CapturedFile};
use arcwright_machine::Reason;
use arcwright_units::visible_path;

use crate::plain::{FileError, kind_of, read_file};

/// Files of a whole tree.
const FILES_MAX: usize = 50_000;
/// Folders inside each other; copies of `/proc/spl/kstat` and of captures have half as many.
const DEPTH_MAX: usize = 16;

/// A walk through a folder.
pub(super) struct Walk {
    entries: Vec<CapturedFile>,
    /// How much more may be read of the whole tree.
    bytes_left: u64,
}

impl Walk {
    /// Reads all files below `folder`, of at most so many bytes; links are not followed, they may lead
    /// anywhere.
    ///
    /// # Errors
    /// When the folder itself cannot be read, or the tree is larger than any capture.
    pub(super) fn through(
        folder: &Path,
        bytes_max: u64,
    ) -> Result<Vec<CapturedFile>, CaptureError> {
        let mut walk = Self { entries: Vec::new(), bytes_left: bytes_max };
        // The folder that was asked for is not one among many.
        fs::read_dir(folder)
            .map_err(|error| CaptureError::Read { path: visible_path(folder), error })?;
        walk.folder(folder, "", 0)?;
        Ok(walk.entries)
    }

    fn folder(&mut self, folder: &Path, prefix: &str, depth: usize) -> Result<(), CaptureError> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) if depth <= DEPTH_MAX => entries,
            Ok(_) => {
                let why = format!("nested deeper than {DEPTH_MAX} folders, not read");
                self.unread(prefix, Reason::Failed(why));
                return Ok(());
            }
            Err(error) => {
                self.unread(prefix, reason(&error));
                return Ok(());
            }
        };
        let mut entries: Vec<DirEntry> = entries.filter_map(Result::ok).collect();
        // The order in which a file system lists its files is nobody's order.
        entries.sort_by_key(DirEntry::file_name);
        for entry in entries {
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            match fs::symlink_metadata(entry.path()) {
                Ok(meta) if meta.is_dir() => {
                    self.folder(&entry.path(), &format!("{name}/"), depth + 1)?;
                }
                Ok(meta) if meta.is_symlink() => {}
                Ok(meta) => self.file(&entry.path(), name, &meta)?,
                Err(error) => self.unread(&name, reason(&error)),
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, name: String, meta: &Metadata) -> Result<(), CaptureError> {
        if let Some(kind) = kind_of(meta) {
            self.unread(&name, Reason::Failed(format!("it is {kind}, not read")));
            return Ok(());
        }
        match read_file(path, self.bytes_left) {
            Ok(bytes) => {
                self.bytes_left = self.bytes_left.saturating_sub(bytes.len() as u64);
                self.entries.push((name, Ok(bytes)));
            }
            Err(FileError::TooLarge { .. }) => return Err(too_large(path)),
            Err(FileError::Kind(kind)) => {
                self.unread(&name, Reason::Failed(format!("it is {kind}, not read")));
            }
            Err(FileError::Read(error)) => self.unread(&name, reason(&error)),
        }
        match self.entries.len() > FILES_MAX {
            true => Err(too_large(path)),
            false => Ok(()),
        }
    }

    fn unread(&mut self, name: &str, why: Reason) {
        self.entries.push((name.trim_end_matches('/').to_owned(), Err(why)));
    }
}

fn reason(error: &std::io::Error) -> Reason {
    match error.kind() {
        std::io::ErrorKind::PermissionDenied => Reason::Denied,
        _ => Reason::Failed(error.to_string()),
    }
}

fn too_large(path: &Path) -> CaptureError {
    let limit = format!("{FILES_MAX} files or {} MiB", BYTES_MAX >> 20);
    CaptureError::TooLarge { place: visible_path(path), limit }
}
