//! The file operations that a change is made of, one by one, so that tests can stop at each.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A plain file.
    File,
    /// A folder.
    Folder,
    /// A link, or something else that is not written here.
    Other,
}

/// File operations. Each either happens or fails; an implementor must not retry or reorder them.
pub trait Files {
    /// Returns what is in a file; none when there is none.
    ///
    /// # Errors
    /// Those of the system.
    fn read(&self, path: &Path) -> io::Result<Option<Vec<u8>>>;

    /// Returns what stands at `path` itself, links not followed; none when nothing does.
    ///
    /// # Errors
    /// Those of the system.
    fn kind(&self, path: &Path) -> io::Result<Option<Kind>>;

    /// Fills a file that is made, or emptied first, with the owner and rights of `like` if that is
    /// there.
    ///
    /// # Errors
    /// Those of the system; part of the bytes may be there then.
    fn fill(&self, path: &Path, bytes: &[u8], like: &Path) -> io::Result<()>;

    /// Adds to the end of a file, making it if need be, and waits until it is safe.
    ///
    /// # Errors
    /// Those of the system; part of the bytes may be there then.
    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Waits until a file or folder is safe on its disk.
    ///
    /// # Errors
    /// Those of the system.
    fn sync(&self, path: &Path) -> io::Result<()>;

    /// Gives a file the name of another, which it replaces.
    ///
    /// # Errors
    /// Those of the system.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// Those of the system.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes a folder and those above it, for its owner alone to write.
    ///
    /// # Errors
    /// Those of the system.
    fn make_folder(&self, path: &Path) -> io::Result<()>;

    /// Hands bytes to a file that is a parameter of the kernel.
    ///
    /// # Errors
    /// Those of the system.
    fn store(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
}

/// The file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        absent_is_none(fs::read(path))
    }

    fn kind(&self, path: &Path) -> io::Result<Option<Kind>> {
        let metadata = absent_is_none(fs::symlink_metadata(path))?;
        Ok(metadata.map(|metadata| match metadata.file_type() {
            kind if kind.is_file() => Kind::File,
            kind if kind.is_dir() => Kind::Folder,
            _ => Kind::Other,
        }))
    }

    fn fill(&self, path: &Path, bytes: &[u8], like: &Path) -> io::Result<()> {
        let mut file = File::create(path)?;
        if let Some(like) = absent_is_none(fs::metadata(like))? {
            file.set_permissions(fs::Permissions::from_mode(like.mode() & 0o7777))?;
            let own = file.metadata()?;
            if (own.uid(), own.gid()) != (like.uid(), like.gid()) {
                std::os::unix::fs::fchown(&file, Some(like.uid()), Some(like.gid()))?;
            }
        }
        file.write_all(bytes)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn store(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        // A parameter takes its value from one write.
        OpenOptions::new().write(true).truncate(true).open(path)?.write_all(bytes)
    }
}

fn absent_is_none<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
