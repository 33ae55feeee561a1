//! Ticks, in which the ARC measures the age of a block and the feed its sleep (`ddi_get_lbolt`).
//!
//! The kernel's are a millisecond or a few, and are taken as exact here. In user space, where the lab is,
//! a tick is a 119th of a second in one place and 2^23 nanoseconds in another (`hz` and
//! `ddi_get_lbolt`, sys/zfs_context.h 2.1 and 2.3): the feed's 200 ms are 23 ticks, 193 ms, and a
//! fourteenth more is written to a cache device.

use arcwright_units::Nanos;

/// What a tick is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ticks {
    /// Short enough to be none.
    Kernel,
    /// As in OpenZFS's library for user space.
    UserSpace,
}

/// `hz` in user space.
const HZ: u64 = 119;
/// A tick of the clock there, as a shift of nanoseconds.
const TICK_SHIFT: u32 = 23;
/// `ARC_MINTIME`: a sixteenth of a second, and in user space seven ticks.
const MINTIME: Nanos = Nanos::millis(62);
const MINTIME_TICKS: u64 = HZ >> 4;

/// The sleep of a thread that began to work at `began` and sleeps from `now` on, to begin again after `span`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sleep {
    pub(crate) began: Nanos,
    pub(crate) now: Nanos,
    pub(crate) span: Nanos,
}

impl Ticks {
    /// Returns whether `now` is long enough after `then` for a second access to count as one.
    #[inline]
    pub(crate) fn are_apart(self, then: Nanos, now: Nanos) -> bool {
        match self {
            Self::Kernel => now > then + MINTIME,
            Self::UserSpace => tick(now) > tick(then) + MINTIME_TICKS,
        }
    }

    /// Returns when a thread wakes (`l2arc_write_interval`, arc.c; `cv_timedwait`, lib/libzpool/kernel.c).
    pub(crate) fn wakes_at(self, sleep: Sleep) -> Nanos {
        let Sleep { began, now, span } = sleep;
        match self {
            Self::Kernel => now.max(began + span),
            Self::UserSpace => {
                let ticks = HZ * (span.0 / 1_000_000) / 1000;
                let left = (tick(began) + ticks).saturating_sub(tick(now));
                let (secs, rest) = (left / HZ, left % HZ);
                now + Nanos::secs(secs) + Nanos(rest * (Nanos::SECOND.0 / HZ))
            }
        }
    }
}

fn tick(at: Nanos) -> u64 {
    at.0 >> TICK_SHIFT
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::{Sleep, Ticks};

    fn check(ticks: Ticks, began_ms: u64, now_ms: u64, span_ms: u64, expected_us: u64) {
        let (began, now) = (Nanos::millis(began_ms), Nanos::millis(now_ms));
        let woken = ticks.wakes_at(Sleep { began, now, span: Nanos::millis(span_ms) });
        assert_eq!(woken.0 / 1000, expected_us, "{ticks:?} {began_ms} {now_ms} {span_ms}");
    }

    #[test]
    fn two_hundred_milliseconds_are_193_in_user_space() {
        check(Ticks::Kernel, 100, 103, 200, 300_000);
        check(Ticks::Kernel, 100, 900, 200, 900_000);
        check(Ticks::UserSpace, 101, 103, 200, 103_000 + 193_277);
        check(Ticks::UserSpace, 101, 110, 200, 110_000 + 184_873);
        check(Ticks::UserSpace, 101, 900, 200, 900_000);
        check(Ticks::UserSpace, 101, 103, 1000, 1_103_000);
    }

    #[test]
    fn an_age_is_counted_in_ticks_there() {
        let age = |ticks: Ticks, millis: u64| ticks.are_apart(Nanos::ZERO, Nanos::millis(millis));
        assert!(!age(Ticks::Kernel, 62) && age(Ticks::Kernel, 63));
        assert!(!age(Ticks::UserSpace, 67) && age(Ticks::UserSpace, 68));
    }
}
