//! Fragments of outputs put together: what one text is, and which reading of the counters.
//!
//! ```text
//!   arcstats  rows 1…40 ─┐                        arcstats  rows, other values ── reading 2
//!   an unknown line      ├─ reading 1 of arcstats
//!   arcstats  rows 41…90 ┘                        arc_summary ─────────────────── reading 1 of its own
//! ```
//!
//! Readings are counted per kind. Rows that are new, or the same once more, belong to the last reading of their kind; a
//! row with another value begins the next one. Kinds that were read less often belong to the last moments. A report whose
//! values are rounded is never compared with an earlier one, and a second table of rates is another situation: both are named.

use std::collections::{BTreeMap, BTreeSet};

use arcwright_kstat::{KstatValue, NamedKstat, Sysctls};
use arcwright_units::Nanos;

use super::clocks::{self, Clock};
use super::reports::differs;
use super::strange::place;
use super::{Again, Text, status};
use crate::machine::Reason;
use crate::read::arcstat::columns;
use crate::read::status::SINCE;
use crate::read::{arc_summary, arcstat, devices};
use crate::sources::{Source, Sources};

/// Readings of one kind that are kept; the later ones of more say no more about a machine.
const READINGS_MAX: usize = 1000;
const KSTATS: &str = "proc/spl/kstat/";
const SUMMARY: &str = "commands/arc-summary";
const SYSCTL: &str = "commands/sysctl";
const IOSTAT: &str = "sample-0/";
/// What is not judged is named so often, beyond this together.
const NAMED_MAX: usize = 10;
const TABLE: &str = "zpool iostat table of a pool of that name";
const PARAMETERS: &str = "sys/module/";

/// Where a text stands in what was pasted, and whether anything stands between it and the last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) first: usize,
    pub(super) last: usize,
    /// A prompt, prose or another output stands between this text and the last one.
    pub(super) is_apart: bool,
}

/// All that was recognised, by the name of its source.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    kinds: BTreeMap<String, Readings>,
    summary: Report,
    tables: BTreeMap<String, Table>,
    texts: BTreeMap<String, String>,
    /// Texts that were pasted already, as they are.
    seen: BTreeSet<(String, String)>,
    problems: BTreeMap<String, String>,
    /// The time that was read last.
    clock: Option<Clock>,
    /// What commands let pass between readings of counters.
    pub(super) pause: Option<Nanos>,
    /// More of these.
    unnamed: usize,
}

/// Readings of one kind, oldest first.
#[derive(Debug, Default)]
struct Readings {
    all: Vec<Reading>,
    /// Rows that came again as they were: the beginning of a reading, if a changed one follows.
    again: Reading,
    left_out: usize,
}

/// When a kstat was made, and when it was read; where it says so.
type Times = Option<(Nanos, Nanos)>;

#[derive(Debug, Clone, Default)]
struct Reading {
    rows: Vec<(String, KstatValue)>,
    index: BTreeMap<String, usize>,
    times: Times,
    /// The time that stands above it.
    clock: Option<Clock>,
}

/// The rounded report, of which the last one counts.
#[derive(Debug, Default)]
struct Report {
    text: String,
    rows: BTreeMap<String, String>,
    lines: (usize, usize),
}

/// A table of rates, of which the first one counts.
#[derive(Debug, Default)]
struct Table {
    text: String,
    pools: BTreeSet<String>,
    line: usize,
    last_row: String,
    /// Another table, of the same pools, that is not judged: its lines.
    other: Option<(usize, usize)>,
}

impl Gathered {
    /// Adds a text that stands at `place`.
    pub(super) fn add(&mut self, text: Text, place: Place) {
        let Text { name, text, again } = text;
        if name == clocks::NAME {
            self.clock = Clock::of(&text);
            self.texts.entry(name).or_default();
        } else if name == SUMMARY {
            self.add_report(&text, place);
        } else if name.starts_with(IOSTAT) || name == arcstat::NAME || devices::is_name(&name) {
            self.add_table(name, &text, place);
        } else if again == Again::Sample {
            self.add_reading(&name, &text);
        } else if name.starts_with(PARAMETERS) {
            // The last value is the one that the module has now.
            self.texts.insert(name, text);
        } else if text.starts_with(SINCE) {
            self.add_change(&name, &text);
        } else if self.seen.insert((name.clone(), text.clone())) || self.is_back(&name, &text) {
            status::add_states(&mut self.texts, &name, &text);
            self.texts.entry(name).or_default().push_str(&text);
        }
    }

    /// Returns whether a text was added that may tell of trouble with a pool: its status, the kernel's log, what was refused.
    pub(super) fn may_tell_of_trouble(&self) -> bool {
        [status::NAME, "commands/dmesg", crate::read::failed::NAME]
            .iter()
            .any(|name| self.texts.contains_key(*name))
    }

    /// Returns whether a text is of a pool that is again as it was, after it was otherwise.
    fn is_back(&self, name: &str, text: &str) -> bool {
        let is_whole = name == status::NAME && text.contains("config:");
        self.texts.get(name).is_some_and(|known| is_whole && !known.ends_with(text))
    }

    /// Adds what changed since an output was read: above the first one nothing that was read is another by it.
    fn add_change(&mut self, name: &str, text: &str) {
        let Some(known) = self.texts.get_mut(name) else { return };
        let Some(row) = text.strip_prefix(SINCE).filter(|row| row.contains('\t')) else {
            known.push_str(text);
            return;
        };
        let lead = row.split_inclusive('\t').take(2).collect::<String>();
        if known.lines().any(|line| line.starts_with(&lead)) {
            known.push_str(row);
        }
    }

    fn add_reading(&mut self, name: &str, text: &str) {
        let (rows, times) = rows_of(name, text);
        let readings = self.kinds.entry(name.to_owned()).or_default();
        let before = readings.all.len();
        readings.add(rows, times);
        if readings.all.len() > before
            && let Some(new) = readings.all.last_mut()
        {
            new.clock.clone_from(&self.clock);
        }
    }

    fn add_report(&mut self, text: &str, place_of: Place) {
        let rows = arc_summary::rows_of(text);
        let report = &mut self.summary;
        let changed = rows.iter().any(|(row, value)| {
            report.rows.get(row).is_some_and(|known| differs(row, known, value))
        });
        if changed {
            let (first, last) = report.lines;
            let words = "a later report of the same kind is used instead; the two are not compared"
                .to_owned();
            *report = Report::default();
            self.name(place(first, last), words);
        }
        let report = &mut self.summary;
        let fresh = rows.keys().any(|row| !report.rows.contains_key(row));
        if fresh || report.text.is_empty() {
            report.text.push_str(text);
            let first = if report.lines.0 == 0 { place_of.first } else { report.lines.0 };
            report.lines = (first, place_of.last);
            report.rows.extend(rows);
        }
    }

    fn add_table(&mut self, name: String, text: &str, at: Place) {
        let pool = pool_of(text);
        let what = match name.as_str() {
            arcstat::NAME => "arcstat table",
            name if devices::is_name(name) => "table of devices",
            _ => TABLE,
        };
        let table = self.tables.entry(name).or_default();
        if let Some((first, _)) = table.other.filter(|_| !begins_anew(text)) {
            table.other = Some((first, at.last));
            return;
        }
        // Titles alone are no table yet, whatever stands between their lines.
        let (is_first, above) = (table.text.is_empty(), table.text.trim_end());
        let only_titles = table.pools.is_empty() || columns::titles(above).is_some();
        let is_new = pool.as_ref().is_some_and(|pool| !table.pools.contains(pool));
        // Two tables of one line each were asked for one by one: each line is of no time, or of all before.
        let goes_on = above.lines().count() > 2 && arcstat::goes_on(&table.last_row, text);
        let is_apart = at.is_apart || text.starts_with(devices::RUN);
        if is_first || only_titles || is_new || goes_on || !is_apart || !begins_anew(text) {
            table.text.push_str(text);
            table.pools.extend(pool);
            table.line = if is_first { at.first } else { table.line };
            table.last_row = text.lines().next_back().unwrap_or_default().to_owned();
        } else if !table.text.starts_with(text) {
            let words = format!(
                "a second {what}; only the first, from line {}, is judged: paste this one alone to \
                 judge it",
                table.line
            );
            table.other = Some((at.first, at.last));
            self.name(place(at.first, at.last), words);
        }
    }

    /// Names what is not judged.
    fn name(&mut self, place: String, words: String) {
        match self.problems.len() < NAMED_MAX {
            true => self.problems.extend([(place, words)]),
            false => self.unnamed += 1,
        }
    }

    /// Returns everything as sources, each reading in its sample.
    pub(super) fn finish(mut self) -> Sources {
        let mut sources = Sources::default();
        let counts = self.kinds.values().map(|readings| readings.all.len());
        let samples = counts.max().filter(|count| *count > 0).unwrap_or(1);
        let mut put = |name: String, text: String| {
            sources.texts.insert(name, Source::Text(text));
        };
        for readings in self.kinds.values_mut() {
            readings.tell_times(self.pause);
        }
        for (name, readings) in &self.kinds {
            let from = samples - readings.all.len();
            for (index, reading) in readings.all.iter().enumerate() {
                put(format!("sample-{}/{name}", from + index), reading.to_text(name));
            }
        }
        let last = samples - 1;
        if !self.summary.text.is_empty() {
            put(format!("sample-{last}/{SUMMARY}"), std::mem::take(&mut self.summary.text));
        }
        for (name, table) in std::mem::take(&mut self.tables) {
            match name.strip_prefix(IOSTAT) {
                Some(rest) => put(format!("sample-{last}/{rest}"), table.text),
                None => put(name, table.text),
            }
        }
        for (name, text) in std::mem::take(&mut self.texts) {
            put(name, text);
        }
        let left_out: usize = self.kinds.values().map(|readings| readings.left_out).sum();
        if left_out > 0 {
            let words = format!(
                "{left_out} more readings of the same counters; the first {READINGS_MAX} are judged"
            );
            let reason = Source::Unreadable(Reason::Garbled(words));
            sources.texts.insert("pasted readings".to_owned(), reason);
        }
        if self.unnamed > 0 {
            let words = format!("{} more tables and reports that are not judged", self.unnamed);
            self.problems.insert("pasted tables".to_owned(), words);
        }
        for (place, words) in self.problems {
            sources.texts.insert(place, Source::Unreadable(Reason::Garbled(words)));
        }
        sources
    }
}

impl Readings {
    /// Takes the times that stand above the readings, where none of them says its own.
    fn tell_times(&mut self, pause: Option<Nanos>) {
        let untold = self.all.iter().all(|reading| reading.times.is_none());
        let clocks: Vec<Option<&Clock>> =
            self.all.iter().map(|reading| reading.clock.as_ref()).collect();
        let moments = clocks::moments(&clocks).or_else(|| clocks::apart_by(pause, &clocks));
        let Some(moments) = moments.filter(|_| untold) else { return };
        for (reading, moment) in self.all.iter_mut().zip(moments) {
            reading.times = Some((Nanos::ZERO, moment));
        }
    }

    fn add(&mut self, rows: Vec<(String, KstatValue)>, times: Times) {
        let Some(last) = self.all.last_mut() else {
            self.all.push(Reading::of(rows, times));
            return;
        };
        let other_time = last.times.zip(times).is_some_and(|(last, new)| last.1 != new.1);
        if other_time || rows.iter().any(|(row, value)| last.contradicts(row, value)) {
            let mut next = std::mem::take(&mut self.again);
            next.times = if other_time { times } else { next.times.or(times) };
            rows.into_iter().for_each(|(row, value)| next.insert(row, value));
            match self.all.len() < READINGS_MAX {
                true => self.all.push(next),
                false => self.left_out += 1,
            }
            return;
        }
        last.times = last.times.or(times);
        for (row, value) in rows {
            match last.index.contains_key(&row) {
                true => self.again.insert(row, value),
                false => last.insert(row, value),
            }
        }
    }
}

impl Reading {
    fn of(rows: Vec<(String, KstatValue)>, times: Times) -> Self {
        let mut reading = Self { times, ..Self::default() };
        rows.into_iter().for_each(|(row, value)| reading.insert(row, value));
        reading
    }

    fn insert(&mut self, row: String, value: KstatValue) {
        if !self.index.contains_key(&row) {
            self.index.insert(row.clone(), self.rows.len());
            self.rows.push((row, value));
        }
    }

    fn contradicts(&self, row: &str, value: &KstatValue) -> bool {
        let known = self.index.get(row).and_then(|at| self.rows.get(*at));
        known.is_some_and(|(_, known)| known.to_string() != value.to_string())
    }

    fn to_text(&self, name: &str) -> String {
        match name.strip_prefix(KSTATS).filter(|path| !path.ends_with("/txgs")) {
            Some(path) => {
                let mut kstat = NamedKstat::of_rows(path, self.rows.clone());
                if let Some((crtime, snaptime)) = self.times {
                    (kstat.crtime, kstat.snaptime) = (crtime, snaptime);
                }
                kstat.to_text()
            }
            None => self.rows.iter().map(|(_, line)| format!("{line}\n")).collect(),
        }
    }
}

/// Returns the rows of a reading, and when it was made where it says.
fn rows_of(name: &str, text: &str) -> (Vec<(String, KstatValue)>, Times) {
    let path = name.strip_prefix(KSTATS).filter(|path| !path.ends_with("/txgs"));
    if let Some(kstat) = path.and_then(|path| NamedKstat::parse(path, text).ok()) {
        let times = (kstat.snaptime != Nanos::ZERO).then_some((kstat.crtime, kstat.snaptime));
        return (kstat.rows, times);
    }
    if name == SYSCTL {
        let values = Sysctls::parse(text).values.into_iter();
        let row = |(name, value): (String, String)| {
            let line = format!("{name}: {value}");
            (name, KstatValue::Text(line))
        };
        return (values.map(row).collect(), None);
    }
    let key = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let row = |line: &str| Some((key(line)?, KstatValue::Text(line.to_owned())));
    (text.lines().filter_map(row).collect(), None)
}

/// Returns the pool that a table begins with; histograms name it among their titles.
fn pool_of(text: &str) -> Option<String> {
    let first = text.lines().next().unwrap_or_default();
    if columns::titles(first).is_some() || devices::begins(first) {
        // All lines of arcstat are of one machine's ARC, those of a table of devices of one machine.
        return Some(String::new());
    }
    let named = |line: &&str| {
        let histogram = line.contains("total_wait") || line.contains("sync_read");
        let rule = line.trim_start().starts_with('-');
        histogram || !(rule || line.trim().is_empty() || is_title(line))
    };
    text.lines().find(named)?.split_whitespace().next().map(str::to_owned)
}

/// Returns whether a table begins with its titles.
fn begins_anew(text: &str) -> bool {
    text.lines().find(|line| !line.trim().is_empty()).is_some_and(is_title)
}

fn is_title(line: &str) -> bool {
    const TITLES: [&str; 6] =
        ["capacity", "total_wait", "sync_read", "alloc", "latency", "req_size"];
    let word = line.split_whitespace().take(3).any(|word| TITLES.contains(&word));
    word || columns::titles(line).is_some() || devices::begins(line)
}
