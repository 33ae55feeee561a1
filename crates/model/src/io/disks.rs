//! The disks of a machine, as its pool is put together from them.

use arcwright_scenario::{Disk, EngineError, Role, VdevSpec};
use arcwright_units::Bytes;

use super::Top;
use crate::ids::LeafId;
use crate::vdev::geometry::Shape;
use crate::vdev::leaf::{Leaf, LeafSpec};
use crate::versions::rules::QueueOrder;
use crate::versions::settings::QueueSettings;

/// The smallest vdev that OpenZFS takes.
pub(crate) const DISK_MIN: Bytes = Bytes::mib(64);

/// The disks so far.
pub(crate) struct Disks {
    pub(crate) leaves: Vec<Leaf>,
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

impl Disks {
    /// Adds a disk.
    pub(crate) fn add(
        &mut self,
        disk: &Disk,
        name: String,
        role: Role,
    ) -> Result<Added, EngineError> {
        let what = "no such device profile".to_owned();
        let missing = || EngineError::Failed { what, hint: None };
        let profile = disk.device().ok_or_else(missing)?.scaled(self.scale);
        let size = disk.size.unwrap_or_else(|| profile.capacity()).max(DISK_MIN);
        let id = LeafId::at(self.leaves.len());
        let seed = self.seed.wrapping_add(u64::from(id.0));
        let spec = LeafSpec { name, role, profile: &profile, size, seed };
        let leaf = Leaf::new(spec, &self.settings, self.order);
        self.leaves.push(leaf);
        Ok(Added { leaf: id, size: size.0 })
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
