//! The writing side of a recording.

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;

use arcwright_kstat::Snapshot;
use arcwright_recording::{Block, Segment, Shrink, TAIL_BYTES_MAX, Tail, shrink};
use arcwright_units::{Bytes, Nanos};

use super::error::RecordError;
use super::folder::{Folder, PartFile};
use super::recording::Recording;
use crate::root::Open;

/// Readings that are packed as a part.
const READINGS_PER_PART: usize = 3600;
/// Parts that are thinned, merged or dropped after a new one at most, so that a reading is never late.
const STEPS_MAX: usize = 64;

/// A recording that is being written.
#[derive(Debug)]
pub struct Store {
    folder: Folder,
    limit: Bytes,
    parts: Vec<PartFile>,
    tail: Tail,
    /// The tail's file, open as long as the recording is.
    file: File,
    /// Bytes of it that are whole.
    written: u64,
    /// Frames that a full disk did not take yet.
    unwritten: Vec<u8>,
    /// Held as long as the recording is written.
    _lock: Lock,
}

/// A lock on a recording. It is given back by name: a child process that was just started has the file too, and would keep it.
#[derive(Debug)]
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // What cannot be unlocked ends with the file.
        self.0.unlock().unwrap_or_default();
    }
}

impl Store {
    /// Opens the recording in a folder to go on with it, or makes one there.
    ///
    /// # Errors
    /// [`RecordError`] when there is something else, another recorder, or a file system that refuses.
    pub fn open(path: &Path, limit: Bytes) -> Result<Self, RecordError> {
        let folder = Folder::make(path)?;
        let lock = folder.marker().open(Open::Append);
        let lock = lock.map_err(|error| folder.failed("open", "arcwright-recording", error))?;
        lock.try_lock().map_err(|_| RecordError::Busy { path: folder.shown() })?;
        let (parts, stale) = folder.parts();
        for part in stale {
            folder.part(&part.name).remove().unwrap_or_default();
        }
        let mut store = Self {
            file: tail_file(&folder)?,
            limit,
            parts,
            tail: Tail::default(),
            written: 0,
            unwritten: Vec::new(),
            _lock: Lock(lock),
            folder,
        };
        store.resume()?;
        Ok(store)
    }

    /// Goes on with the frames that are there; what is cut, or packed already, is taken off.
    fn resume(&mut self) -> Result<(), RecordError> {
        let read = self.folder.tail().bytes();
        let bytes = read.map_err(|error| self.folder.failed("read", "tail", error))?;
        let (tail, whole) = Tail::read(&bytes.unwrap_or_default());
        let packed = self.parts.last().map(|part| part.segment.last);
        // The names of parts have whole seconds.
        let is_packed = tail
            .last_at()
            .zip(packed)
            .is_some_and(|(tail, packed)| tail.0 / 1_000_000_000 <= packed.0 / 1_000_000_000);
        if !is_packed {
            self.written = whole as u64;
            self.tail = tail;
        }
        self.file.set_len(self.written).map_err(|error| self.folder.failed("cut", "tail", error))
    }

    /// Returns when the last reading was taken; none before the first.
    #[must_use]
    pub fn last_at(&self) -> Option<Nanos> {
        self.tail.last_at().or_else(|| self.parts.last().map(|part| part.segment.last))
    }

    /// Adds a reading whose time counts since 1970.
    ///
    /// # Errors
    /// [`RecordError::Clock`] when the last reading is later: this one is not kept. Other errors say that the disk did not take
    /// it: it is kept in memory, up to some megabytes of them, and written when the disk takes it again.
    pub fn append(&mut self, reading: &Snapshot) -> Result<(), RecordError> {
        if let Some(last) = self.last_at().filter(|last| *last >= reading.at) {
            return Err(RecordError::Clock { behind: last.saturating_sub(reading.at) });
        }
        let frame = self.tail.push(reading);
        self.unwritten.extend(frame);
        let written = self.write();
        let is_full = self.tail.block().len() >= READINGS_PER_PART;
        if is_full || self.tail.bytes() >= TAIL_BYTES_MAX {
            self.pack()?;
        }
        written
    }

    /// Keeps a look at the machine, a packed capture.
    ///
    /// # Errors
    /// [`RecordError::File`] when the disk does not take it.
    pub fn look(&self, at: Nanos, packed: &[u8]) -> Result<(), RecordError> {
        self.folder.keep_look(at, packed)
    }

    /// Returns when the machine was last looked at, since 1970; none before the first time.
    #[must_use]
    pub fn last_look(&self) -> Option<Nanos> {
        self.folder.last_look()
    }

    /// Returns what was recorded until now.
    ///
    /// # Errors
    /// As [`Recording::open`].
    pub fn recording(&self) -> Result<Recording, RecordError> {
        Ok(Recording::of(self.folder.clone(), self.parts.clone(), self.tail.block().clone()))
    }

    /// Returns the bytes of all readings on disk.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        let parts = self.parts.iter().map(|part| part.segment.bytes);
        Bytes(parts.fold(self.written, u64::saturating_add))
    }

    /// Writes the frames that are not on disk.
    fn write(&mut self) -> Result<(), RecordError> {
        let Self { file, written, unwritten, .. } = self;
        // What a write left that failed halfway is overwritten.
        let result = file
            .seek(SeekFrom::Start(*written))
            .and_then(|_| file.write_all(unwritten))
            .map_err(|error| self.folder.failed("write", "tail", error));
        result?;
        self.written += self.unwritten.len() as u64;
        self.unwritten.clear();
        Ok(())
    }

    /// Packs the tail as a part, and brings all parts below the limit.
    fn pack(&mut self) -> Result<(), RecordError> {
        let packed = self.packed(self.tail.block());
        if let Err(error) = packed.map(|part| self.parts.extend(part)) {
            // A disk that stays full must not fill the memory.
            if self.tail.bytes() >= 2 * TAIL_BYTES_MAX {
                self.thin_tail()?;
            }
            return Err(error);
        }
        self.tail = Tail::default();
        self.unwritten.clear();
        self.written = 0;
        self.file.set_len(0).map_err(|error| self.folder.failed("cut", "tail", error))?;
        self.shrink()
    }

    /// Writes a block as a part; none of an empty one.
    fn packed(&self, block: &Block) -> Result<Option<PartFile>, RecordError> {
        let Some(segment) = segment_of(block) else { return Ok(None) };
        self.folder.put_part(&segment, &block.to_bytes()).map(Some)
    }

    /// Takes every second reading out of the tail, in memory and on disk.
    fn thin_tail(&mut self) -> Result<(), RecordError> {
        let thinned = self.tail.block().thinned();
        let mut tail = Tail::default();
        let mut frames = Vec::new();
        for reading in (0..thinned.len()).filter_map(|number| thinned.reading(number)) {
            frames.extend(tail.push(&reading));
        }
        self.folder
            .put("tail", &frames)
            .map_err(|error| self.folder.failed("write", "tail", error))?;
        self.file = tail_file(&self.folder)?;
        self.written = frames.len() as u64;
        self.unwritten.clear();
        self.tail = tail;
        Ok(())
    }

    /// Thins, merges and drops parts until they fit.
    fn shrink(&mut self) -> Result<(), RecordError> {
        for _ in 0..STEPS_MAX {
            let segments: Vec<Segment> = self.parts.iter().map(|part| part.segment).collect();
            let (number, count, block) = match shrink(&segments, self.limit.0) {
                Shrink::Nothing => return Ok(()),
                Shrink::Drop(number) => (number, 1, None),
                Shrink::Thin(number) => (number, 1, self.read_part(number).map(|b| b.thinned())),
                Shrink::Merge(number) => {
                    let both = self.read_part(number).zip(self.read_part(number + 1));
                    (number, 2, both.map(|(one, next)| one.followed_by(next)))
                }
            };
            let new = match block {
                Some(block) => self.packed(&block)?,
                // What cannot be read is of no use to anybody.
                None => None,
            };
            for old in self.parts.splice(number..(number + count).min(segments.len()), new.clone())
            {
                if new.as_ref().is_none_or(|new| new.name != old.name) {
                    let removed = self.folder.part(&old.name).remove();
                    removed.map_err(|error| self.folder.failed("remove", &old.name, error))?;
                }
            }
        }
        Ok(())
    }

    fn read_part(&self, number: usize) -> Option<Block> {
        let part = self.parts.get(number)?;
        let bytes = self.folder.part(&part.name).bytes().ok()??;
        Block::from_bytes(&bytes).ok()
    }
}

fn segment_of(block: &Block) -> Option<Segment> {
    let (first, last) = (block.times().next()?, block.times().last()?);
    Some(Segment { first, last, readings: block.len() as u64, bytes: 0 })
}

fn tail_file(folder: &Folder) -> Result<File, RecordError> {
    let failed = |error| folder.failed("open", "tail", error);
    // Made where it is absent; written at a place afterwards, which a file that is appended to does not allow.
    drop(folder.tail().open(Open::Append).map_err(failed)?);
    folder.tail().open(Open::Store).map_err(failed)
}
