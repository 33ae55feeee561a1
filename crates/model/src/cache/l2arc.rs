//! The L2ARC: rings on cache devices and the thread that feeds them (docs/model/l2arc.md; arc.c 0.6 to
//! 2.4).
//!
//! Every pass takes one cache device, makes room ahead of its hand, and writes what it finds on one
//! random sublist each of MFU metadata, MRU metadata, MFU data and MRU data: from the head while memory
//! was never short, only so far (headroom), only blocks that are eligible and not there yet, until the
//! pass is full. A pass that wrote more than half of what it might comes again after 200 ms, else
//! after a second. Nothing is moved or refreshed by reads: the device is a ring.
#![expect(clippy::indexing_slicing, reason = "indices are block and device numbers")]

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;

use std::collections::VecDeque;
use std::iter;

use arcwright_units::Nanos;
use arcwright_workload::Stream;

use super::arc::{ArcCache, Cell, HAS_L2, IN_FLIGHT, Kind, L2CACHE, State};
use crate::ids::{BlockId, LeafId, VdevId, number_of};
use crate::io::place::{Packed, Place};
use crate::versions::behaviour::Behaviour;
use crate::versions::settings::L2arcSettings;
use crate::versions::ticks::{Sleep, Ticks};

/// Bytes before the first block: labels, boot area, device header
/// (docs/model/l2arc.md#device-state).
const START: u64 = (4 << 20) + 4096;
/// Bytes of the two labels behind everything, and what a device's size is a multiple of (`vdev_open`, vdev.c).
const LABELS: u64 = 512 << 10;
const LABEL: u64 = 256 << 10;
/// A device that ends before this keeps no log blocks (`l2arc_rebuild_blocks_min_l2size`).
const LOG_DEVICE_MIN: u64 = 1 << 30;
/// What a device takes at least.
const SECTOR: u64 = 4096;
/// Bytes of a log block before compression.
const LOG_BLOCK: u64 = 64 << 10;

/// The lists of a pass, in their order.
const FEED_LISTS: [(State, Kind); 4] = [
    (State::Mfu, Kind::Metadata),
    (State::Mru, Kind::Metadata),
    (State::Mfu, Kind::Data),
    (State::Mru, Kind::Data),
];

/// A block on a cache device.
#[derive(Debug, Clone, Copy)]
struct Resident {
    offset: u64,
    block: BlockId,
}

/// A cache device.
#[derive(Debug)]
struct Device {
    leaf: LeafId,
    end: u64,
    hand: u64,
    /// Still in the first sweep, in which nothing is overwritten.
    first: bool,
    log_entries: u64,
    residents: VecDeque<Resident>,
}

/// One pass of the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pass {
    pub(crate) leaf: LeafId,
    pub(crate) writes: Vec<PassWrite>,
    target: u64,
    /// What it writes takes on the device.
    wrote: u64,
    began: Nanos,
}

/// A block that a pass writes, and where on its device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PassWrite {
    pub(crate) block: BlockId,
    pub(crate) offset: u64,
}

/// What a pass writes, and what that takes on the device.
struct Chosen {
    writes: Vec<PassWrite>,
    bytes: u64,
}

/// Where a block is that the L2ARC has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OnDevice {
    pub(crate) leaf: LeafId,
    pub(crate) offset: u64,
}

/// The cache devices of the pool.
#[derive(Debug)]
pub(crate) struct L2arc {
    settings: L2arcSettings,
    /// Whether what is needed to restore it is written as well (2.0 and later).
    keeps_log: bool,
    /// Whether a pass's target holds the log blocks (2.1.13, 2.2 and later).
    counts_log: bool,
    /// Whether a pass writes at most a quarter of the device (2.2.3 and later).
    is_capped: bool,
    ticks: Ticks,
    devices: Vec<Device>,
    turn: usize,
    rng: Stream,
    /// How many blocks there are.
    blocks: usize,
    /// The device and offset of each block, if it has one; empty without cache devices.
    places: Vec<Packed>,
    pub(crate) feeds: u64,
    pub(crate) writes_sent: u64,
    pub(crate) write_bytes: u64,
    pub(crate) evict_l1cached: u64,
    pub(crate) abort_lowmem: u64,
}

impl L2arc {
    pub(crate) fn new(
        blocks: usize,
        settings: L2arcSettings,
        behaviour: Behaviour,
        rng: Stream,
    ) -> Self {
        Self {
            settings,
            keeps_log: behaviour.l2arc.keeps_log,
            counts_log: behaviour.l2arc.feed_counts_log,
            is_capped: behaviour.l2arc.feed_is_capped,
            ticks: behaviour.ticks,
            devices: Vec::new(),
            turn: 0,
            rng,
            blocks,
            places: Vec::new(),
            feeds: 0,
            writes_sent: 0,
            write_bytes: 0,
            evict_l1cached: 0,
            abort_lowmem: 0,
        }
    }

    pub(crate) fn add(&mut self, leaf: LeafId, size: u64) {
        let end = (size / LABEL * LABEL).saturating_sub(LABELS).max(START);
        let keeps_log = self.keeps_log && end >= LOG_DEVICE_MIN;
        let entries = if keeps_log { ((end - START) >> 24).min(1022) } else { 0 };
        self.places.resize(self.blocks, Packed::default());
        self.devices.push(Device {
            leaf,
            end,
            hand: START,
            first: true,
            log_entries: entries,
            residents: VecDeque::new(),
        });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.devices.is_empty()
    }

    /// Returns where a block is that the L2ARC has.
    pub(crate) fn place(&self, block: BlockId) -> Option<OnDevice> {
        let Place { vdev, offset } = self.places[block.place()].place();
        self.devices.get(vdev.place()).map(|device| OnDevice { leaf: device.leaf, offset })
    }

    /// Forgets a block that was changed; its room comes back when the ring comes to it.
    pub(crate) fn forget(&mut self, block: BlockId, arc: &mut ArcCache) {
        if arc.cell(block).is(HAS_L2) {
            arc.drop_l2(block);
            self.places[block.place()] = Packed::NOWHERE;
        }
    }

    /// Does one pass up to the writes; none when the pass was skipped.
    pub(crate) fn feed(&mut self, arc: &mut ArcCache, now: Nanos) -> Option<Pass> {
        self.turn = (self.turn + 1) % self.devices.len();
        let limit = arc.target.c_max / 100 * self.settings.meta_percent;
        if arc.l2_header_size() > limit {
            self.abort_lowmem += 1;
            return None;
        }
        self.feeds += 1;
        let target = self.target();
        self.make_room(arc, target);
        let Chosen { writes, bytes: wrote } = self.choose(arc, target);
        let bytes: u64 = writes.iter().map(|write| arc.bytes_once(write.block)).sum();
        if !writes.is_empty() {
            self.writes_sent += 1;
            self.write_bytes += bytes;
        }
        Some(Pass { leaf: self.devices[self.turn].leaf, writes, target, wrote, began: now })
    }

    /// A pass's writes are done; returns when the next pass begins (docs/model/l2arc.md#feed-pace;
    /// `l2arc_write_interval`).
    pub(crate) fn finish(&self, arc: &mut ArcCache, pass: &Pass, now: Nanos) -> Nanos {
        for write in &pass.writes {
            arc.end_l2_write(write.block);
        }
        let again = self.settings.feed_again && pass.wrote > pass.target / 2;
        let interval = if again {
            Nanos::millis(self.settings.feed_min_ms)
        } else {
            Nanos::secs(self.settings.feed_secs)
        };
        self.ticks.wakes_at(Sleep { began: pass.began, now, span: interval })
    }

    /// Returns when to look again after a pass that was skipped.
    pub(crate) fn retry(&self, now: Nanos) -> Nanos {
        self.ticks.wakes_at(Sleep { began: now, now, span: Nanos::SECOND })
    }

    fn target(&self) -> u64 {
        let device = &self.devices[self.turn];
        // Memory pressure, which would end the boost, does not occur in the model.
        let mut size = self.settings.write_max + self.settings.write_boost;
        if self.counts_log {
            size += device.log_overhead(size);
        }
        if self.is_capped {
            size = size.min((device.end - START) / 4).next_multiple_of(SECTOR);
        }
        size
    }

    /// Drops what lies in the way of the next `target` bytes; wraps at the end of the device.
    fn make_room(&mut self, arc: &mut ArcCache, target: u64) {
        let (turn, places) = (self.turn, &self.places);
        let vdev = VdevId::at(turn);
        let is_here = |resident: &Resident| {
            let place = places[resident.block.place()];
            !place.is_nowhere() && place.place() == Place { vdev, offset: resident.offset }
        };
        let device = &mut self.devices[turn];
        let target = if self.counts_log { target } else { target + device.log_overhead(target) };
        let wraps = device.hand + target > device.end;
        if !device.first {
            let to = if wraps { device.end } else { device.hand + target };
            self.evict_l1cached += device.drop_until(to, arc, &is_here);
        }
        if wraps {
            device.hand = START;
            device.first = false;
            self.evict_l1cached += device.drop_until(START + target, arc, &is_here);
        }
    }

    /// Returns the blocks of a pass with their places, and what they take on the device: from each list what is
    /// eligible near its head, until one block has no room left.
    fn choose(&mut self, arc: &mut ArcCache, target: u64) -> Chosen {
        let budget = target.saturating_sub(if self.counts_log { LOG_BLOCK } else { 0 });
        let depth = target * self.settings.headroom * self.settings.headroom_boost / 100;
        let (mut chosen, mut left, mut is_full) = (Vec::new(), budget, false);
        for (state, kind) in FEED_LISTS {
            if is_full || !self.feeds_from(state, kind) {
                continue;
            }
            let sublist = number_of(self.rng.below(u64::from(arc.lists.sublists())));
            let head = arc.lists.head(ArcCache::list(state, kind), sublist);
            let blocks = iter::successors(head, |block| arc.lists.after(*block));
            let near = blocks.scan(0, |seen, block| {
                let cell = arc.cell(block);
                *seen += arc.bytes_once(block);
                (depth == 0 || *seen <= depth).then_some((block, cell))
            });
            let sizes = near.filter(|(_, cell)| is_eligible(cell)).map(|(block, _)| {
                let bytes = arc.bytes_once(block).next_multiple_of(SECTOR);
                (block, bytes)
            });
            let fitting = sizes.map_while(|(block, bytes)| {
                let rest = left.checked_sub(bytes);
                is_full = rest.is_none();
                left = rest?;
                Some((block, bytes))
            });
            chosen.extend(fitting);
        }
        let placed = chosen.into_iter().map(|(block, bytes)| {
            let offset = self.admit(arc, block, bytes);
            PassWrite { block, offset }
        });
        Chosen { writes: placed.collect(), bytes: budget - left }
    }

    /// Says whether `l2arc_mfuonly` lets a list be fed from.
    fn feeds_from(&self, state: State, kind: Kind) -> bool {
        match self.settings.mfuonly {
            0 => true,
            1 => state == State::Mfu,
            _ => state == State::Mfu || kind == Kind::Metadata,
        }
    }

    fn admit(&mut self, arc: &mut ArcCache, block: BlockId, size: u64) -> u64 {
        let device = &mut self.devices[self.turn];
        let offset = device.hand;
        device.hand += size;
        device.residents.push_back(Resident { offset, block });
        let vdev = VdevId::at(self.turn);
        self.places[block.place()] = Packed::new(Place { vdev, offset });
        arc.begin_l2_write(block);
        offset
    }

    /// Returns the bytes that live on the devices, for the kstats.
    pub(crate) fn resident_bytes(&self, arc: &ArcCache) -> u64 {
        let all = self.devices.iter().flat_map(|device| &device.residents);
        let all = all.filter(|resident| arc.cell(resident.block).is(HAS_L2));
        all.map(|resident| arc.bytes_once(resident.block)).sum()
    }
}

/// Says whether a pass may write a block: it may go to the L2ARC, is not there yet, and has its data.
fn is_eligible(cell: &Cell) -> bool {
    cell.is(L2CACHE) && !cell.is(HAS_L2) && !cell.is(IN_FLIGHT)
}

impl Device {
    /// Returns the bytes of the log blocks that `size` bytes of the smallest blocks would need.
    fn log_overhead(&self, size: u64) -> u64 {
        match self.log_entries {
            0 => 0,
            entries => (size / 512).div_ceil(entries) * LOG_BLOCK,
        }
    }

    /// Drops residents from the hand to `to`; returns how many were in memory as well. Blocks that were
    /// changed since are not here any more.
    fn drop_until(
        &mut self,
        to: u64,
        arc: &mut ArcCache,
        is_here: &dyn Fn(&Resident) -> bool,
    ) -> u64 {
        let mut cached = 0;
        while let Some(oldest) = self.residents.front().copied() {
            if oldest.offset < self.hand || oldest.offset >= to {
                break;
            }
            self.residents.pop_front();
            if !is_here(&oldest) {
                continue;
            }
            let cell = arc.cell(oldest.block);
            cached += u64::from(matches!(cell.state, State::Mru | State::Mfu));
            arc.drop_l2(oldest.block);
        }
        cached
    }
}
