//! What a recording has: when, how busy, and where it has gaps.

use arcwright_recording::{Activity, Counts, RecordingGap, gaps};
use arcwright_units::{Bytes, Nanos, Ratio, visible};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::{Precision, bar, three_digits, written};
use crate::table::{Cell, Table, Tone, wrapped};
use crate::text::TextOptions;
use crate::version::FormVersion;

/// What was added to the JSON form since its first version.
const MINOR: u32 = 0;
/// Rows of the text at most.
const ROWS_MAX: u64 = 24;
/// Lengths that rows have, in seconds.
const LENGTHS_S: [u64; 13] =
    [10, 60, 300, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 604_800, 2_592_000];
/// Letters of a bar.
const BAR: usize = 10;

/// What a recording is.
#[derive(Debug)]
pub struct RecordingHead<'a> {
    /// Its folder.
    pub place: &'a str,
    /// Its readings.
    pub counts: &'a [Counts],
    /// Its bytes on disk.
    pub bytes: Bytes,
    /// Parts that cannot be read, and why.
    pub unreadable: &'a [String],
}

/// `arcwright record show --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RecordingAnswer<'a> {
    /// Version of this shape.
    output_version: FormVersion,
    /// Readings of the counters.
    readings: u64,
    /// The first one, seconds since 1970; absent before it.
    first_s: Option<f64>,
    /// The last one, seconds since 1970.
    last_s: Option<f64>,
    /// The usual time between two readings, in seconds; absent with fewer than two.
    interval_s: Option<f64>,
    /// Bytes on disk.
    bytes: u64,
    /// Times without a reading that are longer than usual.
    gaps: u64,
    /// The longest of them, in seconds.
    longest_gap_s: Option<f64>,
    /// How often counters began anew: the machine was started or the module loaded again.
    restarts: u64,
    /// Parts that cannot be read, and why.
    unreadable: &'a [String],
    /// What went on, in times of equal length, oldest first; times without a reading have no row.
    rows: Vec<RecordingRow>,
}

/// What went on in a time.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
struct RecordingRow {
    /// Its beginning, seconds since 1970.
    from_s: u64,
    /// Its length in seconds.
    length_s: u64,
    /// The time of it that readings cover, in seconds.
    covered_s: f64,
    /// Accesses to the ARC per second; absent where they were not counted.
    accesses_per_s: Option<f64>,
    /// Hits of the ARC, from 0 to 1; absent without accesses.
    arc_hit_ratio: Option<f64>,
    /// Misses of the ARC per second.
    misses_per_s: Option<f64>,
    /// Misses that the L2ARC had, from 0 to 1; absent without misses or L2ARC.
    l2_hit_ratio: Option<f64>,
    /// Commits of the intent log per second.
    commits_per_s: Option<f64>,
    /// Bytes of the ARC at the end.
    arc_size: Option<u64>,
    /// Bytes that the L2ARC has at the end.
    l2_size: Option<u64>,
}

/// Returns a recording as indented JSON with a final newline.
///
/// # Errors
/// The serializer's.
pub fn recording_json(head: &RecordingHead<'_>) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(&answer(head)).map(|text| text + "\n")
}

/// Returns how many readings a recording has, over which time.
pub(crate) fn about(head: &RecordingHead<'_>) -> String {
    about_answer(head, &answer(head), Precision::Rounded)
}

fn about_answer(
    head: &RecordingHead<'_>,
    answer: &RecordingAnswer<'_>,
    precision: Precision,
) -> String {
    let at = |counts: Option<&Counts>| counts.map_or(Nanos::ZERO, |counts| counts.at);
    let span = at(head.counts.last()).saturating_sub(at(head.counts.first()));
    let every = match answer.interval_s {
        Some(seconds) => format!(", one every {}", lasting(seconds)),
        None => String::new(),
    };
    format!(
        "{}: {} readings over {}{every}; {} on disk",
        visible(head.place),
        precision.count(answer.readings),
        lasting(span.as_secs_f64()),
        head.bytes,
    )
}

/// Returns a recording as text.
#[must_use]
pub fn recording_text(head: &RecordingHead<'_>, options: &TextOptions) -> String {
    let answer = answer(head);
    let place = visible(head.place);
    if head.counts.is_empty() {
        return format!("{place}: no readings yet\n");
    }
    let said = about_answer(head, &answer, options.precision);
    let mut text = wrapped("", &Tone::Strong.paint(&said, options.colour), options.width);
    let mut note = |said: String| text += &wrapped("  ", &said, options.width);
    if let Some(longest) = answer.longest_gap_s {
        let gaps =
            if answer.gaps == 1 { "1 gap".to_owned() } else { format!("{} gaps", answer.gaps) };
        note(format!(
            "{gaps} without readings, the longest of {}; what was counted meanwhile is in the row of its end",
            lasting(longest)
        ));
    }
    if answer.restarts > 0 {
        let times = if answer.restarts == 1 { "once" } else { "several times" };
        note(format!(
            "counters began anew {times}: the machine was started or the module loaded again"
        ));
    }
    for part in answer.unreadable {
        note(format!("cannot be read: {}", visible(part)));
    }
    if answer.rows.is_empty() {
        return text;
    }
    text + "\n" + &table(&answer.rows, options)
}

fn table(rows: &[RecordingRow], options: &TextOptions) -> String {
    let head = |text: &str| Cell::new(text, Tone::Strong);
    let mut table = Table::default();
    table.cells(
        ["from (UTC)", "ARC reads/s", "", "ARC hits", "misses/s", "L2ARC hits", "commits/s", "ARC"]
            .map(head)
            .to_vec(),
    );
    let most = rows.iter().filter_map(|row| row.accesses_per_s).fold(0.0, f64::max);
    let rate = |rate: Option<f64>| rate.map_or_else(|| "?".to_owned(), three_digits);
    let share = |share: Option<f64>| match share {
        Some(share) => format!("{:.1} %", 100.0 * share),
        None => String::new(),
    };
    for row in rows {
        let of_most = row.accesses_per_s.map(|rate| rate / most.max(1e-9));
        let cells = [
            moment(row.from_s, row.length_s),
            rate(row.accesses_per_s),
            bar(of_most, BAR),
            share(row.arc_hit_ratio),
            rate(row.misses_per_s),
            share(row.l2_hit_ratio),
            rate(row.commits_per_s),
            row.arc_size.map_or_else(|| "?".to_owned(), |bytes| Bytes(bytes).to_string()),
        ];
        table.cells(cells.into_iter().map(Cell::plain).collect());
    }
    table.drop_silent_columns(&[]);
    table.render(options.colour)
}

/// Returns the beginning of a row as date and time, UTC.
fn moment(seconds: u64, length: u64) -> String {
    let form = if length < 60 { "%Y-%m-%d %H:%M:%S" } else { "%Y-%m-%d %H:%M" };
    written(seconds, form)
}

/// Returns a time as people say it.
pub(crate) fn lasting(seconds: f64) -> String {
    let units = [(86_400.0, "days"), (3600.0, "h"), (60.0, "min")];
    match units.into_iter().find(|(unit, _)| seconds >= 2.0 * unit || (seconds - unit).abs() < 0.5)
    {
        Some((unit, "days")) if (seconds - unit).abs() < 0.5 => "1 day".to_owned(),
        Some((unit, name)) => {
            let count = format!("{:.1}", seconds / unit);
            format!("{} {name}", count.trim_end_matches(".0"))
        }
        None if seconds < 1.0 => {
            let count = format!("{:.1}", seconds * 1e3);
            format!("{} ms", count.trim_end_matches(".0"))
        }
        None => format!("{seconds:.0} s"),
    }
}

fn answer<'a>(head: &RecordingHead<'a>) -> RecordingAnswer<'a> {
    let counts = head.counts;
    let activities: Vec<(Nanos, bool, Activity)> = counts
        .iter()
        .zip(counts.iter().skip(1))
        .map(|(one, next)| (next.at, one.goes_on_to(next), one.until(next)))
        .collect();
    let mut spans: Vec<u64> = activities.iter().map(|(_, _, activity)| activity.span.0).collect();
    spans.sort_unstable();
    let usual = spans.get(spans.len() / 2).copied();
    let gaps: Vec<RecordingGap> = gaps(counts).into_iter().filter(|gap| gap.is_long).collect();
    let seconds = |at: Option<&Counts>| at.map(|counts| counts.at.as_secs_f64());
    RecordingAnswer {
        output_version: FormVersion::new("arcwright record show", MINOR),
        readings: counts.len() as u64,
        first_s: seconds(counts.first()),
        last_s: seconds(counts.last()),
        interval_s: usual.map(|span| Nanos(span).as_secs_f64()),
        bytes: head.bytes.0,
        gaps: gaps.len() as u64,
        longest_gap_s: gaps.iter().map(RecordingGap::length).max().map(Nanos::as_secs_f64),
        restarts: activities.iter().filter(|(_, goes_on, _)| !goes_on).count() as u64,
        unreadable: head.unreadable,
        rows: rows(counts, &activities),
    }
}

/// Returns rows of equal length, as long as there are no more than a page has.
fn rows(counts: &[Counts], activities: &[(Nanos, bool, Activity)]) -> Vec<RecordingRow> {
    let second = |at: Nanos| at.0 / 1_000_000_000;
    let Some((first, last)) = counts.first().zip(counts.last()) else { return Vec::new() };
    let (first, last) = (second(first.at), second(last.at));
    let fits = |length: &&u64| last / **length - first / **length < ROWS_MAX;
    let length = LENGTHS_S.iter().find(fits).or(LENGTHS_S.last()).copied().unwrap_or(1);
    let mut rows: Vec<(RecordingRow, Sums)> = Vec::new();
    for ((at, _, activity), count) in activities.iter().zip(counts.iter().skip(1)) {
        // A reading at the end of a time tells what went on before.
        let from = at.0.saturating_sub(1) / 1_000_000_000 / length * length;
        if rows.last().is_none_or(|(row, _)| row.from_s != from) {
            let row = RecordingRow { from_s: from, length_s: length, ..RecordingRow::default() };
            rows.push((row, Sums::default()));
        }
        let Some((row, sums)) = rows.last_mut() else { continue };
        sums.add(activity);
        row.arc_size = count.arc_size;
        row.l2_size = count.l2_size.filter(|size| *size > 0);
    }
    rows.into_iter().map(|(row, sums)| sums.in_row(row)).collect()
}

/// What was counted in a time, each with the time in which it was.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    covered_ns: u64,
    accesses: Counted,
    misses: Counted,
    l2_hits: Counted,
    commits: Counted,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    count: u64,
    span_ns: u64,
}

impl Counted {
    const fn add(&mut self, count: Option<u64>, span: Nanos) {
        if let Some(count) = count {
            self.count = self.count.saturating_add(count);
            self.span_ns = self.span_ns.saturating_add(span.0);
        }
    }

    /// Returns the count per second; none where nothing was counted.
    fn rate(self) -> Option<f64> {
        (self.span_ns > 0).then(|| self.count as f64 / Nanos(self.span_ns).as_secs_f64())
    }
}

impl Sums {
    const fn add(&mut self, activity: &Activity) {
        self.covered_ns = self.covered_ns.saturating_add(activity.span.0);
        self.accesses.add(activity.accesses, activity.span);
        self.misses.add(activity.misses, activity.span);
        self.l2_hits.add(activity.l2_hits, activity.span);
        self.commits.add(activity.commits, activity.span);
    }

    fn in_row(self, row: RecordingRow) -> RecordingRow {
        let Self { accesses, misses, l2_hits, commits, .. } = self;
        let hits = accesses.count.saturating_sub(misses.count);
        RecordingRow {
            covered_s: Nanos(self.covered_ns).as_secs_f64(),
            accesses_per_s: accesses.rate(),
            arc_hit_ratio: Ratio::new(hits, accesses.count).value(),
            misses_per_s: misses.rate(),
            l2_hit_ratio: row.l2_size.and(Ratio::new(l2_hits.count, misses.count).value()),
            commits_per_s: commits.rate(),
            ..row
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RecordingHead, answer, lasting, moment, recording_text};
    use crate::text::TextOptions;
    use arcwright_recording::Counts;
    use arcwright_units::{Bytes, Nanos};

    fn counts(second: u64, loaded: u64, hits: u64) -> Counts {
        let (hits, misses) = (Some(hits), Some(hits / 4));
        Counts { at: Nanos::secs(second), loaded: Nanos(loaded), hits, misses, ..Counts::default() }
    }

    #[test]
    fn rows_are_rates_of_what_was_covered() {
        let mut all: Vec<Counts> =
            (0..=120).map(|minute| counts(minute * 60, 1, minute * 600)).collect();
        // Off for an hour, then started anew.
        all.extend((180..=240).map(|minute| counts(minute * 60, 2, (minute - 180) * 60)));
        let head =
            RecordingHead { place: "here", counts: &all, bytes: Bytes::kib(9), unreadable: &[] };
        let answer = answer(&head);
        assert_eq!((answer.readings, answer.gaps, answer.restarts), (182, 1, 1));
        assert_eq!((answer.interval_s, answer.longest_gap_s), (Some(60.0), Some(3600.0)));
        let rate = |row: &super::RecordingRow| row.accesses_per_s.map(|rate| format!("{rate:.2}"));
        let rates: Vec<Option<String>> = answer.rows.iter().map(rate).collect();
        let rates: Vec<&str> = rates.iter().map(|rate| rate.as_deref().unwrap_or("?")).collect();
        // Twelve and a half per second, then the time of which nothing is known, then a tenth.
        assert_eq!(rates, [["12.50"; 8].as_slice(), &["?"], &["1.25"; 4]].concat());
        assert!(answer.rows.iter().all(|row| row.commits_per_s.is_none()), "absent is not zero");
        let text = recording_text(&head, &TextOptions::default());
        assert!(text.contains("182 readings over 4 h, one every 1 min"), "{text}");
        assert!(text.contains("80.0 %") && !text.contains("L2ARC"), "{text}");
    }

    #[test]
    fn times_are_said_as_people_do() {
        for (seconds, expected) in [
            (0.04, "40 ms"),
            (1.0, "1 s"),
            (60.0, "1 min"),
            (90.0, "90 s"),
            (5400.0, "90 min"),
            (86_400.0, "1 day"),
            (600_000.0, "6.9 days"),
        ] {
            assert_eq!(lasting(seconds), expected);
        }
        assert_eq!(moment(1_700_000_000, 60), "2023-11-14 22:13");
        assert_eq!(moment(u64::MAX, 1), "?");
    }
}
