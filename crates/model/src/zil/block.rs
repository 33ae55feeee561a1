//! A log block: how far it is, what it holds, and who waits in it (docs/model/zil.md#log-block-layout).

use arcwright_units::Nanos;

use super::{CHAIN, PIECE};
use crate::ids::{BlockId, SlotId};
use crate::io::place::Place;

/// How far a log block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    New,
    Opened,
    Issued,
    Written,
    Done,
}

/// Bytes that records fetch, and in how many goes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Fetched {
    pub(crate) bytes: u64,
    pub(crate) goes: u64,
}

/// A log block.
#[derive(Debug)]
pub(crate) struct LogBlock {
    pub(crate) state: State,
    pub(crate) size: u64,
    pub(crate) used: u64,
    pub(crate) place: Place,
    pub(crate) waiting: Vec<SlotId>,
    /// What its records fetch when it is handed over.
    pub(crate) fetched: Fetched,
    /// Blocks that its records point to.
    pub(crate) blocks: Vec<BlockId>,
    /// Top-level vdevs to flush when it is written, a bit each; those of the log behind the others.
    pub(crate) flush: u64,
    /// Requests under way.
    pub(crate) pending: u32,
    pub(crate) issued: Nanos,
    /// Its parts are all done, though perhaps not those of the block before.
    pub(crate) is_through: bool,
    /// The latest group of its records, and of itself.
    pub(crate) txg: u64,
}

impl LogBlock {
    pub(super) fn new(size: u64, place: Place, txg: u64) -> Self {
        Self {
            state: State::New,
            size,
            used: CHAIN,
            place,
            waiting: Vec::new(),
            fetched: Fetched::default(),
            blocks: Vec::new(),
            flush: 0,
            pending: 0,
            issued: Nanos::ZERO,
            is_through: false,
            txg,
        }
    }

    /// Returns the bytes that are left of it.
    pub(super) fn room(&self) -> u64 {
        self.size - self.used
    }

    /// Takes a record of `own` bytes in, and `data` that it fetches when the block is handed over.
    pub(super) fn put(&mut self, own: u64, data: u64, txg: u64) {
        self.used += own + data;
        self.txg = self.txg.max(txg);
        if data > 0 {
            self.fetched.bytes += data;
            self.fetched.goes += 1;
        }
    }

    /// Returns what of it is written.
    pub(crate) fn written_bytes(&self) -> u64 {
        self.used.next_multiple_of(PIECE).min(self.size)
    }
}
