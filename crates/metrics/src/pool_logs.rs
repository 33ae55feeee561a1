//! The intent log of each pool, which no release counts: the sum of its datasets' logs (2.2+), kept over time.
//!
//! A plain sum falls when a dataset is unmounted, and Prometheus takes a counter that falls for one that began anew: it
//! would add the whole rest once more. So what each dataset counted since the reading before is added instead. The sum
//! begins with what all datasets have counted at the first reading.
//!
//! ```text
//!   a  100 ─ 110 ─ gone ─ gone      the pool  150 ─ 165 ─ 165 ─ 172
//!   b   50 ─  55 ─  55  ─  62                      the plain sum would be 150, 165, 55, 62
//! ```

use std::collections::BTreeMap;

use arcwright_kstat::Snapshot;
use arcwright_units::Nanos;

use crate::datasets::named;
use crate::families::Families;
use crate::family::Number;
use crate::intent_log::POOL;

/// Pools and rows that are summed up, and what each dataset counted last.
#[derive(Debug, Clone, Default)]
pub struct PoolLogs {
    totals: BTreeMap<(String, &'static str), u64>,
    last: BTreeMap<String, Last>,
}

/// What a dataset counted at the reading before.
#[derive(Debug, Clone, Default)]
struct Last {
    crtime: Nanos,
    rows: BTreeMap<&'static str, u64>,
}

impl PoolLogs {
    /// Takes a reading.
    pub fn take(&mut self, kstats: &Snapshot) {
        let mut last = BTreeMap::new();
        // A pool that was exported is gone with its sum; one that is imported again begins anew.
        let is_there = |pool: &str| {
            kstats.kstats.values().any(|kstat| kstat.module.strip_prefix("zfs/") == Some(pool))
        };
        self.totals.retain(|(pool, _), _| is_there(pool));
        for (pool, _, kstat) in named(kstats) {
            let before = self.last.get(&kstat.path());
            // A kstat that was made anew began at zero, also where it is past its old value by now.
            let before = before.filter(|before| before.crtime == kstat.crtime);
            let mut rows = BTreeMap::new();
            for row in &POOL {
                let Some(now) = kstat.get(row.row) else { continue };
                let then = before.and_then(|before| before.rows.get(row.row)).copied();
                let more = then.and_then(|then| now.checked_sub(then)).unwrap_or(now);
                let total = self.totals.entry((pool.to_owned(), row.row)).or_insert(0);
                *total = total.saturating_add(more);
                rows.insert(row.row, now);
            }
            last.insert(kstat.path(), Last { crtime: kstat.crtime, rows });
        }
        self.last = last;
    }

    /// Adds the pools' series.
    pub fn add(&self, families: &mut Families) {
        for row in &POOL {
            let of_row = self.totals.iter().filter(|((_, name), _)| *name == row.row);
            for ((pool, _), total) in of_row {
                let whose = [("pool", pool.as_str())];
                let labels: Vec<_> = row.labels.iter().copied().chain(whose).collect();
                families.add(&row.family, &labels, Number::count(*total));
            }
        }
    }
}

#[cfg(test)]
mod tests;
