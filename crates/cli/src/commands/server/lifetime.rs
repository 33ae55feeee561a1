//! How long a connection may go on: a while after each request, longer where an answer goes on by itself.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// When a connection is ended, whatever it is at.
#[derive(Debug, Clone)]
pub(crate) struct Lifetime(Arc<Mutex<Instant>>);

impl Lifetime {
    pub(super) fn of(time: Duration) -> Self {
        Self(Arc::new(Mutex::new(Instant::now() + time)))
    }

    /// Lets it go on for so long from now.
    pub(crate) fn renew(&self, time: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now() + time;
    }

    pub(super) fn end(&self) -> Instant {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
