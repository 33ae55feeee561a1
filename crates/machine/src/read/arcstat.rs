//! The lines of `arcstat` (`zarcstat` from 2.4), with any columns in any order.
//!
//! ```text
//!     time  read  ddread  ddh%  dmread  dmh%  pread  ph%   size      c  avail     titles
//! 10:00:00     0       0     0       0     0      0    0    15G    15G   1.2G     of no time
//! 10:00:01   12K     10K    98      2K    70      0    0    15G    15G   1.2G     one interval
//! ```
//!
//! Counts are per second. The first line of a run is of no time at all: arcstat has looked once before it
//! (cmd/arcstat/arcstat.py of 0.6.1 to cmd/zarcstat.in of 2.4, `init` and `snap_stats`), so that its counts are zero or
//! next to it. A line alone whose counts are not zero was copied from among others, and is of one interval; of several
//! lines the first one is left out, which may be of no time. Their counters are judged alone: what the chosen
//! columns do not tell stays absent. Counts are rounded to two or three digits.

pub(crate) mod columns;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use arcwright_kstat::{KstatValue, NamedKstat, is_gauge};
use arcwright_units::Nanos;

use super::arc_summary::{Take, add_rows};
use crate::machine::Machine;
use crate::nicenum;
use crate::sample::Sample;
use crate::sources::Sources;
use columns::Row;

pub(crate) const NAME: &str = "commands/arcstat";

/// A line says in how many seconds it was counted, where the command said so.
pub(crate) const INTERVAL: &str = "# interval ";
const DAY_S: u64 = 24 * 3600;
/// The moment of a window's beginning, which no tool tells: any but zero, which is none.
const BEGIN: Nanos = Nanos::secs(1);
/// No window is longer than this: rates of longer ones are not asked for by hand.
const INTERVAL_S_MAX: u64 = DAY_S;

/// What the lines say.
#[derive(Debug, Default)]
pub(super) struct Lines {
    rows: Vec<Row>,
    interval_s: u64,
    /// Whether counters of the ARC were read beside them, which a line alone does not replace.
    is_beside: bool,
}

/// Reads the lines of `arcstat`, where there are any.
pub(super) fn read(sources: &Sources, machine: &mut Machine) -> Option<Lines> {
    let text = sources.text(NAME)?;
    let lines = parse(text).map(|lines| Lines { is_beside: has_counters(sources), ..lines });
    if lines.is_none() {
        let titled = text.lines().any(|line| columns::titles(line).is_some());
        machine.garbled(
            NAME,
            match titled {
                true => "its titles stand alone, without a line of numbers",
                false => "no line of it is one of arcstat's",
            },
        );
    }
    lines
}

/// Returns whether something else tells what the ARC has counted.
fn has_counters(sources: &Sources) -> bool {
    const TOLD_BY: [&str; 3] = ["/arcstats", "commands/arc-summary", "commands/sysctl"];
    sources.texts.keys().any(|name| TOLD_BY.iter().any(|end| name.ends_with(end)))
}

fn parse(text: &str) -> Option<Lines> {
    let (mut titles, mut rows, mut times) = (Vec::new(), Vec::new(), Vec::new());
    let mut told = None;
    for line in text.lines() {
        if let Some(seconds) = line.strip_prefix(INTERVAL) {
            told = told.or_else(|| seconds.trim().parse().ok());
        } else if let Some(found) = columns::titles(line) {
            titles = found;
        } else if let Some(row) = columns::row(&titles, line) {
            times.extend(columns::time(&titles, line));
            rows.push(row);
        }
    }
    // Without times and command the interval is arcstat's own default: one second.
    let interval_s = interval(&times).or(told).unwrap_or(1).clamp(1, INTERVAL_S_MAX);
    (!rows.is_empty()).then_some(Lines { rows, interval_s, is_beside: false })
}

/// Returns the step between two times of the day that comes most often; of those, the shortest: lines may
/// have been left out.
fn interval(times: &[u64]) -> Option<u64> {
    let step = |pair: &[u64]| {
        let (first, last) = (pair.first()?, pair.last()?);
        (last + DAY_S).checked_sub(*first).map(|step| step % DAY_S)
    };
    // The first line comes at once, before the first interval.
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for step in times.windows(2).filter_map(step).filter(|step| *step > 0) {
        *counts.entry(step).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(step, count)| (*count, Reverse(*step))).map(|(step, _)| step)
}

/// Returns whether a table begins with the titles and soon after the time of the last line before.
pub(crate) fn goes_on(last: &str, text: &str) -> bool {
    const PAUSE_S_MAX: u64 = 120;
    let Some(titles) = text.lines().next().and_then(columns::titles) else { return false };
    let first = text.lines().find_map(|line| columns::time(&titles, line));
    let pause = columns::time(&titles, last).zip(first);
    pause.is_some_and(|(last, first)| first > last && first - last <= PAUSE_S_MAX)
}

impl Lines {
    /// Returns whether the lines are of a window rather than of all the time before.
    pub(super) fn is_window(&self) -> bool {
        self.rows.len() > 1 || !self.is_beside && !self.counted().is_empty()
    }

    /// Returns the lines whose counts are judged.
    fn counted(&self) -> &[Row] {
        match self.rows.as_slice() {
            // The first line of a run.
            [alone] if columns::counts(alone).iter().all(|(.., value)| *value <= 0.0) => &[],
            [_, later @ ..] if !later.is_empty() => later,
            all => all,
        }
    }

    fn span(&self) -> Nanos {
        let count = u64::try_from(self.counted().len()).unwrap_or(u64::MAX);
        Nanos::secs(self.interval_s.saturating_mul(count))
    }

    /// Returns what was counted, by kstat and row.
    fn sums(&self) -> BTreeMap<(&'static str, &'static str), f64> {
        let seconds = u32::try_from(self.interval_s).map_or(1.0, f64::from);
        let mut sums = BTreeMap::new();
        for row in self.counted() {
            for (path, name, value) in columns::counts(row) {
                *sums.entry((path, name)).or_insert(0.0) += value * seconds;
            }
        }
        sums
    }

    /// Returns the rows of every kstat that the lines tell of: counters, and levels of the last line.
    fn rows(&self) -> BTreeMap<&'static str, Vec<(String, KstatValue)>> {
        let last = self.rows.last().map(columns::levels).unwrap_or_default();
        let sums = self.sums().into_iter().map(|((path, row), value)| (path, row, value));
        by_kstat(sums.chain(last))
    }

    /// Returns the sample at the beginning of the window; none of a single line of no time.
    pub(super) fn begin(&self) -> Option<Sample> {
        self.is_window().then_some(())?;
        let first = self.counted().first().map(columns::levels).unwrap_or_default();
        let zero = self.sums().into_keys().map(|(path, row)| (path, row, 0.0));
        let mut sample = Sample::default();
        for (path, rows) in by_kstat(zero.chain(first)) {
            add_rows(&mut sample, path, rows, Take::All);
        }
        sample.kstats.at = BEGIN;
        sample.kstats.kstats.values_mut().for_each(|kstat| kstat.snaptime = BEGIN);
        Some(sample)
    }

    /// Puts the window into the sample at its end: its counters replace those of all the time before.
    pub(super) fn put_window(&self, sample: &mut Sample) {
        for (path, rows) in self.rows() {
            let exact = sample.kstats.kstats.remove(path);
            let levels = exact.into_iter().flat_map(|kstat| kstat.rows);
            let mut kept: Vec<(String, KstatValue)> =
                levels.filter(|(row, _)| is_gauge(row)).collect();
            let known: Vec<String> = kept.iter().map(|(row, _)| row.clone()).collect();
            kept.extend(rows.into_iter().filter(|(row, _)| !known.contains(row)));
            let kstat = NamedKstat { snaptime: self.end(), ..NamedKstat::of_rows(path, kept) };
            sample.kstats.kstats.insert(path.to_owned(), kstat);
        }
        sample.kstats.at = self.end();
    }

    fn end(&self) -> Nanos {
        Nanos(BEGIN.0.saturating_add(self.span().0))
    }

    /// Adds the levels of a single line to a sample that does not know them better. Its counters are of an interval, or of no
    /// time, and no part of what was counted since the module was loaded.
    pub(super) fn put_rows(&self, sample: &mut Sample, machine: &mut Machine) {
        let fresh = !sample.kstats.kstats.contains_key("zfs/arcstats");
        for (path, rows) in self.rows() {
            add_rows(sample, path, rows, Take::Levels);
        }
        if fresh && machine.rounded.is_none() {
            machine.rounded = Some("arcstat".to_owned());
        }
    }

    /// Returns a sample of these lines alone.
    pub(super) fn alone(&self, machine: &mut Machine) -> Sample {
        let mut sample = Sample::default();
        match self.is_window() {
            true => self.put_window(&mut sample),
            false => self.put_rows(&mut sample, machine),
        }
        sample
    }
}

fn by_kstat<'a>(
    rows: impl Iterator<Item = (&'static str, &'a str, f64)>,
) -> BTreeMap<&'static str, Vec<(String, KstatValue)>> {
    let mut all: BTreeMap<&'static str, Vec<(String, KstatValue)>> = BTreeMap::new();
    for (path, row, value) in rows {
        let number = match value < 0.0 {
            true => nicenum::whole(-value).and_then(|size| i64::try_from(size).ok()),
            false => None,
        };
        let value = number
            .map(|size| KstatValue::I64(-size))
            .or_else(|| nicenum::whole(value).map(KstatValue::U64));
        if let Some(value) = value {
            all.entry(path).or_default().push((row.to_owned(), value));
        }
    }
    all
}

#[cfg(test)]
mod tests;
