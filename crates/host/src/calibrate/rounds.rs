//! Work in rounds, each timed, and what they say together.

use std::time::{Duration, Instant};

/// How long a round of one kind of work takes at least.
const ROUND: Duration = Duration::from_millis(20);
/// Most times that a round does its work, whatever the clock says.
const TIMES_MAX: u64 = 1 << 32;

/// Returns the seconds that `work` takes for one of what it does; it is told how many to do. A round of so few that the
/// clock is too coarse for it is done again with more.
pub(super) fn seconds_each(mut work: impl FnMut(u64)) -> f64 {
    let mut times = 1;
    loop {
        let begin = Instant::now();
        work(times);
        let taken = begin.elapsed();
        if taken >= ROUND || times >= TIMES_MAX {
            return taken.as_secs_f64() / times as f64;
        }
        // As many as fill the round, but no more than eight times as many as before.
        let fill = ROUND.as_secs_f64() / taken.as_secs_f64().max(1e-9) * 1.1;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "2 to 8")]
        let more = fill.clamp(2.0, 8.0).ceil() as u64;
        times = times.saturating_mul(more);
    }
}
