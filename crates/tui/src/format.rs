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
    let whole = if bytes.is_finite() && bytes > 0.0 { bytes.round() } else { 0.0 };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float saturates, and it is not negative"
    )]
    let whole = whole as u64;
    Bytes(whole).to_string()
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

/// Prints shares as a line of blocks, the last ones at the right end; a blank where there is none.
pub(crate) fn spark(series: &[Option<f64>], width: usize) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let shown = series.get(series.len().saturating_sub(width)..).unwrap_or(series);
    let blanks = std::iter::repeat_n(' ', width - shown.len().min(width));
    let block = |share: &Option<f64>| {
        let Some(share) = share else { return ' ' };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share from 0 to 1"
        )]
        let level = (share.clamp(0.0, 1.0) * 7.0).round() as usize;
        BLOCKS.get(level).copied().unwrap_or('█')
    };
    blanks.chain(shown.iter().map(block)).collect()
}

#[cfg(test)]
mod tests {
    use super::{latency, per_second, rate, share, spark, thousands};

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
    fn a_line_of_blocks_ends_with_the_latest() {
        assert_eq!(spark(&[Some(0.0), None, Some(1.0)], 5), "  ▁ █");
        assert_eq!(spark(&[Some(0.0), Some(0.5), Some(1.0)], 2), "▅█");
        assert_eq!(spark(&[], 3), "   ");
        assert_eq!(spark(&[Some(1.0)], 0), "");
    }
}
