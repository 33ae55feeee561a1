//! Pools as a whole: health, free space, layout.

pub(super) mod ashift;
mod auxiliary;
mod damaged_entries;
pub(super) mod data_errors;
pub(super) mod health;
mod left;
mod missing_members;
pub(super) mod notices;
mod offered;
pub(super) mod panicked;
pub(super) mod pool_full;
mod reasons;
pub(super) mod redundancy;
pub(super) mod refused;
pub(super) mod reserved;
pub(super) mod room_unused;
pub(super) mod scan_slow;
pub(super) mod slop;
mod spares;
pub(super) mod special;
pub(super) mod special_full;
mod stand_ins;
mod steps;
mod suspected;
pub(super) mod swap_on_zvol;
pub(super) mod vdev_full;
mod waiting;
