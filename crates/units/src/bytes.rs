//! A number of bytes: read base 1024 (KiB, MiB) and base 1000 (kB, MB), as its unit says; shown base 1024.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::number::{ParseUnitError, split};
use crate::unit::unit;

unit! {
    /// A size in bytes.
    Bytes that_adds_up
}

/// Whether sizes are printed base 1000.
static DECIMAL: AtomicBool = AtomicBool::new(false);

/// Lets every size and rate of this process be printed base 1000 (kB, MB, GB) instead of base 1024.
///
/// It says nothing about what is read, nor about exact numbers. Powers of two from 1 KiB on stay as they are:
/// memory, records and limits are counted so.
pub fn show_decimal(decimal: bool) {
    DECIMAL.store(decimal, Ordering::Relaxed);
}

/// Returns whether sizes and rates are printed base 1000.
#[must_use]
pub fn is_decimal() -> bool {
    DECIMAL.load(Ordering::Relaxed)
}

/// Units of base 1000, by their exponent.
const DECIMAL_UNITS: [(&str, u32); 7] =
    [("B", 0), ("kB", 1), ("MB", 2), ("GB", 3), ("TB", 4), ("PB", 5), ("EB", 6)];

const UNITS: [(&str, u64); 7] =
    [("B", 0), ("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40), ("PiB", 50), ("EiB", 60)];

impl Bytes {
    /// No bytes.
    pub const ZERO: Self = Self(0);
    /// The largest size a kernel's signed 64-bit offset can name: 2^63 - 1.
    pub const OFFSET_MAX: Self = Self(i64::MAX as u64);

    /// Returns a number of bytes that was computed, without its fraction; none below zero, no more than fits.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast stays within"
    )]
    pub const fn of_f64(bytes: f64) -> Self {
        Self(bytes as u64)
    }

    /// Returns `count` KiB.
    #[must_use]
    pub const fn kib(count: u64) -> Self {
        Self(count << 10)
    }

    /// Returns `count` MiB.
    #[must_use]
    pub const fn mib(count: u64) -> Self {
        Self(count << 20)
    }

    /// Returns `count` GiB.
    #[must_use]
    pub const fn gib(count: u64) -> Self {
        Self(count << 30)
    }

    /// Parses a size with its unit: `16GiB`, `128K`, `1.5 TiB`, `8TB`, `0`.
    ///
    /// `KiB`, `MiB`, … and single letters are base 1024; `kB`, `MB`, `GB`, `TB`, … are base 1000, as makers of disks
    /// count. Their `B` is a capital one, since `Gb` is a gigabit to many.
    ///
    /// # Errors
    /// [`ParseUnitError`] when there is no number, no unit, an unknown unit, or more than 2^63 - 1.
    pub fn parse(text: &str) -> Result<Self, ParseUnitError> {
        let (number, unit) = split(text)?;
        if unit.is_empty() {
            return match number.mantissa {
                0 => Ok(Self::ZERO),
                _ => Err(ParseUnitError::NoUnit {
                    text: text.trim().to_owned(),
                    example: format!("{}MiB", text.trim()),
                }),
            };
        }
        let factor = factor_of(unit).ok_or_else(|| ParseUnitError::UnknownUnit {
            unit: unit.to_owned(),
            kind: "size",
            expected: "B, KiB, MiB, GiB, TiB, PiB (or K, M, G, T, P; base 1024), or kB, MB, GB, TB, PB \
                       (base 1000)",
        })?;
        number.times(factor).map(Self).filter(|size| *size <= Self::OFFSET_MAX).ok_or_else(|| {
            ParseUnitError::TooLarge {
                text: text.trim().to_owned(),
                kind: "size",
                max: "8 EiB - 1 B (2^63 - 1)",
            }
        })
    }

    /// Returns the size divided by `divisor`, rounded down to a multiple of `step` but never below it.
    ///
    /// A zero size stays zero, since nothing does not become something by scaling.
    #[must_use]
    pub fn scaled_down(self, divisor: u64, step: Self) -> Self {
        if self.0 == 0 {
            return self;
        }
        let step = step.0.max(1);
        let raw = self.0 / divisor.max(1);
        Self((raw / step * step).max(step))
    }

    /// Returns `self - other`, or zero.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Returns `self * count`, or the largest value.
    #[must_use]
    pub const fn saturating_mul(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count))
    }

    /// Returns the size in MiB for arithmetic and charts.
    #[must_use]
    pub fn as_mib(self) -> f64 {
        self.0 as f64 / f64::from(1u32 << 20)
    }
}

/// Returns how many bytes a unit is.
fn factor_of(unit: &str) -> Option<u128> {
    let lower = unit.to_ascii_lowercase();
    let binary = UNITS.iter().find_map(|(name, shift)| {
        let name = name.to_ascii_lowercase();
        let short = name.trim_end_matches("ib");
        (lower == name || lower == short).then_some(1 << shift)
    });
    let decimal = || {
        let is = |name: &str| unit.ends_with('B') && name.eq_ignore_ascii_case(unit);
        let found = DECIMAL_UNITS.iter().find(|(name, _)| is(name));
        found.map(|(_, exponent)| 1000u128.pow(*exponent))
    };
    binary.or_else(decimal)
}

impl fmt::Display for Bytes {
    /// Prints three significant digits with the largest fitting unit, exact sizes without decimals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, size) = if is_decimal() && !(self.0 >= 1024 && self.0.is_power_of_two()) {
            largest(self.0, DECIMAL_UNITS.map(|(name, exponent)| (name, 1000u64.pow(exponent))))
        } else {
            largest(self.0, UNITS.map(|(name, shift)| (name, 1 << shift)))
        };
        if self.0.is_multiple_of(size) {
            return f.pad(&format!("{} {name}", self.0 / size));
        }
        let value = self.0 as f64 / size as f64;
        let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
        f.pad(&format!("{value:.decimals$} {name}"))
    }
}

/// Returns the largest unit that is not larger than `bytes`, or the smallest of all.
fn largest(bytes: u64, units: [(&'static str, u64); 7]) -> (&'static str, u64) {
    let [smallest, ..] = units;
    units.into_iter().rev().find(|(_, size)| bytes >= *size).unwrap_or(smallest)
}

#[cfg(test)]
mod tests {
    use super::Bytes;

    fn check(text: &str, expected: Result<u64, &str>) {
        let got = Bytes::parse(text).map(|size| size.0).map_err(|error| error.to_string());
        match expected {
            Ok(size) => assert_eq!(got, Ok(size), "{text}"),
            Err(part) => assert!(got.as_ref().is_err_and(|e| e.contains(part)), "{text}: {got:?}"),
        }
    }

    #[test]
    fn sizes_are_base_1024() {
        check("16GiB", Ok(16 << 30));
        check("128K", Ok(128 << 10));
        check("1.5 TiB", Ok(3 << 39));
        check("4096 B", Ok(4096));
        check("0", Ok(0));
        check("8g", Ok(8 << 30));
    }

    #[test]
    fn decimal_units_are_base_1000() {
        check("64GB", Ok(64_000_000_000));
        check("64GiB", Ok(64 << 30));
        check("1.92 TB", Ok(1_920_000_000_000));
        check("500kB", Ok(500_000));
        check("500KB", Ok(500_000));
        check("9.3EB", Err("too large"));
        for bits in ["8Gb", "8gb", "8mb", "8kb", "8Bb"] {
            check(bits, Err("or kB, MB, GB, TB, PB (base 1000)"));
        }
    }

    #[test]
    fn a_size_without_a_unit_is_refused() {
        check("16", Err("no unit"));
        check("16 Gb/s", Err("not a unit"));
        check("lots", Err("expected a number"));
    }

    #[test]
    fn a_size_beyond_two_to_the_63_is_refused() {
        check("8EiB", Err("too large"));
        check("9223372036854775807B", Ok(i64::MAX as u64));
        check("9223372036854775808B", Err("too large"));
        check("99999999999999999999TiB", Err("too large"));
    }

    #[test]
    fn printing_is_short_and_exact_where_it_can_be() {
        for (size, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1 << 30, "1 GiB"),
            (3 << 29, "1.50 GiB"),
            (20_000_000_000, "18.6 GiB"),
        ] {
            assert_eq!(Bytes(size).to_string(), text);
        }
    }

    #[test]
    fn what_is_printed_exactly_parses_back() {
        for shift in 0..62 {
            let size = Bytes(1 << shift);
            assert_eq!(Bytes::parse(&size.to_string()), Ok(size));
        }
    }

    #[test]
    fn scaling_keeps_zero_and_the_step() {
        assert_eq!(Bytes::gib(20).scaled_down(32, Bytes::kib(128)), Bytes::mib(640));
        assert_eq!(Bytes::kib(1).scaled_down(32, Bytes::kib(4)), Bytes::kib(4));
        assert_eq!(Bytes::ZERO.scaled_down(32, Bytes::kib(4)), Bytes::ZERO);
    }
}
