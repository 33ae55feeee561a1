//! How single figures are printed.

use arcwright_scenario::WarmUp;
use arcwright_units::{Bytes, Nanos, Rate, is_decimal};
use jiff::Timestamp;

/// Whether figures are rounded for people or exact for programs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Precision {
    /// Three digits and the largest fitting unit: `18.6 GiB`, `1:03`.
    #[default]
    Rounded,
    /// Bytes, bytes per second, nanoseconds, ratios from 0 to 1.
    Exact,
}

/// What stands where nothing was measured.
pub(crate) const ABSENT: &str = "-";

impl Precision {
    pub(crate) fn bytes(self, size: Bytes) -> String {
        match self {
            Self::Rounded => size.to_string(),
            Self::Exact => size.0.to_string(),
        }
    }

    pub(crate) fn bytes_if_any(self, size: Option<Bytes>) -> String {
        size.map_or(ABSENT.to_owned(), |size| self.bytes(size))
    }

    pub(crate) fn time(self, span: Nanos) -> String {
        match self {
            Self::Rounded => span.to_string(),
            Self::Exact => span.0.to_string(),
        }
    }

    /// Prints in [`Self::rate_unit`] without the unit, or exactly in bytes per second.
    pub(crate) fn rate(self, rate: Rate) -> String {
        match self {
            Self::Rounded if is_decimal() => three_digits(rate.0 as f64 / 1e6),
            Self::Rounded => three_digits(rate.as_mib_per_sec()),
            Self::Exact => rate.0.to_string(),
        }
    }

    pub(crate) fn rate_unit(self) -> &'static str {
        match self {
            Self::Rounded if is_decimal() => "MB/s",
            Self::Rounded => "MiB/s",
            Self::Exact => "B/s",
        }
    }

    pub(crate) fn ratio(self, ratio: Option<f64>) -> String {
        match (self, ratio) {
            (_, None) => ABSENT.to_owned(),
            (Self::Exact, Some(ratio)) => ratio.to_string(),
            (Self::Rounded, Some(ratio)) => share(ratio),
        }
    }

    pub(crate) fn count(self, count: u64) -> String {
        const ROUNDED_FROM: u64 = 100_000;
        match self {
            Self::Rounded if count >= ROUNDED_FROM * 100 => format!("{} M", count / 1_000_000),
            Self::Rounded if count >= ROUNDED_FROM => format!("{} k", count / 1_000),
            _ => count.to_string(),
        }
    }
}

/// Prints a share as a percentage that does not round to all or nothing.
fn share(ratio: f64) -> String {
    let percent = ratio * 100.0;
    if ratio <= 0.0 {
        "0 %".to_owned()
    } else if ratio >= 1.0 {
        "100 %".to_owned()
    } else if percent < 0.1 {
        "< 0.1 %".to_owned()
    } else if percent > 99.9 {
        "> 99.9 %".to_owned()
    } else {
        format!("{percent:.1} %")
    }
}

/// Draws a share of one as a bar of so many letters; nothing where it is not known.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a part of some letters"
)]
pub(crate) fn bar(share: Option<f64>, letters: usize) -> String {
    let part = |share: f64| (share.clamp(0.0, 1.0) * letters as f64).round() as usize;
    let long = share.map(part).into_iter().sum();
    format!("{:<letters$}", "▇".repeat(long))
}

/// Prints with three digits, all of them from 100 on.
pub(crate) fn three_digits(value: f64) -> String {
    let size = value.abs();
    let decimals = if value == 0.0 || size >= 99.95 { 0 } else { 1 + usize::from(size < 9.995) };
    format!("{value:.decimals$}")
}

/// Writes a moment, seconds since 1970, as UTC.
pub(crate) fn written(at: u64, form: &str) -> String {
    let at = i64::try_from(at).ok().and_then(|at| Timestamp::from_second(at).ok());
    at.map_or_else(|| "?".to_owned(), |at| at.strftime(form).to_string())
}

/// Prints a change in percent with its sign: `+537 %`, `-3.2 %`, `0 %`.
pub(crate) fn change(percent: f64) -> String {
    let size = percent.abs();
    let decimals = usize::from(size < 9.95);
    if size < 0.05 { "±0 %".to_owned() } else { format!("{percent:+.decimals$} %") }
}

/// Prints an amount of money with two decimals where it has any.
pub(crate) fn amount(price: f64) -> String {
    let text = format!("{price:.2}");
    text.strip_suffix(".00").map_or(text.clone(), str::to_owned)
}

/// Returns how often a phase was done until the caches were warm, or that they were not.
pub(crate) fn rounds(warm_up: WarmUp) -> String {
    let WarmUp { rounds, is_warm, .. } = warm_up;
    format!("{rounds}{}", if is_warm { "" } else { ", not warm" })
}

#[cfg(test)]
mod tests {
    use super::{change, share, three_digits};

    #[test]
    fn figures_keep_three_digits() {
        for (value, text) in
            [(0.0, "0"), (0.123, "0.12"), (9.996, "10.0"), (33.33, "33.3"), (1440.4, "1440")]
        {
            assert_eq!(three_digits(value), text);
        }
    }

    #[test]
    fn changes_carry_their_sign() {
        for (value, text) in
            [(537.2, "+537 %"), (-3.24, "-3.2 %"), (0.01, "±0 %"), (-30.2, "-30 %")]
        {
            assert_eq!(change(value), text);
        }
    }

    #[test]
    fn a_share_is_all_only_when_it_is_all() {
        for (value, text) in [
            (0.0, "0 %"),
            (0.0004, "< 0.1 %"),
            (0.5, "50.0 %"),
            (0.9999, "> 99.9 %"),
            (1.0, "100 %"),
        ] {
            assert_eq!(share(value), text);
        }
    }
}
