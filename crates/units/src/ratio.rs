//! A share of something counted, which knows when nothing was counted.

use std::fmt;

use serde::{Deserialize, Serialize};

/// `part` out of `whole`; not applicable when `whole` is zero.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize,
)]
pub struct Ratio {
    /// The counted part.
    pub part: u64,
    /// What it is a part of.
    pub whole: u64,
}

impl Ratio {
    /// Returns `part` of `whole`.
    #[must_use]
    pub const fn new(part: u64, whole: u64) -> Self {
        Self { part, whole }
    }

    /// Returns the share between 0 and 1, or `None` when nothing was counted.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        (self.whole > 0).then(|| self.part as f64 / self.whole as f64)
    }
}

impl fmt::Display for Ratio {
    /// Prints a percentage: `n/a`, `0 %`, `< 0.1 %`, `12.3 %`, `> 99.9 %` or `100 %`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.value() {
            None => "n/a".to_owned(),
            Some(_) if self.part == 0 => "0 %".to_owned(),
            Some(_) if self.part == self.whole => "100 %".to_owned(),
            Some(value) if value < 0.001 => "< 0.1 %".to_owned(),
            Some(value) if value > 0.999 && value < 1.0 => "> 99.9 %".to_owned(),
            Some(value) => format!("{:.1} %", value * 100.0),
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::Ratio;

    #[test]
    fn a_share_of_nothing_is_not_a_number() {
        for (part, whole, text) in [
            (0, 0, "n/a"),
            (0, 9, "0 %"),
            (9, 9, "100 %"),
            (1, 10_000, "< 0.1 %"),
            (9_999, 10_000, "> 99.9 %"),
            (1, 8, "12.5 %"),
        ] {
            assert_eq!(Ratio::new(part, whole).to_string(), text);
        }
    }
}
