//! How figures are printed on the dashboard: short, three digits, units of 1024 for bytes.

use arcwright_units::Bytes;

/// What stands where nothing was measured.
pub(crate) const ABSENT: &str = "-";

/// Prints bytes per second.
pub(crate) fn rate(bytes_per_s: Option<f64>) -> String {
    match bytes_per_s {
        None => ABSENT.to_owned(),
        Some(rate) if rate < 0.5 => "0".to_owned(),
        Some(rate) => format!("{}/s", size(rate)),
    }
}

/// Prints a size.
pub(crate) fn size(bytes: f64) -> String {
    let is_number = bytes.is_finite();
    Bytes(if is_number { whole(bytes) } else { 0 }).to_string()
}

/// Prints how many per second: `12.4k/s`.
pub(crate) fn per_second(count: Option<f64>) -> String {
    count.map_or_else(|| ABSENT.to_owned(), |count| format!("{}/s", thousands(count)))
}

/// Prints a number with three digits and k, M, G for thousands.
pub(crate) fn thousands(number: f64) -> String {
    let steps = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    let (by, unit) = steps.into_iter().find(|(by, _)| number >= *by).unwrap_or((1.0, ""));
    let value = number / by;
    let decimals = if value >= 100.0 || (unit.is_empty() && value.fract() == 0.0) {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.decimals$}{unit}")
}

/// Prints a share from 0 to 1 in percent.
pub(crate) fn share(share: Option<f64>) -> String {
    match share {
        None => ABSENT.to_owned(),
        Some(share) if share > 0.0 && share < 0.001 => "< 0.1 %".to_owned(),
        Some(share) if share < 1.0 && share > 0.999 => "> 99.9 %".to_owned(),
        Some(share) => format!("{:.1} %", share * 100.0),
    }
}

/// Prints a time in nanoseconds.
pub(crate) fn latency(nanos: Option<f64>) -> String {
    let Some(nanos) = nanos else { return ABSENT.to_owned() };
    let (value, unit) = match nanos {
        n if n >= 1e9 => (n / 1e9, "s"),
        n if n >= 1e6 => (n / 1e6, "ms"),
        n => (n / 1e3, "µs"),
    };
    let decimals = if value >= 99.95 { 0 } else { usize::from(value < 99.95) };
    format!("{value:.decimals$} {unit}")
}

/// Prints a time in seconds: `1 s`, `12:05 min`.
pub(crate) fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 60.0 && (s - s.round()).abs() < 0.05 => format!("{s:.0} s"),
        s if s < 60.0 => format!("{s:.1} s"),
        s => {
            let whole = whole(s);
            match whole / 60 {
                minutes if minutes < 60 => format!("{minutes}:{:02} min", whole % 60),
                minutes => format!("{}:{:02} h", minutes / 60, minutes % 60),
            }
        }
    }
}

/// Rounds a number to a whole one, as far as there is one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float saturates, and what is not positive is zero"
)]
pub(crate) fn whole(number: f64) -> u64 {
    if number > 0.0 { number.round() as u64 } else { 0 }
}

/// Returns the next number above `most` that an axis may end at: 1, 1.5, 2 or 3 times a power of two.
pub(crate) fn scale(most: f64, least: f64) -> f64 {
    const STEPS_MAX: usize = 64;
    let mut end = least;
    for _ in 0..STEPS_MAX {
        for by in [1.0, 1.5] {
            if end * by >= most {
                return end * by;
            }
        }
        end *= 2.0;
    }
    end
}

/// Returns the columns of a text on the screen.
pub(crate) fn width(text: &str) -> usize {
    ratatui::text::Span::raw(text).width()
}

/// Returns a text, or its beginning where it is too wide.
pub(crate) fn beginning(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 1;
    for letter in text.chars() {
        used += width(letter.encode_utf8(&mut [0; 4]));
        if used > columns {
            break;
        }
        kept.push(letter);
    }
    if columns > 0 {
        kept.push('…');
    }
    kept
}

/// Returns a text, or its end where it is too wide: the end tells disks and datasets apart.
pub(crate) fn end(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut kept = Vec::new();
    let mut used = 1;
    for letter in text.chars().rev() {
        used += width(letter.encode_utf8(&mut [0; 4]));
        if used > columns {
            break;
        }
        kept.push(letter);
    }
    kept.extend((columns > 0).then_some('…'));
    kept.iter().rev().collect()
}

/// Returns a text with blanks up to so many columns.
pub(crate) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        beginning, end, latency, per_second, rate, scale, seconds, share, size, thousands, width,
    };

    #[test]
    fn figures_are_short_and_absent_is_a_dash() {
        let check = |found: String, expected: &str| assert_eq!(found, expected);
        check(rate(None), "-");
        check(rate(Some(0.0)), "0");
        check(rate(Some(1536.0)), "1.50 KiB/s");
        check(per_second(Some(12_400.0)), "12.4k/s");
        check(per_second(Some(3.0)), "3/s");
        check(per_second(None), "-");
        check(thousands(2.5), "2.50");
        check(thousands(1_234_567.0), "1.23M");
        check(share(Some(0.973)), "97.3 %");
        check(share(Some(0.0)), "0.0 %");
        check(share(Some(0.0002)), "< 0.1 %");
        check(share(Some(0.9997)), "> 99.9 %");
        check(share(Some(1.0)), "100.0 %");
        check(latency(Some(8_420_000.0)), "8.4 ms");
        check(latency(Some(85_000.0)), "85.0 µs");
        check(latency(Some(120e6)), "120 ms");
    }

    #[test]
    fn an_axis_ends_at_a_round_number_not_far_above() {
        for most in [0.0, 1.0, 1000.0, 1025.0, 7e8, 1.2e9, 3e14] {
            let end = scale(most, 1024.0);
            assert!(end >= most && (end <= 1.5 * most || end < 1025.0), "{most}: {end}");
        }
        let check = |most: f64, expected: &str| assert_eq!(size(scale(most, 1024.0)), expected);
        check(0.0, "1 KiB");
        check(700e6, "768 MiB");
        check(800e6, "768 MiB");
        check(900e6, "1 GiB");
        assert!(scale(f64::INFINITY, 1.0).is_finite());
    }

    #[test]
    fn times_have_their_unit() {
        let check = |time: f64, expected: &str| assert_eq!(seconds(time), expected);
        check(1.0, "1 s");
        check(0.5, "0.5 s");
        check(119.0, "1:59 min");
        check(7260.0, "2:01 h");
    }

    proptest! {
        #[test]
        fn what_is_cut_says_so_and_fits(text in "\\PC{0,20}", columns in 0usize..30) {
            for cut in [beginning(&text, columns), end(&text, columns)] {
                prop_assert!(width(&cut) <= columns);
                prop_assert!(cut == text || columns == 0 || cut.contains('…'));
            }
        }
    }
}
