//! How far predictions may be off, as it is printed: beside figures, behind answers, in notes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use arcwright_scenario::{
    Comparison, Difference, Outcome, RangeOfAnswer, Ranges, RangesOfPlace, Span,
};
use arcwright_units::{Nanos, Rate};

use crate::figures::{Precision, three_digits};

/// The ranges of an outcome by arm and phase.
#[derive(Debug, Default)]
pub(crate) struct ByPlace<'a>(BTreeMap<(&'a str, &'a str), &'a RangesOfPlace>);

impl<'a> ByPlace<'a> {
    pub(crate) fn of(outcome: &'a Outcome) -> Self {
        let places = outcome.ranges.iter().flat_map(|ranges| &ranges.places);
        Self(places.map(|place| ((place.arm.as_str(), place.phase.as_str()), place)).collect())
    }

    pub(crate) fn get(&self, arm: &str, phase: &str) -> Option<&'a RangesOfPlace> {
        self.0.get(&(arm, phase)).copied()
    }
}

/// Prints between which rates a throughput may lie: `371–401`.
pub(crate) fn rates(span: Span, precision: Precision) -> String {
    let [low, high] = [span.low, span.high].map(|rate| precision.rate(rate_of(rate)));
    if low == high { low } else { format!("{low}–{high}") }
}

/// Prints between which changes one may lie: `-2 to +5 %`.
pub(crate) fn changes(times: Span) -> String {
    let percent = |times: f64| {
        let percent = (times - 1.0) * 100.0;
        // What rounds to nothing has no sign.
        if percent.abs() < 0.5 { "0".to_owned() } else { format!("{percent:+.0}") }
    };
    let [low, high] = [times.low, times.high].map(percent);
    if low == high { format!("{low} %") } else { format!("{low} to {high} %") }
}

/// Returns what the range of an answer adds to its sentence.
///
/// `figure` prints a figure of what the answer measures.
pub(crate) fn behind_answer(
    range: RangeOfAnswer,
    comparison: &Comparison,
    figure: impl Fn(f64) -> String,
) -> String {
    match range {
        RangeOfAnswer::NeverChecked => " (No range: outside of what was checked.)".to_owned(),
        RangeOfAnswer::Figure(span) => {
            let [low, high] = [span.low, span.high].map(figure);
            if low == high { String::new() } else { format!(" (Range: {low} to {high}.)") }
        }
        RangeOfAnswer::Times(span) => {
            let [low, high] = [span.low, span.high].map(three_digits);
            let open = match comparison.difference {
                Difference::Better | Difference::Worse if span.holds(1.0) => {
                    ", so it may be no difference"
                }
                Difference::Better | Difference::Worse | Difference::Same => "",
            };
            if low == high {
                return String::new();
            }
            format!(" (Range: {low} to {high} times{open}.)")
        }
    }
}

/// Returns what a reader must know of the ranges.
pub(crate) fn notes(outcome: &Outcome) -> Vec<String> {
    let Some(ranges) = &outcome.ranges else { return Vec::new() };
    let mut notes = Vec::new();
    if ranges.places.iter().any(|place| place.throughput_bytes_per_sec.is_some()) {
        notes.push(format!(
            "range: held the truth in {:.0} % of comparable checks against the real OpenZFS in the lab ({} \
             experiments). How far the profiles of the devices are off is not part of it.",
            ranges.share * 100.0,
            ranges.checked
        ));
    }
    notes.extend(of_traces(ranges));
    let mut outside: Vec<&str> = Vec::new();
    for what in ranges.places.iter().flat_map(|place| &place.outside) {
        if !outside.contains(&what.as_str()) {
            outside.push(what);
        }
    }
    if !outside.is_empty() {
        notes.push(format!("no range: outside of what was checked: {}.", outside.join("; ")));
    }
    notes
}

/// Says how far what all requests took, and hits, may be off under recorded traces, whose throughput is their own.
fn of_traces(ranges: &Ranges) -> Vec<String> {
    /// More would be a table.
    const PLACES_MAX: usize = 8;
    let precision = Precision::Rounded;
    let said = ranges.places.iter().filter_map(|place| {
        let Span { low, high } = place.wait_ns?;
        let [least, most] = [low, high].map(|ns| precision.time(nanos_of(ns)));
        let hits = place.arc_hit_ratio.map_or(String::new(), |span| {
            let [low, high] = [span.low, span.high].map(|hits| format!("{:.1}", hits * 100.0));
            format!(", ARC hits {low} to {high} %")
        });
        Some(format!(
            "{}, {}: all requests together took {least} to {most}{hits}",
            place.phase, place.arm
        ))
    });
    let mut said: Vec<String> = said.collect();
    let more = said.len().saturating_sub(PLACES_MAX);
    said.truncate(PLACES_MAX);
    if let Some(last) = said.last_mut().filter(|_| more > 0) {
        let _ = write!(last, "; {more} more are in --json");
    }
    if let Some(first) = said.first_mut() {
        *first = format!(
            "range: so it was in {:.0} % of comparable checks against the real OpenZFS in the lab ({} traces on releases). {first}",
            ranges.share * 100.0,
            ranges.checked
        );
    }
    said
}

/// Returns a figure of a range as a time.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "nanoseconds, which are not negative"
)]
fn nanos_of(figure: f64) -> Nanos {
    Nanos(figure.max(0.0).round() as u64)
}

/// Returns a figure of a range as a rate.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "bytes per second, which are not negative"
)]
pub(crate) fn rate_of(figure: f64) -> Rate {
    Rate(figure.max(0.0).round() as u64)
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::{Comparison, Difference, RangeOfAnswer, Span};

    use super::{behind_answer, changes, rates};
    use crate::Precision;

    #[test]
    fn a_range_has_two_ends_unless_they_print_alike() {
        let mib = |mib: f64| mib * 1_048_576.0;
        let span = |low, high| Span { low, high };
        assert_eq!(rates(span(mib(371.2), mib(401.0)), Precision::Rounded), "371–401");
        assert_eq!(rates(span(mib(371.2), mib(371.3)), Precision::Rounded), "371");
        assert_eq!(changes(span(0.98, 1.05)), "-2 to +5 %");
        assert_eq!(changes(span(0.999, 1.001)), "0 %");
    }

    #[test]
    fn an_answer_whose_range_holds_no_difference_says_so() {
        let check = |low, high, difference, expected: &str| {
            let comparison = Comparison { value: 1.2, other: Some(1.0), difference };
            let range = RangeOfAnswer::Times(Span { low, high });
            assert_eq!(behind_answer(range, &comparison, |figure| figure.to_string()), expected);
        };
        check(1.1, 1.3, Difference::Better, " (Range: 1.10 to 1.30 times.)");
        let open = " (Range: 0.95 to 1.30 times, so it may be no difference.)";
        check(0.95, 1.3, Difference::Better, open);
        check(0.95, 1.05, Difference::Same, " (Range: 0.95 to 1.05 times.)");
        check(1.0, 1.0, Difference::Same, "");
    }
}
