//! How fast a resilver that has ended was: `resilvered 1.03T in 04:08:11 with 0 errors`.

use arcwright_units::Rate;

use crate::config::number;

/// Returns the mean rate of an ended resilver; none of a scrub, whose line tells what it repaired and not
/// what it read.
pub(super) fn rate(scan: &str) -> Option<Rate> {
    let rest = scan.split_once("resilvered ")?.1;
    let (amount, rest) = rest.split_once(" in ")?;
    let (duration, _) = rest.split_once(" with ")?;
    Some(Rate(number(amount)?.checked_div(seconds(duration)?)?))
}

/// Returns a time as `zpool status` tells it: `04:08:11`, `1 days 04:08:11`, `4h8m`, `0h0m`.
fn seconds(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Some((days, clock)) = text.split_once(" days ") {
        return days.trim().parse::<u64>().ok()?.checked_mul(86_400)?.checked_add(clock_s(clock)?);
    }
    if text.contains(':') {
        return clock_s(text);
    }
    let (hours, minutes) = text.strip_suffix('m')?.split_once('h')?;
    let hours: u64 = hours.parse().ok()?;
    hours.checked_mul(3600)?.checked_add(minutes.parse::<u64>().ok()?.checked_mul(60)?)
}

fn clock_s(text: &str) -> Option<u64> {
    text.trim()
        .split(':')
        .try_fold(0_u64, |sum, part| sum.checked_mul(60)?.checked_add(part.parse::<u64>().ok()?))
}

#[cfg(test)]
mod tests {
    use super::{rate, seconds};

    #[test]
    fn an_ended_resilver_tells_its_mean_rate() {
        for (text, expected) in [
            (
                "resilvered 1.00G in 00:00:16 with 0 errors on Sun Feb  1 10:00:00 2026",
                Some(64 << 20),
            ),
            ("resilvered 60M in 0h1m with 0 errors", Some(1 << 20)),
            ("scrub repaired 0B in 10:00:00 with 0 errors on Sun", None),
            ("resilvered 0 in 0h0m with 0 errors", None),
            ("resilver in progress since Sun, 1.2G resilvered, 3.00% done", None),
        ] {
            assert_eq!(rate(text).map(|rate| rate.0), expected, "{text}");
        }
    }

    #[test]
    fn times_are_read_in_each_form() {
        for (text, expected) in [
            ("04:08:11", Some(14_891)),
            ("1 days 00:00:01", Some(86_401)),
            ("123h32m", Some(444_720)),
            ("soon", None),
            ("99999999999999999999h1m", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }
}
