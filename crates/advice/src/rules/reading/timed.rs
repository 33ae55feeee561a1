//! What somebody timed by hand (fio, dd, pv in a pasted text), and as much as that tells.
//!
//! Two things follow from such a result alone. Whoever reads the same again and gets it no sooner
//! was not helped by a cache; whoever gets it far sooner was. And a turning disk needs some milliseconds
//! for a request at a random place (crates/device/profiles), so a mean far below was made by memory.

use arcwright_machine::Timing;
use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Level, Remedy, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "what was timed manually", judge };

/// Read again as many times as fast, so that it came from elsewhere.
const SOONER: f64 = 2.0;
/// Within this of the first time nothing has changed.
const ALIKE: f64 = 1.25;
/// A mean below this no turning disk reaches at random places: a twentieth of a seek.
const MEMORY_NS: u64 = 500_000;
/// More results than this are not listed.
const LISTED_MAX: usize = 12;

/// Results of one program with one thing, in the order of the text.
struct Series<'a> {
    rates: Vec<f64>,
    latencies: Vec<u64>,
    first: &'a Timing,
}

fn judge(view: &View<'_>) -> Judged {
    let timings = &view.machine.timings;
    if timings.is_empty() {
        return Ok(Verdict::Silent);
    }
    let all = series(timings);
    let told: Vec<String> = all.iter().filter_map(told).collect();
    let title = match (told.first(), all.as_slice()) {
        (Some(first), _) => format!("Manual timing: {first}"),
        (None, [one]) => format!("Manual timings: {}, {}", named(one), rates(&one.rates)),
        (None, _) => format!("{} manual timings", timings.len()),
    };
    let mut finding = Finding::new("timed-by-hand", Severity::Note, Area::Reading, title);
    finding.evidence = all_evidence(view);
    // The first stands in the title.
    finding.cause = told.iter().skip(1).map(|told| format!("{}. ", capital(told))).collect();
    let only_writes = timings.iter().all(|timing| timing.is_write == Some(true));
    finding.cause.push_str(match only_writes {
        true => "Only counters of that time show what the writes waited for.",
        false => "Only counters of that time show what was cached and which cache answered.",
    });
    finding.remedy = Some(remedy(timings));
    finding.gain = Gain::NotEstimated("a manual timing does not predict a change".to_owned());
    finding.cost = "None to look.".to_owned();
    finding.risk = overwritten(timings).map_or_else(
        || "None.".to_owned(),
        |device| format!("None to look. To repeat what wrote to {device} destroys what is on it."),
    );
    finding.confidence = Confidence {
        level: Level::Low,
        words: "manual timings, without the state of the caches".to_owned(),
        span_ns: None,
        events: u64::try_from(timings.len()).ok(),
    };
    finding.sources = lines(["the pasted text"]);
    Ok(Verdict::one(finding))
}

fn remedy(timings: &[Timing]) -> Remedy {
    let is_over = overwritten(timings).is_some();
    let (what, with) = match is_over {
        true => (
            "let doctor count while a file in the pool is timed, and not the device again",
            "time a file in the pool meanwhile",
        ),
        false => ("repeat the timing while doctor counts", "run the same meanwhile"),
    };
    let mut remedy = changes::by_hand(what, &[]);
    remedy.lasting = vec![format!("arcwright doctor --window 2m   # and {with}")];
    remedy
}

/// Returns a device that was written to as a whole, by what it is called: what was on it is gone, and would be again.
fn overwritten(timings: &[Timing]) -> Option<&str> {
    let is_device = |name: &&str| name.starts_with("/dev/") && !name.starts_with("/dev/shm/");
    let names = timings.iter().filter(|timing| timing.is_write != Some(false));
    names
        .flat_map(|timing| timing.place.as_deref().into_iter().chain([timing.what.as_str()]))
        .find(is_device)
}

fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    first.map_or_else(String::new, |first| first + letters.as_str())
}

fn series(timings: &[Timing]) -> Vec<Series<'_>> {
    let mut all: Vec<Series<'_>> = Vec::new();
    for timing in timings {
        let same = |series: &Series<'_>| {
            let other = series.first;
            // Two of which the text does not say what they are of are two things.
            !other.what.is_empty()
                && (&other.program, &other.what, other.is_write, other.request)
                    == (&timing.program, &timing.what, timing.is_write, timing.request)
        };
        let found = match all.iter().position(same) {
            Some(at) => all.get_mut(at),
            None => {
                all.push(Series { rates: Vec::new(), latencies: Vec::new(), first: timing });
                all.last_mut()
            }
        };
        if let Some(series) = found {
            series.rates.extend(timing.bytes_per_s.filter(|rate| rate.is_finite() && *rate > 0.0));
            series.latencies.extend(timing.latency_mean_ns);
        }
    }
    all
}

fn named(series: &Series<'_>) -> String {
    let Timing { program, what, is_write, .. } = series.first;
    let verb = match is_write {
        Some(true) => "writing",
        Some(false) => "reading",
        None => "moving",
    };
    match what.is_empty() {
        true => format!("{verb} by {program}"),
        false => format!("{verb} {what} by {program}"),
    }
}

fn rates(all: &[f64]) -> String {
    let shown: Vec<String> = all.iter().map(|per_s| format::rate(*per_s)).collect();
    match shown.is_empty() {
        true => "no rate was read".to_owned(),
        false => format::list(&shown),
    }
}

/// Returns what a series tells, in a sentence.
fn told(series: &Series<'_>) -> Option<String> {
    let is_write = series.first.is_write;
    if is_write == Some(true) {
        return None;
    }
    let fast = series.latencies.iter().max().filter(|most| **most < MEMORY_NS);
    if let Some(mean) = fast.filter(|_| is_write == Some(false)) {
        return Some(format!(
            "{}: a mean of {} per request is memory speed, not that of a hard disk; the disks were \
             hardly used",
            named(series),
            format::latency(*mean)
        ));
    }
    let (first, rest) = series.rates.split_first()?;
    let best = rest.iter().copied().fold(0.0, f64::max);
    if rest.is_empty() {
        return None;
    }
    let what = named(series);
    if best >= first * SOONER {
        return Some(format!(
            "{what} was {:.1} times as fast once it had been read before: a cache served most of \
             it then",
            best / first
        ));
    }
    (best <= first * ALIKE).then(|| {
        format!(
            "{what} was no faster the {} time than the first: caching did not help",
            if rest.len() == 1 { "second" } else { "last" }
        )
    })
}

/// Returns what was timed, a row for each.
pub(crate) fn all_evidence(view: &View<'_>) -> Vec<Evidence> {
    view.machine.timings.iter().take(LISTED_MAX).map(evidence).collect()
}

fn evidence(timing: &Timing) -> Evidence {
    let way = match timing.is_write {
        Some(true) => "write",
        Some(false) => "read",
        None => "moved",
    };
    let parts = [
        timing.bytes_per_s.map(format::rate),
        timing.ops_per_s.map(|rate| format!("{} requests per second", format::per_s(rate))),
        timing.request.map(|Bytes(size)| format!("requests of {}", Bytes(size))),
        timing.latency_mean_ns.map(|time| format!("{} each", format::latency(time))),
        timing.latency_p99_ns.map(|time| format!("99 % within {}", format::latency(time))),
        timing.latency_max_ns.map(|time| format!("{} at most", format::latency(time))),
        timing.flush_mean_ns.map(|time| format!("and a flush of {}", format::latency(time))),
        timing.flush_max_ns.map(|time| format!("{} at most", format::latency(time))),
        timing.flush_p99_ns.map(|time| format!("99 % of them within {}", format::latency(time))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    Evidence::setting(format!("{} {}: {way}", timing.program, timing.what), parts.join(", "))
}
