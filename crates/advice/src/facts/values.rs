//! Every value that was read, judged or not: what stood in a text is there to be looked up, and what is not there was
//! not understood.

use arcwright_kstat::{NamedKstat, is_gauge};
use arcwright_machine::{LeafIo, Machine, Pool, Sample, Timing, Vdev};
use arcwright_units::{Bytes, Nanos};

use super::Fact;
use crate::format;

/// Values of one thing, and things, that are told.
const VALUES_MAX: usize = 240;
const THINGS_MAX: usize = 48;

/// Returns everything that was read of a machine, a line for each thing.
pub(crate) fn of(machine: &Machine) -> Vec<Fact> {
    let mut all: Vec<Fact> = machine.pools.iter().flat_map(of_pool).collect();
    all.extend(machine.datasets.iter().map(|dataset| {
        let values = dataset.properties.iter().map(|(name, (value, _))| format!("{name}={value}"));
        line(&format!("dataset {}", dataset.name), values)
    }));
    all.push(line(
        "parameters",
        machine.parameters.values().map(|it| format!("{}={}", it.name, it.value.trim())),
    ));
    all.extend(machine.config.iter().map(|file| {
        let lines = file.text.lines().map(str::trim).filter(|line| !line.is_empty());
        line(&file.path, lines.map(str::to_owned))
    }));
    all.extend(of_samples(&machine.samples));
    all.extend(machine.since_load.iter().flat_map(|sample| of_kstats(sample, None)));
    all.push(line(
        "caches of the kernel",
        machine.slabs.iter().map(|(name, bytes)| format!("{name}={bytes}")),
    ));
    all.extend(machine.timings.iter().map(of_timing));
    all.retain(|fact| !fact.says.is_empty());
    let more = all.len().saturating_sub(THINGS_MAX);
    all.truncate(THINGS_MAX);
    if more > 0 {
        all.push(Fact::new("and more", format!("{more} things of which values were read")));
    }
    all
}

fn line(about: &str, values: impl Iterator<Item = String>) -> Fact {
    let mut values: Vec<String> = values.collect();
    let more = values.len().saturating_sub(VALUES_MAX);
    values.truncate(VALUES_MAX);
    if more > 0 {
        values.push(format!("and {more} more"));
    }
    Fact::new(about, values.join(", "))
}

fn of_pool(pool: &Pool) -> Vec<Fact> {
    let own = pool
        .errors_beside
        .own
        .map(|[read, write, checksum]| format!("errors of its own row {read}/{write}/{checksum}"));
    let properties = pool.properties.iter().map(|(name, value)| format!("{name}={value}"));
    let mut all = vec![line(&format!("pool {}", pool.name), own.into_iter().chain(properties))];
    let mut rows = Vec::new();
    for vdev in pool.vdevs.iter().chain(&pool.strays) {
        add_rows(vdev, 0, &mut rows);
    }
    all.push(line(&format!("rows of {}", pool.name), rows.into_iter()));
    all
}

/// Adds the row of a vdev and those below it; as deep as vdevs of pools go.
fn add_rows(vdev: &Vdev, depth: usize, rows: &mut Vec<String>) {
    const DEPTH_MAX: usize = 6;
    if depth > DEPTH_MAX || rows.len() > VALUES_MAX {
        return;
    }
    let errors = vdev.errors.map(|[read, write, checksum]| format!("{read}/{write}/{checksum}"));
    let slow = vdev.slow_ios.map(|count| format!("{count} slow"));
    let space = vdev.space.map(|space| {
        let of = |bytes: Option<Bytes>, what: &str| bytes.map(|bytes| format!("{bytes} {what}"));
        let pieces = space.fragmentation_pct.map(|percent| format!("fragmentation {percent} %"));
        let parts = [
            of(space.size, "in all"),
            of(space.allocated, "taken"),
            of(space.free, "free"),
            pieces,
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    });
    let parts = [vdev.state.clone(), errors, slow, space, vdev.note.clone()];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    if !parts.is_empty() {
        rows.push(format!("{} {}", vdev.name, parts.join(" ")));
    }
    vdev.children.iter().for_each(|child| add_rows(child, depth + 1, rows));
}

/// Returns the counters of readings: of one as they stand, of several what they counted in between, and sizes as they are.
fn of_samples(samples: &[Sample]) -> Vec<Fact> {
    let Some(last) = samples.last() else { return Vec::new() };
    let first = samples.first().filter(|_| samples.len() > 1);
    let mut all = of_kstats(last, first);
    for (pool, rows) in &last.vdevs {
        let values = rows.iter().map(|(name, io)| format!("{name}: {}", of_io(io)));
        all.push(line(&format!("I/O of {pool}"), values));
    }
    all
}

fn of_kstats(last: &Sample, first: Option<&Sample>) -> Vec<Fact> {
    let of = |(path, kstat): (&String, &NamedKstat)| {
        let before = first.and_then(|first| first.kstats.kstats.get(path));
        let value = |(row, value): &(String, arcwright_kstat::KstatValue)| {
            let since = before.and_then(|before| before.get(row)).zip(kstat.get(row));
            match since.filter(|_| !is_gauge(row)) {
                Some((before, now)) => format!("{row}=+{}", now.wrapping_sub(before)),
                None => format!("{row}={}", value.to_string().trim()),
            }
        };
        line(path, kstat.rows.iter().map(value))
    };
    last.kstats.kstats.iter().map(of).collect()
}

fn of_io(io: &LeafIo) -> String {
    let rate = |value: Option<f64>, what: &str| value.map(|value| format!("{value} {what}"));
    let wait =
        |value: Option<u64>, what: &str| value.map(|nanos| format!("{what} {}", Nanos(nanos)));
    let waits = &io.waits;
    let parts = [
        rate(io.read_ops_per_s, "reads/s"),
        rate(io.write_ops_per_s, "writes/s"),
        io.read_bytes_per_s.map(|bytes| format!("{} read", format::rate(bytes))),
        io.write_bytes_per_s.map(|bytes| format!("{} written", format::rate(bytes))),
        wait(waits.total_read_ns, "total_wait read"),
        wait(waits.total_write_ns, "write"),
        wait(waits.disk_read_ns, "disk_wait read"),
        wait(waits.disk_write_ns, "write"),
        wait(waits.syncq_read_ns, "syncq_wait read"),
        wait(waits.syncq_write_ns, "write"),
        wait(waits.asyncq_read_ns, "asyncq_wait read"),
        wait(waits.asyncq_write_ns, "write"),
        wait(waits.scrub_ns, "scrub"),
        wait(waits.trim_ns, "trim"),
        wait(waits.rebuild_ns, "rebuild"),
    ];
    let mut parts: Vec<String> = parts.into_iter().flatten().collect();
    let queues =
        io.queues.iter().map(|(name, (pending, active))| format!("{name} {pending}/{active}"));
    parts.extend(queues);
    let buckets = io.latency.iter().chain(&io.sizes);
    parts.extend(buckets.map(|(name, counts)| format!("{name} {} counted", counts.count())));
    parts.join(" ")
}

fn of_timing(timing: &Timing) -> Fact {
    let latency = |value: Option<u64>, what: &str| {
        value.map(|nanos| format!("{what} {}", format::latency(nanos)))
    };
    let parts = [
        timing.place.as_ref().map(|place| format!("in {place}")),
        timing.is_write.map(|is_write| if is_write { "writes" } else { "reads" }.to_owned()),
        timing.bytes.map(|bytes| format!("{bytes} in all")),
        timing.bytes_per_s.map(format::rate),
        timing.ops_per_s.map(|rate| format!("{} requests/s", format::per_s(rate))),
        timing.request.map(|bytes| format!("of {bytes}")),
        latency(timing.latency_mean_ns, "latency in the mean"),
        latency(timing.latency_p99_ns, "99 % below"),
        latency(timing.latency_max_ns, "at most"),
        latency(timing.flush_mean_ns, "a flush in the mean"),
        latency(timing.flush_p99_ns, "99 % of them within"),
        latency(timing.flush_max_ns, "at most"),
    ];
    line(&format!("{} {}", timing.program, timing.what), parts.into_iter().flatten())
}
