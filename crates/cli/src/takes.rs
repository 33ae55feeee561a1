//! What a run would take, in words: memory and time of the model, room for the lab's disks.

use arcwright_model::Need;
use arcwright_units::{Bytes, Nanos};

/// Returns the lines of `--check` on what arms take, of which `width` run at once in `memory_max`.
pub(crate) fn of_model(needs: &[Need], width: usize, memory_max: Bytes) -> Vec<String> {
    let least = needs.iter().map(|need| need.memory_min).min().unwrap_or_default();
    let most = needs.iter().map(|need| need.memory_max).max().unwrap_or_default();
    let mut lines = vec![
        format!("{} to {} of memory for each arm", rounded(least), rounded(most)),
        format!("{width} in parallel, within {memory_max} (--max-memory)"),
    ];
    lines.extend(times(needs));
    lines
}

/// Returns how long the arms take: in the experiment, and to compute.
pub(crate) fn times(needs: &[Need]) -> Vec<String> {
    let time = computing(needs);
    let durations = || needs.iter().map(|need| need.duration);
    let (least, most) =
        (durations().min().unwrap_or_default(), durations().max().unwrap_or_default());
    let (short, long) = (span(least), span(most));
    let virtual_time = if short == long { short } else { format!("{short} to {long}") };
    let mut lines = vec![
        format!("roughly {virtual_time} of virtual time in each arm"),
        format!("roughly {} of computing time for all arms, divided among the cores", span(time)),
    ];
    if time > SLOW {
        lines.push(
            "--scale 8 takes an eighth of that, with sizes and rates divided by 8, at the price of some per cent \
             (fidelity/SCALING.md)"
                .to_owned(),
        );
    }
    lines
}

/// From so much computing time on a smaller experiment is offered.
const SLOW: Nanos = Nanos::secs(20);

fn computing(needs: &[Need]) -> Nanos {
    Nanos(needs.iter().fold(0, |sum: u64, need| sum.saturating_add(need.time.0)))
}

/// Returns a size in whole mebibytes, none too few: a reckoning is worth no more.
fn rounded(size: Bytes) -> Bytes {
    Bytes::mib((size.0 >> 20).saturating_add(1).min(u64::MAX >> 20))
}

/// Returns a time in the one unit that says how long it is.
fn span(time: Nanos) -> String {
    let seconds = time.0 / Nanos::SECOND.0;
    let (unit, of) = match seconds {
        0 | 1 => return "a second or less".to_owned(),
        2..120 => ("seconds", 1),
        120..7200 => ("minutes", 60),
        7200..172_800 => ("hours", 3600),
        172_800..63_072_000 => ("days", 86_400),
        _ => ("years", 31_536_000),
    };
    format!("{} {unit}", seconds.div_ceil(of))
}

#[cfg(test)]
mod tests {
    use arcwright_units::{Bytes, Nanos};

    use super::{rounded, span};

    #[test]
    fn a_rough_time_has_one_unit() {
        let check = |seconds: u64, expected: &str| assert_eq!(span(Nanos::secs(seconds)), expected);
        check(0, "a second or less");
        check(1, "a second or less");
        check(2, "2 seconds");
        check(119, "119 seconds");
        check(120, "2 minutes");
        check(7201, "3 hours");
        check(200_000, "3 days");
        assert_eq!(span(Nanos::MAX), "585 years");
    }

    #[test]
    fn a_rough_size_is_no_smaller() {
        for size in [0, 1, 1 << 20, 5 << 30, u64::MAX >> 1] {
            assert!(rounded(Bytes(size)).0 >= size.min((u64::MAX >> 20) << 20), "{size}");
        }
        assert_eq!(rounded(Bytes(1)), Bytes::mib(1));
        assert_eq!(rounded(Bytes::gib(3)), Bytes::mib(3073));
    }
}
