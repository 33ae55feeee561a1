//! The folder that stands for `/`, the machine itself or a copy of its files, and places in it.
//!
//! A copy comes from elsewhere: its links, its `..` and its journal may lead anywhere. A [`RootedPath`] is
//! therefore opened beneath the copy's folder, each component of its path (`openat2` with
//! `RESOLVE_BENEATH`, by cap-std, which resolves by hand where the kernel cannot), and only what is a
//! plain file is read or written.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::plain::{FileError, read_bounded};

/// No file of settings, and no parameter, holds more.
const BYTES_MAX: u64 = 16 << 20;

/// The folder that stands for `/`.
#[derive(Debug, Clone)]
pub struct Root {
    folder: PathBuf,
    /// None for the machine itself, whose links are its owner's.
    beneath: Option<Arc<Dir>>,
}

/// A path of the machine, in its root.
#[derive(Debug, Clone)]
pub struct RootedPath {
    root: Root,
    /// Without the leading `/`.
    path: PathBuf,
}

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Open {
    /// To be read.
    Read,
    /// To be filled, and nothing stands there.
    New,
    /// To be added to, whether it stands there or not.
    Append,
    /// To be written from its beginning.
    Store,
}

impl Root {
    /// The machine itself.
    #[must_use]
    pub fn machine() -> Self {
        Self { folder: PathBuf::from("/"), beneath: None }
    }

    /// A copy of a machine's files below `folder`.
    ///
    /// # Errors
    /// When `folder` is none, or may not be opened.
    pub fn copy(folder: &Path) -> io::Result<Self> {
        let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
        Ok(Self { folder: folder.to_owned(), beneath: Some(Arc::new(dir)) })
    }

    /// Returns the machine itself for `/`, else a copy of a machine's files.
    ///
    /// # Errors
    /// As [`Root::copy`].
    pub fn of(folder: &Path) -> io::Result<Self> {
        if folder == Path::new("/") { Ok(Self::machine()) } else { Self::copy(folder) }
    }

    /// Says whether it is the machine itself.
    #[must_use]
    pub const fn is_machine(&self) -> bool {
        self.beneath.is_none()
    }

    /// Returns the folder, for a message or for readers of whole trees.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns where the machine's `path` is.
    #[must_use]
    pub fn at(&self, path: &str) -> RootedPath {
        RootedPath { root: self.clone(), path: PathBuf::from(path.trim_start_matches('/')) }
    }
}

impl fmt::Display for RootedPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.full().display().fmt(f)
    }
}

impl RootedPath {
    /// Returns the path as others see it; for messages, and never to be opened in a copy.
    pub(crate) fn full(&self) -> PathBuf {
        self.root.folder.join(&self.path)
    }

    /// Says whether it is of the machine itself and not of a copy.
    pub(crate) const fn is_of_machine(&self) -> bool {
        self.root.is_machine()
    }

    /// Returns the folder that it is in.
    pub(crate) fn parent(&self) -> Self {
        let path = self.path.parent().unwrap_or_else(|| Path::new(""));
        Self { root: self.root.clone(), path: path.to_owned() }
    }

    /// Returns what is called `name` beside it.
    pub(crate) fn beside(&self, name: &str) -> Self {
        Self { root: self.root.clone(), path: self.path.with_file_name(name) }
    }

    /// Returns its last component.
    pub(crate) fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Says whether anything stands there, behind a link if need be.
    #[must_use]
    pub fn exists(&self) -> bool {
        match &self.root.beneath {
            None => self.full().exists(),
            Some(dir) => dir.exists(&self.path),
        }
    }

    /// Returns a file as text; none when there is none.
    ///
    /// # Errors
    /// Those of the system; [`ErrorKind::InvalidData`] for what is not UTF-8 or too large, and
    /// [`ErrorKind::InvalidInput`] for what is no plain file.
    pub fn text(&self) -> io::Result<Option<String>> {
        let text = self.bytes()?.map(String::from_utf8).transpose();
        text.map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
    }

    /// Returns what is in a file; none when there is none.
    pub(crate) fn bytes(&self) -> io::Result<Option<Vec<u8>>> {
        let Some(file) = absent_is_none(self.open(Open::Read))? else { return Ok(None) };
        let bytes = read_bounded(file, BYTES_MAX).map_err(|error| match error {
            FileError::Read(error) => error,
            _ => io::Error::new(ErrorKind::InvalidData, "it is larger than 16 MiB"),
        })?;
        Ok(Some(bytes))
    }

    /// Returns the bytes of what stands there; none when nothing does.
    pub(crate) fn length(&self) -> Option<u64> {
        match &self.root.beneath {
            None => fs::metadata(self.full()).ok().map(|metadata| metadata.len()),
            Some(dir) => dir.metadata(&self.path).ok().map(|metadata| metadata.len()),
        }
    }

    /// Returns the names in a folder, in order; none where there is no folder.
    pub(crate) fn names(&self) -> Vec<String> {
        self.listed().unwrap_or_default()
    }

    /// Returns the names in a folder, in order.
    ///
    /// # Errors
    /// Those of the system.
    pub(crate) fn listed(&self) -> io::Result<Vec<String>> {
        /// A folder of settings or parameters has some hundred.
        const NAMES_MAX: usize = 20_000;
        let named = |name: OsString| name.into_string().ok();
        let mut names: Vec<String> = match &self.root.beneath {
            None => {
                let entries = fs::read_dir(self.full())?.flatten();
                entries.filter_map(|entry| named(entry.file_name())).take(NAMES_MAX).collect()
            }
            Some(dir) => {
                let entries = dir.read_dir(&self.path).map_err(led_outside)?.flatten();
                entries.filter_map(|entry| named(entry.file_name())).take(NAMES_MAX).collect()
            }
        };
        names.sort();
        Ok(names)
    }

    /// Says whether a folder stands there, behind a link if need be.
    pub(crate) fn is_folder(&self) -> bool {
        match &self.root.beneath {
            None => self.full().is_dir(),
            Some(dir) => dir.is_dir(&self.path),
        }
    }

    /// Returns where a link says that it leads; none when it is none.
    pub(crate) fn link(&self) -> Option<PathBuf> {
        match &self.root.beneath {
            None => fs::read_link(self.full()).ok(),
            Some(dir) => dir.read_link_contents(&self.path).ok(),
        }
    }

    /// Returns what is called `name` in it.
    pub(crate) fn within(&self, name: &str) -> Self {
        Self { root: self.root.clone(), path: self.path.join(name) }
    }

    /// Opens a plain file, waiting for nobody: a pipe without a writer would wait for ever.
    pub(crate) fn open(&self, how: Open) -> io::Result<File> {
        let flags = match how {
            Open::Read => libc::O_NONBLOCK,
            // What is written in place is the file itself, not what a link makes of it.
            Open::New | Open::Append | Open::Store => libc::O_NONBLOCK | libc::O_NOFOLLOW,
        };
        let (append, new) = (how == Open::Append, how == Open::New);
        let file = match &self.root.beneath {
            None => File::options()
                .read(how == Open::Read)
                .write(how != Open::Read && !append)
                .append(append)
                .create(append)
                .create_new(new)
                .custom_flags(flags)
                .open(self.full())?,
            Some(dir) => {
                use cap_std::fs::OpenOptionsExt as _;
                let mut options = cap_std::fs::OpenOptions::new();
                options
                    .read(how == Open::Read)
                    .write(how != Open::Read && !append)
                    .append(append)
                    .create(append)
                    .create_new(new)
                    .custom_flags(flags);
                dir.open_with(&self.path, &options).map_err(led_outside)?.into_std()
            }
        };
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file"));
        }
        // A second name of the file may stand anywhere.
        let shared = metadata.nlink() > 1 && !self.root.is_machine();
        if shared && matches!(how, Open::Append | Open::Store) {
            return Err(io::Error::new(
                ErrorKind::InvalidInput,
                "it has several names (hard links)",
            ));
        }
        Ok(file)
    }

    /// Returns what is known of what stands there itself, links not followed; none when nothing does.
    pub(crate) fn told(&self) -> io::Result<Option<Told>> {
        absent_is_none(match &self.root.beneath {
            None => fs::symlink_metadata(self.full()).map(|metadata| Told::of(&metadata)),
            Some(dir) => {
                use cap_std::fs::MetadataExt as _;
                let told = dir.symlink_metadata(&self.path).map_err(led_outside);
                told.map(|metadata| Told {
                    is_file: metadata.is_file(),
                    is_folder: metadata.is_dir(),
                    is_link: metadata.is_symlink(),
                    mode: metadata.mode(),
                    owner: (metadata.uid(), metadata.gid()),
                })
            }
        })
    }

    pub(crate) fn rename_to(&self, to: &Self) -> io::Result<()> {
        match &self.root.beneath {
            None => fs::rename(self.full(), to.full()),
            Some(dir) => dir.rename(&self.path, dir, &to.path).map_err(led_outside),
        }
    }

    pub(crate) fn remove(&self) -> io::Result<()> {
        match &self.root.beneath {
            None => fs::remove_file(self.full()),
            Some(dir) => dir.remove_file(&self.path).map_err(led_outside),
        }
    }

    pub(crate) fn make_folder(&self) -> io::Result<()> {
        match &self.root.beneath {
            None => fs::create_dir_all(self.full()),
            Some(_) if self.path.as_os_str().is_empty() => Ok(()),
            Some(dir) => dir.create_dir_all(&self.path).map_err(led_outside),
        }
    }

    /// Waits until what stands there, a file or a folder, is safe on its disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        let path = if self.path.as_os_str().is_empty() { Path::new(".") } else { &self.path };
        match &self.root.beneath {
            None => File::open(self.full())?.sync_all(),
            Some(dir) if self.told()?.is_some_and(|told| told.is_folder) => {
                use cap_std::fs::OpenOptionsExt as _;
                // A handle that only names the folder cannot be made safe.
                let mut options = cap_std::fs::OpenOptions::new();
                options.read(true).custom_flags(libc::O_DIRECTORY);
                dir.open_with(path, &options).map_err(led_outside)?.sync_all()
            }
            Some(_) => self.open(Open::Read)?.sync_all(),
        }
    }
}

/// What the system tells of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) is_file: bool,
    pub(crate) is_folder: bool,
    pub(crate) is_link: bool,
    pub(crate) mode: u32,
    pub(crate) owner: (u32, u32),
}

impl Told {
    fn of(metadata: &Metadata) -> Self {
        Self {
            is_file: metadata.is_file(),
            is_folder: metadata.is_dir(),
            is_link: metadata.is_symlink(),
            mode: metadata.mode(),
            owner: (metadata.uid(), metadata.gid()),
        }
    }
}

/// Says of a path that leaves the copy that it does, which is no matter of rights.
fn led_outside(error: io::Error) -> io::Error {
    match (error.kind(), error.raw_os_error()) {
        (ErrorKind::PermissionDenied, None) => {
            io::Error::new(ErrorKind::InvalidInput, "it points outside the copy")
        }
        _ => error,
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
