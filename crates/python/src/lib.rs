//! What the Python package `arcwright-zfs` asks of arcwright: texts and arrays in, JSON and arrays out.
//!
//! ```text
//!   arcwright_zfs/*.py ──options as JSON──> run, whatif, doctor, Trace ──the crates below──> JSON as the program prints it
//!                      ──numpy arrays─────>        Trace               ──────────────────> numpy arrays
//! ```
//!
//! The same crates answer as in the program, so that an answer is the same to the last digit. What is left to
//! Python is to turn JSON into objects (`python/arcwright_zfs`). The interpreter's lock is not held while something
//! runs, and Ctrl-C ends it.

mod error;
mod experiment;
mod interrupt;
mod machine;
mod options;
mod parallel;
mod trace;
mod whatif;

use pyo3::prelude::*;

/// The functions that `arcwright_zfs` is made of.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::error::ArcwrightError;
    #[pymodule_export]
    use crate::experiment::{run, scenarios};
    #[pymodule_export]
    use crate::machine::{doctor, scenario_of};
    #[pymodule_export]
    use crate::trace::TraceData;
    #[pymodule_export]
    use crate::whatif::whatif;
}
