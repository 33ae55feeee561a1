//! What a pool survives, which says what an SSD beside it may be alone.

use arcwright_scenario::VdevSpec;
use schemars::JsonSchema;
use serde::Serialize;

/// What a pool's data vdevs survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Redundancy {
    /// Disks of any vdev that may fail at once.
    pub disks_may_fail: u64,
    /// Whether there is a raidz among them, beside which no special vdev can be removed again.
    pub has_raidz: bool,
}

impl Redundancy {
    pub(crate) fn of(data: &[VdevSpec]) -> Self {
        let of_vdev = |vdev: &VdevSpec| vdev.disks.len() as u64 - vdev.data_disks();
        Self {
            disks_may_fail: data.iter().map(of_vdev).min().unwrap_or(0),
            has_raidz: data.iter().any(|vdev| vdev.layout.parity() > 0),
        }
    }
}
