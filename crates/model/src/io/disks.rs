//! The disks of a machine, as its pool is put together from them.

use arcwright_device::{DeviceProfile, SharedDevice};
use arcwright_scenario::{Disk, EngineError, PlaceOnDevice, PoolSpec, Role, VdevSpec};
use arcwright_units::Bytes;

use super::Top;
use crate::ids::{DeviceId, LeafId};
use crate::vdev::device::{DevicePart, PoolDevice};
use crate::vdev::geometry::Shape;
use crate::vdev::leaf::{Leaf, LeafSpec};
use crate::versions::rules::QueueOrder;
use crate::versions::settings::QueueSettings;

/// The smallest vdev that OpenZFS takes.
pub(crate) const DISK_MIN: Bytes = Bytes::mib(64);

/// The disks so far.
pub(crate) struct Disks<'a> {
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) devices: Vec<PoolDevice>,
    /// Where each disk of the pool is.
    pub(crate) places: Vec<PlaceOnDevice>,
    /// The pool that they are for.
    pub(crate) pool: &'a PoolSpec,
    pub(crate) settings: QueueSettings,
    pub(crate) order: QueueOrder,
    /// Disks are of 1/`scale`.
    pub(crate) scale: u64,
    pub(crate) seed: u64,
    pub(crate) ashift: u8,
}

/// A disk that was added, and its size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Added {
    pub(crate) leaf: LeafId,
    pub(crate) size: u64,
}

/// A top-level vdev, and the room in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TopRoom {
    pub(crate) top: Top,
    pub(crate) room: u64,
}

impl Disks<'_> {
    /// Adds a disk.
    pub(crate) fn add(
        &mut self,
        disk: &Disk,
        name: String,
        role: Role,
    ) -> Result<Added, EngineError> {
        let failed = |what: &str| EngineError::Failed { what: what.to_owned(), hint: None };
        let profile = disk.device().ok_or_else(|| failed("no such device profile"))?;
        let profile = profile.scaled(self.scale);
        let size = size_of(disk, &profile);
        let id = LeafId::at(self.leaves.len());
        let on = self.place(disk, &profile).ok_or_else(|| failed("a disk that the pool lacks"))?;
        let part_of = disk.part_of.clone();
        let spec = LeafSpec { name, role, profile: &profile, part_of, size, on };
        let leaf = Leaf::new(spec, &self.settings, self.order);
        self.leaves.push(leaf);
        Ok(Added { leaf: id, size: size.0 })
    }

    /// Puts the next disk on its device, which is made for its first part; none when the pool has no more disks.
    fn place(&mut self, disk: &Disk, profile: &DeviceProfile) -> Option<DevicePart> {
        let leaf = LeafId::at(self.leaves.len());
        let PlaceOnDevice { device, part } = *self.places.get(leaf.place())?;
        if part == 0 {
            let sizes: Vec<Bytes> = match &disk.part_of {
                None => vec![size_of(disk, profile)],
                Some(name) => self.pool.parts_of(name).map(|part| size_of(part, profile)).collect(),
            };
            let seed = self.seed.wrapping_add(u64::from(leaf.0));
            let shared = SharedDevice::new(profile, &sizes, seed);
            self.devices.push(PoolDevice::new(shared, sizes.len()));
        }
        let part = self.devices.get_mut(device)?.add(leaf);
        Some(DevicePart { device: DeviceId::at(device), part })
    }

    /// Adds the disks of some top-level vdevs of one kind; returns each with the room in it.
    pub(crate) fn add_vdevs(
        &mut self,
        vdevs: &[VdevSpec],
        kind: &str,
        role: Role,
    ) -> Result<Vec<TopRoom>, EngineError> {
        let mut tops = Vec::new();
        for (number, vdev) in vdevs.iter().enumerate() {
            let base = LeafId::at(self.leaves.len());
            let mut smallest = u64::MAX;
            for (place, disk) in vdev.disks.iter().enumerate() {
                let added = self.add(disk, format!("{kind}-{number}-{place}"), role)?;
                smallest = smallest.min(added.size);
            }
            let shape = Shape::of(vdev, self.ashift);
            tops.push(TopRoom { top: Top { shape, base }, room: shape.room(smallest) });
        }
        Ok(tops)
    }
}

/// Returns how much of a device is used.
fn size_of(disk: &Disk, profile: &DeviceProfile) -> Bytes {
    disk.size.unwrap_or_else(|| profile.capacity()).max(DISK_MIN)
}
