//! The page of a recording: what went on, when, for whom and what the caches did, over days; then what doctor finds in it.

mod charts;
mod over_time;
mod said;
mod tables;

use arcwright_advice::Advice;
use arcwright_recording::{RecordingGap, Timeline};

use super::doctor;
use super::page::{Page, list};
use super::run::{Section, capitalized, section};
use crate::doctor::machine;
use crate::figures::written;
use crate::hidden::Hidden;
use crate::markup::Markup;
use crate::recording::{RecordingHead, about, lasting};

/// How many columns a recording is drawn in, on a wide page; on a narrow one several are one.
pub const RECORDING_COLUMNS: usize = super::chart::history::COLUMNS;
/// Gaps that are listed.
const GAPS_MAX: usize = 30;

/// A recording as a page shows it.
#[derive(Debug)]
pub struct RecordingPage<'a> {
    /// Its readings.
    pub head: RecordingHead<'a>,
    /// What went on, in [`RECORDING_COLUMNS`].
    pub timeline: &'a Timeline,
    /// What doctor finds in it.
    pub advice: &'a Advice,
    /// Findings that are ignored on request.
    pub hidden: &'a [Hidden],
}

/// Returns the page of a recording.
#[must_use]
pub fn recording_html(page: &RecordingPage<'_>) -> String {
    let mut parts: Vec<(&'static str, &'static str)> = Vec::new();
    let mut body = Markup::new();
    for chart in charts::all(page.timeline) {
        parts.push((chart.caption.id, chart.caption.title));
        body.add(&chart.markup());
    }
    let tables = [tables::datasets(page.timeline), gaps(page), trust(page)];
    let [datasets, gaps, trust] = tables;
    let judged = doctor::sections(page.advice, page.hidden);
    for (id, title, section) in datasets.into_iter().chain(judged).chain(gaps).chain(trust) {
        parts.push((id, title));
        body.add(&section);
    }
    let what = machine(&page.advice.reading);
    let title = format!("Recording: {what}");
    Page { title: &title, head: head(page, &what), parts, body }.render()
}

fn head(page: &RecordingPage<'_>, what: &str) -> Markup {
    let mut head = Markup::new();
    head.element("h1", &[], &capitalized(what));
    let question = "What went on, when and for whom, and what did the caches do?";
    head.element("p", &[("class", "question")], question);
    head.open("section", &[("class", "answer"), ("aria-label", "Answer")]);
    for (said, beside) in said::answer(page) {
        head.open("p", &[]);
        head.text(&said);
        if !beside.is_empty() {
            head.element("small", &[], &beside);
        }
        head.close("p");
    }
    head.add(&doctor::verdict(page.advice));
    head.close("section");
    head.element("p", &[("class", "meta")], &about(&page.head));
    head
}

/// Returns when nothing is known, the longest times first.
fn gaps(page: &RecordingPage<'_>) -> Option<Section> {
    let mut gaps: Vec<&RecordingGap> = page.timeline.span.gaps.iter().collect();
    gaps.sort_by_key(|gap| std::cmp::Reverse(gap.length()));
    let more = gaps.len().saturating_sub(GAPS_MAX);
    let line = |gap: &&RecordingGap| {
        let second = |at: arcwright_units::Nanos| at.0 / 1_000_000_000;
        let form = "%Y-%m-%d %H:%M:%S";
        let why = match gap.is_restart {
            true => "counters began anew: the machine was started, or the module loaded again",
            false => "nobody took readings",
        };
        format!(
            "{} to {}, {}: {why}",
            written(second(gap.from), form),
            written(second(gap.to), form),
            lasting(gap.length().as_secs_f64())
        )
    };
    let mut lines: Vec<String> = gaps.iter().take(GAPS_MAX).map(line).collect();
    if more > 0 {
        lines.push(format!("and {more} shorter ones"));
    }
    section("gaps", "When nothing is known", &list(lines.iter().map(String::as_str)))
}

/// Returns what the page cannot tell, and how it came about.
fn trust(page: &RecordingPage<'_>) -> Option<Section> {
    let column = lasting(page.timeline.column_s());
    let mut lines = vec![
        format!(
            "All times are UTC. A column of a chart is {column}: the line is its mean, the band goes from the least to the most \
             between two readings in it. On a narrow page several columns are one."
        ),
        "Gaps are hatched, and in no figure of this page; those shorter than a column are in the list alone.".to_owned(),
        "Hits and misses are accesses to blocks, not bytes. OpenZFS counts them by data and metadata, and by demand and \
         prefetch; of the L2ARC's it says neither."
            .to_owned(),
        "What disks and the L2ARC read is compressed, with metadata, parity and what was read ahead; what programs read is not. \
         The first may therefore be more, or less, than the second although nothing came from memory."
            .to_owned(),
        "A recording that has come to its limit has fewer readings of old days: their peaks are lower than they were.".to_owned(),
    ];
    if page.timeline.disks.is_empty() {
        lines.push(
            "Disks are not shown: the recording does not tell which of them are in a pool."
                .to_owned(),
        );
    }
    let unreadable = page.head.unreadable.iter();
    lines.extend(unreadable.map(|part| format!("Cannot be read: {part}")));
    section("trust", "How far to trust it", &list(lines.iter().map(String::as_str)))
}
