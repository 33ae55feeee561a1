//! The answer above the charts: what went on, what the caches did, when they missed, who was busy, what is not known.

use arcwright_recording::{Timeline, TimelineColumns, TimelineMeasure as Of, busiest};
use arcwright_units::{Bytes, Nanos};

use super::charts::{has, known};
use super::{RecordingPage, tables};
use crate::figures::{Precision, three_digits, written};
use crate::ranges::rate_of;
use crate::recording::lasting;

/// A sentence, and what stands small beside it.
type Said = (String, String);

/// Datasets that are named.
const NAMED: usize = 3;

pub(super) fn answer(page: &RecordingPage<'_>) -> Vec<Said> {
    let timeline = page.timeline;
    let all = [caches(timeline), moved(timeline), misses(timeline), busy(page), who(timeline)];
    let mut said: Vec<Said> = all.into_iter().flatten().collect();
    said.push(gaps(timeline));
    said
}

fn total(timeline: &Timeline, of: Of) -> Option<f64> {
    known(timeline, of).map(TimelineColumns::total)
}

fn bytes(value: f64) -> Bytes {
    Bytes(rate_of(value).0)
}

/// Returns which part of all somebody had.
fn share(part: f64, rest: f64) -> Option<String> {
    let all = part + rest;
    (all > 0.0).then(|| Precision::Rounded.ratio(Some(part / all)))
}

/// Returns what the ARC and the L2ARC had of what was asked for.
fn caches(timeline: &Timeline) -> Option<Said> {
    let sum = |one: Of, other: Of| Some(total(timeline, one)? + total(timeline, other)?);
    let hits = sum(Of::DemandDataHits, Of::DemandMetadataHits)?;
    let missed = sum(Of::DemandDataMisses, Of::DemandMetadataMisses)?;
    let Some(in_arc) = share(hits, missed) else {
        return Some(("Nothing was read through the ARC.".to_owned(), String::new()));
    };
    let count = Precision::Rounded.count(rate_of(hits + missed).0);
    let of_class = |name: &str, hits: Of, missed: Of| {
        let share = share(total(timeline, hits)?, total(timeline, missed)?)?;
        Some(format!("{name} {share}"))
    };
    let classes = [
        of_class("data", Of::DemandDataHits, Of::DemandDataMisses),
        of_class("metadata", Of::DemandMetadataHits, Of::DemandMetadataMisses),
    ];
    let classes: Vec<String> = classes.into_iter().flatten().collect();
    let l2arc = total(timeline, Of::L2Hits).zip(total(timeline, Of::L2Misses));
    let l2arc = l2arc.and_then(|(hits, missed)| share(hits, missed));
    let l2arc = l2arc.filter(|_| has(timeline, Of::L2Size) || has(timeline, Of::L2Hits));
    let l2arc = l2arc.map(|share| format!("; the L2ARC had {share} of what the ARC missed"));
    let said =
        format!("The ARC had {in_arc} of {count} accesses on demand{}.", l2arc.unwrap_or_default());
    let beside =
        format!("Of each class it had: {}. An access is one to a block.", classes.join(", "));
    Some((said, if classes.is_empty() { String::new() } else { beside }))
}

/// Returns how many bytes were moved.
fn moved(timeline: &Timeline) -> Option<Said> {
    let pair =
        |one: Of, other: Of| Some((bytes(total(timeline, one)?), bytes(total(timeline, other)?)));
    let programs = pair(Of::ProgramsRead, Of::ProgramsWritten);
    let disks = pair(Of::DisksRead, Of::DisksWritten);
    let covered = lasting(timeline.covered_s);
    let programs =
        programs.map(|(read, written)| format!("programs read {read} and wrote {written}"));
    let disks =
        disks.map(|(read, written)| format!("the pools' disks read {read} and wrote {written}"));
    let parts: Vec<String> = programs.into_iter().chain(disks).collect();
    let said = format!("In {covered} {}.", parts.join("; "));
    (!parts.is_empty()).then_some((said, String::new()))
}

/// Returns when most was missed, of what kind it was.
fn misses(timeline: &Timeline) -> Option<Said> {
    const TIMES: usize = 24;
    let data = known(timeline, Of::DemandDataMisses)?.at_most(TIMES);
    let metadata = known(timeline, Of::DemandMetadataMisses)?.at_most(TIMES);
    let count = data.len();
    let rates = data.ranges().zip(metadata.ranges()).enumerate();
    let rates = rates.filter_map(|(number, (data, metadata))| {
        let (data, metadata) = (data?.mean, metadata?.mean);
        (data + metadata > 0.0).then_some((number, data, metadata))
    });
    let most = rates.max_by(|one, other| (one.1 + one.2).total_cmp(&(other.1 + other.2)));
    let (number, of_data, of_metadata) = most?;
    let mean = data.mean().unwrap_or_default() + metadata.mean().unwrap_or_default();
    let part = timeline.column_s() * super::RECORDING_COLUMNS.div_ceil(count.max(1)) as f64;
    let begin = timeline.span.from.as_secs_f64() + part * number as f64;
    let of = match of_data >= of_metadata {
        true => "data",
        false => "metadata",
    };
    let said = format!(
        "Most missed from {} for {}: {} misses on demand per second, {} of them of {of}; {} per second on the whole.",
        moment(begin),
        lasting(part),
        three_digits(of_data + of_metadata),
        share(of_data.max(of_metadata), of_data.min(of_metadata))?,
        three_digits(mean)
    );
    Some((said, String::new()))
}

/// Returns when the caches were asked most.
fn busy(page: &RecordingPage<'_>) -> Option<Said> {
    const LENGTHS_S: [u64; 4] = [3600, 600, 60, 10];
    /// The length is at most this part of the recording.
    const PART: u64 = 6;
    let counts = page.head.counts;
    let span = counts.last()?.at.saturating_sub(counts.first()?.at);
    let length = LENGTHS_S.into_iter().find(|length| Nanos::secs(length * PART) <= span)?;
    let (first, last) = busiest(counts, Nanos::secs(length))?;
    let (first, last) = (counts.get(first)?, counts.get(last)?);
    let activity = first.until(last);
    let seconds = activity.span.as_secs_f64().max(f64::MIN_POSITIVE);
    let accesses = activity.accesses.filter(|accesses| *accesses > 0)?;
    let said = format!(
        "It was busiest from {} for {}: {} accesses per second.",
        moment(first.at.as_secs_f64()),
        lasting(seconds),
        three_digits(accesses as f64 / seconds)
    );
    Some((said, String::new()))
}

/// Returns which datasets moved most; whose accesses missed nobody counts.
fn who(timeline: &Timeline) -> Option<Said> {
    let datasets = tables::by_bytes(timeline);
    let of = |(_, totals): &&(&str, &arcwright_recording::DatasetTotals)| {
        totals.read.into_iter().chain(totals.written).fold(0, u64::saturating_add)
    };
    let sum = datasets.iter().map(|it| of(&it)).fold(0, u64::saturating_add);
    let busy = datasets.iter().filter(|it| of(it) > 0).take(NAMED);
    let named = busy.map(|it| {
        let part = Precision::Rounded.ratio((sum > 0).then(|| of(&it) as f64 / sum as f64));
        format!("{} {part}", it.0)
    });
    let named: Vec<String> = named.collect();
    let beside =
        "Whose accesses missed is not counted: arcwright record reads says it for a while.";
    match (datasets.is_empty(), named.is_empty()) {
        (true, _) => {
            Some(("Which datasets were busy is not in this recording.".to_owned(), String::new()))
        }
        (false, true) => None,
        (false, false) => Some((
            format!("Of all bytes that datasets read and wrote: {}.", named.join(", ")),
            beside.to_owned(),
        )),
    }
}

/// Returns of which part of the time nothing is known.
fn gaps(timeline: &Timeline) -> Said {
    let span = &timeline.span;
    let whole = span.to.saturating_sub(span.from).as_secs_f64();
    let ends = format!(
        "Recorded from {} to {}",
        moment(span.from.as_secs_f64()),
        moment(span.to.as_secs_f64())
    );
    let missing: f64 = span.gaps.iter().map(|gap| gap.length().as_secs_f64()).sum();
    let restarts = span.gaps.iter().filter(|gap| gap.is_restart).count();
    let restarts = match restarts {
        0 => "",
        1 => " Counters began anew once.",
        _ => " Counters began anew several times.",
    };
    let said = match span.gaps.len() {
        0 => format!("{ends}, without a gap."),
        count => {
            let gaps = if count == 1 { "1 gap".to_owned() } else { format!("{count} gaps") };
            format!(
                "{ends} with {gaps}: of {} in {} nothing is known.{restarts}",
                lasting(missing),
                lasting(whole)
            )
        }
    };
    (said, String::new())
}

fn moment(seconds: f64) -> String {
    written(rate_of(seconds).0, "%Y-%m-%d %H:%M UTC")
}
