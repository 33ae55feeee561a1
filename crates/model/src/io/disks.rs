//! The disks of a machine, as its pool is put together from them.

use arcwright_device::{DeviceGroup, DeviceProfile, DeviceSpan, GroupMember};
use arcwright_scenario::{Disk, EngineError, LinkSpec, PlaceInGroup, PoolSpec, Role, VdevSpec};
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
    pub(crate) places: Vec<PlaceInGroup>,
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
        let on = self.place(disk).ok_or_else(|| failed("a disk that the pool lacks"))?;
        let part_of = disk.part_of.clone();
        let link = disk.link.as_ref().map(|link| link.name.clone());
        let spec = LeafSpec { name, role, profile: &profile, part_of, link, size, on };
        let leaf = Leaf::new(spec, &self.settings, self.order);
        self.leaves.push(leaf);
        Ok(Added { leaf: id, size: size.0 })
    }

    /// Puts the next disk into its group, which is made for its first member; none when the pool has no more disks.
    fn place(&mut self, disk: &Disk) -> Option<DevicePart> {
        let leaf = LeafId::at(self.leaves.len());
        let PlaceInGroup { group, member } = *self.places.get(leaf.place())?;
        if member == 0 {
            let made = self.group(group, disk.link.as_ref())?;
            self.devices.push(made);
        }
        let part = self.devices.get_mut(group)?.add(leaf);
        Some(DevicePart { device: DeviceId::at(group), part })
    }

    /// Makes a group of disks, behind a link if there is one.
    fn group(&self, group: usize, link: Option<&LinkSpec>) -> Option<PoolDevice> {
        let all = self.pool.disks().zip(&self.places).zip(0u64..);
        let own = all.filter(|((_, place), _)| place.group == group);
        let own =
            own.map(|((disk, _), number)| Some((disk, disk.device()?.scaled(self.scale), number)));
        let own: Vec<(&Disk, DeviceProfile, u64)> = own.collect::<Option<_>>()?;
        let members: Vec<GroupMember<'_>> = own
            .iter()
            .map(|(disk, profile, number)| GroupMember {
                profile,
                span: DeviceSpan { before: disk.taken, size: size_of(disk, profile) },
                part_of: disk.part_of.as_deref(),
                seed: self.seed.wrapping_add(*number),
            })
            .collect();
        let link = link.map(|link| link.scaled(self.scale));
        Some(PoolDevice::new(DeviceGroup::new(&members, link)?, members.len()))
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
