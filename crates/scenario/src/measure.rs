//! From counters before and after a phase, and what its clients did, to the record of the phase.

use arcwright_device::{Counters, LinkCounters};
use arcwright_kstat::{ArcDelta, Delta, Snapshot};
use arcwright_units::{Bytes, Nanos, Rate};
use arcwright_workload::Client;

use crate::experiment::Phase;
use crate::histogram::Histogram;
use crate::outcome::{ClientLatency, ClientRun, DeviceRun, LinkRun, PhaseRun, Role};
use crate::series::ReadsByClass;

/// All counters at one moment.
#[derive(Debug)]
pub struct Observation {
    /// The kernel statistics.
    pub kstats: Snapshot,
    /// Each device since the start.
    pub devices: Vec<DeviceRun>,
    /// The most that the log devices held at once since the last observation; none without any.
    pub log_bytes_max: Option<Bytes>,
    /// What was read from devices since the start, where the engine can see it.
    pub reads_by_class: Option<ReadsByClass>,
}

/// What one client did.
#[derive(Debug)]
pub struct Measured {
    /// Its own result.
    pub run: ClientRun,
    /// When it was done.
    pub end: Nanos,
    /// Its latencies.
    pub latency: Histogram,
    /// Those of its requests that waited for stable storage.
    pub sync_latency: Histogram,
}

/// What a client has done so far.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Bytes moved.
    pub bytes: Bytes,
    operations: u64,
    latency: Histogram,
    sync_latency: Histogram,
}

impl Tally {
    /// Counts one request.
    pub fn count(&mut self, bytes: Bytes, latency: Nanos) {
        self.bytes += bytes;
        self.operations += 1;
        self.latency.record(latency);
    }

    /// Counts one request that waited for stable storage.
    pub fn count_sync(&mut self, bytes: Bytes, latency: Nanos) {
        self.count(bytes, latency);
        self.sync_latency.record(latency);
    }

    /// Adds what another part of the same client did.
    pub fn add(&mut self, other: &Self) {
        self.bytes += other.bytes;
        self.operations += other.operations;
        self.latency.add(&other.latency);
        self.sync_latency.add(&other.sync_latency);
    }

    /// Returns what `client` did from `began` to `end`.
    #[must_use]
    pub fn measured(&self, client: &Client, began: Nanos, end: Nanos) -> Measured {
        let duration = end - began;
        Measured {
            run: ClientRun {
                name: client.name(),
                bytes: self.bytes,
                operations: self.operations,
                duration_ns: duration,
                throughput_bytes_per_sec: Rate::of(self.bytes, duration),
                ended_ns: None,
                latency: ClientLatency::of(&self.latency),
            },
            end,
            latency: self.latency.clone(),
            sync_latency: self.sync_latency.clone(),
        }
    }
}

impl Measured {
    /// Returns the record of a client in a phase that began at `start`.
    fn run_from(&self, start: Nanos) -> ClientRun {
        ClientRun { ended_ns: Some(self.end - start), ..self.run.clone() }
    }
}

impl ClientLatency {
    /// Returns what a histogram says of one client; none without requests.
    fn of(histogram: &Histogram) -> Option<Self> {
        let whole = histogram.summary();
        (whole.count > 0).then_some(Self {
            mean_ns: whole.mean_ns,
            p50_ns: whole.p50_ns,
            p95_ns: whole.p95_ns,
            p99_ns: whole.p99_ns,
            max_ns: whole.max_ns,
        })
    }
}

impl PhaseRun {
    /// Returns the record of a phase that began at `start`.
    #[must_use]
    pub fn measured(
        phase: &Phase,
        start: Nanos,
        clients: &[Measured],
        (before, after): (&Observation, &Observation),
    ) -> Self {
        let bytes: Bytes = clients.iter().map(|done| done.run.bytes).sum();
        let end = clients.iter().map(|done| done.end).max().unwrap_or(start);
        let first = phase.clients.iter().map(|client| client.start).min().unwrap_or(Nanos::ZERO);
        let duration = end - (start + first);
        let (mut latency, mut sync_latency) = (Histogram::new(), Histogram::new());
        clients.iter().for_each(|done| latency.add(&done.latency));
        clients.iter().for_each(|done| sync_latency.add(&done.sync_latency));
        let sync_latency = sync_latency.summary();
        let devices: Vec<DeviceRun> =
            before.devices.iter().zip(&after.devices).map(|(old, new)| new.since(old)).collect();
        let sum = |is: fn(Role) -> bool, of: fn(&DeviceRun) -> Bytes| -> Bytes {
            devices.iter().filter(|device| is(device.role)).map(of).sum()
        };
        let is_cache = |role| role == Role::Cache;
        let delta = Delta::between(&before.kstats, &after.kstats);
        let arc = ArcDelta::of(&delta);
        let reads_only = phase.only_reads();
        let l2arc_read_bytes = sum(is_cache, |device| device.read_bytes);
        let device_read_bytes = sum(Role::holds_pool, |device| device.read_bytes);
        Self {
            name: phase.name.clone(),
            bytes,
            operations: clients.iter().map(|done| done.run.operations).sum(),
            duration_ns: duration,
            throughput_bytes_per_sec: Rate::of(bytes, duration),
            arc_hit_ratio: arc.as_ref().and_then(|arc| arc.arc_hit_ratio().value()),
            metadata_hit_ratio: arc
                .as_ref()
                .and_then(|arc| arc.demand_metadata.hit_ratio().value()),
            l2arc_hit_ratio: arc.as_ref().and_then(|arc| arc.l2arc_hit_ratio()?.value()),
            arc_bytes: reads_only.then(|| bytes - (l2arc_read_bytes + device_read_bytes)),
            l2arc_read_bytes,
            l2arc_write_bytes: sum(is_cache, |device| device.write_bytes),
            device_read_bytes,
            device_write_bytes: sum(Role::holds_pool, |device| device.write_bytes),
            devices,
            clients: clients.iter().map(|done| done.run_from(start)).collect(),
            latency: latency.summary(),
            sync_latency: (sync_latency.count > 0).then_some(sync_latency),
            log_bytes_max: after.log_bytes_max,
            warm_up: None,
            reads_by_class: reads_by_class(before, after),
            series: None,
            kstats: delta.rows(),
        }
    }
}

fn reads_by_class(before: &Observation, after: &Observation) -> Option<ReadsByClass> {
    Some(after.reads_by_class?.since(&before.reads_by_class?))
}

/// What a disk is called in results, and what it shares with others.
#[derive(Debug, Clone, Copy)]
pub struct DeviceFacts<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its role.
    pub role: Role,
    /// Name of its profile.
    pub profile: &'a str,
    /// The device of which it is a part.
    pub part_of: Option<&'a str>,
    /// The link that it is behind.
    pub link: Option<&'a str>,
}

impl DeviceRun {
    /// Returns what a device did since it was made, and what its link has carried.
    #[must_use]
    pub fn of(facts: DeviceFacts<'_>, counters: Counters, carried: Option<LinkCounters>) -> Self {
        let DeviceFacts { name, role, profile, part_of, link } = facts;
        let link = link.zip(carried).map(|(name, carried)| LinkRun {
            name: name.to_owned(),
            read_busy_ns: carried.read_busy,
            write_busy_ns: carried.write_busy,
            one_way: carried.one_way,
        });
        Self {
            name: name.to_owned(),
            role,
            profile: profile.to_owned(),
            part_of: part_of.map(str::to_owned),
            link,
            reads: counters.reads,
            writes: counters.writes,
            flushes: counters.flushes,
            read_bytes: counters.read_bytes,
            write_bytes: counters.write_bytes,
            seeks: counters.seeks,
            busy_ns: counters.busy,
        }
    }

    /// Returns what the device did since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let link = self.link.as_ref().zip(earlier.link.as_ref());
        let link = link.map(|(now, then)| LinkRun {
            name: now.name.clone(),
            read_busy_ns: now.read_busy_ns - then.read_busy_ns,
            write_busy_ns: now.write_busy_ns - then.write_busy_ns,
            one_way: now.one_way,
        });
        Self {
            link,
            reads: self.reads - earlier.reads,
            writes: self.writes - earlier.writes,
            flushes: self.flushes - earlier.flushes,
            read_bytes: self.read_bytes - earlier.read_bytes,
            write_bytes: self.write_bytes - earlier.write_bytes,
            seeks: self.seeks - earlier.seeks,
            busy_ns: self.busy_ns - earlier.busy_ns,
            ..self.clone()
        }
    }
}
