//! Emulated disks: contents in memory, speed from a device model, and what of them survives a crash.
//!
//! Disks know the scheduler, which their requests wait in, and nothing of who calls them. Their
//! events reach it through its port, [`EventSource`].

mod device;
mod disk;
mod durable;
#[expect(unsafe_code, reason = "maps a disk's contents into memory")]
mod mapping;
mod queue;

use std::iter;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use arcwright_device::DeviceProfile;
use arcwright_scenario::Role;
use arcwright_units::{Bytes, Nanos};

use crate::LabError;
use crate::schedule::{EventSource, ThreadId};

use device::EmulatedDevice;
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
    /// The device of which it is a part, where several disks share one.
    pub(crate) part_of: Option<String>,
    /// What is on it.
    pub(crate) contents: Contents,
    /// Seed of its random streams.
    pub(crate) seed: u64,
}

impl DiskSpec {
    /// Returns whether both are parts of one device.
    fn shares_with(&self, other: &Self) -> bool {
        self.part_of.is_some() && self.part_of == other.part_of
    }
}

/// The disks of a pool, and the devices that they are on.
#[derive(Debug)]
pub(crate) struct Disks {
    disks: Vec<EmulatedDisk>,
    devices: Vec<Arc<EmulatedDevice>>,
}

impl Disks {
    pub(crate) const fn none() -> Self {
        Self { disks: Vec::new(), devices: Vec::new() }
    }

    /// Makes the disks of a pool; those that are parts of one device share it, in this order.
    ///
    /// # Errors
    /// [`LabError`] when a file cannot be opened or mapped.
    pub(crate) fn new(specs: Vec<DiskSpec>) -> Result<Self, LabError> {
        let mut devices = Vec::new();
        let mut places: Vec<(Arc<EmulatedDevice>, usize)> = Vec::new();
        for (number, spec) in specs.iter().enumerate() {
            let mut before = specs.iter().zip(&places).filter(|(other, _)| spec.shares_with(other));
            let place = match before.next_back() {
                Some((_, (device, part))) => (Arc::clone(device), part + 1),
                None => {
                    let others = specs.iter().skip(number + 1);
                    let others = others.filter(|other| spec.shares_with(other));
                    let sizes: Vec<Bytes> =
                        iter::once(spec).chain(others).map(|it| it.size).collect();
                    let device = Arc::new(EmulatedDevice::new(devices.len(), spec, &sizes));
                    devices.push(Arc::clone(&device));
                    (device, 0)
                }
            };
            places.push(place);
        }
        let disks = specs.into_iter().zip(places);
        let disks = disks.map(|(spec, (device, part))| EmulatedDisk::new(spec, device, part));
        Ok(Self { disks: disks.collect::<Result<_, _>>()?, devices })
    }

    /// From now on requests of all disks take time and are counted.
    pub(crate) fn arm(&self) {
        self.iter().for_each(EmulatedDisk::arm);
    }
}

impl Deref for Disks {
    type Target = [EmulatedDisk];

    fn deref(&self) -> &[EmulatedDisk] {
        &self.disks
    }
}

impl EventSource for Disks {
    fn count(&self) -> usize {
        self.devices.len()
    }

    fn next_event(&self, number: usize) -> Option<Nanos> {
        self.devices.get(number)?.next_event()
    }

    fn advance(&self, number: usize, instant: Nanos, ready: &mut Vec<(ThreadId, Nanos)>) {
        if let Some(device) = self.devices.get(number) {
            device.advance_to(instant, ready);
        }
    }
}
