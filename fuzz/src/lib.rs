//! What must hold whatever strangers send: everything is read or refused in words, nothing panics, and
//! the laws of each reader hold, which every function here says of itself.
//!
//! One function per target; `src/bin` has a program for each, which libFuzzer drives, and `cargo xtask fuzz
//! check` runs all of them without it. Targets of one
//! reader are small, so that they run some hundred thousand times a second; [`doctor`] has those that go
//! through the whole program, from texts to all reports. Not a place for examples: what was found once is
//! a unit test of the crate that was wrong.

pub mod archives;
pub mod counters;
pub mod doctor;
pub mod experiments;
pub mod format;
pub mod input;
pub mod results;
pub mod shown;
pub mod targets;
pub mod texts;
pub mod tuning;
pub mod unguided;
