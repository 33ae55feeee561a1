//! How large the ARC may get, as the kernel settles it when the module is loaded.
//!
//! The rules of `arc_init` and `arc_tuning_update` (module/zfs/arc.c, 2.1 and 2.3): the maximum is the
//! tunable or the version's share of the memory; the minimum is a 32nd of the memory, or half of a
//! smaller maximum; a tunable minimum counts when it is not above the maximum.

use arcwright_tunables::{Kernel, Version};
use arcwright_units::Bytes;

use crate::system::System;

/// The smallest ARC that OpenZFS takes (`MIN_ARC_MAX`, include/sys/arc_impl.h).
pub const ARC_MAX_SMALLEST: Bytes = Bytes::mib(64);
/// The smallest that `zfs_arc_min` may be: two of the largest blocks (module/zfs/arc.c).
const ARC_MIN_SMALLEST: Bytes = Bytes::mib(32);

/// The ARC's limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArcLimits {
    /// `c_max`.
    pub max: Bytes,
    /// `c_min`.
    pub min: Bytes,
}

impl ArcLimits {
    /// Returns the limits of `system` when it runs `version`.
    #[must_use]
    pub fn of(system: &System, version: Option<Version>) -> Self {
        let max = max_of(system, version);
        Self { max, min: min_of(system, max) }
    }

    /// Returns the limits of an experiment of 1/`scale`, never below what OpenZFS takes.
    #[must_use]
    pub fn scaled(self, scale: u64) -> Self {
        let part = |size: Bytes, smallest: Bytes| Bytes(size.0 / scale.max(1)).max(smallest);
        Self { max: part(self.max, ARC_MAX_SMALLEST), min: part(self.min, ARC_MIN_SMALLEST) }
    }
}

fn max_of(system: &System, version: Option<Version>) -> Bytes {
    let set = system.tunables.iter().find(|setting| setting.name == "zfs_arc_max");
    if let Some(setting) = set.filter(|setting| setting.value > 0) {
        return Bytes(setting.value);
    }
    let half = Bytes(system.memory.0 / 2);
    let freebsd = system.os == Kernel::Freebsd;
    version.map_or(half, |version| {
        arcwright_tunables::default_arc_max(version, freebsd, system.memory)
    })
}

fn min_of(system: &System, max: Bytes) -> Bytes {
    let set = system.tunables.iter().find(|setting| setting.name == "zfs_arc_min");
    let usual = Bytes(system.memory.0 / 32).max(ARC_MIN_SMALLEST);
    match set.map(|setting| Bytes(setting.value)) {
        Some(value) if (ARC_MIN_SMALLEST..=max).contains(&value) => value,
        _ if usual >= max => Bytes(max.0 / 2).max(ARC_MIN_SMALLEST),
        _ => usual,
    }
}
