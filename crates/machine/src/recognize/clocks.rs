//! Times that stand between readings of counters, from which the length of a window is known.
//!
//! ```text
//! Thu Nov 19 10:00:00 UTC 2026       date(1)
//! size  4  1000                      reading 1
//! Thu Nov 19 10:00:10 UTC 2026       the same but for the time of day
//! size  4  1100                      reading 2: a window of 10 s
//! ```
//!
//! What stands beside the time of day must be the same in all of them: no calendar is computed here.

use arcwright_units::Nanos;

/// Where times are kept, of which nothing else is read.
pub(super) const NAME: &str = "commands/date";
/// The moment of the first: any but zero, which is none.
const BEGIN: Nanos = Nanos::secs(1);

/// A time of day, and the day as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clock {
    day: String,
    second: u64,
}

impl Clock {
    /// Reads a line with one time of day in it.
    pub(super) fn of(line: &str) -> Option<Self> {
        let mut day = String::new();
        let mut second = None;
        for word in line.split([' ', 'T', '\t']).filter(|word| !word.is_empty()) {
            match (second_of(word), second) {
                (Some(found), None) => second = Some(found),
                (Some(_), Some(_)) => return None,
                (None, _) => day.extend([word, " "]),
            }
        }
        Some(Self { day, second: second? })
    }
}

/// Returns the second of the day: of `10:00:05`, `10:00:05.123`, `10:00:05Z`, `10:00:05+01:00`.
fn second_of(word: &str) -> Option<u64> {
    let word = word.split(['.', '+', 'Z', ',']).next()?;
    let mut parts = word.split(':').map(|part| part.parse::<u64>().ok().filter(|n| *n < 60));
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    (parts.next().is_none() && hour < 24).then_some(hour * 3600 + minute * 60 + second)
}

/// Returns the moments of readings: each must have its own time of one day, later than the one before.
pub(super) fn moments(clocks: &[Option<&Clock>]) -> Option<Vec<Nanos>> {
    let first = (*clocks.first()?)?;
    let mut last = None;
    let mut all = Vec::with_capacity(clocks.len());
    for clock in clocks {
        let clock = (*clock)?;
        let since = clock.second.checked_sub(first.second)?;
        let is_later = last.is_none_or(|last| since > last);
        (clock.day == first.day && is_later).then_some(())?;
        last = Some(since);
        all.push(Nanos(BEGIN.0.saturating_add(Nanos::secs(since).0)));
    }
    (all.len() > 1).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::{Clock, moments};
    use crate::machine::Machine;
    use crate::sources::Sources;

    /// Checks the seconds between the first time and each.
    fn check(lines: &[&str], expected: Option<&[u64]>) {
        let clocks: Vec<Option<Clock>> = lines.iter().map(|line| Clock::of(line)).collect();
        let clocks: Vec<Option<&Clock>> = clocks.iter().map(Option::as_ref).collect();
        let found = moments(&clocks);
        let seconds = found.map(|all| all.iter().map(|at| at.0 / 1_000_000_000 - 1).collect());
        assert_eq!(seconds, expected.map(<[u64]>::to_vec), "{lines:?}");
    }

    #[test]
    fn times_of_one_day_tell_how_far_readings_are_apart() {
        check(&["Thu Nov 19 10:00:00 UTC 2026", "Thu Nov 19 10:00:10 UTC 2026"], Some(&[0, 10]));
        check(
            &["2026-11-19 09:59:58", "2026-11-19T10:01:00", "2026-11-19 10:01:01.5"],
            Some(&[0, 62, 63]),
        );
    }

    #[test]
    fn other_days_and_times_that_run_back_tell_nothing() {
        check(&["Thu Nov 19 10:00:00 2026", "Fri Nov 20 10:00:10 2026"], None);
        check(&["10:00:10", "10:00:00"], None);
        check(&["10:00:10", "10:00:10"], None);
        check(&["10:00:10", "soon"], None);
        check(&["10:00:00 to 11:00:00", "10:00:10"], None);
        check(&["10:00:00"], None);
        check(&[], None);
    }

    #[test]
    fn readings_between_times_are_a_window() {
        let reading = |time: &str, hits: u64| {
            format!("{time}\nhits 4 {hits}\nmisses 4 50\nc_max 4 1000000\nmfu_hits 4 7\n")
        };
        let at = |text: &str| {
            let machine = Machine::read(&Sources::recognize(text));
            assert_eq!(machine.problems, [], "{text}");
            let time = |sample: &crate::Sample| sample.kstats.kstats["zfs/arcstats"].snaptime.0;
            machine.samples.iter().map(time).collect::<Vec<u64>>()
        };
        let two = reading("=== 10:00:00 ===", 1) + &reading("=== 10:00:20 ===", 9);
        assert_eq!(at(&two), [1_000_000_000, 21_000_000_000]);
        // Without the second time nobody knows.
        let one = reading("=== 10:00:00 ===", 1) + &reading("", 9);
        assert_eq!(at(&one), [0, 0]);
    }
}
