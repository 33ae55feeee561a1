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
//!   calibrate time dilation   ── Job ──>   clients in threads, one per scenario client
//!   collect, unscale, median  <─ Phase ──  kstats and device counters before and after each phase
//! ```
//!
//! ```no_run
//! use arcwright_lab::{Lab, Options, WorkerProgram};
//! use arcwright_scenario::{Engine as _, RunRequest, Scenario, Unwatched};
//!
//! let text = std::fs::read_to_string("scenarios/steam-library.toml")?;
//! let scenario = Scenario::parse(&text, "steam-library.toml")?;
//! let worker = WorkerProgram::find()?;
//! let mut lab = Lab::new(Options { openzfs: None, scratch: None, worker });
//! lab.provide_library(&scenario, &mut |line: &str| println!("{line}"))?;
//! let outcome = lab.run(&RunRequest { scenario, repeats: 1 }, &mut Unwatched)?;
//! println!("real OpenZFS {}", outcome.engine.openzfs);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A folder imports only from those below it (`tests/it/layers.rs`):
//!
//! ```text
//!   engine   the engine's process: sessions, images, crash tests, checks before anything starts
//!   worker   a worker's process: sets up the library, runs the clients, counts
//!   fuse     zfs-fuse 0.7.0, a program, in the place of the library
//!   hooks    what the library finds when it calls out: clocks, locks, threads, files
//!   disks    emulated disks                        zpool     calls into the library
//!   schedule virtual time, one thread at a time    openzfs   where the library is found or fetched
//!   protocol jobs and messages between the two     os, error
//! ```
//!
//! This is the only crate with unsafe code: it calls a C library, and stands in for libc there. It stands
//! where a module is marked `expect(unsafe_code)`: in `fuse`, `hooks`, `zpool`, `os` and
//! `disks::mapping`; the compiler refuses it elsewhere. Every block says why it is sound.
#![warn(clippy::undocumented_unsafe_blocks)]

pub mod openzfs;
#[cfg(feature = "worker")]
pub mod worker;

#[cfg(feature = "worker")]
mod disks;
mod engine;
mod error;
#[cfg(feature = "worker")]
#[expect(unsafe_code, reason = "stands in for what a C program calls, and calls it")]
mod fuse;
#[cfg(feature = "worker")]
#[expect(unsafe_code, reason = "stands in for what a C library calls")]
mod hooks;
#[expect(unsafe_code, reason = "system calls that the standard library does not offer")]
mod os;
mod protocol;
#[cfg(feature = "worker")]
mod schedule;
#[cfg(feature = "worker")]
#[expect(unsafe_code, reason = "loads and calls a C library")]
mod zpool;

pub use engine::{
    CrashReport, Lab, Options, Overhead, WorkerProgram, check, measure_overhead, memory, room,
};

pub(crate) use error::LabError;
