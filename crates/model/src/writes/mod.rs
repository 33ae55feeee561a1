//! Writes until they are on the disks: what is dirty, who has to wait, and which transaction group is
//! where. How a group is written is in `stack/sync.rs`, and what waits for the log in `zil/`.

pub(crate) mod copies;
pub(crate) mod dirty;
pub(crate) mod limits;
pub(crate) mod throttle;
pub(crate) mod txg;
