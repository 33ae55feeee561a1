//! Fields of a line, and numbers in them.

use arcwright_units::{Nanos, visible};

/// Letters of a field that a message shows.
const SHOWN: usize = 40;

/// Returns the fields of a line that blanks part.
pub(in crate::traces) fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty())
}

/// Returns a field without the blanks around it.
pub(in crate::traces) fn cut(field: &[u8]) -> &[u8] {
    field.trim_ascii()
}

/// Returns the letter that parts the columns of a first line; none when there is one column.
pub(in crate::traces) fn delimiter(first: &[u8]) -> Option<u8> {
    b",;\t|".iter().find(|by| first.contains(by)).copied()
}

/// Returns a field as a message shows it.
pub(super) fn shown(field: &[u8]) -> String {
    let text = String::from_utf8_lossy(field);
    let text: String = text.chars().take(SHOWN).collect();
    visible(&text).into_owned()
}

/// Reads a whole number.
pub(in crate::traces) fn number(field: &[u8], what: &str) -> Result<u64, String> {
    digits(field)
        .ok_or_else(|| format!("“{}” is not a {what}; expected a whole number", shown(field)))
}

/// Reads digits alone; none when there is anything else, or nothing, or too much of it.
pub(super) fn digits(field: &[u8]) -> Option<u64> {
    if field.is_empty() {
        return None;
    }
    let mut sum = 0u64;
    for byte in field {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        sum = match sum {
            // Far from the end no step can go beyond it.
            0..=0x0fff_ffff_ffff_ffff => sum * 10 + u64::from(digit),
            _ => sum.checked_mul(10)?.checked_add(u64::from(digit))?,
        };
    }
    Some(sum)
}

/// Reads a time in units of `unit`, with or without decimals.
pub(super) fn time(field: &[u8], unit: Nanos) -> Result<Nanos, String> {
    if let Some(whole) = digits(field) {
        return Ok(Nanos(whole.saturating_mul(unit.0)));
    }
    exact(field, unit)
        .or_else(|| rounded(field, unit))
        .ok_or_else(|| format!("“{}” is not a time; expected a number of 0 or more", shown(field)))
}

/// Decimals to the nanosecond, without the rounding of a float.
fn exact(field: &[u8], unit: Nanos) -> Option<Nanos> {
    let dot = field.iter().position(|byte| *byte == b'.')?;
    let (whole, decimals) = (field.get(..dot)?, field.get(dot + 1..)?);
    let mut sum = digits(whole)?.checked_mul(unit.0)?;
    let mut worth = unit.0;
    for digit in decimals {
        if !digit.is_ascii_digit() {
            return None;
        }
        worth /= 10;
        sum = sum.checked_add(u64::from(digit - b'0') * worth)?;
    }
    Some(Nanos(sum))
}

fn rounded(field: &[u8], unit: Nanos) -> Option<Nanos> {
    let seconds: f64 = std::str::from_utf8(field).ok()?.parse().ok()?;
    let sound = seconds.is_finite() && seconds >= 0.0;
    sound.then(|| Nanos::from_secs_f64(seconds * unit.as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::{digits, time};

    #[test]
    fn digits_are_read_to_the_last_number_that_fits() {
        assert_eq!(digits(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(digits(b"18446744073709551616"), None);
        assert_eq!(digits(b"00012"), Some(12));
        for none in ["", "-1", "1.0", "1 ", "x"] {
            assert_eq!(digits(none.as_bytes()), None, "{none}");
        }
    }

    #[test]
    fn times_are_exact_where_they_are_decimal() {
        let check = |text: &str, unit, nanos| {
            assert_eq!(time(text.as_bytes(), unit), Ok(Nanos(nanos)), "{text}");
        };
        check("1.000000001", Nanos::SECOND, 1_000_000_001);
        check("12", Nanos::micros(1), 12_000);
        check("0.1", Nanos::millis(1), 100_000);
        check("1e-3", Nanos::SECOND, 1_000_000);
        for wrong in ["-1", "-1.5", "nan", "inf", "", "1.x"] {
            assert!(time(wrong.as_bytes(), Nanos::SECOND).is_err(), "{wrong}");
        }
    }
}
