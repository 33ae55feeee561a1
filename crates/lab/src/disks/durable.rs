//! What of a disk survives a loss of power.
//!
//! A write that is done is in the drive's buffer. With power-loss protection that is enough; without
//! it, only a flush that began after the write was done makes it stable. Everything else is lost, the
//! hard case: a real drive would have written some of it. What is stable goes to the disk's file.

use std::collections::VecDeque;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::DiskSpec;
use crate::LabError;

/// The part of a disk that survives, in its file.
#[derive(Debug)]
pub(super) struct DurableImage {
    file: File,
    is_protected: bool,
    buffer: Mutex<Buffer>,
}

/// Writes that are done and not stable yet, in their order.
#[derive(Debug, Default)]
struct Buffer {
    writes: VecDeque<(u64, Vec<u8>)>,
    /// How many have left it.
    left: u64,
}

impl DurableImage {
    /// Opens the disk's file for what becomes stable.
    ///
    /// # Errors
    /// [`LabError::Disk`] when it cannot be written.
    pub(super) fn new(spec: &DiskSpec) -> Result<Self, LabError> {
        let failed = |error: std::io::Error| LabError::Disk {
            path: spec.path.clone(),
            reason: error.to_string(),
        };
        let file = File::options().write(true).open(&spec.path).map_err(failed)?;
        let is_protected = spec.profile.is_power_loss_protected();
        Ok(Self { file, is_protected, buffer: Mutex::default() })
    }

    /// Takes note of a write that is done; before the disk is armed, it is stable at once.
    pub(super) fn written(&self, offset: u64, source: &[u8], is_armed: bool) {
        if self.is_protected || !is_armed {
            self.keep(offset, source);
        } else {
            self.lock().writes.push_back((offset, source.to_vec()));
        }
    }

    /// Returns which writes a flush that begins now makes stable: all before this number.
    pub(super) fn mark(&self) -> u64 {
        let buffer = self.lock();
        buffer.left + buffer.writes.len() as u64
    }

    /// Makes all writes before `mark` stable.
    pub(super) fn flushed(&self, mark: u64) {
        let mut buffer = self.lock();
        while buffer.left < mark
            && let Some((offset, bytes)) = buffer.writes.pop_front()
        {
            buffer.left += 1;
            self.keep(offset, &bytes);
        }
    }

    fn keep(&self, offset: u64, bytes: &[u8]) {
        // The file is a scratch file of this run; when it cannot be written, what was to be kept is
        // missing afterwards, and the test says so.
        let _written = self.file.write_all_at(bytes, offset);
    }

    fn lock(&self) -> MutexGuard<'_, Buffer> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
