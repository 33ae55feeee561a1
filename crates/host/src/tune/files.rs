//! The file operations that a change is made of, one by one, so that tests can stop at each.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use crate::root::{Open, RootedPath};

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A plain file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, a device or a socket.
    Other,
}

/// File operations. Each either happens or fails; an implementor must not retry or reorder them.
pub trait Files {
    /// Returns what is in a file; none when there is none.
    ///
    /// # Errors
    /// Those of the system.
    fn read(&self, place: &RootedPath) -> io::Result<Option<Vec<u8>>>;

    /// Returns what stands at `path` itself, links not followed; none when nothing does.
    ///
    /// # Errors
    /// Those of the system.
    fn kind(&self, place: &RootedPath) -> io::Result<Option<Kind>>;

    /// Fills a file that is made, or emptied first, with the owner and rights of `like` if that is
    /// there.
    ///
    /// # Errors
    /// Those of the system; part of the bytes may be there then.
    fn fill(&self, place: &RootedPath, bytes: &[u8], like: &RootedPath) -> io::Result<()>;

    /// Adds to the end of a file, making it if need be, and waits until it is safe.
    ///
    /// # Errors
    /// Those of the system; part of the bytes may be there then.
    fn append(&self, place: &RootedPath, bytes: &[u8]) -> io::Result<()>;

    /// Waits until a file or folder is safe on its disk.
    ///
    /// # Errors
    /// Those of the system.
    fn sync(&self, place: &RootedPath) -> io::Result<()>;

    /// Gives a file the name of another, which it replaces.
    ///
    /// # Errors
    /// Those of the system.
    fn rename(&self, from: &RootedPath, to: &RootedPath) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// Those of the system.
    fn remove(&self, place: &RootedPath) -> io::Result<()>;

    /// Makes a folder and those above it, for its owner alone to write.
    ///
    /// # Errors
    /// Those of the system.
    fn make_folder(&self, place: &RootedPath) -> io::Result<()>;

    /// Hands bytes to a file that is a parameter of the kernel.
    ///
    /// # Errors
    /// Those of the system.
    fn store(&self, place: &RootedPath, bytes: &[u8]) -> io::Result<()>;
}

/// The file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, place: &RootedPath) -> io::Result<Option<Vec<u8>>> {
        place.bytes()
    }

    fn kind(&self, place: &RootedPath) -> io::Result<Option<Kind>> {
        Ok(place.told()?.map(|told| match () {
            () if told.is_file => Kind::File,
            () if told.is_folder => Kind::Folder,
            () if told.is_link => Kind::Link,
            () => Kind::Other,
        }))
    }

    fn fill(&self, place: &RootedPath, bytes: &[u8], like: &RootedPath) -> io::Result<()> {
        // A draft that was left behind goes; what is not one is not written through.
        if place.told()?.is_some() {
            place.remove()?;
        }
        let mut file = place.open(Open::New)?;
        if let Some(like) = like.told()?.filter(|like| like.is_file) {
            file.set_permissions(fs::Permissions::from_mode(like.mode & 0o7777))?;
            let own = file.metadata()?;
            if (own.uid(), own.gid()) != like.owner {
                let (user, group) = like.owner;
                std::os::unix::fs::fchown(&file, Some(user), Some(group))?;
            }
        }
        file.write_all(bytes)
    }

    fn append(&self, place: &RootedPath, bytes: &[u8]) -> io::Result<()> {
        let mut file = place.open(Open::Append)?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn sync(&self, place: &RootedPath) -> io::Result<()> {
        place.sync()
    }

    fn rename(&self, from: &RootedPath, to: &RootedPath) -> io::Result<()> {
        from.rename_to(to)
    }

    fn remove(&self, place: &RootedPath) -> io::Result<()> {
        place.remove()
    }

    fn make_folder(&self, place: &RootedPath) -> io::Result<()> {
        place.make_folder()
    }

    fn store(&self, place: &RootedPath, bytes: &[u8]) -> io::Result<()> {
        let mut file = place.open(Open::Store)?;
        if place.is_of_machine() {
            // A parameter takes its value from one write.
            return file.write_all(bytes);
        }
        /// A value of a parameter is shorter.
        const VALUE_BYTES_MAX: u64 = 4096;
        // In a copy it is a file. Whenever this is stopped, it holds the old value or the new one: what is left of a
        // longer one becomes blank in the same write.
        let old = file.metadata()?.len().min(VALUE_BYTES_MAX);
        let mut whole = bytes.to_vec();
        whole.resize(bytes.len().max(usize::try_from(old).unwrap_or(0)), b'\n');
        file.write_all(&whole)?;
        file.set_len(bytes.len() as u64)
    }
}
