//! Time since 1970 that goes on evenly, whatever happens to the machine's clock meanwhile.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A clock that was set once.
#[derive(Debug)]
pub(crate) struct Clock {
    since_1970: Duration,
    begin: Instant,
}

impl Clock {
    /// Returns a clock that the machine's has just set.
    pub(crate) fn start() -> Self {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { since_1970, begin: Instant::now() }
    }

    /// Returns the time since 1970.
    pub(crate) fn now(&self) -> Duration {
        self.since_1970 + self.begin.elapsed()
    }
}
