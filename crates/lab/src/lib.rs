//! The real OpenZFS in user space on emulated disks.
//!
//! [`Lab`] is an [`Engine`](arcwright_scenario::Engine): it builds the scenario's pool once, then
//! runs every arm in a process of its own, in which genuine OpenZFS code (the `libzpool` library)
//! reads and writes disks whose speed is a device model's. Not a simulation of OpenZFS: what it
//! caches, prefetches and evicts is its own doing.
//!
//! ```text
//!   Lab (this process)                     worker process, one per arm
//!   ──────────────────                     ───────────────────────────
//!   locate the library                     load the library, redirect its calls
//!   scale, check space, build the pool     import the pool: cold ARC, fresh cache and log devices
//!   calibrate the motion      ── Job ──>   clients in threads, one per scenario client
//!   collect, unscale, median  <─ Phase ──  kstats and device counters before and after each phase
//! ```
//!
//! This is the only crate with unsafe code: it calls a C library. Its rules: every `unsafe` block
//! says why it is sound, and nothing outside `hooks`, `zpool`, `disk` and `worker` has one.
#![expect(
    unsafe_code,
    reason = "the lab calls libzpool, a C library, and stands in for libc there"
)]

pub mod crash;
pub mod openzfs;
pub mod worker;

mod calibrate;
mod clock;
mod disk;
mod engine;
mod error;
mod fuse;
mod hooks;
mod image;
mod libraries;
mod overhead;
mod protocol;
mod schedule;
mod scratch;
mod session;
mod space;
mod stable;
mod support;
mod workers;
mod zpool;

pub use engine::{Lab, Options};
pub use overhead::{Overhead, measure as measure_overhead};

pub(crate) use error::LabError;
pub use space::room;
