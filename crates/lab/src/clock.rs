//! Virtual time: real time, stretched or compressed by one factor.
//!
//! Everything that the library sees of time goes through here, so that a second of its life may
//! last two real seconds (slow motion) or a tenth of one (fast motion).
//!
//! ```text
//!   virtual = (real - start) * motion          real wait = virtual wait / motion
//! ```

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use arcwright_units::Nanos;

/// Where virtual time begins: long after zero, as on a machine that has been up for a while.
///
/// The library subtracts whole seconds from now in places, which must not reach below zero.
pub(crate) const EPOCH: Nanos = Nanos::secs(100_000);

/// A clock that runs `motion` times as fast as real time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    start: Instant,
    motion: f64,
}

static CLOCK: OnceLock<Clock> = OnceLock::new();

impl Clock {
    /// Starts the one clock of this process; a second start changes nothing.
    pub(crate) fn start(motion: f64) -> Self {
        *CLOCK.get_or_init(|| Self { start: Instant::now(), motion })
    }

    /// Returns the clock of this process, running at life speed if nobody started it.
    pub(crate) fn get() -> Self {
        *CLOCK.get_or_init(|| Self { start: Instant::now(), motion: 1.0 })
    }

    /// Returns the virtual time now.
    pub(crate) fn now(self) -> Nanos {
        EPOCH + Nanos::from_secs_f64(self.start.elapsed().as_secs_f64() * self.motion)
    }

    /// Returns the real duration of a virtual span.
    pub(crate) fn real(self, span: Nanos) -> Duration {
        Duration::from_secs_f64(span.as_secs_f64() / self.motion)
    }

    /// Sleeps for a virtual span.
    pub(crate) fn sleep(self, span: Nanos) {
        if span > Nanos::ZERO {
            std::thread::sleep(self.real(span));
        }
    }

    /// Sleeps until a virtual instant.
    pub(crate) fn sleep_until(self, instant: Nanos) {
        self.sleep(instant - self.now());
    }
}
