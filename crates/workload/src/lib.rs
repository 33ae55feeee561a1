//! Who asks for what, and when: patterns and closed-loop clients.
//!
//! A [`Client`] says what a person or program does to one file; [`Accesses`] turns it into the
//! exact sequence of offsets, the same on every engine for the same seed. [`traces`] reads what others
//! recorded, [`fio`] the job files of that program. Not the place where I/O happens: engines do that.

mod accesses;
mod client;
pub mod fio;
mod random;
pub mod traces;

pub use accesses::{Access, Accesses, Waits};
pub use client::{Action, Client, Durability, Link, Pattern};
pub use random::Stream;
