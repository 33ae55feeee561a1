//! What holds of the crate as a whole.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop right there")]

mod layers;
