//! Figures in words: counts in groups of three, shares, times, lists.

pub(crate) use arcwright_units::shell;
use arcwright_units::{Nanos, Rate, Ratio};

/// Returns a count with its thousands apart: `1,234,567`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a count with three digits at most where it is large: `61.0 million`.
pub(crate) fn rounded(number: u64) -> String {
    const NAMES: [(u64, &str); 3] =
        [(1_000_000_000_000, "trillion"), (1_000_000_000, "billion"), (1_000_000, "million")];
    let Some((unit, name)) = NAMES.into_iter().find(|(unit, _)| number >= *unit) else {
        return count(number);
    };
    let value = number as f64 / unit as f64;
    match value {
        value if value < 9.995 => format!("{value:.2} {name}"),
        value if value < 99.95 => format!("{value:.1} {name}"),
        value => format!("{value:.0} {name}"),
    }
}

/// Returns the share of `part` in `whole` for a sentence.
pub(crate) fn share(part: u64, whole: u64) -> String {
    Ratio::new(part.min(whole), whole).to_string()
}

/// Returns the share of `part` in `whole` between 0 and 1; zero of nothing.
#[expect(clippy::disallowed_methods, reason = "both are known; of nothing, none is what is meant")]
pub(crate) fn fraction(part: u64, whole: u64) -> f64 {
    Ratio::new(part, whole).value().unwrap_or(0.0)
}

/// Returns a rate for a sentence: `0.3`, `4.2`, `118`.
pub(crate) fn per_s(rate: f64) -> String {
    match rate {
        rate if rate >= 1e6 => format!("{:.1} million", rate / 1e6),
        rate if rate >= 9.95 => format!("{rate:.0}"),
        rate => format!("{rate:.1}"),
    }
}

/// Returns bytes per second for a sentence: `12.8 MiB/s`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float's range is cut; rates are not negative"
)]
pub(crate) fn rate(per_s: f64) -> String {
    Rate(per_s as u64).to_string()
}

/// Returns a latency for a sentence: `8.3 ms`.
pub(crate) fn latency(nanos: u64) -> String {
    Nanos(nanos).to_string()
}

/// Returns a time as people say it: `10 s`, `3 hours`, `12 days`.
pub(crate) fn span(time: Nanos) -> String {
    // To the nearest second, so that 59.9 s is a minute's window and not 59 s.
    let seconds = time.0.saturating_add(500_000_000) / 1_000_000_000;
    match seconds {
        0 => time.to_string(),
        1..10 => format!("{:.1} s", time.as_secs_f64()),
        10..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} minutes", seconds / 60),
        7200..=172_799 => format!("{} hours", seconds / 3600),
        _ => format!("{} days", seconds.saturating_add(43_200) / 86_400),
    }
}

/// The most names that a sentence lists.
const LISTED_MAX: usize = 4;

/// Returns names as a list in a sentence, the rest counted: `a, b, c, d and 3 more`.
pub(crate) fn list(names: &[String]) -> String {
    let shown = names.iter().take(LISTED_MAX).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(LISTED_MAX) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Returns `one` or `many`, as the count asks for.
pub(crate) const fn plural<'a>(count: usize, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}

/// Says whether a verb beside it is of several: “properties of datasets”, not “the layout of pools” or “how full tank is”.
pub(crate) fn is_plural(what: &str) -> bool {
    let is_clause = ["how ", "which ", "whether "].iter().any(|word| what.starts_with(word));
    let noun = what.split(" of ").flat_map(|part| part.split(" that ")).next();
    !is_clause && noun.is_some_and(|noun| noun.ends_with('s'))
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::{count, fraction, is_plural, list, per_s, share, span};

    #[test]
    fn thousands_stand_apart() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(number), text);
        }
        assert_eq!(count(u64::MAX).len(), 26);
    }

    #[test]
    fn large_counts_have_three_digits() {
        for (number, text) in [
            (999_999, "999,999"),
            (1_000_000, "1.00 million"),
            (60_988_200, "61.0 million"),
            (2_825_390_000, "2.83 billion"),
            (u64::MAX, "18446744 trillion"),
        ] {
            assert_eq!(super::rounded(number), text);
        }
    }

    #[test]
    fn a_share_is_never_above_all() {
        assert_eq!(share(9, 4), "100 %");
        assert_eq!(share(1, 0), "n/a");
        assert!(fraction(1, 0).abs() < 1e-9);
    }

    #[test]
    fn times_and_rates_read_as_people_say_them() {
        assert_eq!(span(Nanos::secs(10)), "10 s");
        assert_eq!(span(Nanos::millis(2650)), "2.6 s");
        assert_eq!(span(Nanos::secs(3 * 86_400)), "3 days");
        assert_eq!(span(Nanos::secs(7200)), "2 hours");
        assert_eq!(per_s(0.34), "0.3");
        assert_eq!(per_s(117.6), "118");
    }

    #[test]
    fn long_lists_end_in_a_count() {
        let names: Vec<String> = (0..6).map(|number| format!("p{number}")).collect();
        assert_eq!(list(&names), "p0, p1, p2, p3 and 2 more");
        assert_eq!(list(&names[..2]), "p0, p1");
    }

    #[test]
    fn a_verb_agrees_with_its_noun() {
        for (what, expected) in [
            ("the pools", true),
            ("properties of datasets", true),
            ("files that set parameters", true),
            ("the layout of pools", false),
            ("how full tanks is", false),
            ("which datasets are mounted", false),
            ("the memory", false),
        ] {
            assert_eq!(is_plural(what), expected, "{what}");
        }
    }
}
