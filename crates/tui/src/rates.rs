//! What two readings say of the time between them.
//!
//! A row that is absent, or a counter that went back, is none.

use std::sync::Arc;

use arcwright_machine::{DeviceRates, ProcessTable};

use crate::counts::{Count, Counts, DatasetCount};

/// What happened between two readings of one place.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Rates {
    pub(crate) step: Step,
    /// Misses per second that a ghost list remembers.
    pub(crate) ghost_hits: Option<f64>,
    pub(crate) l2: Accesses,
    pub(crate) l2_write: Option<f64>,
    /// Commits of the intent log per second, and bytes logged on the pool and on log devices.
    pub(crate) commits: Option<f64>,
    pub(crate) log_normal: Option<f64>,
    pub(crate) log_slog: Option<f64>,
    /// Transactions delayed per second.
    pub(crate) delays: Option<f64>,
    pub(crate) devices: Vec<DeviceRates>,
    pub(crate) datasets: Vec<DatasetRates>,
    pub(crate) pools: Vec<PoolRates>,
    /// Those of one name are one row; none where they were not listed, or not kept of so long ago.
    pub(crate) processes: Option<ProcessTable>,
}

/// What charts show of a time: bytes per second, and accesses.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Step {
    pub(crate) seconds: f64,
    /// Accesses and the share that was found, by class.
    pub(crate) kinds: [Accesses; 4],
    /// By programs.
    pub(crate) read: Option<f64>,
    pub(crate) written: Option<f64>,
    /// From cache devices.
    pub(crate) l2_read: Option<f64>,
    /// From and to the disks that hold the pools.
    pub(crate) disks_read: Option<f64>,
    pub(crate) disks_written: Option<f64>,
}

/// Accesses of one class.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Accesses {
    pub(crate) hits: Count,
    pub(crate) misses: Count,
    pub(crate) per_s: Option<f64>,
    pub(crate) misses_per_s: Option<f64>,
    pub(crate) hit_ratio: Option<f64>,
}

/// What a dataset did.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DatasetRates {
    pub(crate) name: Arc<str>,
    pub(crate) read: Option<f64>,
    pub(crate) written: Option<f64>,
    pub(crate) reads: Option<f64>,
    pub(crate) writes: Option<f64>,
}

/// What a pool did.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PoolRates {
    pub(crate) name: String,
    pub(crate) state: Option<String>,
    pub(crate) read: Option<f64>,
    pub(crate) written: Option<f64>,
    pub(crate) disks_read: Option<f64>,
    pub(crate) disks_written: Option<f64>,
}

impl Rates {
    pub(crate) fn between(from: &Counts, to: &Counts) -> Self {
        let seconds = seconds(from, to);
        let per_s = |from: Count, to: Count| per_second(more(from, to), seconds);
        let devices = devices(from, to, seconds);
        Self {
            ghost_hits: per_s(from.arc.ghost_hits, to.arc.ghost_hits),
            l2: Accesses::of(
                (more(from.l2.hits, to.l2.hits), more(from.l2.misses, to.l2.misses)),
                seconds,
            ),
            l2_write: per_s(from.l2.write_bytes, to.l2.write_bytes),
            commits: per_s(from.writes.commits, to.writes.commits),
            log_normal: per_s(from.writes.log_normal, to.writes.log_normal),
            log_slog: per_s(from.writes.log_slog, to.writes.log_slog),
            delays: per_s(from.writes.delays, to.writes.delays),
            datasets: datasets(from, to, seconds),
            pools: pools((from, to), &devices, seconds),
            step: Step::of((from, to), &devices),
            devices,
            processes: processes(from, to),
        }
    }
}

impl Step {
    pub(crate) fn between(from: &Counts, to: &Counts) -> Self {
        Self::of((from, to), &devices(from, to, seconds(from, to)))
    }

    fn of((from, to): (&Counts, &Counts), devices: &[DeviceRates]) -> Self {
        let seconds = seconds(from, to);
        let per_s = |from: Count, to: Count| per_second(more(from, to), seconds);
        let mut kinds = [Accesses::default(); 4];
        for ((kind, from), to) in kinds.iter_mut().zip(&from.arc.kinds).zip(&to.arc.kinds) {
            *kind = Accesses::of((more(from.0, to.0), more(from.1, to.1)), seconds);
        }
        let of_pools = |device: &&DeviceRates| !matches!(device.role.as_str(), "cache" | "log");
        let disks = || devices.iter().filter(of_pools);
        let is_there = disks().next().is_some();
        Self {
            seconds,
            kinds,
            read: per_s(from.read_bytes, to.read_bytes),
            written: per_s(from.written_bytes, to.written_bytes),
            l2_read: per_s(from.l2.read_bytes, to.l2.read_bytes),
            disks_read: is_there.then(|| disks().map(|disk| disk.read).sum()),
            disks_written: is_there.then(|| disks().map(|disk| disk.write).sum()),
        }
    }
}

impl Accesses {
    fn of((hits, misses): (Count, Count), seconds: f64) -> Self {
        let all = hits.zip(misses).map(|(hits, misses)| hits.saturating_add(misses));
        Self {
            hits,
            misses,
            per_s: per_second(all, seconds),
            misses_per_s: per_second(misses, seconds),
            hit_ratio: hits.zip(all).and_then(|(hits, all)| ratio(hits, all)),
        }
    }

    /// Returns how many there were.
    pub(crate) fn count(&self) -> Count {
        Some(self.hits?.saturating_add(self.misses?))
    }
}

fn processes(from: &Counts, to: &Counts) -> Option<ProcessTable> {
    let (before, now) = from.processes.as_deref().zip(to.processes.as_deref())?;
    Some(ProcessTable::between(before, now, to.at.saturating_sub(from.at)))
}

fn seconds(from: &Counts, to: &Counts) -> f64 {
    float(to.at.saturating_sub(from.at).0) / 1e9
}

fn devices(from: &Counts, to: &Counts, seconds: f64) -> Vec<DeviceRates> {
    let rates = to.devices.iter().filter_map(|new| {
        let old = from.devices.iter().find(|old| old.name == new.name)?;
        DeviceRates::between(old, new, seconds)
    });
    rates.collect()
}

fn datasets(from: &Counts, to: &Counts, seconds: f64) -> Vec<DatasetRates> {
    let rates = to.datasets.iter().map(|new| {
        let old = from.datasets.binary_search_by(|old| old.name.cmp(&new.name)).ok();
        let old = old.and_then(|index| from.datasets.get(index));
        let rate = |of: fn(&DatasetCount) -> Count| per_second(more(of(old?), of(new)), seconds);
        DatasetRates {
            name: Arc::clone(&new.name),
            read: rate(|it| it.read_bytes),
            written: rate(|it| it.written_bytes),
            reads: rate(|it| it.reads),
            writes: rate(|it| it.writes),
        }
    });
    rates.collect()
}

fn pools((from, to): (&Counts, &Counts), devices: &[DeviceRates], seconds: f64) -> Vec<PoolRates> {
    let rates = to.pools.iter().map(|new| {
        let old = from.pools.iter().find(|old| old.name == new.name);
        let rate = |old: Option<Count>, new: Count| per_second(more(old?, new), seconds);
        let own = |device: &&DeviceRates| {
            new.devices.contains(&device.name) && !matches!(device.role.as_str(), "cache" | "log")
        };
        let disks = || devices.iter().filter(own);
        let is_there = disks().next().is_some();
        PoolRates {
            name: new.name.clone(),
            state: new.state.clone(),
            read: rate(old.map(|old| old.read_bytes), new.read_bytes),
            written: rate(old.map(|old| old.written_bytes), new.written_bytes),
            disks_read: is_there.then(|| disks().map(|disk| disk.read).sum()),
            disks_written: is_there.then(|| disks().map(|disk| disk.write).sum()),
        }
    });
    rates.collect()
}

fn more(from: Count, to: Count) -> Count {
    to?.checked_sub(from?)
}

fn per_second(count: Count, seconds: f64) -> Option<f64> {
    (seconds > 0.0).then_some(float(count?) / seconds)
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| float(part) / float(whole))
}

/// Returns a number as a float; above 2^53 the last digits are lost, which no figure here shows.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub(crate) const fn float(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use arcwright_machine::DeviceCount;
    use arcwright_units::Nanos;

    use super::Rates;
    use crate::counts::{Counts, DatasetCount, PoolCount};

    fn counts(second: u64, hits: u64, misses: u64) -> Counts {
        let disk = DeviceCount {
            name: "sda".to_owned(),
            reads: misses,
            read_bytes: misses * 1000,
            request_ns: Some(misses * 5_000_000),
            busy_ns: Some(second * 250_000_000),
            ..DeviceCount::default()
        };
        let dataset = |name: &str, read_bytes| DatasetCount {
            name: name.into(),
            read_bytes,
            written_bytes: None,
            reads: Some(hits),
            writes: Some(0),
        };
        let mut counts = Counts {
            at: Nanos::secs(second),
            devices: vec![disk],
            datasets: vec![dataset("tank/a", Some(hits)), dataset("tank/b", None)],
            pools: vec![PoolCount {
                name: "tank".to_owned(),
                devices: vec!["sda".to_owned()],
                read_bytes: Some(hits),
                ..PoolCount::default()
            }],
            ..Counts::default()
        };
        counts.arc.kinds = [(Some(hits), Some(misses)); 4];
        counts
    }

    fn is(found: Option<f64>, expected: f64) -> bool {
        found.is_some_and(|found| (found - expected).abs() < 1e-9)
    }

    #[test]
    fn rates_are_of_what_was_added() {
        let rates = Rates::between(&counts(1, 100, 50), &counts(3, 190, 60));
        let kind = rates.step.kinds[0];
        assert!(is(kind.per_s, 50.0) && is(kind.misses_per_s, 5.0) && is(kind.hit_ratio, 0.9));
        assert_eq!(kind.count(), Some(100));
        assert!(is(rates.step.disks_read, 5000.0));
        let disk = &rates.devices[0];
        assert!(is(disk.latency_ns, 5e6) && is(disk.busy, 0.25));
        assert_eq!(rates.step.l2_read, None, "there is no such row");
        assert!(is(rates.datasets[0].read, 45.0) && is(rates.datasets[0].writes, 0.0));
        assert_eq!((rates.datasets[1].read, rates.datasets[0].written), (None, None));
        let pool = &rates.pools[0];
        assert!(is(pool.read, 45.0) && is(pool.disks_read, 5000.0));
        assert_eq!(pool.written, None);
    }

    #[test]
    fn counters_that_went_back_are_absent() {
        let rates = Rates::between(&counts(1, 100, 50), &counts(3, 40, 10));
        let kind = rates.step.kinds[0];
        assert_eq!((kind.per_s, kind.hit_ratio, kind.count()), (None, None, None));
        assert!(rates.devices.is_empty());
        assert_eq!((rates.datasets[0].read, rates.pools[0].disks_read), (None, None));
    }

    #[test]
    fn no_accesses_have_no_ratio() {
        let rates = Rates::between(&counts(1, 100, 50), &counts(2, 100, 50));
        assert!(is(rates.step.kinds[0].per_s, 0.0));
        assert_eq!(rates.step.kinds[0].hit_ratio, None);
        assert_eq!(rates.devices[0].latency_ns, None);
    }
}
