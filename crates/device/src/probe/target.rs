//! What is read and timed, and by whom.

use arcwright_units::{Bytes, Nanos};
use thiserror::Error;

use super::numbers::Draws;

/// A read of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbeRead {
    /// Where it begins, in bytes; a multiple of 4096.
    pub offset: u64,
    /// Its bytes; a multiple of 4096, above zero.
    pub size: u32,
}

/// When a read began and ended, since the probe began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadTime {
    /// When it was sent.
    pub begin: Nanos,
    /// When it was there.
    pub end: Nanos,
}

impl ReadTime {
    /// Returns the latency in seconds.
    pub(super) fn seconds(self) -> f64 {
        (self.end - self.begin).as_secs_f64()
    }
}

/// Why a probe has no result.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProbeError {
    /// The device refused a read.
    #[error("reading at byte {offset} failed: {reason}")]
    Read {
        /// Where.
        offset: u64,
        /// The system's own words.
        reason: String,
    },
    /// The user asked for an end.
    #[error("stopped before the end; there is no result")]
    Stopped,
    /// It took longer than it may.
    #[error("not done in the time that it may take")]
    TimeOver,
    /// There is too little to read.
    #[error("it has {size}, and at least {least} are needed to measure such a device")]
    TooSmall {
        /// What it has.
        size: Bytes,
        /// What is needed.
        least: Bytes,
    },
    /// No profile has that name, or it has no values.
    #[error("no device profile is called “{name}”")]
    Profile {
        /// The name.
        name: String,
    },
    /// The times are not those of such a device.
    #[error("{what}")]
    Strange {
        /// What is strange about them.
        what: String,
    },
}

/// A device that can be read and timed.
///
/// Callers guarantee that reads are multiples of 4096 bytes and lie within the size. Implementors guarantee that no
/// read is answered from a cache of the machine, that nothing is ever written, and that times never decrease.
pub trait ProbeTarget {
    /// Returns how much can be read.
    fn size(&self) -> Bytes;

    /// Reads all of `reads` in their order, `depth` of them at a time: the next begins at once when one has ended.
    /// Returns the times in the same order.
    ///
    /// # Errors
    /// [`ProbeError::Read`], [`ProbeError::Stopped`], [`ProbeError::TimeOver`].
    fn read(&mut self, reads: &[ProbeRead], depth: usize) -> Result<Vec<ReadTime>, ProbeError>;

    /// Is told what is measured, and which part of the whole is done.
    fn progress(&mut self, stage: &str, share: f64);
}

/// A target with the stream of random places.
pub(super) struct Reader<'a> {
    target: &'a mut dyn ProbeTarget,
    pub(super) draws: Draws,
    size: u64,
}

/// The smallest unit of reads.
pub(super) const PAGE: u32 = 4096;

impl<'a> Reader<'a> {
    pub(super) fn new(target: &'a mut dyn ProbeTarget, draws: Draws) -> Self {
        let size = target.size().0;
        Self { target, draws, size }
    }

    /// Returns how many bytes the device has.
    pub(super) const fn size(&self) -> u64 {
        self.size
    }

    pub(super) fn progress(&mut self, stage: &str, share: f64) {
        self.target.progress(stage, share);
    }

    /// Reads in order, `depth` at a time.
    pub(super) fn read(
        &mut self,
        reads: &[ProbeRead],
        depth: usize,
    ) -> Result<Vec<ReadTime>, ProbeError> {
        let times = self.target.read(reads, depth)?;
        match times.len() == reads.len() {
            true => Ok(times),
            false => Err(ProbeError::Strange { what: "a read has no time".to_owned() }),
        }
    }

    /// Reads single pages one after the other and returns their latencies in seconds.
    pub(super) fn pages(&mut self, offsets: &[u64]) -> Result<Vec<f64>, ProbeError> {
        let reads: Vec<ProbeRead> = offsets.iter().map(|offset| self.page(*offset)).collect();
        Ok(self.read(&reads, 1)?.into_iter().map(ReadTime::seconds).collect())
    }

    /// Returns a read of the page that holds a byte, within the device.
    pub(super) fn page(&self, byte: u64) -> ProbeRead {
        self.at(byte, PAGE)
    }

    /// Returns a read of so many bytes from the page on that holds a byte, moved forward to fit the device.
    pub(super) fn at(&self, byte: u64, size: u32) -> ProbeRead {
        let page = u64::from(PAGE);
        let last = self.size.saturating_sub(u64::from(size)) / page * page;
        ProbeRead { offset: (byte / page * page).min(last), size }
    }

    /// Returns random places within `from..to`.
    pub(super) fn places(&mut self, count: usize, from: u64, to: u64) -> Vec<u64> {
        let span = to.saturating_sub(from);
        (0..count).map(|_| from + self.draws.below(span)).collect()
    }
}
