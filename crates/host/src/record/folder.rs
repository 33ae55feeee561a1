//! The files of a recording and their names.

use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use arcwright_recording::Segment;
use arcwright_units::{Nanos, visible, visible_path};

use super::error::RecordError;
use crate::root::{Open, Root, RootedPath};

/// Where root records.
const FOLDER_OF_ROOT: &str = "/var/lib/arcwright/recording";
/// Tells a recording from other folders, and its form.
const MARKER: &str = "arcwright-recording";
const FORM: &str = "1";
const TAIL: &str = "tail";
const PARTS: &str = "counters";
const LOOKS: &str = "machine";
/// Looks at the machine that are kept.
const LOOKS_KEPT: usize = 8;
/// The folder is its owner's: names of pools and datasets are nobody else's business.
const MODE: u32 = 0o700;

/// Returns where the user's recording is when no folder is named: root's below `/var/lib`, as its services have it. None where
/// nothing says where users keep their state.
#[must_use]
pub fn usual_folder() -> Option<PathBuf> {
    if rustix::process::geteuid().is_root() {
        return Some(PathBuf::from(FOLDER_OF_ROOT));
    }
    // A relative folder would be found in the working directory.
    let of = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute());
    let state = of("XDG_STATE_HOME").or_else(|| Some(of("HOME")?.join(".local/state")))?;
    Some(state.join("arcwright/recording"))
}

/// Says whether a folder is a recording.
#[must_use]
pub fn is_recording(folder: &Path) -> bool {
    folder.join(MARKER).is_file()
}

/// Returns the recordings in a folder, by name; links and what cannot be read are left out.
#[must_use]
pub fn recordings_in(folder: &Path) -> Vec<PathBuf> {
    /// More are no fleet that anybody keeps in one folder.
    const RECORDINGS_MAX: usize = 10_000;
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let entries = entries.filter_map(Result::ok);
    let real = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut all: Vec<PathBuf> =
        real.map(|entry| entry.path()).filter(|path| is_recording(path)).collect();
    all.sort();
    all.truncate(RECORDINGS_MAX);
    all
}

/// The folder of a recording.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    path: PathBuf,
    root: Root,
}

/// A part on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PartFile {
    pub(super) name: String,
    pub(super) segment: Segment,
}

impl Folder {
    /// Opens a recording to be read.
    pub(super) fn open(path: &Path) -> Result<Self, RecordError> {
        let root = Root::copy(path).map_err(|error| failed("open", path, error))?;
        let folder = Self { path: path.to_owned(), root };
        let form = folder.root.at(MARKER).text();
        let form = form.map_err(|error| failed("read", &path.join(MARKER), error))?;
        match form.as_deref().map(str::trim) {
            Some(FORM) => Ok(folder),
            Some(form) => Err(RecordError::Form {
                path: visible_path(path),
                form: visible(form.get(..20).unwrap_or(form)).into_owned(),
            }),
            None => Err(RecordError::Other { path: visible_path(path) }),
        }
    }

    /// Opens a recording to be written, and makes it where there is none.
    pub(super) fn make(path: &Path) -> Result<Self, RecordError> {
        if !is_recording(path) {
            let make = DirBuilder::new().recursive(true).mode(MODE).create(path);
            make.map_err(|error| failed("make", path, error))?;
            let root = Root::copy(path).map_err(|error| failed("open", path, error))?;
            if !root.at(".").names().is_empty() {
                return Err(RecordError::Other { path: visible_path(path) });
            }
            for folder in [PARTS, LOOKS] {
                let made = root.at(folder).make_folder();
                made.map_err(|error| failed("make", &path.join(folder), error))?;
            }
            // The marker comes last: a folder that has it has all of it.
            let marker = root.at(MARKER).open(Open::New);
            let marked = marker.and_then(|mut file| writeln!(file, "{FORM}"));
            marked.map_err(|error| failed("write", &path.join(MARKER), error))?;
        }
        Self::open(path)
    }

    pub(super) fn shown(&self) -> String {
        visible_path(&self.path)
    }

    pub(super) fn failed(&self, doing: &'static str, name: &str, error: io::Error) -> RecordError {
        failed(doing, &self.path.join(name), error)
    }

    pub(super) fn tail(&self) -> RootedPath {
        self.root.at(TAIL)
    }

    pub(super) fn marker(&self) -> RootedPath {
        self.root.at(MARKER)
    }

    /// Returns the parts, oldest first, without those that a kill left beside what took their place.
    pub(super) fn parts(&self) -> (Vec<PartFile>, Vec<PartFile>) {
        let mut parts: Vec<PartFile> = Vec::new();
        let mut stale = Vec::new();
        for name in self.root.at(PARTS).names() {
            let Some(mut segment) = span_of(&name) else { continue };
            segment.bytes = self.part(&name).length().unwrap_or_default();
            let new = PartFile { name, segment };
            match parts.last().map(|last| replaced(&last.segment, &segment)) {
                Some(Some(Stale::First)) => stale.extend(parts.pop()),
                Some(Some(Stale::Second)) => {
                    stale.push(new);
                    continue;
                }
                Some(None) | None => {}
            }
            parts.push(new);
        }
        (parts, stale)
    }

    pub(super) fn part(&self, name: &str) -> RootedPath {
        self.root.at(&format!("{PARTS}/{name}"))
    }

    /// Returns the last look at the machine, packed; none before the first.
    pub(super) fn look(&self) -> io::Result<Option<(String, Vec<u8>)>> {
        let names = self.root.at(LOOKS).names();
        let Some(name) = names.iter().rfind(|name| name.ends_with(".tar.gz")) else {
            return Ok(None);
        };
        let bytes = self.root.at(&format!("{LOOKS}/{name}")).bytes()?;
        Ok(bytes.map(|bytes| (name.clone(), bytes)))
    }

    /// Returns when the last look was taken, since 1970, in whole seconds.
    pub(super) fn last_look(&self) -> Option<Nanos> {
        let names = self.root.at(LOOKS).names();
        let seconds = names.iter().filter_map(|name| name.strip_suffix(".tar.gz")?.parse().ok());
        seconds.max().map(|seconds: u64| Nanos(seconds.saturating_mul(1_000_000_000)))
    }

    /// Keeps a look at the machine, and the last few before it.
    pub(super) fn keep_look(&self, at: Nanos, packed: &[u8]) -> Result<(), RecordError> {
        let name = format!("{LOOKS}/{:010}.tar.gz", at.0 / 1_000_000_000);
        self.put(&name, packed).map_err(|error| self.failed("write", &name, error))?;
        let names = self.root.at(LOOKS).names();
        let old = names.len().saturating_sub(LOOKS_KEPT);
        for name in names.iter().take(old) {
            self.root.at(&format!("{LOOKS}/{name}")).remove().unwrap_or_default();
        }
        Ok(())
    }

    /// Writes a file that is there whole or not at all.
    pub(super) fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let target = self.root.at(name);
        let draft = target.beside(&format!(".{}.new", target.name()));
        match draft.remove() {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let written = draft.open(Open::New).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
        let named = written.and_then(|()| draft.rename_to(&target));
        if named.is_err() {
            // A full disk should not be filled by what is of no use.
            draft.remove().unwrap_or_default();
        }
        named
    }

    /// Writes a part and returns what it is called.
    pub(super) fn put_part(
        &self,
        segment: &Segment,
        bytes: &[u8],
    ) -> Result<PartFile, RecordError> {
        let seconds = |at: Nanos| at.0 / 1_000_000_000;
        let (first, last) = (seconds(segment.first), seconds(segment.last));
        let name = format!("{first:010}-{last:010}-{}.rec", segment.readings);
        let path = format!("{PARTS}/{name}");
        self.put(&path, bytes).map_err(|error| self.failed("write", &path, error))?;
        Ok(PartFile { name, segment: Segment { bytes: bytes.len() as u64, ..*segment } })
    }
}

/// Stale of two parts is stale.
enum Stale {
    First,
    Second,
}

/// Says which of two parts the other one took the place of: one of the same span with fewer readings, or one that has
/// all of its span and more.
fn replaced(one: &Segment, other: &Segment) -> Option<Stale> {
    let within =
        |inner: &Segment, outer: &Segment| outer.first <= inner.first && inner.last <= outer.last;
    let is_same = one.first == other.first && one.last == other.last;
    match (within(one, other), within(other, one)) {
        _ if is_same && one.readings > other.readings => Some(Stale::First),
        _ if is_same => Some(Stale::Second),
        (true, _) => Some(Stale::First),
        (_, true) => Some(Stale::Second),
        _ => None,
    }
}

/// Reads the name of a part; none for other files.
fn span_of(name: &str) -> Option<Segment> {
    let mut numbers = name.strip_suffix(".rec")?.split('-').map(str::parse::<u64>);
    let (Some(Ok(first)), Some(Ok(last)), Some(Ok(readings)), None) =
        (numbers.next(), numbers.next(), numbers.next(), numbers.next())
    else {
        return None;
    };
    let nanos = |seconds: u64| Nanos(seconds.saturating_mul(1_000_000_000));
    (first <= last).then(|| Segment { first: nanos(first), last: nanos(last), readings, bytes: 0 })
}

fn failed(doing: &'static str, path: &Path, error: io::Error) -> RecordError {
    RecordError::File { doing, path: visible_path(path), error }
}
