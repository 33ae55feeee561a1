//! Tests of the crate as others use it: over all machines of `fixtures/`, and over texts of strangers.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests")]

mod exposition;
mod files;
mod hostile;
mod machines;
