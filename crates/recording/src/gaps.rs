//! Where a recording knows nothing: nobody took readings, or the counters began anew.

use arcwright_units::Nanos;

use crate::span::Counts;

/// A time of which a recording knows nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordingGap {
    /// The last reading before it, since 1970.
    pub from: Nanos,
    /// The first reading after it.
    pub to: Nanos,
    /// Whether it is longer than the times between the readings around it.
    pub is_long: bool,
    /// Whether counters began anew in it: the machine was started, or the module loaded again.
    pub is_restart: bool,
}

/// A time between readings is long when it is so many times as long as usual there.
const LONG: u64 = 4;
/// So many times before it, and as many after it, say what is usual there: what is older has fewer readings.
const AROUND: usize = 3;

impl RecordingGap {
    /// Returns how long it is.
    #[must_use]
    pub fn length(&self) -> Nanos {
        self.to.saturating_sub(self.from)
    }
}

/// Returns where readings, oldest first, do not go on from each other.
#[must_use]
pub fn gaps(counts: &[Counts]) -> Vec<RecordingGap> {
    let pairs = || counts.iter().zip(counts.iter().skip(1));
    let spans: Vec<u64> = pairs().map(|(one, next)| next.at.saturating_sub(one.at).0).collect();
    let found = pairs().enumerate().filter_map(|(number, (one, next))| {
        let is_restart = !one.goes_on_to(next);
        let span = next.at.saturating_sub(one.at).0;
        let is_long = usual(&spans, number).is_some_and(|usual| span > usual.saturating_mul(LONG));
        let gap = RecordingGap { from: one.at, to: next.at, is_long, is_restart };
        (is_long || is_restart).then_some(gap)
    });
    found.collect()
}

/// Returns the usual time between readings around one: the longer of what is usual before and after it, as a recording that
/// was thinned changes its step. None where there is no other.
fn usual(spans: &[u64], number: usize) -> Option<u64> {
    let before = spans.get(number.saturating_sub(AROUND)..number);
    let after = spans.get(number + 1..(number + 1 + AROUND).min(spans.len()));
    before.and_then(median).max(after.and_then(median))
}

fn median(spans: &[u64]) -> Option<u64> {
    let mut sorted = spans.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::gaps;
    use crate::span::Counts;

    fn counts(seconds: &[u64], loaded: u64) -> Vec<Counts> {
        let of = |second: &u64| Counts {
            at: Nanos::secs(*second),
            loaded: Nanos(loaded),
            ..Counts::default()
        };
        seconds.iter().map(of).collect()
    }

    #[test]
    fn a_gap_is_longer_than_what_is_around_it() {
        let check = |seconds: &[u64], expected: &[(u64, u64)]| {
            let found = gaps(&counts(seconds, 1));
            let found: Vec<(Nanos, Nanos)> = found.iter().map(|gap| (gap.from, gap.to)).collect();
            let expected: Vec<(Nanos, Nanos)> =
                expected.iter().map(|(from, to)| (Nanos::secs(*from), Nanos::secs(*to))).collect();
            assert_eq!(found, expected, "{seconds:?}");
        };
        check(&[], &[]);
        check(&[1, 1000], &[]);
        check(&[1, 2, 3, 4], &[]);
        check(&[1, 2, 3, 60, 61, 62], &[(3, 60)]);
        // An old part with a reading every minute, then one every second.
        check(&[0, 60, 120, 180, 240, 241, 242, 243, 244], &[]);
        check(&[0, 60, 120, 600, 660, 661, 662, 663], &[(120, 600)]);
    }

    #[test]
    fn a_restart_is_a_gap_however_short() {
        let mut all = counts(&[1, 2, 3], 1);
        all.extend(counts(&[4, 5, 6], 2));
        let found = gaps(&all);
        assert_eq!(found.len(), 1);
        assert!(found[0].is_restart && !found[0].is_long);
        assert_eq!(found[0].length(), Nanos::SECOND);
    }
}
