//! Bounds of what a device file may say: wider than any device that was built, narrow enough to compute with.
//!
//! Files come from their authors, with mistakes: a rate in megabytes where bytes are meant is refused here.

use std::ops::RangeInclusive;

/// A value of a file: its key, the value, and where it must lie.
pub(super) type Bounded = (&'static str, f64, RangeInclusive<f64>);

/// Rates in bytes per second: of a floppy disk and of a whole machine's memory.
pub(super) const RATE: RangeInclusive<f64> = 1e4..=1e12;
/// Capacities in bytes: 1 MB to 1 PB.
pub(super) const CAPACITY: RangeInclusive<f64> = 1e6..=1e15;

/// Refuses the first value that lies outside of its bounds.
pub(super) fn check(values: &[Bounded]) -> Result<(), String> {
    let outside = |(_, value, range): &&Bounded| !range.contains(value);
    match values.iter().find(outside) {
        None => Ok(()),
        Some((key, value, range)) => {
            let [value, least, most] = [*value, *range.start(), *range.end()].map(plain);
            Err(format!("{key} = {value} must be from {least} to {most}"))
        }
    }
}

/// Writes a value as files do: without exponents where it is short.
fn plain(value: f64) -> String {
    if value.abs() < 1e7 { value.to_string() } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn what_is_outside_is_named_with_its_bounds() {
        assert_eq!(check(&[("rpm", 7200.0, 1.0..=1e5), ("heads", 1.0, 1.0..=64.0)]), Ok(()));
        let error = check(&[("rpm", 7200.0, 1.0..=1e5), ("heads", 0.0, 1.0..=64.0)]).unwrap_err();
        assert_eq!(error, "heads = 0 must be from 1 to 64");
        let rate = |value| check(&[("rate", value, 1.0..=1e12)]).unwrap_err();
        assert_eq!(rate(f64::NAN), "rate = NaN must be from 1 to 1e12");
        assert_eq!(rate(1e300), "rate = 1e300 must be from 1 to 1e12");
    }
}
