//! The lanes of a client: as many requests as it keeps under way, out of one sequence.
//!
//! Each lane is a thread with one request at a time; whoever is free takes the next. With a depth of
//! one there is one lane.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use arcwright_units::Bytes;
use arcwright_workload::{Access, Accesses, Client, Stream, Waits};

use crate::LabError;
use crate::zpool::intent_log::{IntentLog, LoggedFile};
use crate::zpool::object::Object;

/// What the lanes of one client share.
#[derive(Debug)]
pub(super) struct Lanes<'a> {
    /// The client.
    pub(super) client: &'a Client,
    files: Vec<OpenFile<'a>>,
    log: Option<&'a IntentLog>,
    accesses: Mutex<Accesses>,
    moved: AtomicU64,
    seed: u64,
}

/// A file as a client has it open.
#[derive(Debug, Clone, Copy)]
pub(super) enum OpenFile<'a> {
    /// Nobody writes in this run.
    Plain(Object<'a>),
    /// It may be written, by this client or another.
    Logged(LoggedFile<'a>),
}

impl<'a> Lanes<'a> {
    /// Returns the lanes of `client` on its open files.
    pub(super) fn new(
        client: &'a Client,
        files: Vec<OpenFile<'a>>,
        log: Option<&'a IntentLog>,
        (accesses, seed): (Accesses, u64),
    ) -> Self {
        let (accesses, moved) = (Mutex::new(accesses), AtomicU64::new(0));
        Self { client, files, log, accesses, moved, seed }
    }

    /// Takes the next request.
    pub(super) fn take(&self) -> Option<Access> {
        self.accesses.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    /// Returns room for one request; what is written from it is shortened by no compression.
    pub(super) fn buffer(&self) -> Vec<u8> {
        let size = self.client.io_max.unwrap_or(self.client.io).max(self.client.io);
        let mut buffer = vec![0u8; usize::try_from(size.0).unwrap_or(0)];
        if self.client.action.writes() {
            fill(&mut buffer, &mut Stream::new(self.seed, "written contents"));
        }
        buffer
    }

    /// Carries out one request from or into `buffer`.
    ///
    /// # Errors
    /// [`LabError::Zfs`] when OpenZFS refuses it.
    pub(super) fn perform(&self, access: &Access, buffer: &mut [u8]) -> Result<(), LabError> {
        let gone = || LabError::Worker { what: "has a client without a file".to_owned() };
        let file = self.files.get(access.file as usize).ok_or_else(gone)?;
        match (file, access.write) {
            (OpenFile::Plain(object), false) => object.read(access.offset, buffer),
            (OpenFile::Plain(object), true) => object.write(access.offset, buffer),
            (OpenFile::Logged(file), false) => file.read(access.offset, buffer),
            (OpenFile::Logged(file), true) => file.write(access.offset, buffer, access.waits),
        }
    }

    /// Waits, after a request that asks for it, until all of its file is stable.
    pub(super) fn finish(&self, access: &Access) {
        if let (Waits::Fsync, Some(OpenFile::Logged(file))) =
            (access.waits, self.files.get(access.file as usize))
        {
            file.fsync();
        }
    }

    /// Returns whether a request asks for stable storage, by itself or by the dataset's `sync`.
    pub(super) fn waits(&self, access: &Access) -> bool {
        let always = self.log.is_some_and(IntentLog::is_always);
        access.waits != Waits::No || (access.write && always)
    }

    /// Notes what has been moved; returns how much all lanes have.
    pub(super) fn note(&self, size: Bytes) -> Bytes {
        Bytes(self.moved.fetch_add(size.0, Ordering::Relaxed) + size.0)
    }
}

/// Fills a buffer with bytes that no compression shortens.
pub(super) fn fill(buffer: &mut [u8], random: &mut Stream) {
    for word in buffer.chunks_mut(size_of::<u64>()) {
        let bytes = random.next_u64().to_le_bytes();
        for (place, byte) in word.iter_mut().zip(bytes) {
            *place = byte;
        }
    }
}
