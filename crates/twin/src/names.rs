//! Accesses to metadata that reads and writes of files do not explain: names that are looked up (`ls`, `find`, a backup that
//! compares, file shares), as a tree whose files are asked for their attributes.

use arcwright_units::Bytes;

use crate::load::Measured;

/// Files of a directory.
pub(crate) const OF_A_DIRECTORY: u64 = 1000;
/// How long the files are; nobody reads them.
pub(crate) const SIZES: (Bytes, Bytes) = (Bytes(512), Bytes(1024));
/// The fewest and the most files that are tried.
pub(crate) const FILES: (u64, u64) = (2000, 4_000_000);
/// What a file costs at least on disks.
const BYTES_OF_FILE: u64 = 6 << 10;
/// Accesses a second, and part of all accesses, below which names are left out.
const PER_S_MIN: f64 = 10.0;
const PART_MIN: f64 = 0.2;
/// How long a client waits for a miss, and how many clients there are at most.
const SECONDS_OF_MISS: f64 = 0.02;
const CLIENTS_MAX: u64 = 32;
/// Accesses to metadata of one look at attributes, before the model was asked.
pub(crate) const ACCESSES_OF_ONE: f64 = 4.0;

/// A tree of names and how often they are asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Names {
    pub(crate) files: u64,
    /// Attributes of so many files a second.
    pub(crate) per_s: f64,
    /// How many clients ask, so that reads from disks do not hold up the rest.
    pub(crate) clients: u64,
}

impl Names {
    /// Returns names that explain what `explained` accesses to metadata per second do not; none where that is little.
    pub(crate) fn of(measured: &Measured, explained: f64) -> Option<Self> {
        let (accesses, misses) = measured.metadata?;
        let rest = accesses - explained;
        let is_much = rest >= PER_S_MIN && rest >= PART_MIN * (accesses + measured.accesses);
        let clients = Bytes::of_f64(misses * SECONDS_OF_MISS).0.clamp(1, CLIENTS_MAX);
        is_much.then(|| Self { files: FILES.0, per_s: rest / ACCESSES_OF_ONE, clients })
    }

    /// Returns how long one pass over all takes.
    pub(crate) fn seconds(self) -> f64 {
        self.files as f64 / self.per_s.max(0.01)
    }

    /// Returns the most files that fit into such a room.
    pub(crate) fn most(room: Bytes) -> u64 {
        (room.0 / BYTES_OF_FILE).clamp(FILES.0, FILES.1)
    }
}
