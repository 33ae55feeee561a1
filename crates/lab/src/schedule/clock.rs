//! Virtual time: by events, or real time stretched or compressed by one factor.
//!
//! Everything that the library sees of time goes through here. By events ([`super`]) it
//! stands still while a thread runs and jumps while all of them wait. By the real clock a second of
//! the library's life may last two real seconds (slow motion) or a tenth of one (fast motion).
//!
//! ```text
//!   virtual = (real - start) * dilation          real wait = virtual wait / dilation      (real clock)
//! ```

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use arcwright_scenario::Costs;
use arcwright_units::Nanos;

/// Where virtual time begins: long after zero, as on a machine that has been up for a while.
///
/// The library subtracts whole seconds from now in places, which must not reach below zero.
pub(crate) const EPOCH: Nanos = Nanos::secs(100_000);

/// How time passes in this process.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Clock {
    /// By events, see [`super`].
    Events,
    /// As in reality, `dilation` times as fast.
    Real {
        /// When it was started.
        start: Instant,
        /// Virtual seconds per real second.
        dilation: f64,
    },
}

static CLOCK: OnceLock<Clock> = OnceLock::new();

impl Clock {
    /// Lets time pass as in reality, `dilation` times as fast; a second start changes nothing.
    pub(crate) fn start_real(dilation: f64) -> Self {
        *CLOCK.get_or_init(|| Self::Real { start: Instant::now(), dilation })
    }

    /// Lets time pass by events, with the calling thread as the first one.
    pub(crate) fn start_events(cores: u32, costs: Costs) -> Self {
        super::start(EPOCH, cores, costs);
        *CLOCK.get_or_init(|| Self::Events)
    }

    /// Returns the clock of this process, running at life speed if nobody started it.
    pub(crate) fn get() -> Self {
        *CLOCK.get_or_init(|| Self::Real { start: Instant::now(), dilation: 1.0 })
    }

    /// Returns the virtual time now.
    pub(crate) fn now(self) -> Nanos {
        match self {
            Self::Events => super::now(),
            Self::Real { start, dilation } => {
                EPOCH + Nanos::from_secs_f64(start.elapsed().as_secs_f64() * dilation)
            }
        }
    }

    /// Returns the real duration of a virtual span; none while time goes by events.
    pub(crate) fn real(self, span: Nanos) -> Duration {
        match self {
            Self::Events => Duration::ZERO,
            Self::Real { dilation, .. } => Duration::from_secs_f64(span.as_secs_f64() / dilation),
        }
    }

    /// Sleeps for a virtual span.
    pub(crate) fn sleep(self, span: Nanos) {
        if span > Nanos::ZERO {
            self.sleep_until(self.now() + span);
        }
    }

    /// Sleeps until a virtual instant.
    pub(crate) fn sleep_until(self, instant: Nanos) {
        match self {
            Self::Events if instant > self.now() => super::sleep_until(instant),
            Self::Events => {}
            Self::Real { .. } => std::thread::sleep(self.real(instant - self.now())),
        }
    }
}
