//! Vdevs and the disks in them: errors, space, and what `zpool iostat` showed over the last window.
//!
//! The counters of a vdev are not readable, only rates and mean waits over a window; rates since the import of the pool
//! say nothing of today and are left out.

use std::collections::BTreeMap;

use arcwright_machine::{LeafIo, Machine, Pool, QueueWaits, Sample, Vdev};

use crate::families::Families;
use crate::family::{BYTES, Family, Number, SECONDS};

const ONLINE: Family = Family::gauge(
    "arcwright_vdev_online",
    "Whether a vdev or disk is as it should be (ONLINE, a spare AVAIL): 1 or 0.",
);
const ERRORS: Family = Family::counter(
    "arcwright_vdev_errors",
    "Errors since the pool was imported or cleared (zpool clear).",
);
const SLOW: Family = Family::counter(
    "arcwright_vdev_slow_ios",
    "Requests that took longer than zio_slow_io_ms (zpool status -s).",
);
const SIZE: Family = Family::gauge("arcwright_vdev_size_bytes", "Space of a vdev.").of(BYTES);
const ALLOCATED: Family =
    Family::gauge("arcwright_vdev_allocated_bytes", "Space of a vdev that is taken.").of(BYTES);
const OPERATIONS: Family = Family::gauge(
    "arcwright_vdev_operations_per_second",
    "Requests per second over the last window of zpool iostat.",
);
const THROUGHPUT: Family = Family::gauge(
    "arcwright_vdev_bytes_per_second",
    "Bytes per second over the last window of zpool iostat.",
);
const WAIT: Family = Family::gauge(
    "arcwright_vdev_wait_seconds",
    "Mean wait over the last window: in all, at the disk, and in the queue of each class of request.",
)
.of(SECONDS);
const POOL_OPERATIONS: Family = Family::gauge(
    "arcwright_pool_operations_per_second",
    "Requests per second to all vdevs of a pool over the last window of zpool iostat.",
);
const POOL_THROUGHPUT: Family = Family::gauge(
    "arcwright_pool_bytes_per_second",
    "Bytes per second of all vdevs of a pool over the last window of zpool iostat.",
);
const POOL_WAIT: Family = Family::gauge(
    "arcwright_pool_wait_seconds",
    "Mean wait over the last window, of all vdevs of a pool: in all, at the disk, in the queues.",
)
.of(SECONDS);

/// A vdev's place: its class, and the top-level vdev that it is part of.
#[derive(Debug, Clone, Copy, Default)]
struct Place<'a> {
    class: &'a str,
    top: &'a str,
}

/// Adds vdevs of pools that are in use, and what they did in the last window.
pub(crate) fn add(families: &mut Families, machine: &Machine) {
    for pool in machine.pools.iter().filter(|pool| pool.offer.is_none()) {
        for top in &pool.vdevs {
            let place = Place { class: top.class.name(), top: &top.name };
            add_vdev(families, pool, (top, place));
        }
    }
    if let Some(sample) = machine.samples.last() {
        add_window(families, &machine.pools, sample);
    }
}

fn add_vdev(families: &mut Families, pool: &Pool, (vdev, place): (&Vdev, Place<'_>)) {
    let labels = labels(&pool.name, &vdev.name, place);
    let fine = vdev.state.as_deref().map(|state| matches!(state, "ONLINE" | "AVAIL" | "INUSE"));
    families.add_some(&ONLINE, &labels, fine.map(Number::of_fact));
    let errors = vdev
        .errors
        .into_iter()
        .flat_map(|errors| ["read", "write", "checksum"].into_iter().zip(errors));
    for (error, count) in errors {
        let labels: Vec<_> = [("error", error)].into_iter().chain(labels).collect();
        families.add(&ERRORS, &labels, Number::count(count));
    }
    families.add_some(&SLOW, &labels, vdev.slow_ios.map(Number::count));
    let space = vdev.space.unwrap_or_default();
    families.add_some(&SIZE, &labels, space.size.map(|size| Number::count(size.0)));
    families.add_some(&ALLOCATED, &labels, space.allocated.map(|taken| Number::count(taken.0)));
    for child in &vdev.children {
        add_vdev(families, pool, (child, place));
    }
}

fn labels<'a>(pool: &'a str, vdev: &'a str, place: Place<'a>) -> [(&'static str, &'a str); 4] {
    let top = if place.top == vdev { "" } else { place.top };
    [("class", place.class), ("pool", pool), ("top", top), ("vdev", vdev)]
}

fn add_window(families: &mut Families, pools: &[Pool], sample: &Sample) {
    if sample.vdevs_since_import {
        return;
    }
    for (pool, vdevs) in &sample.vdevs {
        let known = pools.iter().find(|known| known.name == *pool);
        let places = known.map(places).unwrap_or_default();
        for (name, io) in vdevs {
            if name == pool {
                add_io(
                    families,
                    io,
                    &[("pool", pool)],
                    [POOL_OPERATIONS, POOL_THROUGHPUT, POOL_WAIT],
                );
            } else {
                let place = places.get(name.as_str()).copied().unwrap_or_default();
                let labels = labels(pool, name, place);
                add_io(families, io, &labels, [OPERATIONS, THROUGHPUT, WAIT]);
            }
        }
    }
}

/// Returns where each vdev stands; a name that stands in two places has none.
fn places(pool: &Pool) -> BTreeMap<&str, Place<'_>> {
    fn note<'a>(found: &mut BTreeMap<&'a str, Vec<Place<'a>>>, vdev: &'a Vdev, place: Place<'a>) {
        found.entry(&vdev.name).or_default().push(place);
        vdev.children.iter().for_each(|child| note(found, child, place));
    }
    let mut found = BTreeMap::new();
    for top in &pool.vdevs {
        note(&mut found, top, Place { class: top.class.name(), top: &top.name });
    }
    let only = found.into_iter().filter_map(|(name, places)| match places.as_slice() {
        [place] => Some((name, *place)),
        _ => None,
    });
    only.collect()
}

fn add_io(
    families: &mut Families,
    io: &LeafIo,
    whose: &[(&'static str, &str)],
    [operations, throughput, wait]: [Family; 3],
) {
    let rates = [
        (operations, "read", io.read_ops_per_s),
        (operations, "write", io.write_ops_per_s),
        (throughput, "read", io.read_bytes_per_s),
        (throughput, "write", io.write_bytes_per_s),
    ];
    for (family, direction, rate) in rates {
        let labels = [whose, &[("direction", direction)]].concat();
        families.add_some(&family, &labels, rate.map(Number::Float));
    }
    for (queue, direction, nanos) in waits(&io.waits) {
        let labels = [whose, &[("direction", direction), ("queue", queue)]].concat();
        families.add_some(&wait, &labels, nanos.map(Number::nanos));
    }
}

/// A wait by its queue and direction; scrubs read, trims and rebuilds write.
fn waits(waits: &QueueWaits) -> [(&'static str, &'static str, Option<u64>); 11] {
    [
        ("total", "read", waits.total_read_ns),
        ("total", "write", waits.total_write_ns),
        ("disk", "read", waits.disk_read_ns),
        ("disk", "write", waits.disk_write_ns),
        ("sync", "read", waits.syncq_read_ns),
        ("sync", "write", waits.syncq_write_ns),
        ("async", "read", waits.asyncq_read_ns),
        ("async", "write", waits.asyncq_write_ns),
        ("scrub", "read", waits.scrub_ns),
        ("trim", "write", waits.trim_ns),
        ("rebuild", "write", waits.rebuild_ns),
    ]
}
