//! What the scheduler promises: laws on random programs, then single cases.
//!
//! [`program`] says what threads do; [`reference`] works out by hand, with plain lists, in which order
//! they must do it; [`threads`] lets real threads do it under the scheduler. Everything that
//! the two tell must be equal: who, what, when, and how waits ended.

mod cases;
mod laws;
mod program;
mod reference;
mod threads;

use program::{Program, Seen};

/// Runs `program` on real threads and returns what they did, in their order.
fn run(program: &Program) -> Vec<Seen> {
    threads::run(program)
}
