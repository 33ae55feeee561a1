//! OpenZFS's caches and I/O stack as a deterministic model in virtual time.
//!
//! The rules are those of docs/model, each in a file of its own with the kernel file and the
//! versions that it was read in. The model runs the same experiments as the lab and returns the same
//! records; the fidelity board says how far it is from the real code.
//!
//! ```text
//!   client ── access ──> dbufs ──> arc ──miss──> l2arc or pool ──> vdev queues ──> devices
//!                  └──> zfetch ──prefetch──┘                            (arcwright-device)
//!   client ── change ──> dirty ── txg ──> allocate ──> vdev queues      zil ──> log devices
//!   feed thread ──────────────────> l2arc ──> vdev queue of the cache device
//! ```
//!
//! Only misses, prefetches, the feed and completions are events; a hit is worked off where it occurs.

mod allocate;
mod arc;
mod behaviour;
mod blocks;
mod chains;
pub mod classic;
mod client;
mod cores;
mod dbufs;
mod dirty;
mod disks;
mod divisor;
mod engine;
mod events;
mod kstats;
mod l2arc;
mod need;
mod phase;
mod plain;
mod settings;
mod throttle;
mod ticks;
mod trees;
mod txg;
mod vdev;
#[cfg(test)]
mod vectors;
mod world;
mod writers;
mod zfetch;
mod zil;

pub use engine::Model;
pub use need::Need;
pub use plain::PlainArc;
