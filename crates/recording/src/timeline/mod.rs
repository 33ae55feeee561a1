//! A recording over time, in as many columns of equal length as a chart can show.
//!
//! ```text
//!   Block ── runs of one layout ── lanes of rows ──> TimelineColumns of each TimelineMeasure, totals of datasets and disks
//! ```
//!
//! What lies in a gap is in no column and in no total: a rate over it would spread over the whole gap what may have been
//! one moment. Counters that began anew are told by their table's creation and by numbers that went back.

mod columns;
mod lane;
mod measures;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use arcwright_units::Nanos;

use self::lane::{LastRead, Steps, TableLanes, add};
use self::measures::{INGREDIENTS, Ingredients, Nature, TableKind};
use crate::block::Block;
use crate::gaps::RecordingGap;
use crate::layout::TableRows;

pub use columns::{ColumnRange, TimelineColumns};
pub use measures::TimelineMeasure;

/// What a timeline is of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TimelineSpan {
    /// Its first reading, since 1970.
    pub from: Nanos,
    /// Its last.
    pub to: Nanos,
    /// Where nothing is known, oldest first.
    pub gaps: Vec<RecordingGap>,
    /// The disks of pools by the kernel's names, and what pools use them for (`data`, `cache`, `log`, …); others are left out.
    pub disks: BTreeMap<String, String>,
}

/// A recording over time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Timeline {
    /// What it is of.
    pub span: TimelineSpan,
    /// The time that readings cover, in seconds.
    pub covered_s: f64,
    /// Each quantity that was recorded.
    pub measures: BTreeMap<TimelineMeasure, TimelineColumns>,
    /// What each dataset did, by name; empty where datasets are not counted.
    pub datasets: BTreeMap<String, DatasetTotals>,
    /// What each disk of a pool did, by the kernel's name.
    pub disks: BTreeMap<String, DiskTotals>,
    columns: usize,
    last_at: Option<u64>,
    last: BTreeMap<String, LastRead>,
}

/// What a dataset did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DatasetTotals {
    /// Bytes read.
    pub read: Option<u64>,
    /// Bytes written.
    pub written: Option<u64>,
    /// Requests to read.
    pub reads: Option<u64>,
    /// Requests to write.
    pub writes: Option<u64>,
    /// Waits for stable storage (2.2+).
    pub commits: Option<u64>,
}

/// What a disk did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DiskTotals {
    /// What its pool uses it for.
    pub role: String,
    /// The share of the time in which it had something to do.
    pub busy: TimelineColumns,
    /// Bytes read.
    pub read: Option<u64>,
    /// Bytes written.
    pub written: Option<u64>,
    /// Requests.
    pub requests: Option<u64>,
    /// Milliseconds that all requests took.
    pub request_ms: Option<u64>,
}

impl DatasetTotals {
    const ROWS: [&'static str; 5] = ["nread", "nwritten", "reads", "writes", "zil_commit_count"];

    fn add(&mut self, row: &str, lane: &[Option<u64>]) {
        let total = match row {
            "nread" => &mut self.read,
            "nwritten" => &mut self.written,
            "reads" => &mut self.reads,
            "writes" => &mut self.writes,
            _ => &mut self.commits,
        };
        sum_up(total, lane);
    }
}

const DISK_ROWS: [&str; 6] =
    ["read_bytes", "write_bytes", "reads", "writes", "request_ms", "busy_ms"];
/// The table of all datasets, where there is none for each.
const ALL_DATASETS: &str = "datasets/all";

fn sum_up(total: &mut Option<u64>, lane: &[Option<u64>]) {
    let more = lane.iter().copied().flatten().reduce(u64::saturating_add);
    *total = match (*total, more) {
        (Some(total), Some(more)) => Some(total.saturating_add(more)),
        (total, more) => total.or(more),
    };
}

/// The lanes of all quantities in some readings.
type Lanes = BTreeMap<TimelineMeasure, Vec<Option<f64>>>;

impl Timeline {
    /// Returns an empty one with so many columns.
    #[must_use]
    pub fn new(span: TimelineSpan, columns: usize) -> Self {
        Self { span, columns: columns.max(1), ..Self::default() }
    }

    /// Returns how long a column is, in seconds.
    #[must_use]
    pub fn column_s(&self) -> f64 {
        self.span.to.saturating_sub(self.span.from).as_secs_f64() / self.columns.max(1) as f64
    }

    /// Takes readings, which follow those before.
    pub fn take(&mut self, block: &Block) {
        for (tables, times, columns) in block.runs() {
            let skipped = times.partition_point(|at| self.last_at.is_some_and(|last| *at <= last));
            let Some((times, last)) = times.get(skipped..).and_then(|new| Some((new, new.last()?)))
            else {
                continue;
            };
            let steps = self.steps(times);
            let seconds = (0..times.len()).filter_map(|number| steps.seconds(number));
            self.covered_s += seconds.sum::<f64>();
            let mut lanes = Lanes::new();
            let mut read = BTreeMap::new();
            for table in &tables {
                let column = |place: usize| columns.get(place).and_then(|c| c.get(skipped..));
                self.take_table(table, (&steps, &column), (&mut lanes, &mut read));
            }
            for (measure, lane) in lanes {
                let count = self.columns;
                let mut columns = self.measures.remove(&measure);
                let into = columns.get_or_insert_with(|| TimelineColumns::new(count));
                self.draw(into, &lane, &steps);
                self.measures.extend(columns.map(|columns| (measure, columns)));
            }
            self.last_at = Some(*last);
            self.last = read;
        }
    }

    /// Returns the readings with what is known of the time before each.
    fn steps(&self, times: &[u64]) -> Steps {
        let before = std::iter::once(self.last_at).chain(times.iter().copied().map(Some));
        let is_gap =
            |from: &u64| self.span.gaps.binary_search_by_key(from, |gap| gap.from.0).is_ok();
        let since = before.take(times.len()).map(|from| from.filter(|from| !is_gap(from)));
        Steps { since: since.collect(), times: times.to_vec() }
    }

    fn take_table<'a>(
        &mut self,
        table: &TableRows<'a>,
        (steps, column): (&Steps, &dyn Fn(usize) -> Option<&'a [u64]>),
        (lanes, read): (&mut Lanes, &mut BTreeMap<String, LastRead>),
    ) {
        let Some(kind) = self.kind_of(table) else { return };
        let rows = table.rows.iter().filter_map(|(name, place)| Some((*name, column(*place)?)));
        let before = self.last.remove(&table.path).filter(|last| last.created == table.created);
        let of_table = TableLanes { before: before.as_ref(), rows: rows.collect() };
        let ingredients = INGREDIENTS.iter().filter(|of| of.kind == kind);
        for of in ingredients.clone() {
            if let Some(lane) = lane_of(of, &of_table, steps) {
                let joined = if of.nature == Nature::Largest { f64::max } else { |a, b| a + b };
                add(lanes.entry(of.measure).or_default(), &lane, joined);
            }
        }
        match kind {
            TableKind::Dataset => self.take_dataset(table, &of_table, steps),
            TableKind::DataDisk | TableKind::CacheDisk | TableKind::LogDisk => {
                self.take_disk(table, &of_table, steps);
            }
            _ => {}
        }
        let wanted = ingredients.flat_map(|of| of.rows).chain(&DatasetTotals::ROWS);
        let rows = wanted
            .chain(&DISK_ROWS)
            .filter_map(|row| Some((*row, *of_table.rows.get(row)?.last()?)));
        let rows = rows.collect();
        read.insert(table.path.clone(), LastRead { created: table.created, rows });
    }

    fn kind_of(&self, table: &TableRows<'_>) -> Option<TableKind> {
        match table.path.as_str() {
            "zfs/arcstats" => return Some(TableKind::Arc),
            "zfs/zil" => return Some(TableKind::Log),
            "zfs/dmu_tx" => return Some(TableKind::Transactions),
            "memory/meminfo" => return Some(TableKind::Memory),
            ALL_DATASETS => return Some(TableKind::Dataset),
            _ => {}
        }
        if table.dataset.is_some() {
            return Some(TableKind::Dataset);
        }
        if table.path.starts_with("txgs/") {
            return Some(TableKind::Group);
        }
        let disk = table.path.strip_prefix("disks/")?;
        match self.span.disks.get(disk)?.as_str() {
            "cache" => Some(TableKind::CacheDisk),
            "log" => Some(TableKind::LogDisk),
            "spare" => None,
            _ => Some(TableKind::DataDisk),
        }
    }

    fn take_dataset(&mut self, table: &TableRows<'_>, lanes: &TableLanes<'_>, steps: &Steps) {
        let Some(name) = table.dataset else { return };
        let totals = self.datasets.entry(name.to_owned()).or_default();
        for row in DatasetTotals::ROWS {
            if let Some(lane) = lanes.growth(row, steps) {
                totals.add(row, &lane);
            }
        }
    }

    fn take_disk(&mut self, table: &TableRows<'_>, lanes: &TableLanes<'_>, steps: &Steps) {
        let Some(name) = table.path.strip_prefix("disks/") else { return };
        let mut disk = self.disks.remove(name).unwrap_or_else(|| DiskTotals {
            role: self.span.disks.get(name).cloned().unwrap_or_default(),
            busy: TimelineColumns::new(self.columns),
            ..DiskTotals::default()
        });
        let total = |total: &mut Option<u64>, row: &str| {
            if let Some(lane) = lanes.growth(row, steps) {
                sum_up(total, &lane);
            }
        };
        total(&mut disk.read, "read_bytes");
        total(&mut disk.written, "write_bytes");
        total(&mut disk.requests, "reads");
        total(&mut disk.requests, "writes");
        total(&mut disk.request_ms, "request_ms");
        if let Some(busy) = lanes.growth("busy_ms", steps) {
            let share = |(number, busy): (usize, Option<u64>)| {
                Some((busy? as f64 / 1000.0 / steps.seconds(number)?).min(1.0))
            };
            let shares: Vec<Option<f64>> = busy.into_iter().enumerate().map(share).collect();
            self.draw(&mut disk.busy, &shares, steps);
        }
        self.disks.insert(name.to_owned(), disk);
    }

    /// Puts what a lane has into columns.
    fn draw(&self, columns: &mut TimelineColumns, lane: &[Option<f64>], steps: &Steps) {
        let length = self.column_s();
        let place = |at: u64| {
            Nanos(at.saturating_sub(self.span.from.0)).as_secs_f64() / length.max(f64::MIN_POSITIVE)
        };
        let times = steps.since.iter().zip(&steps.times);
        for (value, (since, at)) in lane.iter().zip(times) {
            if let (Some(value), Some(since)) = (value, since) {
                columns.add((place(*since), place(*at)), length, *value);
            }
        }
    }
}

/// Returns the lane of a quantity that a table has; none where it lacks the first row.
fn lane_of(of: &Ingredients, table: &TableLanes<'_>, steps: &Steps) -> Option<Vec<Option<f64>>> {
    let row = |row: &&str| match of.nature {
        Nature::Counter => table.growth(row, steps),
        Nature::Level | Nature::Largest => table.level(row, steps),
    };
    let (first, others) = of.rows.split_first()?;
    let mut sum = row(first)?;
    for other in others.iter().filter_map(row) {
        add(&mut sum, &other, u64::saturating_add);
    }
    let value = |(number, value): (usize, Option<u64>)| match of.nature {
        Nature::Counter => Some(value? as f64 / steps.seconds(number)?),
        Nature::Level | Nature::Largest => Some(value? as f64),
    };
    Some(sum.into_iter().enumerate().map(value).collect())
}
