//! The repeats of an arm summed up: medians number by number, histograms merged.
//!
//! The median of an even number of values is the mean of the middle two, rounded down. A number
//! that only some repeats have is the median of those.

use std::collections::BTreeMap;

use arcwright_units::{Bytes, Nanos, Rate};

use crate::outcome::{
    AppliedSetting, ArmOutcome, ArmRun, Bucket, ClientLatency, ClientRun, DeviceRun, Latency,
    LinkRun, PhaseRun, WarmUp,
};
use crate::series::{ReadClasses, ReadsByClass};

impl ArmOutcome {
    /// Returns the outcome of an arm from its repeats.
    #[must_use]
    pub fn from_runs(name: String, tunables: Vec<AppliedSetting>, runs: Vec<ArmRun>) -> Self {
        let longest = runs.iter().map(|run| run.phases.len()).max().unwrap_or(0);
        let phase = |index: usize| {
            let all: Vec<&PhaseRun> = runs.iter().filter_map(|run| run.phases.get(index)).collect();
            phase_of(&all)
        };
        let phases = (0..longest).filter_map(phase).collect();
        Self { name, tunables, phases, runs }
    }
}

fn phase_of(all: &[&PhaseRun]) -> Option<PhaseRun> {
    let first = *all.first()?;
    if all.len() == 1 {
        return Some(PhaseRun { series: None, ..first.clone() });
    }
    let bytes = |of: fn(&PhaseRun) -> Bytes| Bytes(median(all.iter().map(|run| of(run).0)));
    Some(PhaseRun {
        name: first.name.clone(),
        bytes: bytes(|run| run.bytes),
        operations: median(all.iter().map(|run| run.operations)),
        duration_ns: Nanos(median(all.iter().map(|run| run.duration_ns.0))),
        throughput_bytes_per_sec: Rate(median(
            all.iter().map(|run| run.throughput_bytes_per_sec.0),
        )),
        arc_hit_ratio: median_ratio(all.iter().filter_map(|run| run.arc_hit_ratio)),
        metadata_hit_ratio: median_ratio(all.iter().filter_map(|run| run.metadata_hit_ratio)),
        l2arc_hit_ratio: median_ratio(all.iter().filter_map(|run| run.l2arc_hit_ratio)),
        arc_bytes: arc_bytes_of(all),
        l2arc_read_bytes: bytes(|run| run.l2arc_read_bytes),
        l2arc_write_bytes: bytes(|run| run.l2arc_write_bytes),
        device_read_bytes: bytes(|run| run.device_read_bytes),
        device_write_bytes: bytes(|run| run.device_write_bytes),
        devices: by_index(all, |run| &run.devices, device_of),
        clients: by_index(all, |run| &run.clients, client_of),
        latency: latency_of(all.iter().map(|run| &run.latency)),
        sync_latency: all
            .iter()
            .any(|run| run.sync_latency.is_some())
            .then(|| latency_of(all.iter().filter_map(|run| run.sync_latency.as_ref()))),
        log_bytes_max: all
            .iter()
            .any(|run| run.log_bytes_max.is_some())
            .then(|| Bytes(median(all.iter().filter_map(|run| Some(run.log_bytes_max?.0))))),
        warm_up: warm_up_of(all),
        reads_by_class: reads_by_class_of(all),
        series: None,
        kstats: kstats_of(all),
    })
}

/// Returns the most rounds of any repeat; warm where all were.
fn warm_up_of(all: &[&PhaseRun]) -> Option<WarmUp> {
    let each = || all.iter().filter_map(|run| run.warm_up);
    Some(WarmUp {
        rounds: each().map(|it| it.rounds).max()?,
        is_warm: each().all(|it| it.is_warm),
        before_ns: Nanos(median(each().map(|it| it.before_ns.0))),
    })
}

/// Returns the median of every class of reads; none where a repeat does not tell.
fn reads_by_class_of(all: &[&PhaseRun]) -> Option<ReadsByClass> {
    let each: Vec<ReadsByClass> =
        all.iter().map(|run| run.reads_by_class).collect::<Option<_>>()?;
    let number =
        |of: &dyn Fn(&ReadsByClass) -> Bytes| Bytes(median(each.iter().map(|by| of(by).0)));
    let classes = |of: fn(&ReadsByClass) -> &ReadClasses| ReadClasses {
        demand_data: number(&|by| of(by).demand_data),
        demand_metadata: number(&|by| of(by).demand_metadata),
        prefetch_data: number(&|by| of(by).prefetch_data),
        prefetch_metadata: number(&|by| of(by).prefetch_metadata),
    };
    Some(ReadsByClass { l2arc: classes(|by| &by.l2arc), disks: classes(|by| &by.disks) })
}

/// Returns the median of what came from the ARC; none where a repeat does not tell.
fn arc_bytes_of(all: &[&PhaseRun]) -> Option<Bytes> {
    let each: Option<Vec<u64>> = all.iter().map(|run| Some(run.arc_bytes?.0)).collect();
    Some(Bytes(median(each?.into_iter())))
}

/// Sums up the lists of all repeats element by element.
fn by_index<T>(
    all: &[&PhaseRun],
    list: fn(&PhaseRun) -> &Vec<T>,
    sum_up: fn(&[&T]) -> Option<T>,
) -> Vec<T> {
    let longest = all.iter().map(|run| list(run).len()).max().unwrap_or(0);
    let element = |index: usize| {
        let every: Vec<&T> = all.iter().filter_map(|run| list(run).get(index)).collect();
        sum_up(&every)
    };
    (0..longest).filter_map(element).collect()
}

fn device_of(all: &[&DeviceRun]) -> Option<DeviceRun> {
    let first = *all.first()?;
    let number = |of: fn(&DeviceRun) -> u64| median(all.iter().map(|run| of(run)));
    Some(DeviceRun {
        name: first.name.clone(),
        role: first.role,
        profile: first.profile.clone(),
        part_of: first.part_of.clone(),
        link: first.link.as_ref().map(|link| LinkRun {
            name: link.name.clone(),
            read_busy_ns: Nanos(number(|run| busy(run, |link| link.read_busy_ns))),
            write_busy_ns: Nanos(number(|run| busy(run, |link| link.write_busy_ns))),
            one_way: link.one_way,
        }),
        reads: number(|run| run.reads),
        writes: number(|run| run.writes),
        flushes: number(|run| run.flushes),
        read_bytes: Bytes(number(|run| run.read_bytes.0)),
        write_bytes: Bytes(number(|run| run.write_bytes.0)),
        seeks: number(|run| run.seeks),
        busy_ns: Nanos(number(|run| run.busy_ns.0)),
    })
}

fn busy(run: &DeviceRun, of: fn(&LinkRun) -> Nanos) -> u64 {
    run.link.as_ref().map(of).unwrap_or_default().0
}

fn client_of(all: &[&ClientRun]) -> Option<ClientRun> {
    let first = *all.first()?;
    let number = |of: fn(&ClientRun) -> u64| median(all.iter().map(|run| of(run)));
    Some(ClientRun {
        name: first.name.clone(),
        bytes: Bytes(number(|run| run.bytes.0)),
        operations: number(|run| run.operations),
        duration_ns: Nanos(number(|run| run.duration_ns.0)),
        throughput_bytes_per_sec: Rate(number(|run| run.throughput_bytes_per_sec.0)),
        ended_ns: median_if_any(all.iter().filter_map(|run| Some(run.ended_ns?.0))),
        latency: client_latency_of(all),
    })
}

/// Returns the medians of what each repeat says of a client's requests.
fn client_latency_of(all: &[&ClientRun]) -> Option<ClientLatency> {
    let number = |of: fn(&ClientLatency) -> Nanos| {
        median_if_any(all.iter().filter_map(|run| Some(of(run.latency.as_ref()?).0)))
    };
    Some(ClientLatency {
        mean_ns: number(|latency| latency.mean_ns)?,
        p50_ns: number(|latency| latency.p50_ns)?,
        p95_ns: number(|latency| latency.p95_ns)?,
        p99_ns: number(|latency| latency.p99_ns)?,
        max_ns: number(|latency| latency.max_ns)?,
    })
}

/// Returns the median of times; none when there are none.
fn median_if_any(values: impl Iterator<Item = u64>) -> Option<Nanos> {
    let all: Vec<u64> = values.collect();
    (!all.is_empty()).then(|| Nanos(median(all.into_iter())))
}

/// Merges the histograms and reads the percentiles off the sum.
fn latency_of<'a>(all: impl Iterator<Item = &'a Latency>) -> Latency {
    let all: Vec<&Latency> = all.filter(|latency| latency.count > 0).collect();
    let counted = || all.iter().copied();
    let mut sums: BTreeMap<Nanos, u64> = BTreeMap::new();
    for bucket in counted().flat_map(|latency| &latency.buckets) {
        *sums.entry(bucket.below_ns).or_default() += bucket.count;
    }
    let count: u64 = counted().map(|latency| latency.count).sum();
    let time = |latency: &Latency| u128::from(latency.mean_ns.0) * u128::from(latency.count);
    let total: u128 = counted().map(time).sum();
    let mean = total.checked_div(u128::from(count)).unwrap_or(0);
    let min = counted().map(|latency| latency.min_ns).min().unwrap_or(Nanos::ZERO);
    let max = counted().map(|latency| latency.max_ns).max().unwrap_or(Nanos::ZERO);
    let buckets: Vec<Bucket> =
        sums.into_iter().map(|(below_ns, count)| Bucket { below_ns, count }).collect();
    // A bucket's end is an upper bound; what was measured is a tighter one at both ends.
    let at = |percent: u64| percentile(&buckets, percent).clamp(min, max);
    Latency {
        count,
        min_ns: min,
        mean_ns: Nanos(u64::try_from(mean).unwrap_or(u64::MAX)),
        p50_ns: at(50),
        p95_ns: at(95),
        p99_ns: at(99),
        max_ns: max,
        buckets,
    }
}

/// Returns the end of the bucket that holds the request at `percent` of all, rounded up.
fn percentile(buckets: &[Bucket], percent: u64) -> Nanos {
    let count: u64 = buckets.iter().map(|bucket| bucket.count).sum();
    let rank = (u128::from(count) * u128::from(percent)).div_ceil(100);
    let mut seen = 0u128;
    let reached = |bucket: &&Bucket| {
        seen += u128::from(bucket.count);
        seen >= rank
    };
    buckets.iter().find(reached).map_or(Nanos::ZERO, |bucket| bucket.below_ns)
}

fn kstats_of(all: &[&PhaseRun]) -> BTreeMap<String, BTreeMap<String, i64>> {
    let mut every: BTreeMap<&str, BTreeMap<&str, Vec<i64>>> = BTreeMap::new();
    for (path, rows) in all.iter().flat_map(|run| &run.kstats) {
        let file = every.entry(path).or_default();
        for (row, value) in rows {
            file.entry(row).or_default().push(*value);
        }
    }
    let rows = |rows: BTreeMap<&str, Vec<i64>>| {
        rows.into_iter().map(|(row, values)| (row.to_owned(), median_signed(values))).collect()
    };
    every.into_iter().map(|(path, file)| (path.to_owned(), rows(file))).collect()
}

fn median(values: impl Iterator<Item = u64>) -> u64 {
    let mut sorted: Vec<u64> = values.collect();
    sorted.sort_unstable();
    let (low, high) = middle(&sorted);
    low.midpoint(high)
}

fn median_signed(mut values: Vec<i64>) -> i64 {
    values.sort_unstable();
    let (low, high) = middle(&values);
    low.midpoint(high)
}

fn median_ratio(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let (low, high) = middle(&sorted);
    (!sorted.is_empty()).then(|| f64::midpoint(low, high))
}

/// Returns the two values in the middle, the same one twice when their number is odd.
fn middle<T: Copy + std::default::Default>(sorted: &[T]) -> (T, T) {
    let at = |index: usize| sorted.get(index).copied().unwrap_or_default();
    (at(sorted.len().saturating_sub(1) / 2), at(sorted.len() / 2))
}
