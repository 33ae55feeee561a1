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

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use arcwright_device::{DeviceProfile, DeviceSpan, GroupMember};
use arcwright_scenario::{LinkSpec, PlaceInGroup, Role};
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
    /// What lies in front of it on its device.
    pub(crate) taken: Bytes,
    /// How fast it is, after scaling.
    pub(crate) profile: DeviceProfile,
    /// Where it is; groups are numbered in the order of their first disks.
    pub(crate) on: PlaceInGroup,
    /// The device of which it is a part, where several disks share one.
    pub(crate) part_of: Option<String>,
    /// The link that its group is behind.
    pub(crate) link: Option<LinkSpec>,
    /// By how much links are slower than at full scale.
    pub(crate) scale: u64,
    /// What is on it.
    pub(crate) contents: Contents,
    /// Seed of its random streams.
    pub(crate) seed: u64,
}

impl DiskSpec {
    /// Returns what its group needs to know.
    fn member(&self) -> GroupMember<'_> {
        let Self { profile, size, taken, seed, .. } = self;
        let span = DeviceSpan { before: *taken, size: *size };
        GroupMember { profile, span, part_of: self.part_of.as_deref(), seed: *seed }
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

    /// Makes the disks of a pool; those that are parts of one device, or behind one link, share it in this order.
    ///
    /// # Errors
    /// [`LabError`] when a file cannot be opened or mapped.
    pub(crate) fn new(specs: Vec<DiskSpec>) -> Result<Self, LabError> {
        let group = |group: usize| specs.iter().filter(move |spec| spec.on.group == group);
        let firsts = specs.iter().filter(|spec| spec.on.member == 0);
        let devices = firsts.map(|first| {
            let members: Vec<GroupMember<'_>> =
                group(first.on.group).map(DiskSpec::member).collect();
            EmulatedDevice::new(first, &members).map(Arc::new)
        });
        let gone = || LabError::Worker { what: "has a disk without a device".to_owned() };
        let devices: Vec<Arc<EmulatedDevice>> = devices.collect::<Option<_>>().ok_or_else(gone)?;
        let mut disks = Vec::new();
        for spec in specs {
            let device = devices.get(spec.on.group).ok_or_else(gone)?;
            disks.push(EmulatedDisk::new(spec, Arc::clone(device))?);
        }
        Ok(Self { disks, devices })
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
