//! Long work without the interpreter's lock, and Ctrl-C meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;

use crate::error::Problem;

/// Whether an early end was asked for.
#[derive(Debug, Default)]
pub(crate) struct Interrupt(AtomicBool);

impl Interrupt {
    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Asks Python whether a signal came, which only its main thread learns.
    pub(crate) fn look(&self) -> Result<(), Problem> {
        let looked = Python::attach(|py| py.check_signals());
        looked.map_err(|error| {
            self.0.store(true, Ordering::Relaxed);
            Problem::raised(error)
        })
    }
}

/// Does work without the interpreter's lock; a problem becomes the exception.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Problem> + Send,
) -> PyResult<T> {
    py.detach(work).map_err(|problem| problem.into_exception(py))
}
