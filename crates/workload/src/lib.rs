//! Who asks for what, and when: patterns and closed-loop clients.
//!
//! A [`Client`] says what a person or program does to one file; [`Accesses`] turns it into the
//! exact sequence of offsets, the same on every engine for the same seed. [`TreeFiles`] says what is in a
//! tree of small files. [`traces`] reads what others recorded, [`fio`] the job files of that program. Not
//! the place where I/O happens: engines do that.
//!
//! ```
//! use arcwright_units::Bytes;
//! use arcwright_workload::{Accesses, Client, Pattern};
//!
//! let stream = Client::reader("film.mkv", Bytes::kib(128));
//! let offsets = |client: &Client| -> Vec<u64> {
//!     Accesses::new(client, Bytes::mib(1), 1, "reader").map(|access| access.offset).collect()
//! };
//! assert_eq!(offsets(&stream)[..3], [0, 131_072, 262_144]);
//!
//! // The same seed gives the same random order, on every engine.
//! let random = Client { pattern: Pattern::Random, ..stream };
//! assert_eq!(offsets(&random), offsets(&random));
//! ```

mod accesses;
mod client;
pub mod fio;
mod random;
mod replay;
mod shuffle;
pub mod traces;
mod trees;

pub use accesses::{Access, Accesses, Waits};
pub use client::{Action, Client, Durability, Link, Pattern, Wire};
pub use random::Stream;
pub use replay::{RecordSizes, Recorded, Replay, ReplayFile, ReplayRequest};
pub use trees::{TreeFiles, TreeShape, Visits};
