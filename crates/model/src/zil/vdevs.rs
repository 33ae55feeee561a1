//! Where the intent log lies: on log vdevs in turns, or on a part of the pool's own
//! (docs/model/zil.md#where-the-log-lies; zil.c 0.8 to 2.3).
//!
//! Log vdevs are used while a block fits into what is free on one of them; what does not fit goes to the
//! pool's own, as if there were no log vdev. A block's room on a log vdev is free again two groups after the one
//! that made it unnecessary.
//!
//! A small case: a log of 64 MiB has 14 metaslabs of 4 MiB behind its labels. The 449th block of 128 KiB, with none of them
//! on the disks yet, goes to the pool's own disks.
#![expect(clippy::indexing_slicing, reason = "indices are numbers of the log's vdevs")]

use arcwright_scenario::{DatasetKind, Logbias, SyncMode};
use arcwright_units::Bytes;

use crate::ids::VdevId;
use crate::io::Top;
use crate::io::disks::TopRoom;
use crate::io::place::Place;

/// Where the bits of log vdevs begin in what is to be flushed.
const FLUSH_SHIFT: u32 = 32;
/// Groups after which room that was freed can be used again (`TXG_DEFER_SIZE`).
const DEFERRED: u64 = 2;

/// Which writes wait, and how their data gets into the log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogRules {
    pub(crate) kind: DatasetKind,
    pub(crate) sync: SyncMode,
    pub(crate) logbias: Logbias,
    /// Writes of so much go to their place at once, in a pool without log devices
    /// (`zfs_immediate_write_sz`).
    pub(crate) immediate: u64,
}

/// A volume writes to its place what has at least a block, if its blocks are longer than this
/// (`zvol_immediate_write_sz`).
const VOLUME_BLOCK: u64 = 32 << 10;

impl LogRules {
    /// Says whether a write of `bytes` is long, in blocks of `block` bytes (docs/model/zil.md#volumes).
    pub(crate) fn is_long(&self, bytes: u64, block: u64) -> bool {
        match self.kind {
            DatasetKind::Files => bytes >= self.immediate,
            DatasetKind::Volume => bytes >= block && block > VOLUME_BLOCK,
        }
    }

    /// Says whether every write waits for itself, whatever it asks for; `is_new` from 2.2 on.
    pub(crate) fn always_waits(&self, is_new: bool) -> bool {
        self.sync == SyncMode::Always && (is_new || self.kind == DatasetKind::Volume)
    }
}

/// Bytes that the labels of a vdev take, at its beginning and its end.
const LABELS: u64 = (4 << 20) + (512 << 10);
/// A vdev has at least so many metaslabs (`zfs_vdev_min_ms_count`), and each is a power of two.
const METASLABS_MIN: u64 = 16;
/// The smallest metaslab of a vdev that is large enough (`zfs_vdev_default_ms_shift`).
const METASLAB: u64 = 512 << 20;

/// A vdev that holds log blocks.
#[derive(Debug)]
struct LogVdev {
    top: Top,
    size: u64,
    /// Where the next block lies.
    hand: u64,
    /// What can be allocated, and what of it is taken or not free again yet.
    room: u64,
    taken: u64,
}

impl LogVdev {
    fn new(vdev: TopRoom, hand: u64, room: u64) -> Self {
        Self { top: vdev.top, size: vdev.room, hand, room, taken: 0 }
    }

    fn has_room(&self, size: u64) -> bool {
        self.taken + size <= self.room
    }
}

/// Returns what can be allocated on a log vdev of `size`: whole metaslabs.
fn room_of(size: u64) -> u64 {
    let behind = size.saturating_sub(LABELS);
    let largest = (behind / METASLABS_MIN).max(1);
    // The next power of two above, unless it is one.
    let metaslab = largest.next_power_of_two().min(METASLAB);
    behind / metaslab * metaslab
}

/// Room of a log vdev that comes back when a group is on the disks.
#[derive(Debug)]
struct Freed {
    due: u64,
    vdev: VdevId,
    size: u64,
}

/// Where the log lies.
#[derive(Debug)]
pub(crate) struct LogVdevs {
    /// Log vdevs, then the pool's own.
    vdevs: Vec<LogVdev>,
    /// How many are log vdevs.
    devices: usize,
    /// Which took the last block: of the log vdevs, and of the pool's own.
    turns: [usize; 2],
    freed: Vec<Freed>,
    held: u64,
    held_max: u64,
}

impl LogVdevs {
    /// Makes the log on log vdevs of these sizes, and where they are full on the pool's own, of which `hands`
    /// says where it begins.
    pub(crate) fn new(logs: &[TopRoom], own: &[TopRoom], hands: &[u64]) -> Self {
        let logs = logs.iter().map(|vdev| LogVdev::new(*vdev, 0, room_of(vdev.room)));
        let own = own.iter().zip(hands);
        let own = own.map(|(vdev, hand)| LogVdev::new(*vdev, *hand, u64::MAX));
        let devices = logs.len();
        Self {
            vdevs: logs.chain(own).collect(),
            devices,
            turns: [0; 2],
            freed: Vec::new(),
            held: 0,
            held_max: 0,
        }
    }

    /// Returns whether there are log vdevs, full or not.
    pub(crate) fn has_devices(&self) -> bool {
        self.devices > 0
    }

    /// Returns whether a vdev is a log vdev.
    pub(crate) fn is_device(&self, vdev: VdevId) -> bool {
        vdev.place() < self.devices
    }

    /// Takes room for a log block.
    pub(crate) fn take(&mut self, bytes: u64) -> Place {
        let free = (1..=self.devices).map(|step| (self.turns[0] + step) % self.devices.max(1));
        let fits = |vdev: &usize| {
            let vdev = &self.vdevs[*vdev];
            vdev.has_room(vdev.top.shape.allocated(bytes))
        };
        let number_of_vdev = match free.into_iter().find(fits) {
            Some(device) => {
                self.turns[0] = device;
                device
            }
            None => {
                self.turns[1] = (self.turns[1] + 1) % (self.vdevs.len() - self.devices);
                self.devices + self.turns[1]
            }
        };
        let vdev = &mut self.vdevs[number_of_vdev];
        let size = vdev.top.shape.allocated(bytes);
        if vdev.hand + size > vdev.size {
            vdev.hand = 0;
        }
        let offset = vdev.hand;
        vdev.hand += size;
        vdev.taken += size;
        if number_of_vdev < self.devices {
            self.held += size;
            self.held_max = self.held_max.max(self.held);
        }
        Place { vdev: VdevId::at(number_of_vdev), offset }
    }

    /// A block of `bytes` is not needed any more once `group` is on the disks; its room comes back a few groups
    /// later.
    pub(crate) fn free(&mut self, vdev: VdevId, bytes: u64, txg: u64) {
        let size = self.vdevs[vdev.place()].top.shape.allocated(bytes);
        if self.is_device(vdev) {
            self.held -= size;
        }
        self.freed.push(Freed { due: txg + DEFERRED, vdev, size });
    }

    /// A group is on the disks: what was freed long enough ago can be taken again.
    pub(crate) fn end_txg(&mut self, txg: u64) {
        for freed in self.freed.extract_if(.., |freed| freed.due <= txg) {
            self.vdevs[freed.vdev.place()].taken -= freed.size;
        }
    }

    /// Returns one of its vdevs.
    pub(crate) fn top(&self, vdev: VdevId) -> Top {
        self.vdevs[vdev.place()].top
    }

    /// Returns the bit that stands for one of its vdevs in what is to be flushed: those of the pool's own come
    /// first, as they count there.
    pub(crate) fn flush_bit(&self, vdev: VdevId) -> u64 {
        match vdev.without(self.devices) {
            Some(own) => 1 << own.0,
            None => 1 << (FLUSH_SHIFT + vdev.0),
        }
    }

    /// Returns the log vdev that a place among those bits stands for; none for the pool's own.
    pub(crate) fn of_flush(&self, place: u32) -> Option<Top> {
        Some(self.top(VdevId(place.checked_sub(FLUSH_SHIFT)?)))
    }

    /// Returns the most that was held on log vdevs since the last call.
    pub(crate) fn held_max(&mut self) -> Option<Bytes> {
        let held_max = std::mem::replace(&mut self.held_max, self.held);
        self.has_devices().then_some(Bytes(held_max))
    }
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::{DatasetKind, Logbias, SyncMode};

    use super::{LogRules, room_of};

    #[test]
    fn a_volume_is_long_by_its_blocks() {
        let check = |kind, kib: u64, block_kib: u64, expected: bool| {
            let (sync, logbias) = (SyncMode::Always, Logbias::Latency);
            let rules = LogRules { kind, sync, logbias, immediate: 32 << 10 };
            assert_eq!(rules.is_long(kib << 10, block_kib << 10), expected, "{kind:?} {kib}");
        };
        check(DatasetKind::Files, 64, 16, true);
        check(DatasetKind::Files, 16, 16, false);
        check(DatasetKind::Volume, 64, 16, false);
        check(DatasetKind::Volume, 64, 32, false);
        check(DatasetKind::Volume, 64, 64, true);
        check(DatasetKind::Volume, 32, 64, false);
    }

    #[test]
    fn every_write_of_a_volume_waits_for_itself_with_sync_always() {
        let check = |kind, sync, is_new: bool, expected: bool| {
            let rules = LogRules { kind, sync, logbias: Logbias::Latency, immediate: 0 };
            assert_eq!(rules.always_waits(is_new), expected, "{kind:?} {sync:?} {is_new}");
        };
        check(DatasetKind::Files, SyncMode::Always, false, false);
        check(DatasetKind::Files, SyncMode::Always, true, true);
        check(DatasetKind::Volume, SyncMode::Always, false, true);
        check(DatasetKind::Volume, SyncMode::Standard, false, false);
    }

    #[test]
    fn a_log_vdev_has_whole_metaslabs_behind_its_labels() {
        let check =
            |mib: u64, expected: u64| assert_eq!(room_of(mib << 20), expected << 20, "{mib}");
        check(64, 56);
        check(256, 240);
        check(16 << 10, 31 << 9);
    }
}
