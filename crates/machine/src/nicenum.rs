//! Numbers as zpool(8) and `arc_summary` round them for people: `1.2K`, `4.1M`, `12.3 GiB`, `3ms`.
//!
//! zpool counts by 1024 whatever it counts; `arc_summary` counts hits by 1000. Times are whole or
//! one decimal with their unit. `-` stands for what is not.

/// Returns a number rounded by 1024: `1.2K`, `512`, `3.5T`, `12.3 GiB`; none for `-` and words.
pub(crate) fn binary(text: &str) -> Option<f64> {
    let text = text.trim();
    let text = text.strip_suffix("iB").or_else(|| text.strip_suffix("Bytes")).unwrap_or(text);
    scaled(text.strip_suffix('B').unwrap_or(text).trim(), 1024.0)
}

/// Returns a number rounded by 1000: `1.2k`, `4.1M`.
pub(crate) fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    // The older tool counts milliards as b.
    let billions = text.strip_suffix(['b', 'B']).map(|digits| format!("{digits}G"));
    scaled(billions.as_deref().unwrap_or(text), 1000.0)
}

/// Returns nanoseconds of `12ms`, `3us`, `1s`, `137s`, or of a bare number of nanoseconds.
pub(crate) fn nanoseconds(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at_checked(end)?;
    let factor = match unit {
        "" | "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "m" => 60e9,
        "h" => 3600e9,
        _ => return None,
    };
    whole(digits.parse::<f64>().ok()? * factor)
}

/// Returns a rounded number as a whole one; none when it is negative or beyond the range.
pub(crate) fn whole(number: f64) -> Option<u64> {
    /// The first number past the range of u64: 2^64.
    const END: f64 = 18_446_744_073_709_551_616.0;
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
    #[expect(clippy::cast_sign_loss, reason = "the range is checked")]
    (number.is_finite() && (0.0..END).contains(&number)).then(|| number.round() as u64)
}

fn scaled(text: &str, base: f64) -> Option<f64> {
    const SUFFIXES: &str = "KMGTPEZY";
    let point = with_point(text);
    let text = point.as_deref().unwrap_or(text);
    let number = |digits: &str| {
        let plain = digits.chars().all(|c| c.is_ascii_digit() || c == '.');
        let digits = digits.trim();
        (plain && !digits.is_empty()).then(|| digits.parse::<f64>().ok()).flatten()
    };
    let last = text.chars().last()?;
    let Some(power) = SUFFIXES.find(last.to_ascii_uppercase()) else { return number(text) };
    let digits = text.strip_suffix(last)?.trim_end();
    let power = i32::try_from(power).ok()? + 1;
    Some(number(digits)? * base.powi(power))
}

/// Returns a number that people of many countries write with a comma, `3,47M`; three digits behind one are
/// thousands, which no tool prints.
fn with_point(text: &str) -> Option<String> {
    let (whole, rest) = text.split_once(',')?;
    let digits = rest.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let all = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let fits = all(whole) && all(digits) && digits.len() <= 2 && digits.len() < rest.len();
    fits.then(|| format!("{whole}.{rest}"))
}

/// Returns a text whose numbers have points where a locale wrote commas: `4,43G`, `1,57%`. Groups of three digits stay.
pub(crate) fn with_points(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let digit =
        |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(char::is_ascii_digit);
    let is_decimal = |at: usize| {
        let digits = (at + 1..=at + 3).take_while(|place| digit(Some(*place))).count();
        let unit = letters.get(at + 1 + digits);
        (1..=2).contains(&digits)
            && digit(at.checked_sub(1))
            && unit.is_some_and(|unit| "BKMGTPE%".contains(*unit))
    };
    let shown = |(at, letter): (usize, &char)| match letter {
        ',' if is_decimal(at) => '.',
        letter => *letter,
    };
    letters.iter().enumerate().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{binary, decimal, nanoseconds, whole};

    #[test]
    fn rounded_numbers_are_read() {
        let cases = [
            ("512", 512.0),
            ("1.5K", 1536.0),
            ("2M", 2_097_152.0),
            ("1.0 GiB", 1_073_741_824.0),
            ("0 Bytes", 0.0),
            ("3,5K", 3584.0),
            ("7 B", 7.0),
            ("0", 0.0),
        ];
        for (text, expected) in cases {
            assert_eq!(binary(text), Some(expected), "{text}");
        }
        assert_eq!(decimal("1.5k"), Some(1500.0));
        for text in ["-", "", "K", "ONLINE", "1.2.3", "1x", "-3", "n/a"] {
            assert_eq!(binary(text), None, "{text}");
        }
    }

    #[test]
    fn times_have_units() {
        let cases = [
            ("12ms", 12_000_000),
            ("1.5us", 1500),
            ("3", 3),
            ("137s", 137_000_000_000),
            ("7ns", 7),
        ];
        for (text, expected) in cases {
            assert_eq!(nanoseconds(text), Some(expected), "{text}");
        }
        assert_eq!(nanoseconds("-"), None);
        assert_eq!(nanoseconds("3parsecs"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_a_number_or_none(text in ".{0,20}") {
            let _ignored = (binary(&text), decimal(&text), nanoseconds(&text));
        }

        #[test]
        fn whole_numbers_stay(number in 0_u64..1 << 53) {
            prop_assert_eq!(binary(&number.to_string()).and_then(whole), Some(number));
        }
    }

    #[test]
    fn commas_of_a_locale_are_points_and_groups_stay() {
        for (text, expected) in [
            ("4,43G scanned out of 282G at 292K/s", "4.43G scanned out of 282G at 292K/s"),
            ("7,83G resilvered, 1,57% done", "7.83G resilvered, 1.57% done"),
            ("1,234,567K and 1,5 of it, 3,G", "1,234,567K and 1,5 of it, 3,G"),
        ] {
            assert_eq!(super::with_points(text), expected);
        }
    }
}
