//! When a run begins, as seen by the parts of OpenZFS that act once a second.

use arcwright_units::Nanos;
use arcwright_workload::Stream;

/// Returns how long after a run's start the L2ARC's feed thread wakes for the first time: somewhere
/// in its second. Nobody starts a copy in step with it, so the seed decides, for every engine alike.
#[must_use]
pub fn until_first_feed(seed: u64) -> Nanos {
    Nanos::millis(Stream::new(seed, "first feed").below(1000))
}

/// Returns the stream from which the feed draws the sublist of each pass over a list; the same for
/// every engine, so that chance is no difference between them.
#[must_use]
pub fn feed_rng(seed: u64) -> Stream {
    Stream::new(seed ^ EARLIER_NAME, "feed sublists")
}

/// The stream had another name when the lab's records were made, and draws what it drew then: this is the
/// hash of that name, with that of today's taken out (exclusive or of both, FNV-1a).
const EARLIER_NAME: u64 = 0x44b3_bbd7_6d5d_a522;

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::{feed_rng, until_first_feed};

    #[test]
    fn the_feed_draws_what_it_drew_when_the_records_of_the_lab_were_made() {
        let mut rng = feed_rng(1);
        let drawn: Vec<u64> = (0..6).map(|_| rng.below(1000)).collect();
        assert_eq!(drawn, [720, 589, 137, 431, 498, 898]);
    }

    #[test]
    fn seeds_fall_all_over_the_second() {
        let drawn: Vec<Nanos> = (0..100).map(until_first_feed).collect();
        assert!(drawn.iter().all(|wait| *wait < Nanos::SECOND));
        for tenth in 0..10 {
            let from = Nanos::millis(tenth * 100);
            let there = drawn.iter().any(|wait| *wait >= from && *wait < from + Nanos::millis(100));
            assert!(there, "none in tenth {tenth}: {drawn:?}");
        }
    }
}
