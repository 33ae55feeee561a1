//! What a machine may have changed in memory that is not on its disks yet, for those who size a log device.

use arcwright_scenario::System;
use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};

use super::dirty::dirty_max;
use crate::versions::settings::Settings;

/// How much may be changed in memory before it is on the disks, and for how long (docs/model/txg.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteLimits {
    /// Bytes that all transaction groups together may hold (`zfs_dirty_data_max`).
    pub dirty_max: Bytes,
    /// The longest time that a group is open (`zfs_txg_timeout`).
    pub open_max: Nanos,
}

impl WriteLimits {
    /// Returns the limits of a machine: what its tunables set, or the defaults of its version.
    ///
    /// ```
    /// use arcwright_model::WriteLimits;
    /// use arcwright_scenario::Scenario;
    /// use arcwright_units::{Bytes, Nanos};
    ///
    /// let text = r#"
    /// title = "A NAS"
    /// system = { zfs = "2.3.2", memory = "20GiB", pool = { data = ["hdd-nas-7200"] } }
    /// file = [{ name = "a", size = "1GiB" }]
    /// phase = [{ name = "read", clients = [{ read = "a", io = "1MiB" }] }]
    /// "#;
    /// let limits = WriteLimits::of(&Scenario::parse(text, "nas.toml").unwrap().system);
    /// assert_eq!(limits, WriteLimits { dirty_max: Bytes::gib(2), open_max: Nanos::secs(5) });
    /// ```
    #[must_use]
    pub fn of(system: &System) -> Self {
        let settings = Settings::of(system, Version::parse(&system.zfs), 1);
        Self {
            dirty_max: Bytes(dirty_max(settings.txg.dirty, system.memory)),
            open_max: Nanos::secs(settings.txg.timeout_secs),
        }
    }
}
