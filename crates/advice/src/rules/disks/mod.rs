//! Rules about disks.

mod above_disks;
mod bad;
mod complaints;
pub(super) mod device_errors;
mod device_table;
pub(super) mod errors_before;
mod failing;
pub(super) mod kernel_log;
mod links;
pub(super) mod long_waits;
mod look;
mod members;
pub(super) mod queue_wait;
pub(super) mod repaired;
pub(super) mod saturated;
pub(super) mod seek_bound;
pub(super) mod shingled;
mod slow_device;
pub(super) mod slow_disk;
pub(super) mod slow_ios;
pub(super) mod slow_pair;
pub(super) mod smart;
mod troubles;
pub(super) mod wait_tail;
pub(super) mod waited_for;
pub(super) mod wear;
