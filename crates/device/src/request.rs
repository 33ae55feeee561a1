//! What is asked of a device, and what comes back.

use arcwright_units::{Bytes, Nanos};

/// What is asked of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Io {
    /// Reads `size` bytes at `offset`.
    Read,
    /// Writes `size` bytes at `offset`.
    Write,
    /// Makes everything written so far stable.
    Flush,
}

/// One request to a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// What is asked.
    pub io: Io,
    /// First byte.
    pub offset: u64,
    /// Bytes; zero for a flush.
    pub size: u32,
}

/// A request that is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// The number its submitter gave it.
    pub ticket: u32,
    /// When it was done.
    pub at: Nanos,
}

/// What a device has done since it was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Read requests.
    pub reads: u64,
    /// Write requests.
    pub writes: u64,
    /// Flush requests.
    pub flushes: u64,
    /// Bytes read.
    pub read_bytes: Bytes,
    /// Bytes written.
    pub write_bytes: Bytes,
    /// Times that the head moved to another cylinder or waited for more than a tenth of a turn.
    pub seeks: u64,
    /// Time in which at least one request was being served.
    pub busy: Nanos,
    /// Bytes that wore the flash: written times write amplification. Zero on disks.
    pub worn_bytes: Bytes,
}

impl Counters {
    /// Counts what was asked.
    #[inline]
    pub(crate) fn count(&mut self, request: &Request) {
        let bytes = Bytes(u64::from(request.size));
        match request.io {
            Io::Read => {
                self.reads += 1;
                self.read_bytes += bytes;
            }
            Io::Write => {
                self.writes += 1;
                self.write_bytes += bytes;
            }
            Io::Flush => self.flushes += 1,
        }
    }
}
