//! Families as text: OpenMetrics 1.0, or the format before it.
//!
//! ```text
//! # HELP arcwright_arc_evicted_bytes Bytes that …      OpenMetrics: the family's name
//! # TYPE arcwright_arc_evicted_bytes counter
//! # UNIT arcwright_arc_evicted_bytes bytes
//! arcwright_arc_evicted_bytes_total{l2arc="cached"} 0
//! # EOF
//! ```
//!
//! The older format (“text format 0.0.4”), which `node_exporter`'s textfile collector reads, gives a counter the
//! name that its series have, and knows no unit and no end. Sources: the OpenMetrics 1.0 specification; Prometheus, “Exposition
//! formats”.

use std::fmt::Write as _;

use crate::families::{Families, Labels, Series};
use crate::family::{Family, MetricKind, Number};

/// The last line of OpenMetrics.
pub const END: &str = "# EOF\n";

/// A form of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextFormat {
    /// OpenMetrics 1.0.
    OpenMetrics,
    /// The text format 0.0.4.
    Plain,
}

impl TextFormat {
    /// Returns the form's media type.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Self::Plain => "text/plain; version=0.0.4; charset=utf-8",
        }
    }

    /// Returns what a text in this form ends with.
    #[must_use]
    pub const fn end(self) -> &'static str {
        match self {
            Self::OpenMetrics => END,
            Self::Plain => "",
        }
    }
}

impl Families {
    /// Returns the whole text.
    #[must_use]
    pub fn text(&self, format: TextFormat) -> String {
        self.body(format) + format.end()
    }

    /// Returns the text without its end, so that something can be added.
    #[must_use]
    pub fn body(&self, format: TextFormat) -> String {
        let mut text = String::new();
        for series in self.series() {
            // Writing to a String cannot fail.
            write_family(&mut text, series, format).unwrap_or_default();
        }
        text
    }
}

fn write_family(text: &mut String, series: &Series, format: TextFormat) -> std::fmt::Result {
    let Family { name, kind, unit, help } = series.family;
    let ending = if kind == MetricKind::Counter { "_total" } else { "" };
    let told = if format == TextFormat::Plain { ending } else { "" };
    writeln!(text, "# HELP {name}{told} {}", escaped(help))?;
    let kind = if kind == MetricKind::Counter { "counter" } else { "gauge" };
    writeln!(text, "# TYPE {name}{told} {kind}")?;
    if let (Some(unit), TextFormat::OpenMetrics) = (unit, format) {
        writeln!(text, "# UNIT {name} {unit}")?;
    }
    for (labels, number) in &series.by_labels {
        write!(text, "{name}{ending}")?;
        write_labels(text, labels)?;
        writeln!(text, " {}", written(*number))?;
    }
    Ok(())
}

fn write_labels(text: &mut String, labels: &Labels) -> std::fmt::Result {
    for (index, (name, value)) in labels.iter().enumerate() {
        let before = if index == 0 { '{' } else { ',' };
        write!(text, "{before}{name}=\"{}\"", escaped(value))?;
    }
    if labels.is_empty() { Ok(()) } else { text.write_char('}') }
}

/// Escapes a label's value or a help text. The older format takes a quotation mark in a help text with and without.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Returns a number in digits, without zeros that say nothing.
fn written(number: Number) -> String {
    match number {
        Number::Float(value) => format!("{value}"),
        Number::Decimal { digits, places: 0 } => format!("{digits}"),
        Number::Decimal { digits, places } => {
            let places = usize::from(places);
            let sign = if digits < 0 { "-" } else { "" };
            let all = format!("{:0>width$}", digits.unsigned_abs(), width = places + 1);
            let (whole, part) = all.split_at(all.len() - places);
            match part.trim_end_matches('0') {
                "" => format!("{sign}{whole}"),
                part => format!("{sign}{whole}.{part}"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Families, Number, TextFormat, written};
    use crate::family::{BYTES, Family};

    #[test]
    fn numbers_are_exact() {
        let check = |number, expected| assert_eq!(written(number), expected);
        check(Number::nanos(0), "0");
        check(Number::nanos(1), "0.000000001");
        check(Number::nanos(1_500_000_000), "1.5");
        check(Number::nanos(u64::MAX), "18446744073.709551615");
        check(Number::percent(6), "0.06");
        check(Number::percent(100), "1");
        check(Number::integer(-12), "-12");
        check(Number::Decimal { digits: -5, places: 1 }, "-0.5");
        check(Number::count(u64::MAX), "18446744073709551615");
        check(Number::Float(0.25), "0.25");
    }

    #[test]
    fn the_two_formats_name_a_counter_as_their_readers_expect() {
        let mut families = Families::default();
        let moved = Family::counter("x_bytes", "Bytes \\ \"moved\".").of(BYTES);
        families.add(&moved, &[("pool", "a\"b\\c\n\u{1b}")], Number::ONE);
        families.add(&moved, &[("pool", "")], Number::integer(2));
        families.add(&moved, &[], Number::integer(3));
        let open = "\
# HELP x_bytes Bytes \\\\ \\\"moved\\\".
# TYPE x_bytes counter
# UNIT x_bytes bytes
x_bytes_total 2
x_bytes_total{pool=\"a\\\"b\\\\c\\\\n\\\\x1b\"} 1
# EOF
";
        assert_eq!(families.text(TextFormat::OpenMetrics), open);
        let plain = families.text(TextFormat::Plain);
        assert!(plain.contains("# TYPE x_bytes_total counter\nx_bytes_total 2\n"), "{plain}");
        assert!(!plain.contains("UNIT") && !plain.contains("EOF"), "{plain}");
    }

    #[test]
    fn what_is_no_number_makes_no_series() {
        let mut families = Families::default();
        for value in [f64::NAN, f64::INFINITY] {
            families.add(&Family::gauge("x", "X."), &[], Number::Float(value));
        }
        assert_eq!(families.text(TextFormat::OpenMetrics), "# EOF\n");
    }
}
