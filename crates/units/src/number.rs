//! The common part of every parser here: a decimal number followed by a unit.
//!
//! Numbers are kept as an integer mantissa and a decimal exponent, so that `1.5GiB` is exact and
//! an absurd size is an overflow instead of a rounded float.

use thiserror::Error;

/// Says why a text is not a quantity.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseUnitError {
    /// The text does not start with a number.
    #[error("expected a number with a unit, found “{text}”")]
    NotANumber {
        /// What was found.
        text: String,
    },
    /// The number has no unit and is not zero.
    #[error("“{text}” has no unit; write for example “{example}”")]
    NoUnit {
        /// What was found.
        text: String,
        /// The same number with a unit.
        example: String,
    },
    /// The unit is not one of those known.
    #[error("“{unit}” is not a unit of {kind}; use {expected}")]
    UnknownUnit {
        /// What was found.
        unit: String,
        /// What is measured: a size, a time, a rate.
        kind: &'static str,
        /// The units that would do.
        expected: &'static str,
    },
    /// The quantity does not fit.
    #[error("“{text}” is too large; the largest {kind} is {max}")]
    TooLarge {
        /// What was found.
        text: String,
        /// What is measured.
        kind: &'static str,
        /// The largest value, printed.
        max: &'static str,
    },
}

/// A decimal number: `mantissa / 10^decimals`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decimal {
    pub(crate) mantissa: u128,
    pub(crate) decimals: u32,
}

/// The most digits read; more cannot matter to a 64-bit quantity.
const DIGITS_MAX: usize = 30;

/// Splits `text` into a number and the unit behind it, both trimmed.
pub(crate) fn split(text: &str) -> Result<(Decimal, &str), ParseUnitError> {
    let trimmed = text.trim();
    let end = trimmed
        .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'))
        .unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(end);
    let not_a_number = || ParseUnitError::NotANumber { text: text.to_owned() };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || fraction.contains('.') || number.ends_with('.') {
        return Err(not_a_number());
    }
    let digits: String =
        whole.chars().chain(fraction.chars()).filter(char::is_ascii_digit).collect();
    if digits.is_empty() || digits.len() > DIGITS_MAX {
        return Err(not_a_number());
    }
    let mantissa = digits.parse::<u128>().map_err(|_| not_a_number())?;
    let decimals = fraction.chars().filter(char::is_ascii_digit).count();
    let decimals = u32::try_from(decimals).map_err(|_| not_a_number())?;
    Ok((Decimal { mantissa, decimals }, unit.trim()))
}

impl Decimal {
    /// Returns the number times `factor`, rounded down, or `None` when it does not fit.
    pub(crate) fn times(self, factor: u128) -> Option<u64> {
        let product = self.mantissa.checked_mul(factor)?;
        u64::try_from(product / 10u128.checked_pow(self.decimals)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn number_and_unit_are_split() {
        let (number, unit) = split(" 1.5 GiB").unwrap();
        assert_eq!((number.mantissa, number.decimals, unit), (15, 1, "GiB"));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "GiB", ".5G", "1.2.3G", "-1G", "1.", "9".repeat(40).as_str()] {
            assert!(split(text).is_err(), "{text}");
        }
    }
}
