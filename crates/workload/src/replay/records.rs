//! Record sizes of what a trace names: those of the datasets in which its files are.

use arcwright_units::Bytes;

use super::REQUEST_MAX;

/// The smallest record.
pub(super) const RECORD_MIN: u64 = 512;

/// The record size of each volume of a trace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordSizes {
    usual: u64,
    /// By the number of the volume; 0: the usual one.
    of: Vec<u64>,
}

impl RecordSizes {
    /// One size for all.
    #[must_use]
    pub fn all(usual: Bytes) -> Self {
        Self { usual: bounded(usual), of: Vec::new() }
    }

    /// Takes note of the next volume's, in the order in which volumes were met; none: the usual one.
    pub fn next(&mut self, size: Option<Bytes>) {
        self.of.push(size.map_or(0, bounded));
    }

    /// Returns how many volumes have been looked at.
    #[must_use]
    pub fn looked_at(&self) -> usize {
        self.of.len()
    }

    /// Returns how many have a size that is said for them.
    pub(super) fn said(&self) -> usize {
        self.of.iter().filter(|size| **size > 0).count()
    }

    pub(super) const fn usual(&self) -> u64 {
        self.usual
    }

    pub(super) fn of(&self, volume: u32) -> u64 {
        self.of.get(volume as usize).copied().filter(|size| *size > 0).unwrap_or(self.usual)
    }

    pub(super) fn largest(&self) -> u64 {
        self.of.iter().copied().fold(self.usual, u64::max)
    }
}

fn bounded(size: Bytes) -> u64 {
    size.0.clamp(RECORD_MIN, REQUEST_MAX).next_power_of_two()
}
