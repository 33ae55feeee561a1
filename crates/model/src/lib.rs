//! OpenZFS's caches and I/O stack as a deterministic model in virtual time.
//!
//! The rules are those of docs/model, each in a file of its own with the kernel file and the
//! versions that it was read in. The model runs the same experiments as the lab and returns the same
//! records; the fidelity board says how far it is from the real code.
//!
//! ```text
//!   simulator   one event loop                                 who asks         whom
//!     client    requests, slots, walks through trees            clients     ──> stack
//!     stack     ways through the subsystems:
//!       cache     arc, dbufs, l2arc                             a read      ──> cache ─miss─> io
//!       zfetch    streams                                       a prefetch  ──> zfetch ─> cache ─> io
//!       dirty, throttle, txg, allocate                          a change    ──> throttle ─> dirty ─> cache
//!       zil       records, log blocks                           a commit    ──> zil ─> io
//!       io        requests, vdev queues, disks                  a batch     ──> arcwright-device
//! ```
//!
//! One read, from request to device and back: `client/reads.rs`, `stack/hold.rs`, `stack/read.rs`,
//! `io/mod.rs`, `vdev/leaf.rs`; what has arrived comes back through `stack/mod.rs`.
//!
//! Only misses, prefetches, the feed and completions are events; a hit is worked off where it occurs.

mod allocate;
mod arc;
mod behaviour;
mod blocks;
mod build;
mod cache;
pub mod classic;
mod client;
mod clock;
mod dbufs;
mod dirty;
mod disks;
mod divisor;
mod engine;
mod ids;
mod intrusive;
mod io;
mod kstats;
mod l2arc;
mod layout;
mod need;
mod phase;
mod place;
mod plain;
mod settings;
mod simulator;
mod stack;
mod throttle;
mod ticks;
mod trees;
mod txg;
mod vdev;
#[cfg(test)]
mod vectors;
mod zfetch;
mod zil;

pub use engine::Model;
pub use need::Need;
pub use plain::PlainArc;
