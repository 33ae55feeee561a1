//! The readings themselves: what they can and cannot show.

pub(super) mod counters_reset;
pub(crate) mod provisional;
pub(super) mod timed;
pub(super) mod two_machines;
