//! Where the intent log lies: on log vdevs in turns, or on a part of the pool's own
//! (docs/model/zil.md; zil.c 0.8 to 2.3).
#![expect(clippy::indexing_slicing, reason = "indices are numbers of the log's vdevs")]

use arcwright_scenario::{Logbias, SyncMode};
use arcwright_units::Bytes;

use crate::ids::number;
use crate::io::Top;
use crate::io::place::Place;

/// Groups after which room that was freed can be used again (`TXG_DEFER_SIZE`).
const DEFERRED: u64 = 2;

/// Which writes wait, and how their data gets into the log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogRules {
    pub(crate) sync: SyncMode,
    pub(crate) logbias: Logbias,
    /// Writes of so much go to their place at once, in a pool without log devices
    /// (`zfs_immediate_write_sz`).
    pub(crate) immediate: u64,
}

/// Where the log lies.
#[derive(Debug)]
pub(crate) struct LogVdevs {
    tops: Vec<Top>,
    sizes: Vec<u64>,
    hands: Vec<u64>,
    turn: usize,
    /// The group that makes the log known; before, nobody waits for it with success.
    pub(crate) begins: u64,
    /// Whether they are log devices, or a part of the pool's own vdevs.
    pub(crate) is_slog: bool,
    /// Bytes taken in groups that are not on the disks yet, by group.
    taken: Vec<(u64, u64)>,
    /// Bytes that come back with a group.
    freed: Vec<(u64, u64)>,
    held: u64,
    held_max: u64,
}

impl LogVdevs {
    /// Makes the log on vdevs of these sizes; `hands` says where it begins.
    pub(crate) fn new(vdevs: &[(Top, u64)], hands: Vec<u64>, is_slog: bool) -> Self {
        Self {
            tops: vdevs.iter().map(|vdev| vdev.0).collect(),
            sizes: vdevs.iter().map(|vdev| vdev.1).collect(),
            hands,
            turn: 0,
            begins: 0,
            is_slog,
            taken: Vec::new(),
            freed: Vec::new(),
            held: 0,
            held_max: 0,
        }
    }

    /// Takes room for a log block.
    pub(crate) fn take(&mut self, bytes: u64, group: u64) -> Place {
        self.turn = (self.turn + 1) % self.tops.len();
        let size = self.tops[self.turn].shape.allocated(bytes);
        if self.hands[self.turn] + size > self.sizes[self.turn] {
            self.hands[self.turn] = 0;
        }
        let offset = self.hands[self.turn];
        self.hands[self.turn] += size;
        add(&mut self.taken, group, size);
        Place { vdev: number(self.turn), offset }
    }

    /// A group is on the disks: what it took counts, and what was freed long enough ago does not.
    pub(crate) fn end_group(&mut self, group: u64) {
        self.held += collect(&mut self.taken, group);
        self.held = self.held.saturating_sub(collect(&mut self.freed, group));
        self.held_max = self.held_max.max(self.held);
    }

    /// Room comes back a few groups after the one that frees it.
    pub(crate) fn free(&mut self, bytes: u64, group: u64) {
        add(&mut self.freed, group + DEFERRED, bytes);
    }

    /// Returns one of its vdevs.
    pub(crate) fn top(&self, vdev: u32) -> Top {
        self.tops[vdev as usize]
    }

    /// Bits of the pool's own vdevs come first in what is to be flushed.
    pub(crate) fn flush_shift(&self) -> u32 {
        if self.is_slog { 32 } else { 0 }
    }

    /// Returns the most that was held since the last call.
    pub(crate) fn held_max(&mut self) -> Option<Bytes> {
        let most = std::mem::replace(&mut self.held_max, self.held);
        self.is_slog.then_some(Bytes(most))
    }
}

fn add(list: &mut Vec<(u64, u64)>, group: u64, bytes: u64) {
    match list.iter_mut().find(|entry| entry.0 == group) {
        Some(entry) => entry.1 += bytes,
        None => list.push((group, bytes)),
    }
}

fn collect(list: &mut Vec<(u64, u64)>, group: u64) -> u64 {
    let sum = list.iter().filter(|entry| entry.0 <= group).map(|entry| entry.1).sum();
    list.retain(|entry| entry.0 > group);
    sum
}
