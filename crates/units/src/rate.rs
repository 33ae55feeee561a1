//! Bytes per second.

use std::fmt;

use crate::number::{ParseUnitError, split};
use crate::unit::unit;
use crate::{Bytes, Nanos};

unit! {
    /// A throughput or bandwidth in bytes per second.
    Rate
}

impl Rate {
    /// Parses `180MiB/s`, `1.2GiB/s`, `210MB/s` (base 1000), or a link speed in decimal bits, `10Gbit/s`.
    ///
    /// # Errors
    /// [`ParseUnitError`] when the number or the unit is not understood or it does not fit.
    pub fn parse(text: &str) -> Result<Self, ParseUnitError> {
        let (number, unit) = split(text)?;
        let unknown = || ParseUnitError::UnknownUnit {
            unit: unit.to_owned(),
            kind: "rate",
            expected: "KiB/s, MiB/s, GiB/s (base 1024), kB/s, MB/s, GB/s (base 1000), or Mbit/s, Gbit/s",
        };
        let Some(per) = unit.strip_suffix("/s") else {
            return Err(unknown());
        };
        let bits: Option<u128> = match per {
            "kbit" => Some(125),
            "Mbit" => Some(125_000),
            "Gbit" => Some(125_000_000),
            _ => None,
        };
        let too_large = || ParseUnitError::TooLarge {
            text: text.trim().to_owned(),
            kind: "rate",
            max: "8 EiB/s",
        };
        match bits {
            Some(factor) => {
                let rate = number.times(factor).filter(|rate| *rate <= Bytes::OFFSET_MAX.0);
                rate.map(Self).ok_or_else(too_large)
            }
            None => {
                let amount = text.trim().strip_suffix("/s").unwrap_or(text);
                Bytes::parse(amount).map(|size| Self(size.0)).map_err(|error| match error {
                    ParseUnitError::UnknownUnit { .. } => unknown(),
                    other => other,
                })
            }
        }
    }

    /// Returns the rate at which `bytes` moved in `time`, rounded down; zero when no time passed.
    #[must_use]
    pub fn of(bytes: Bytes, time: Nanos) -> Self {
        if time.0 == 0 {
            return Self(0);
        }
        let rate = u128::from(bytes.0) * 1_000_000_000 / u128::from(time.0);
        Self(u64::try_from(rate).unwrap_or(u64::MAX))
    }

    /// Returns the time that `bytes` take at this rate, rounded up; zero for an unlimited (zero) rate.
    #[must_use]
    pub fn time_for(self, bytes: Bytes) -> Nanos {
        if self.0 == 0 {
            return Nanos::ZERO;
        }
        // Short division where it is enough, as it is for every request to a disk.
        if let Some(scaled) = bytes.0.checked_mul(1_000_000_000) {
            return Nanos(scaled.div_ceil(self.0));
        }
        let nanos = (u128::from(bytes.0) * 1_000_000_000).div_ceil(u128::from(self.0));
        Nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// Returns the rate in MiB per second for arithmetic and printing.
    #[must_use]
    pub fn as_mib_per_sec(self) -> f64 {
        Bytes(self.0).as_mib()
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}/s", Bytes(self.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::Rate;
    use crate::{Bytes, Nanos};

    #[test]
    fn rates_are_bytes_of_either_base_or_bits() {
        assert_eq!(Rate::parse("180MiB/s"), Ok(Rate(180 << 20)));
        assert_eq!(Rate::parse("210MB/s"), Ok(Rate(210_000_000)));
        assert_eq!(Rate::parse("10Gbit/s"), Ok(Rate(1_250_000_000)));
        assert!(Rate::parse("10Gb/s").unwrap_err().to_string().contains("Gbit/s"));
        assert!(Rate::parse("180MiB").unwrap_err().to_string().contains("not a unit of rate"));
        assert!(Rate::parse("180").is_err());
        let message = Rate::parse("133300333333333Mbit/s").unwrap_err().to_string();
        assert!(message.contains("the largest rate is 8 EiB/s"), "{message}");
    }

    #[test]
    fn rate_and_time_are_inverse() {
        let rate = Rate::of(Bytes::mib(100), Nanos::secs(2));
        assert_eq!(rate, Rate(50 << 20));
        assert_eq!(rate.time_for(Bytes::mib(100)), Nanos::secs(2));
        assert_eq!(rate.time_for(Bytes::gib(100)), Nanos::secs(2048));
        assert_eq!(rate.time_for(Bytes(1)), Nanos(20));
        assert_eq!(Rate::of(Bytes::mib(1), Nanos::ZERO), Rate(0));
    }
}
