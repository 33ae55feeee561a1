//! Times that stand between readings of counters, from which the length of a window is known.
//!
//! ```text
//! Thu Nov 19 10:00:00 UTC 2026       date(1)
//! size  4  1000                      reading 1
//! Thu Nov 19 10:00:10 UTC 2026       the same but for the time of day
//! size  4  1100                      reading 2: a window of 10 s
//! ```
//!
//! What stands beside the time of day must be the same in all of them, or say the day after: the next number in
//! its place, and perhaps another name of a day. A month's end is not computed; there nothing is told.

use arcwright_units::Nanos;

use crate::nicenum;

/// Where times are kept, of which nothing else is read.
pub(super) const NAME: &str = "commands/date";
const DAY_S: u64 = 24 * 3600;
const HALF_DAY_S: u64 = DAY_S / 2;
/// What stands between the parts of a date.
const APART: [char; 3] = [' ', '-', '/'];
const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
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
        for word in line.split_whitespace().flat_map(apart) {
            match (second_of(word), second) {
                (Some(found), None) => second = Some(found),
                (Some(_), Some(_)) => return None,
                (None, _) => day.extend([word, " "]),
            }
        }
        Some(Self { day, second: second? })
    }

    /// Returns the seconds since an earlier time, of the same day or of the one before.
    fn after(&self, before: &Self) -> Option<u64> {
        if self.day == before.day {
            // A time alone may be of the next day, where it lies far before the other.
            let is_next = self.day.is_empty() && before.second > self.second + HALF_DAY_S;
            let until = if is_next { self.second + DAY_S } else { self.second };
            return until.checked_sub(before.second);
        }
        let [old, new]: [Vec<&str>; 2] =
            [before, self].map(|clock| clock.day.split_inclusive(APART).collect());
        let is_name = |part: &str| DAYS.contains(&part.trim_end_matches([',', ' ']));
        let mut changed =
            old.iter().zip(&new).filter(|(old, new)| old != new && !(is_name(old) && is_name(new)));
        let is_next = changed.next().is_some_and(|(old, new)| is_step(old, new));
        let is_day_after = old.len() == new.len() && is_next && changed.next().is_none();
        is_day_after.then(|| (self.second + DAY_S).checked_sub(before.second))?
    }
}

/// Returns whether a part of a date is the next number, in the same place: `19-` and `20-`.
fn is_step(old: &str, new: &str) -> bool {
    let [(old, end), (new, new_end)] =
        [old, new].map(|part| part.split_at(part.trim_end_matches(APART).len()));
    let next = old.parse::<u8>().ok().and_then(|old| old.checked_add(1));
    end == new_end && next.is_some_and(|next| new.parse() == Ok(next))
}

/// Splits `2026-11-19T10:00:05`.
fn apart(word: &str) -> impl Iterator<Item = &str> {
    let at = word.split_once('T').filter(|(day, _)| day.ends_with(|c: char| c.is_ascii_digit()));
    let (day, time) = match at {
        Some((day, time)) => (day, Some(time)),
        None => (word, None),
    };
    std::iter::once(day).chain(time)
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
    let mut last: Option<(&Clock, u64)> = None;
    let mut all = Vec::with_capacity(clocks.len());
    for clock in clocks {
        let clock = (*clock)?;
        let since = match last {
            Some((last, since)) => since.checked_add(clock.after(last)?)?,
            None => 0,
        };
        let is_later = last.is_none_or(|(_, last)| since > last);
        is_later.then_some(())?;
        last = Some((clock, since));
        all.push(Nanos(BEGIN.0.saturating_add(Nanos::secs(since).0)));
    }
    (all.len() > 1).then_some(all)
}

/// Returns the moments of readings between which a command let time pass, where none has a time of its own.
pub(super) fn apart_by(pause: Option<Nanos>, clocks: &[Option<&Clock>]) -> Option<Vec<Nanos>> {
    let pause = pause.filter(|_| clocks.len() > 1 && clocks.iter().all(Option::is_none))?;
    let mut at = BEGIN;
    let moment = |_: &Option<&Clock>| {
        let this = at;
        at = Nanos(at.0.saturating_add(pause.0));
        this
    };
    Some(clocks.iter().map(moment).collect())
}

/// Returns what commands that show counters let pass before they show them again:
/// `cat /proc/spl/kstat/zfs/arcstats; sleep 60; cat /proc/spl/kstat/zfs/arcstats`. None where they differ.
pub(super) fn pause<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Nanos> {
    let of_line = |line: &str| {
        let shows = ["arcstats", "kstat"].iter().any(|name| line.contains(name));
        let mut words = line.split([' ', '\t', ';', '&', '|']).filter(|word| !word.is_empty());
        let span = (shows && line.contains("sleep "))
            .then(|| words.find(|word| *word == "sleep").and_then(|_| seconds(words.next()?)));
        span.flatten()
    };
    let mut all = lines.filter_map(of_line);
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// Reads what `sleep` waits for: `60`, `1m`, `0.5`.
fn seconds(word: &str) -> Option<Nanos> {
    const DAY: f64 = 24.0 * 3600.0;
    let (number, unit) = match word.trim_end_matches(|letter: char| letter.is_ascii_alphabetic()) {
        number if number.len() == word.len() => (number, 1.0),
        number => match word.get(number.len()..)? {
            "s" => (number, 1.0),
            "m" => (number, 60.0),
            "h" => (number, 3600.0),
            _ => return None,
        },
    };
    let seconds = number.parse::<f64>().ok()? * unit;
    nicenum::whole(seconds * 1e9).filter(|_| seconds > 0.0 && seconds <= DAY).map(Nanos)
}

#[cfg(test)]
mod tests {
    use super::{Clock, Nanos, moments, pause};
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
    fn what_a_command_waits_for_is_between_its_readings() {
        let check = |lines: &[&str], expected: Option<u64>| {
            let millis = pause(lines.iter().copied()).map(|nanos: Nanos| nanos.0 / 1_000_000);
            assert_eq!(millis, expected, "{lines:?}");
        };
        check(
            &["# cat /proc/spl/kstat/zfs/arcstats; sleep 60; cat /proc/spl/kstat/zfs/arcstats"],
            Some(60_000),
        );
        check(
            &["$ sysctl kstat.zfs.misc.arcstats && sleep 1m && sysctl kstat.zfs.misc.arcstats"],
            Some(60_000),
        );
        check(&["while true; do grep hits arcstats; sleep 0.5; done"], Some(500));
        check(&["sleep 10; zpool iostat"], None);
        check(
            &["cat arcstats; sleep 5; cat arcstats", "cat arcstats; sleep 10; cat arcstats"],
            None,
        );
        check(&["arcstats sleep 9999999", "arcstats; sleep", "arcstats; sleep x"], None);
    }

    #[test]
    fn times_go_on_over_midnight() {
        check(&["Thu Nov 19 23:59:50 2026", "Fri Nov 20 00:00:10 2026"], Some(&[0, 20]));
        check(&["2026-11-19 23:59:50", "2026-11-20 00:00:10"], Some(&[0, 20]));
        check(&["23:59:50", "00:00:10", "00:00:30"], Some(&[0, 20, 40]));
    }

    #[test]
    fn other_days_and_times_that_run_back_tell_nothing() {
        check(&["Thu Nov 19 10:00:00 2026", "Sat Nov 21 10:00:10 2026"], None);
        check(&["Mon Nov 30 23:59:50 2026", "Tue Dec 1 00:00:10 2026"], None);
        check(&["2026-11-19 10:00:00", "2027-11-20 10:00:10"], None);
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
