//! The processor: cores that all threads share, first come, first served.
//!
//! A thread runs on a core until it has to wait; whoever is ready meanwhile takes the core that is free
//! first. Cores are not told apart, and nobody is interrupted. A small case, two cores: work of 5 at 0, of
//! 2 at 1 and of 1 at 2 is over at 5, 3 and 4, for the third one waits until 3.

use arcwright_units::Nanos;

/// The cores, and until when each is taken.
#[derive(Debug)]
pub(crate) struct Cores {
    taken: Vec<Nanos>,
    /// The core that [`Cores::begin`] gave away last.
    running: usize,
}

impl Cores {
    pub(crate) fn new(count: u32) -> Self {
        Self { taken: vec![Nanos::ZERO; count.max(1) as usize], running: 0 }
    }

    /// Lets a thread that is ready at `at` run; returns when it begins. It holds its core until
    /// [`Cores::end`]; nobody else asks in between.
    pub(crate) fn begin(&mut self, at: Nanos) -> Nanos {
        let mut best = (0, Nanos::MAX);
        for (core, until) in self.taken.iter().enumerate() {
            if *until <= at {
                self.running = core;
                return at;
            }
            if *until < best.1 {
                best = (core, *until);
            }
        }
        self.running = best.0;
        best.1
    }

    /// The same for a thread that was called so long ago that it could run at `at`: switching to it took
    /// `switch`, for which it holds its core already.
    pub(crate) fn begin_called(&mut self, at: Nanos, switch: Nanos) -> Nanos {
        self.begin(Nanos(at.0.saturating_sub(switch.0))) + switch
    }

    /// The thread that began last waits from `at` on.
    pub(crate) fn end(&mut self, at: Nanos) {
        if let Some(until) = self.taken.get_mut(self.running) {
            *until = at.max(*until);
        }
    }

    /// Returns when work of `span` is over that is ready at `at`.
    pub(crate) fn work(&mut self, at: Nanos, span: Nanos) -> Nanos {
        if span == Nanos::ZERO {
            return at;
        }
        let end = self.begin(at) + span;
        self.end(end);
        end
    }
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::Cores;

    fn check(cores: u32, work: &[(u64, u64)], expected: &[u64]) {
        let mut cores = Cores::new(cores);
        let over: Vec<u64> =
            work.iter().map(|(at, span)| cores.work(Nanos(*at), Nanos(*span)).0).collect();
        assert_eq!(over, expected);
    }

    #[test]
    fn who_is_ready_first_runs_first() {
        check(2, &[(0, 5), (1, 2), (2, 1)], &[5, 3, 4]);
        check(1, &[(0, 5), (1, 2), (9, 1)], &[5, 7, 10]);
        check(4, &[(0, 5), (0, 5), (0, 5), (0, 5), (0, 5)], &[5, 5, 5, 5, 10]);
        check(0, &[(3, 1), (3, 0)], &[4, 3]);
    }
}
