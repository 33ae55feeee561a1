//! A time span in integer nanoseconds.

use std::fmt;

use crate::number::{ParseUnitError, split};
use crate::unit::unit;

unit! {
    /// A time span, or an instant counted from the start of a run, in nanoseconds.
    Nanos that_adds_up
}

impl Nanos {
    /// No time.
    pub const ZERO: Self = Self(0);
    /// The far end of time, used as "never".
    pub const MAX: Self = Self(u64::MAX);
    /// One second.
    pub const SECOND: Self = Self(1_000_000_000);

    /// Returns `count` microseconds.
    #[must_use]
    #[inline]
    pub const fn micros(count: u64) -> Self {
        Self(count.saturating_mul(1_000))
    }

    /// Returns `count` milliseconds.
    #[must_use]
    #[inline]
    pub const fn millis(count: u64) -> Self {
        Self(count.saturating_mul(1_000_000))
    }

    /// Returns `count` seconds.
    #[must_use]
    #[inline]
    pub const fn secs(count: u64) -> Self {
        Self(count.saturating_mul(1_000_000_000))
    }

    /// Returns a span from fractional seconds, rounded to the nearest nanosecond, never negative.
    #[must_use]
    pub fn from_secs_f64(seconds: f64) -> Self {
        let nanos = (seconds * 1e9).round().clamp(0.0, 1.8e19);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to the range of u64 just above; NaN becomes zero"
        )]
        Self(nanos as u64)
    }

    /// Returns the span in seconds for arithmetic and printing.
    #[must_use]
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Parses a time span with its unit: `10s`, `5ms`, `250us`, `100ns`, `2m`, `1h`, `0`.
    ///
    /// # Errors
    /// [`ParseUnitError`] when there is no number, no unit, an unknown unit, or an overflow.
    pub fn parse(text: &str) -> Result<Self, ParseUnitError> {
        let (number, unit) = split(text)?;
        if unit.is_empty() {
            return match number.mantissa {
                0 => Ok(Self::ZERO),
                _ => Err(ParseUnitError::NoUnit {
                    text: text.trim().to_owned(),
                    example: format!("{}s", text.trim()),
                }),
            };
        }
        let factor: u128 = match unit {
            "ns" => 1,
            "us" | "µs" => 1_000,
            "ms" => 1_000_000,
            "s" | "sec" => 1_000_000_000,
            "m" | "min" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            "d" => 86_400_000_000_000,
            _ => {
                return Err(ParseUnitError::UnknownUnit {
                    unit: unit.to_owned(),
                    kind: "time",
                    expected: "ns, us, ms, s, m, h, d",
                });
            }
        };
        number.times(factor).map(Self).ok_or_else(|| ParseUnitError::TooLarge {
            text: text.trim().to_owned(),
            kind: "time",
            max: "584 years",
        })
    }

    /// Returns `self - other`, or zero.
    #[must_use]
    #[inline]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Returns the span times `factor`, rounded to the nearest nanosecond.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self::from_secs_f64(self.as_secs_f64() * factor)
    }
}

impl fmt::Display for Nanos {
    /// Prints three significant digits below a minute, `m:ss` above, `h:mm:ss` above an hour.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.as_secs_f64();
        let text = match self.0 {
            0..1_000 => format!("{} ns", self.0),
            1_000..1_000_000 => format!("{} µs", short(seconds * 1e6)),
            1_000_000..1_000_000_000 => format!("{} ms", short(seconds * 1e3)),
            1_000_000_000..60_000_000_000 => format!("{} s", short(seconds)),
            _ => clock(self.0 / 1_000_000_000),
        };
        f.pad(&text)
    }
}

fn short(value: f64) -> String {
    let decimals = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.decimals$}")
}

fn clock(seconds: u64) -> String {
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{rest:02}")
    } else {
        format!("{minutes}:{rest:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::Nanos;

    #[test]
    fn times_need_a_unit() {
        assert_eq!(Nanos::parse("10s"), Ok(Nanos::secs(10)));
        assert_eq!(Nanos::parse("1.5ms"), Ok(Nanos::micros(1500)));
        assert_eq!(Nanos::parse("0"), Ok(Nanos::ZERO));
        assert!(Nanos::parse("10").unwrap_err().to_string().contains("no unit"));
        assert!(Nanos::parse("10GiB").unwrap_err().to_string().contains("not a unit of time"));
        assert!(Nanos::parse("99999999999999999d").unwrap_err().to_string().contains("too large"));
    }

    #[test]
    fn printing_keeps_three_digits() {
        for (span, text) in [
            (Nanos(7), "7 ns"),
            (Nanos::micros(85), "85.0 µs"),
            (Nanos::millis(8) + Nanos::micros(333), "8.33 ms"),
            (Nanos::secs(13), "13.0 s"),
            (Nanos::secs(66), "1:06"),
            (Nanos::secs(3661), "1:01:01"),
        ] {
            assert_eq!(span.to_string(), text);
        }
    }
}
