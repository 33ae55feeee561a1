//! Named processors: how many cores OpenZFS sees, and how fast they carry a read.
//!
//! The lab's own processor is what it is. By choosing how fast time runs it is made to look like
//! the scenario's: a machine half as fast, in time that runs at half speed, is the same machine.

use arcwright_units::Rate;

/// A processor profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Processor {
    /// The name in scenario files.
    pub(crate) name: &'static str,
    /// Logical processors.
    pub(crate) cores: u32,
    /// Bytes per second of a cold sequential read on storage that takes no time.
    ///
    /// Checksum, copy and bookkeeping are in it. Typical figures, to be calibrated by measurement.
    pub(crate) read_rate: Rate,
}

/// Profiles known so far. Rates are estimates from reports of cached sequential reads on such
/// machines, where one client got 1 to 3 GiB/s; field report 001 shows 1.44 GiB/s on its NAS.
const PROFILES: [Processor; 4] = [
    Processor { name: "nas-dual", cores: 2, read_rate: Rate(1 << 30) },
    Processor { name: "nas-quad", cores: 4, read_rate: Rate(2 << 30) },
    Processor { name: "desktop", cores: 8, read_rate: Rate(3 << 30) },
    Processor { name: "server", cores: 16, read_rate: Rate(4 << 30) },
];

/// Returns the profile called `name`.
pub(crate) fn named(name: &str) -> Option<Processor> {
    PROFILES.into_iter().find(|profile| profile.name == name)
}

/// Returns the names of all profiles.
pub(crate) fn names() -> String {
    PROFILES.map(|profile| profile.name).join(", ")
}
