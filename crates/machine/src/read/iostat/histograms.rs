//! `zpool iostat -w` and `-r`: how long requests took and how large they were, in buckets.
//!
//! ```text
//! tank         total_wait     disk_wait    …        with -H the name alone
//! latency      read  write   read  write  …
//! ----------  -----  -----  -----  -----
//! 1ns             0      0      0      0            a bucket of -w is named by its end (2^n - 1 ns),
//! 3ns             0      0      0      0            one of -r by its beginning (2^n bytes)
//! ```
//!
//! Over an interval the tool prints counts per second, rounded down; without one, counts since the
//! pool was imported.

use std::collections::BTreeMap;

use super::Reports;
use crate::nicenum;
use crate::sample::{BucketCounts, LeafIo};

/// Columns of `-w`; trim came with 0.8, rebuild with 2.0.
const LATENCY: [&str; 11] = [
    "total_read",
    "total_write",
    "disk_read",
    "disk_write",
    "syncq_read",
    "syncq_write",
    "asyncq_read",
    "asyncq_write",
    "scrub",
    "trim",
    "rebuild",
];
/// Columns of `-r`.
const SIZES: [&str; 14] = [
    "sync_read_ind",
    "sync_read_agg",
    "sync_write_ind",
    "sync_write_agg",
    "async_read_ind",
    "async_read_agg",
    "async_write_ind",
    "async_write_agg",
    "scrub_ind",
    "scrub_agg",
    "trim_ind",
    "trim_agg",
    "rebuild_ind",
    "rebuild_agg",
];
/// The smallest request that is counted, which is where the buckets of `-r` begin.
const SIZE_FIRST: u64 = 512;

/// Returns whether a text is of histograms: titles say so, or names stand alone on lines.
pub(super) fn are_in(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let titled = lines.clone().any(|line| {
        line.starts_with("latency ") && line.contains("read") || line.starts_with("req_size")
    });
    let first = lines.next().unwrap_or_default();
    let second = lines.next().unwrap_or_default().split_whitespace().count();
    titled || (first.split_whitespace().count() == 1 && second >= 10)
}

#[derive(Default)]
struct Reader<'a> {
    pools: &'a [&'a str],
    found: Reports,
    pool: Option<String>,
    vdev: Option<String>,
    rows: Vec<(u64, Vec<u64>)>,
    titled: bool,
}

pub(super) fn parse(text: &str, pools: &[&str]) -> Reports {
    let mut reader = Reader { pools, ..Reader::default() };
    for (index, line) in text.lines().enumerate() {
        reader.line(index + 1, line);
    }
    let torn = reader.torn(text);
    reader.flush();
    reader.found.strays.extend(torn);
    reader.found
}

impl Reader<'_> {
    fn line(&mut self, number: usize, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((first, rest)) = words.split_first() else { return };
        let rule = line.trim().chars().all(|c| matches!(c, '-' | ' '));
        if rule || matches!(*first, "latency" | "req_size") || super::is_time(line) {
            return;
        }
        let bucket =
            nicenum::nanoseconds(first).or_else(|| nicenum::binary(first).and_then(nicenum::whole));
        let counts: Option<Vec<u64>> =
            rest.iter().map(|word| nicenum::binary(word).and_then(nicenum::whole)).collect();
        let title = matches!(rest.first(), Some(&("total_wait" | "sync_read")));
        match (bucket, counts) {
            _ if title || rest.is_empty() => {
                self.titled = title;
                self.begin(first);
            }
            (Some(bucket), Some(counts)) => self.rows.push((bucket, counts)),
            _ => self.found.strays.push((number, line.trim().to_owned())),
        }
    }

    /// Returns the last line where it has fewer counts than the one above it: the text ends within it.
    fn torn(&self, text: &str) -> Option<(usize, String)> {
        let [.., (_, above), (_, last)] = self.rows.as_slice() else { return None };
        let (number, line) = super::last_line(text)?;
        (last.len() < above.len()).then(|| (number, line.trim().to_owned()))
    }

    /// Begins the histograms of a vdev or a pool.
    fn begin(&mut self, name: &str) {
        self.flush();
        let again = self.found.series.has(name);
        let is_pool = match self.pools.is_empty() {
            false => self.pools.contains(&name),
            true => self.pool.is_none() || again,
        };
        if is_pool {
            if again || self.found.series.first().is_none() {
                self.found.series.begin();
            }
            self.pool = Some(name.to_owned());
        }
        self.vdev = Some(name.to_owned());
    }

    fn flush(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        let (Some(pool), Some(vdev)) = (self.pool.clone(), self.vdev.take()) else { return };
        if self.found.series.has_no_room(&pool) {
            return;
        }
        let Some(report) = self.found.series.current() else { return };
        let io = report.entry(pool).or_default().entry(vdev).or_default();
        fill(io, &rows);
    }
}

fn fill(io: &mut LeafIo, rows: &[(u64, Vec<u64>)]) {
    let Some((first, _)) = rows.first() else { return };
    let sizes = *first >= SIZE_FIRST;
    let names: &[&str] = if sizes { &SIZES } else { &LATENCY };
    // The label of a latency is the end of its bucket: 2^(n+1) - 1, so it begins at half of that.
    let lower = |label: u64| if sizes { label } else { label.saturating_add(1) / 2 };
    let mut columns: BTreeMap<String, BucketCounts> = BTreeMap::new();
    for (label, counts) in rows {
        for (name, count) in names.iter().zip(counts) {
            let column = columns.entry((*name).to_owned()).or_default();
            column.0.push((lower(*label), *count));
        }
    }
    if sizes {
        io.sizes = columns;
    } else {
        io.latency = columns;
    }
}
