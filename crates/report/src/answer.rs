//! The answers of a scenario as one paragraph, with the figures of the result in it.

use std::fmt::Write as _;

use arcwright_scenario::{Answer, Comparison, Measure, Outcome, Place, RangeOfAnswer};
use arcwright_units::{Bytes, Nanos, Rate};

use crate::compare::reported;
use crate::figures::{Precision, change, three_digits};
use crate::ranges;

/// Returns every answer that the outcome can give, in file order.
pub(crate) fn answers(outcome: &Outcome) -> Vec<String> {
    let of_all = outcome.ranges.as_ref().map(|ranges| ranges.answers.as_slice());
    // Where none has a range, a note says why, once.
    let has_any = |all: &&[Option<RangeOfAnswer>]| {
        all.iter().flatten().any(|range| *range != RangeOfAnswer::NeverChecked)
    };
    let of_all = of_all.filter(has_any);
    let say = |(at, answer): (usize, &Answer)| {
        let comparison = answer.find(outcome)?;
        if let Some(missing) = answer.missing(outcome) {
            return Some(missing);
        }
        let mut text = said(answer, &comparison, outcome);
        if let Some(Some(range)) = of_all.and_then(|all| all.get(at)) {
            let figure = |value: f64| figure(answer.measure, value);
            text.push_str(&ranges::behind_answer(*range, &comparison, figure));
        }
        Some(text)
    };
    outcome.scenario.answers.iter().enumerate().filter_map(say).collect()
}

fn said(answer: &Answer, comparison: &Comparison, outcome: &Outcome) -> String {
    let other = comparison.other.unwrap_or(0.0);
    let figure = |value: f64| figure(answer.measure, value);
    let mut text = answer.sentence(comparison.difference).to_owned();
    text = text.replace("{here}", &figure(comparison.value));
    text = text.replace("{there}", &figure(other));
    text = text.replace("{times}", &times(comparison.value, other));
    let percent = (comparison.value / other.max(f64::MIN_POSITIVE) - 1.0) * 100.0;
    text = text.replace("{change}", &change(percent));
    if let Some(theirs) = reported_times(answer, outcome) {
        // Writing into a string cannot fail.
        let _ = write!(text, " (The report: {theirs} times.)");
    }
    text
}

/// Returns how many times as fast the report found the place.
fn reported_times(answer: &Answer, outcome: &Outcome) -> Option<String> {
    if answer.measure != Measure::Throughput {
        return None;
    }
    let of = |place: &Place| reported(outcome, &place.arm, &place.phase);
    let (here, there) = (of(&answer.place)?, of(answer.against.as_ref()?)?);
    Some(times(here, there))
}

fn times(value: f64, other: f64) -> String {
    if other > 0.0 { three_digits(value / other) } else { "∞".to_owned() }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of a result, which were whole and positive before"
)]
fn figure(measure: Measure, value: f64) -> String {
    let whole = value.round() as u64;
    match measure {
        Measure::Throughput => Rate(whole).to_string(),
        Measure::Operations => format!("{} per second", three_digits(value)),
        Measure::ArcHits | Measure::MetadataHits => Precision::Rounded.ratio(Some(value)),
        Measure::SyncLatency | Measure::SyncLatencyP99 => Nanos(whole).to_string(),
        Measure::LogBytes | Measure::DiskReads => Bytes(whole).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::{Answer, Measure, Outcome, Place};
    use arcwright_units::Bytes;

    use super::answers;
    use crate::fixture;

    fn place(arm: &str, phase: &str) -> Place {
        Place { arm: arm.to_owned(), phase: phase.to_owned() }
    }

    fn check(here: Place, there: Option<Place>, expected: &[&str]) {
        let mut outcome = fixture::steam();
        outcome.scenario.answers = vec![Answer {
            measure: Measure::Throughput,
            place: here,
            against: there,
            alike: 0.05,
            better: "{here} is {times} times {there} ({change})".to_owned(),
            same: "as fast".to_owned(),
            worse: "only {here}".to_owned(),
        }];
        assert_eq!(answers(&outcome), expected);
    }

    /// Two arms that do the same, one with four times the memory, whose ARCs held `mib` MiB and evicted so many.
    fn alike(mib: i64, evicted: i64) -> Outcome {
        let mut outcome = fixture::outcome(&[("small", [300, 300]), ("large", [300, 300])]);
        outcome.scenario.arms[1].memory = Some(Bytes::gib(64));
        let answer = Answer {
            measure: Measure::Throughput,
            place: place("large", "second read"),
            against: Some(place("small", "second read")),
            alike: 0.05,
            better: String::new(),
            same: "no difference".to_owned(),
            worse: String::new(),
        };
        outcome.scenario.answers = vec![answer];
        for arm in &mut outcome.arms {
            // As the engine counted, at a 32nd.
            let rows = [("size", mib << 20), ("evict_l2_eligible", evicted << 20)];
            let rows = rows.map(|(name, value)| (name.to_owned(), value / 32));
            arm.phases[0].kstats = [("arcstats".to_owned(), rows.into())].into();
        }
        outcome
    }

    #[test]
    fn no_difference_between_caches_that_were_never_full_is_no_answer() {
        let check = |outcome: &Outcome, expected: &str| {
            let all = answers(outcome);
            assert!(all.len() == 1 && all[0].starts_with(expected), "{all:?}");
        };
        let refused = "Not answered, whether “large” differs from “small” in “second read”: the ARC was \
                       never full (“large”: 1 GiB of 32 GiB; “small”: 1 GiB of 8 GiB).";
        check(&alike(1024, 0), refused);
        check(&alike(8000, 0), "no difference");
        check(&alike(1024, 500), "no difference");
        let mut same_memory = alike(1024, 0);
        same_memory.scenario.arms[1].memory = None;
        check(&same_memory, "no difference");
        let mut unknown = alike(1024, 0);
        unknown.arms.iter_mut().for_each(|arm| arm.phases[0].kstats.clear());
        check(&unknown, "no difference");
        let mut faster = alike(1024, 0);
        faster.arms[1].phases[1].throughput_bytes_per_sec.0 *= 2;
        check(&faster, "");
        assert!(!answers(&faster)[0].contains("Not answered"));
        let mut cache = alike(1024, 0);
        cache.scenario.arms[1].memory = None;
        cache.scenario.arms[1].cache = Some(Vec::new());
        check(
            &cache,
            "Not answered, whether “large” differs from “small” in “second read”: the ARC was never",
        );
    }

    #[test]
    fn a_cache_device_that_still_fills_is_no_answer() {
        let mut outcome = alike(8000, 0);
        outcome.scenario.reported = None;
        outcome.scenario.arms[1].memory = None;
        outcome.scenario.arms[1].cache = Some(Vec::new());
        let fed = |outcome: &mut Outcome, bytes: u64| {
            outcome.arms[0].phases[1].l2arc_write_bytes = Bytes(bytes);
            let rows = [("l2_size".to_owned(), i64::try_from(bytes).unwrap() / 32)];
            let rows = [("arcstats".to_owned(), rows.into())];
            outcome.arms[0].phases[1].kstats = rows.into();
        };
        // 8 MiB a second for the 68 s of the phase.
        fed(&mut outcome, 540 << 20);
        let expected = "the L2ARC was still filling (“small”: 540 MiB of 932 GiB)";
        assert!(answers(&outcome)[0].contains(expected), "{:?}", answers(&outcome));
        fed(&mut outcome, 100 << 20);
        assert_eq!(answers(&outcome), ["no difference"]);
    }

    #[test]
    fn the_sentence_follows_from_the_result() {
        let (lru, as_is) = ("dumb LRU", "as installed");
        let (first, second) = ("first read", "second read");
        check(
            place(lru, second),
            Some(place(as_is, second)),
            &["1.41 GiB/s is 6.37 times 226 MiB/s (+537 %) (The report: 6.52 times.)"],
        );
        let alike = ["as fast (The report: 1.03 times.)"];
        check(place(lru, first), Some(place(as_is, first)), &alike);
        let worse = ["only 226 MiB/s (The report: 0.70 times.)"];
        check(place(as_is, second), Some(place(as_is, first)), &worse);
        check(place("no such arm", first), Some(place(as_is, first)), &[]);
    }
}
