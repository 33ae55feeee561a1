//! OpenZFS's caches and I/O stack as a deterministic model in virtual time.
//!
//! The rules are those of docs/model, each in a file of its own with the kernel file and the
//! versions that it was read in. The model runs the same experiments as the lab and returns the same
//! records; the fidelity board says how far it is from the real code.
//!
//! ```text
//!   engine      experiment, phases, one event loop             who asks         whom
//!     client    requests, slots, walks through trees            clients     ──> stack
//!     stack     ways through the subsystems:
//!       cache     arc, dbufs, l2arc                             a read      ──> cache ─miss─> io
//!       zfetch    streams                                       a prefetch  ──> zfetch ─> cache ─> io
//!       writes    dirty, throttle, txg                          a change    ──> throttle ─> dirty ─> cache
//!       zil       records, log blocks                           a commit    ──> zil ─> io
//!       io, vdev  requests, vdev queues, disks                  a batch     ──> arcwright-device
//!     pool      blocks of files and trees, and their places     a new block ──> allocate
//!     versions  what differs between versions, and settings
//!   ranges      how far predictions may be off, by what checks found
//! ```
//!
//! One read, from request to device and back, passes five files:
//!
//! ```text
//!   client/requests.rs    look_at_blocks                                                    go_on
//!                           v                                                                 ^ Arrived
//!   stack/read.rs         hold_block ─> look_up ─> start_read ─ Enqueue ─> enqueue          read_done ─┐
//!                                          v         ^ miss                  v                ^        v
//!   cache/arc/access.rs                  read ───────┘                       v                │    complete
//!                                                                            v                ^ Purpose::Read
//!   io/mod.rs                                                              add_read, send   device_event, finished
//!                                                                            v                ^
//!   vdev/leaf.rs                                                           issue_next         ^
//!                                                                            v                │
//!   vdev/device.rs, where disks may share one                              submit ─ time ─> advance
//! ```
//!
//! What comes later is a message, an `Event` or a `Purpose`: the loop in `engine/simulator.rs` (`step`) has the table of
//! all, and hands each to whom it is for. It also asks the device that is done next (`device_event`, which calls `advance`);
//! what came back is a message once more (`Done`) until a thread takes it.
//!
//! A hit is worked off where it occurs, and is no event, unless something else happens before it is through.
//!
//! ```
//! use arcwright_model::Model;
//! use arcwright_scenario::{Engine, RunRequest, Scenario, Unwatched};
//!
//! let file = r#"
//! title = "A film that fits the ARC, read twice"
//! system = { zfs = "2.3.2", memory = "4GiB", pool = { data = ["hdd-nas-7200"] } }
//! file = [{ name = "film.mkv", size = "256MiB" }]
//! phase = [
//!   { name = "first read", clients = [{ read = "film.mkv", io = "1MiB" }] },
//!   { name = "second read", clients = [{ read = "film.mkv", io = "1MiB" }] },
//! ]
//! "#;
//! let scenario = Scenario::parse(file, "film.toml").unwrap();
//! let request = RunRequest { scenario, repeats: 1 };
//! let outcome = Model::default().run(&request, &mut Unwatched).unwrap();
//! let [first, second] = &outcome.arms[0].phases[..] else { panic!("two phases ran") };
//! assert!(first.device_read_bytes.0 > 0);
//! assert_eq!(second.device_read_bytes.0, 0);
//! ```

mod cache;
pub mod classic;
mod client;
mod clock;
pub mod curve;
mod divisor;
mod engine;
mod ids;
mod intrusive;
mod io;
mod plain;
mod pool;
pub mod ranges;
mod stack;
mod vdev;
#[cfg(test)]
mod vectors;
mod versions;
mod writes;
mod zfetch;
mod zil;

pub use engine::{Model, Need};
pub use plain::{Pages, PlainArc};
pub use versions::work::{LockOps, Work};
pub use writes::limits::WriteLimits;
