//! The outstanding-I/O slots of a client: as many requests as it keeps under way, out of one sequence.
//!
//! Each slot is a thread with one request at a time; the first that is free takes the next. With a
//! depth of one there is one slot.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Access, Accesses, Client, Stream, Waits, Wire};

use super::contents::{fill, shorten};
use crate::LabError;
use crate::zpool::file::OpenFile;

/// What a client's file says of what is written to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct WrittenContents {
    /// Every write waits, as the dataset's `sync` says.
    pub(super) is_always_synced: bool,
    /// What LZ4 makes of it, in hundredths.
    pub(super) percent: Option<u32>,
}

/// What the slots of one client share.
pub(super) struct IoSlots<'a> {
    /// The client.
    pub(super) client: &'a Client,
    files: Vec<&'a dyn OpenFile>,
    contents: WrittenContents,
    accesses: Mutex<Accesses>,
    wire: Mutex<Wire>,
    moved: AtomicU64,
    seed: u64,
}

impl<'a> IoSlots<'a> {
    /// Returns the slots of `client` on its open files.
    pub(super) fn new(
        client: &'a Client,
        files: Vec<&'a dyn OpenFile>,
        contents: WrittenContents,
        accesses: Accesses,
        seed: u64,
    ) -> Self {
        let (accesses, wire) = (Mutex::new(accesses), Mutex::new(Wire::new(client.link)));
        Self { client, files, contents, accesses, wire, moved: AtomicU64::new(0), seed }
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
            shorten(&mut buffer, self.contents.percent);
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
        if access.write {
            file.write_and_wait(access.offset, buffer, access.waits)
        } else {
            file.read(access.offset, buffer)
        }
    }

    /// Waits, after a request that asks for it, until all of its file is stable.
    pub(super) fn finish(&self, access: &Access) {
        if let (Waits::Fsync, Some(file)) = (access.waits, self.files.get(access.file as usize)) {
            file.fsync();
        }
    }

    /// Returns whether a request asks for stable storage, by itself or by the dataset's `sync`.
    pub(super) fn waits(&self, access: &Access) -> bool {
        access.waits != Waits::No || (access.write && self.contents.is_always_synced)
    }

    /// Returns when a request of `size` that is done at `now` is through the client's link.
    pub(super) fn through_link(&self, size: Bytes, now: Nanos) -> Nanos {
        self.wire.lock().unwrap_or_else(PoisonError::into_inner).carry(size, now)
    }

    /// Notes what has been moved; returns how much all slots have.
    pub(super) fn note(&self, size: Bytes) -> Bytes {
        Bytes(self.moved.fetch_add(size.0, Ordering::Relaxed) + size.0)
    }
}
