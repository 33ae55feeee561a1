//! Emulated disks: contents in memory, speed from a device model, and what of them survives a crash.
//!
//! Disks know the scheduler, which their requests wait in, and nothing of who calls them. Their
//! events reach it through its port, [`EventSource`].

mod disk;
mod durable;
#[expect(unsafe_code, reason = "maps a disk's contents into memory")]
mod mapping;
mod queue;

use std::ops::Deref;
use std::path::PathBuf;

use arcwright_device::DeviceProfile;
use arcwright_scenario::Role;
use arcwright_units::{Bytes, Nanos};

use crate::schedule::{EventSource, ThreadId};

pub(crate) use disk::EmulatedDisk;

/// Which contents a disk starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Those of the file at its path, which is never changed.
    PrivateCopy,
    /// Those of the file at its path, which keeps what is stable: a crash may come.
    Durable,
    /// Zeroes.
    Empty,
}

/// What a disk is made of.
#[derive(Debug, Clone)]
pub(crate) struct DiskSpec {
    /// Its number among the disks of the pool.
    pub(crate) number: usize,
    /// Its name.
    pub(crate) name: String,
    /// Its role.
    pub(crate) role: Role,
    /// The vdev file, already of the disk's size.
    pub(crate) path: PathBuf,
    /// Its size.
    pub(crate) size: Bytes,
    /// How fast it is, after scaling.
    pub(crate) profile: DeviceProfile,
    /// What is on it.
    pub(crate) contents: Contents,
    /// Seed of its random streams.
    pub(crate) seed: u64,
}

/// The disks of a pool, in the order of their numbers.
#[derive(Debug)]
pub(crate) struct Disks(Vec<EmulatedDisk>);

impl Disks {
    pub(crate) const fn none() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn new(disks: Vec<EmulatedDisk>) -> Self {
        Self(disks)
    }

    /// From now on requests of all disks take time and are counted.
    pub(crate) fn arm(&self) {
        self.iter().for_each(EmulatedDisk::arm);
    }
}

impl Deref for Disks {
    type Target = [EmulatedDisk];

    fn deref(&self) -> &[EmulatedDisk] {
        &self.0
    }
}

impl EventSource for Disks {
    fn count(&self) -> usize {
        self.len()
    }

    fn next_event(&self, number: usize) -> Option<Nanos> {
        self.get(number)?.next_event()
    }

    fn advance(&self, number: usize, instant: Nanos, ready: &mut Vec<(ThreadId, Nanos)>) {
        if let Some(disk) = self.get(number) {
            disk.advance_to(instant, ready);
        }
    }
}
