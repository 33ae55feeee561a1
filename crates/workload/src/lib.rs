//! Who asks for what, and when: patterns and closed-loop clients.
//!
//! A [`Client`] says what a person or program does to one file; [`Accesses`] turns it into the
//! exact sequence of offsets, the same on every engine for the same seed. [`TreeFiles`] says what is in a
//! tree of small files. [`traces`] reads what others recorded. Not the place where I/O happens: engines
//! do that.

mod accesses;
mod client;
mod random;
pub mod traces;
mod trees;

pub use accesses::{Access, Accesses, Waits};
pub use client::{Action, Client, Durability, Link, Pattern};
pub use random::Stream;
pub use trees::{TreeFiles, TreeShape, Visits};
