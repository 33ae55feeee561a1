//! The disks of a machine, as its pool is put together from them.

use arcwright_device::{DeviceProfile, SharedDevice};
use arcwright_scenario::{Disk, EngineError, PoolSpec, Role, VdevSpec};
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
    /// Devices in parts, by name.
    pub(crate) shared: Vec<(&'a str, DeviceId)>,
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

impl<'a> Disks<'a> {
    /// Adds a disk.
    pub(crate) fn add(
        &mut self,
        disk: &'a Disk,
        name: String,
        role: Role,
    ) -> Result<Added, EngineError> {
        let what = "no such device profile".to_owned();
        let missing = || EngineError::Failed { what, hint: None };
        let profile = disk.device().ok_or_else(missing)?.scaled(self.scale);
        let size = size_of(disk, &profile);
        let id = LeafId::at(self.leaves.len());
        let on = self.place(disk, &profile, id);
        let part_of = disk.part_of.clone();
        let spec = LeafSpec { name, role, profile: &profile, part_of, size, on };
        let leaf = Leaf::new(spec, &self.settings, self.order);
        self.leaves.push(leaf);
        Ok(Added { leaf: id, size: size.0 })
    }

    /// Gives a disk a device of its own, or the next part of the one that it shares.
    fn place(&mut self, disk: &'a Disk, profile: &DeviceProfile, leaf: LeafId) -> DevicePart {
        let shares = disk.part_of.as_deref();
        let known = shares.and_then(|name| self.shared.iter().find(|(known, _)| *known == name));
        let device = match known {
            Some((_, device)) => *device,
            None => {
                let device = DeviceId::at(self.devices.len());
                let sizes: Vec<Bytes> = match shares {
                    None => vec![size_of(disk, profile)],
                    Some(name) => {
                        self.shared.push((name, device));
                        self.pool.parts_of(name).map(|part| size_of(part, profile)).collect()
                    }
                };
                let seed = self.seed.wrapping_add(u64::from(leaf.0));
                let shared = SharedDevice::new(profile, &sizes, seed);
                self.devices.push(PoolDevice::new(shared, sizes.len()));
                device
            }
        };
        let part = self.devices.get_mut(device.place()).map_or(0, |device| device.add(leaf));
        DevicePart { device, part }
    }

    /// Adds the disks of some top-level vdevs of one kind; returns each with the room in it.
    pub(crate) fn add_vdevs(
        &mut self,
        vdevs: &'a [VdevSpec],
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
