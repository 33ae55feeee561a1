//! How large a log device has to be.
//!
//! A record stays in the log until its transaction group is on the disks. At most three groups are on their way at
//! once: one is open, one ends, one is written (docs/model/txg.md). So the log holds no more than comes in meanwhile,
//! and what comes in is bounded twice: by the rate at which the SSD takes it, and by what may be dirty in memory, where
//! all of it stands as well; a block that is changed again and again is in the log each time, so twice that is allowed for.

use arcwright_model::WriteLimits;
use arcwright_scenario::System;
use arcwright_units::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

/// Groups on their way at once.
const GROUPS: u64 = 3;
/// How often a dirty block may stand in the log.
const AGAIN: u64 = 2;
/// The log is no smaller: below that a partition saves nothing.
const LEAST: Bytes = Bytes::gib(1);

/// What a log device has to hold, and why.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LogSize {
    /// The size.
    pub size: Bytes,
    /// What the SSD takes in the time of all groups.
    pub by_rate: Bytes,
    /// What may be dirty, twice.
    pub by_memory: Bytes,
    /// The longest time that a group is open, in seconds.
    pub group_s: f64,
}

impl LogSize {
    /// Returns it for a machine and an SSD that takes so many bytes per second.
    pub(crate) fn of(system: &System, write_rate: f64) -> Self {
        let limits = WriteLimits::of(system);
        let group_s = limits.open_max.as_secs_f64();
        let by_rate = Bytes::of_f64(write_rate * group_s * GROUPS as f64);
        let by_memory = limits.dirty_max.saturating_mul(AGAIN);
        let gib = Bytes::gib(1).0;
        let size = Bytes(by_rate.min(by_memory).0.div_ceil(gib) * gib).max(LEAST);
        Self { size, by_rate, by_memory, group_s }
    }
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::Scenario;
    use arcwright_units::Bytes;

    use super::LogSize;

    #[test]
    fn the_smaller_bound_counts() {
        let check = |memory: &str, mb_per_s: f64, gib: u64| {
            let text = format!(
                "title = \"a\"\nsystem = {{ zfs = \"2.3.2\", memory = \"{memory}\", pool = {{ data = [\"hdd-nas-7200\"] }} }}\n\
                 file = [{{ name = \"a\", size = \"1GiB\" }}]\n\
                 phase = [{{ name = \"read\", clients = [{{ read = \"a\", io = \"1MiB\" }}] }}]\n"
            );
            let system = Scenario::parse(&text, "a.toml").unwrap().system;
            assert_eq!(
                LogSize::of(&system, mb_per_s * 1e6).size,
                Bytes::gib(gib),
                "{memory}, {mb_per_s}"
            );
        };
        // 0.82 GB by memory; 1.1 GB in 15 s; 8 GiB by memory, which is 4 GiB at most; the least.
        check("4GiB", 500.0, 1);
        check("64GiB", 75.0, 2);
        check("64GiB", 2000.0, 8);
        check("2GiB", 10.0, 1);
    }
}
