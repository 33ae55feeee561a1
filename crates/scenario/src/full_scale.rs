//! Turns the numbers of a scaled run back into those of the full-scale experiment.
//!
//! Sizes, operations and rates were divided by the scale, so they are multiplied by it. Durations of
//! phases and ratios are those of life as they stand. One request stood for `scale` of them and took
//! as long as all of them one after the other, so latencies are divided. The kernel's own counters
//! stay as they were counted.

use arcwright_units::{Nanos, Rate};

use crate::outcome::{Bucket, ClientLatency, ClientRun, DeviceRun, Latency, PhaseRun};

/// Returns the full-scale numbers of `run`.
#[must_use]
pub fn to_full_scale(mut run: PhaseRun, scale: u64) -> PhaseRun {
    run.bytes = run.bytes.saturating_mul(scale);
    run.operations = run.operations.saturating_mul(scale);
    run.throughput_bytes_per_sec = rate(run.throughput_bytes_per_sec, scale);
    run.arc_bytes = run.arc_bytes.map(|bytes| bytes.saturating_mul(scale));
    run.l2arc_read_bytes = run.l2arc_read_bytes.saturating_mul(scale);
    run.l2arc_write_bytes = run.l2arc_write_bytes.saturating_mul(scale);
    run.device_read_bytes = run.device_read_bytes.saturating_mul(scale);
    run.device_write_bytes = run.device_write_bytes.saturating_mul(scale);
    run.devices = run.devices.into_iter().map(|device| device_run(device, scale)).collect();
    run.clients = run.clients.into_iter().map(|client| client_run(client, scale)).collect();
    run.latency = latency(run.latency, scale);
    run.sync_latency = run.sync_latency.map(|part| latency(part, scale));
    run.log_bytes_max = run.log_bytes_max.map(|bytes| bytes.saturating_mul(scale));
    run.reads_by_class = run.reads_by_class.map(|by| by.map(|bytes| bytes.saturating_mul(scale)));
    run.series = run.series.map(|series| Box::new(series.to_full_scale(scale)));
    run
}

fn latency(latency: Latency, scale: u64) -> Latency {
    let part = |span: Nanos| Nanos(span.0 / scale.max(1));
    let bucket = |bucket: &Bucket| Bucket { below_ns: part(bucket.below_ns), count: bucket.count };
    Latency {
        count: latency.count,
        min_ns: part(latency.min_ns),
        mean_ns: part(latency.mean_ns),
        p50_ns: part(latency.p50_ns),
        p95_ns: part(latency.p95_ns),
        p99_ns: part(latency.p99_ns),
        max_ns: part(latency.max_ns),
        buckets: latency.buckets.iter().map(bucket).collect(),
    }
}

fn device_run(device: DeviceRun, scale: u64) -> DeviceRun {
    DeviceRun {
        reads: device.reads.saturating_mul(scale),
        writes: device.writes.saturating_mul(scale),
        flushes: device.flushes.saturating_mul(scale),
        read_bytes: device.read_bytes.saturating_mul(scale),
        write_bytes: device.write_bytes.saturating_mul(scale),
        seeks: device.seeks.saturating_mul(scale),
        ..device
    }
}

fn client_run(client: ClientRun, scale: u64) -> ClientRun {
    ClientRun {
        bytes: client.bytes.saturating_mul(scale),
        operations: client.operations.saturating_mul(scale),
        throughput_bytes_per_sec: rate(client.throughput_bytes_per_sec, scale),
        latency: client.latency.map(|latency| client_latency(latency, scale)),
        ..client
    }
}

fn client_latency(latency: ClientLatency, scale: u64) -> ClientLatency {
    let part = |span: Nanos| Nanos(span.0 / scale.max(1));
    ClientLatency {
        mean_ns: part(latency.mean_ns),
        p50_ns: part(latency.p50_ns),
        p95_ns: part(latency.p95_ns),
        p99_ns: part(latency.p99_ns),
        max_ns: part(latency.max_ns),
    }
}

fn rate(rate: Rate, scale: u64) -> Rate {
    Rate(rate.0.saturating_mul(scale))
}
