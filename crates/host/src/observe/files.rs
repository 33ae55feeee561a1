//! Reading files of the machine into sources: limits on their size, and a reason where there is none.

use std::cell::Cell;
use std::io::ErrorKind;

use arcwright_machine::{Reason, Source, Sources};

use crate::plain::{FileError, read_bounded};
use crate::root::{Open, Root, RootedPath};

/// Larger than this no text of a machine is that anybody reads.
const FILE_BYTES_MAX: u64 = 16 << 20;
/// All files together, and how many: more than that no capture may hold.
const BYTES_MAX: u64 = 64 << 20;
const FILES_MAX: u32 = 50_000;

/// The files of a machine, of which so much more is read.
#[derive(Debug)]
pub(super) struct Tree {
    root: Root,
    bytes_left: Cell<u64>,
    files_left: Cell<u32>,
}

impl Tree {
    pub(super) fn new(root: Root) -> Self {
        Self { root, bytes_left: Cell::new(BYTES_MAX), files_left: Cell::new(FILES_MAX) }
    }

    pub(super) fn root(&self) -> &Root {
        &self.root
    }

    /// Returns what stands at a path.
    pub(super) fn at(&self, name: &str) -> RootedPath {
        self.root.at(name)
    }

    /// Reads a file of the machine, whole or not at all, and waits for no pipe.
    pub(super) fn read(&self, name: &str) -> Result<String, Reason> {
        let file = self.at(name).open(Open::Read).map_err(|error| reason(&error))?;
        let most = FILE_BYTES_MAX.min(self.bytes_left.get());
        let files_left = self.files_left.get().checked_sub(1);
        let is_larger = file.metadata().is_ok_and(|told| told.len() > most);
        let bytes = match files_left {
            Some(_) if !is_larger => read_bounded(file, most),
            _ => Err(FileError::TooLarge { bytes_max: most }),
        };
        let bytes = bytes.map_err(|error| match error {
            FileError::Read(error) => reason(&error),
            FileError::TooLarge { .. } if most < FILE_BYTES_MAX || files_left.is_none() => {
                Reason::Failed(format!("not read: all files together hold more than {ALL}"))
            }
            other => Reason::Failed(other.to_string()),
        })?;
        self.files_left.set(files_left.unwrap_or_default());
        self.bytes_left.set(self.bytes_left.get().saturating_sub(bytes.len() as u64));
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Reads a file that may be missing: nothing is noted then.
    pub(super) fn read_if_there(&self, name: &str, sources: &mut Sources) {
        match self.read(name) {
            Err(Reason::Absent) => {}
            read => note(name, read, sources),
        }
    }

    /// Reads every file of a folder that `wanted` takes; a folder that is denied is noted itself.
    pub(super) fn read_folder(
        &self,
        folder: &str,
        wanted: impl Fn(&str) -> bool,
        sources: &mut Sources,
    ) {
        match self.names(folder) {
            Ok(names) => {
                // Hidden ones are drafts, which the programs that these files are for leave out.
                let names = names.iter().filter(|name| !name.starts_with('.'));
                let paths = names.map(|name| format!("{folder}/{name}"));
                for path in paths.filter(|path| !self.at(path).is_folder()) {
                    match self.read(&path) {
                        Err(Reason::Absent) => {}
                        Ok(text) if !wanted(&text) => {}
                        read => note(&path, read, sources),
                    }
                }
            }
            Err(Reason::Absent) => {}
            Err(reason) => note(folder, Err(reason), sources),
        }
    }

    /// Returns the names of what is in a folder, sorted.
    pub(super) fn names(&self, folder: &str) -> Result<Vec<String>, Reason> {
        names_in(&self.at(folder))
    }
}

const ALL: &str = "64 MiB, or are more than 50,000";

/// Returns the names of what is in a folder, sorted.
pub(super) fn names_in(folder: &RootedPath) -> Result<Vec<String>, Reason> {
    folder.listed().map_err(|error| reason(&error))
}

/// Notes a text, or why there is none.
pub(super) fn note(name: &str, read: Result<String, Reason>, sources: &mut Sources) {
    let source = read.map_or_else(Source::Unreadable, Source::Text);
    sources.texts.insert(name.to_owned(), source);
}

/// Returns why a file could not be read.
pub(super) fn reason(error: &std::io::Error) -> Reason {
    match error.kind() {
        ErrorKind::PermissionDenied => Reason::Denied,
        ErrorKind::NotFound => Reason::Absent,
        _ => Reason::Failed(error.to_string()),
    }
}
