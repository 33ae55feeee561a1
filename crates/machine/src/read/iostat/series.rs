//! Reports one after the other, as many as somebody let `zpool iostat` print: of a day there are a hundred
//! thousand. Only the first is kept, which counts since the pool was imported; of the others, what their mean
//! needs.

use std::collections::BTreeMap;

use super::columns::Mean;
use super::{POOLS_MAX, Report};

/// Reports in their order.
#[derive(Debug, Default)]
pub(crate) struct Series {
    first: Option<Report>,
    /// The one that is being read, unless it is the first.
    later: Option<Report>,
    means: BTreeMap<String, BTreeMap<String, Mean>>,
}

impl Series {
    /// Begins a report.
    pub(super) fn begin(&mut self) {
        if self.first.is_none() {
            self.first = Some(Report::new());
        } else if let Some(done) = self.later.replace(Report::new()) {
            self.add(done);
        }
    }

    /// Returns the report that is being read; none before the first.
    pub(super) fn current(&mut self) -> Option<&mut Report> {
        self.later.as_mut().or(self.first.as_mut())
    }

    pub(super) const fn is_in_first(&self) -> bool {
        self.first.is_some() && self.later.is_none()
    }

    /// Returns whether the report that is being read has a pool.
    pub(super) fn has(&self, pool: &str) -> bool {
        self.last().is_some_and(|report| report.contains_key(pool))
    }

    /// Returns whether a pool would be one too many.
    pub(super) fn has_no_room(&self, pool: &str) -> bool {
        self.last().is_some_and(|report| report.len() >= POOLS_MAX) && !self.has(pool)
    }

    fn last(&self) -> Option<&Report> {
        self.later.as_ref().or(self.first.as_ref())
    }

    /// Returns the first report.
    pub(crate) const fn first(&self) -> Option<&Report> {
        self.first.as_ref()
    }

    /// Returns the mean of all reports but the first, which are of windows; none when there is but one.
    pub(crate) fn mean_of_later(mut self) -> Option<Report> {
        let last = self.later.take()?;
        self.add(last);
        let of_pool = |vdevs: BTreeMap<String, Mean>| {
            vdevs.into_iter().map(|(name, mean)| (name, mean.value())).collect()
        };
        Some(self.means.into_iter().map(|(pool, vdevs)| (pool, of_pool(vdevs))).collect())
    }

    fn add(&mut self, report: Report) {
        for (pool, vdevs) in report {
            if !self.means.contains_key(&pool) && self.means.len() >= POOLS_MAX {
                continue;
            }
            let means = self.means.entry(pool).or_default();
            for (name, io) in vdevs {
                means.entry(name).or_default().add(io);
            }
        }
    }
}
