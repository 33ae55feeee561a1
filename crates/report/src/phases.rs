//! What a use changes in a phase, and how sure that is.

use arcwright_scenario::Span;
use arcwright_ssd::{ALIKE, PhaseOfUse};
use arcwright_units::{Bytes, Nanos};

use crate::figures::{Precision, three_digits};
use crate::table::{Cell, Tone};

/// Returns the unit and the figure of a phase that a faster pool changes.
pub(crate) fn figure(phase: &PhaseOfUse) -> (&'static str, String) {
    let rounded = Precision::Rounded;
    match (phase.is_paced, phase.throughput_bytes_per_sec.0) {
        (true, _) => ("wait", rounded.time(phase.wait_ns)),
        (false, 0) => ("per s", three_digits(phase.operations_per_sec)),
        (false, _) => (rounded.rate_unit(), rounded.rate(phase.throughput_bytes_per_sec)),
    }
}

/// Returns how many times as good it is: throughput, requests, or the wait turned round.
fn times(there: &PhaseOfUse, here: &PhaseOfUse) -> f64 {
    let (here, there) = match (there.is_paced, there.throughput_bytes_per_sec.0) {
        (true, _) => (there.wait_ns.0 as f64, here.wait_ns.0 as f64),
        (false, 0) => (here.operations_per_sec, there.operations_per_sec),
        (false, _) => {
            (here.throughput_bytes_per_sec.0 as f64, there.throughput_bytes_per_sec.0 as f64)
        }
    };
    if there > 0.0 { here / there } else { 1.0 }
}

pub(crate) fn toned(there: &PhaseOfUse, here: &PhaseOfUse) -> Cell {
    let tone = match times(there, here) {
        times if times > 1.0 + ALIKE => Tone::Good,
        times if times < 1.0 - ALIKE => Tone::Bad,
        _ => Tone::Plain,
    };
    Cell::new(figure(here).1, tone)
}

/// Returns how sure the change of a phase is; none where nothing changes.
pub(crate) fn range(there: &PhaseOfUse, here: &PhaseOfUse) -> Option<String> {
    let name = &here.name;
    if here.is_paced {
        let waits = here.sync_p50_ns.zip(there.sync_p50_ns);
        let waits = waits.filter(|(here, there)| differ(here.0 as f64, there.0 as f64));
        let waits = waits.map(|(now, before)| {
            let span =
                here.sync_p50_range.map(|span| span_of(span, &|ns| Nanos(whole(ns)).to_string()));
            format!(
                "half of the synchronous writes wait {now} ({}) instead of {before}",
                checked(span)
            )
        });
        let reads = differ(here.disk_reads.0 as f64, there.disk_reads.0 as f64).then(|| {
            let span = here
                .disk_reads_range
                .map(|span| span_of(span, &|bytes| Bytes(whole(bytes)).to_string()));
            format!(
                "the disks read {} ({}) instead of {}",
                here.disk_reads,
                checked(span),
                there.disk_reads
            )
        });
        let all: Vec<String> = [waits, reads].into_iter().flatten().collect();
        return (!all.is_empty()).then(|| format!("{name}: {}", all.join("; ")));
    }
    let times = times(there, here);
    (times - 1.0).abs().gt(&ALIKE).then(|| {
        let span = here.times.map(|span| span_of(span, &|times| format!("{times:.2}")));
        format!("{name}: {times:.2} times ({})", checked(span))
    })
}

fn differ(here: f64, there: f64) -> bool {
    (here - there).abs() > ALIKE * here.max(there)
}

fn span_of(span: Span, shown: &dyn Fn(f64) -> String) -> String {
    format!("{} to {}", shown(span.low), shown(span.high))
}

/// Returns a range in words, or that there is none.
fn checked(span: Option<String>) -> String {
    match span {
        Some(span) => format!("{span} in four of five checks"),
        None => "nothing like it was checked".to_owned(),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "bounded below and rounded"
)]
fn whole(number: f64) -> u64 {
    number.max(0.0).round() as u64
}
