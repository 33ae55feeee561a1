//! Pools: state, space, the last transaction group, what TRIM and the ARC asked of them.

use std::collections::BTreeMap;

use arcwright_kstat::{Snapshot, Txg};
use arcwright_machine::{Class, Pool, Sample};

use crate::families::Families;
use crate::family::{BYTES, Family, Number, RATIO, SECONDS};
use crate::rows::{Row, row};

const STATE: Family = Family::gauge(
    "arcwright_pool_state",
    "The pool's state: 1 for the one that it is in, 0 for the others.",
);
/// The states of a pool, in lower case as labels have them.
const STATES: [&str; 7] =
    ["online", "degraded", "faulted", "offline", "removed", "unavail", "suspended"];
const SIZE: Family =
    Family::gauge("arcwright_pool_size_bytes", "Space of the pool's disks, parity included.")
        .of(BYTES);
const ALLOCATED: Family =
    Family::gauge("arcwright_pool_allocated_bytes", "Space that is taken, parity included.")
        .of(BYTES);
const FREE: Family = Family::gauge("arcwright_pool_free_bytes", "Space that is left.").of(BYTES);
const FRAGMENTATION: Family = Family::gauge(
    "arcwright_pool_fragmentation_ratio",
    "How much of the free space is in small pieces, from 0 to 1 on a scale of ZFS's own.",
)
.of(RATIO);
const DATA_ERRORS: Family = Family::gauge(
    "arcwright_pool_data_errors",
    "Damaged blocks that no copy is left of, as zpool status counts them.",
);
const VDEVS: Family = Family::gauge(
    "arcwright_pool_vdevs",
    "Top-level vdevs by class: 0 where the pool has none of it.",
);
const CLASSES: [Class; 6] =
    [Class::Data, Class::Log, Class::Cache, Class::Special, Class::Dedup, Class::Spare];

const TXG: Family = Family::counter(
    "arcwright_pool_txgs",
    "Number of the last transaction group that was written.",
);
const TXG_DIRTY: Family =
    Family::gauge("arcwright_pool_txg_dirty_bytes", "Dirty data of that group (0.7+).").of(BYTES);
const TXG_WRITTEN: Family =
    Family::gauge("arcwright_pool_txg_written_bytes", "What was written for that group.").of(BYTES);
const TXG_TIME: Family = Family::gauge(
    "arcwright_pool_txg_phase_seconds",
    "How long that group was open, quiescing, waiting to be written, and being written (sync).",
)
.of(SECONDS);

const TRIMMED: Family = Family::counter(
    "arcwright_pool_trimmed_bytes",
    "Free space by what TRIM did with it: written to the disks, skipped, failed.",
)
.of(BYTES);
const ARC_REQUESTS: Family = Family::counter(
    "arcwright_pool_requests",
    "Requests of programs by their way: through the ARC or past it, as direct I/O (2.3+).",
);
const ARC_REQUEST_BYTES: Family =
    Family::counter("arcwright_pool_request_bytes", "Bytes of these requests (2.3+).").of(BYTES);

const IOSTATS: [Row; 17] = [
    row("trim_bytes_written", TRIMMED, &[("result", "written"), ("trim", "manual")]),
    row("trim_bytes_skipped", TRIMMED, &[("result", "skipped"), ("trim", "manual")]),
    row("trim_bytes_failed", TRIMMED, &[("result", "failed"), ("trim", "manual")]),
    row("autotrim_bytes_written", TRIMMED, &[("result", "written"), ("trim", "auto")]),
    row("autotrim_bytes_skipped", TRIMMED, &[("result", "skipped"), ("trim", "auto")]),
    row("autotrim_bytes_failed", TRIMMED, &[("result", "failed"), ("trim", "auto")]),
    row("simple_trim_bytes_written", TRIMMED, &[("result", "written"), ("trim", "simple")]),
    row("simple_trim_bytes_skipped", TRIMMED, &[("result", "skipped"), ("trim", "simple")]),
    row("simple_trim_bytes_failed", TRIMMED, &[("result", "failed"), ("trim", "simple")]),
    row("arc_read_count", ARC_REQUESTS, &[("direction", "read"), ("way", "arc")]),
    row("arc_write_count", ARC_REQUESTS, &[("direction", "write"), ("way", "arc")]),
    row("direct_read_count", ARC_REQUESTS, &[("direction", "read"), ("way", "direct")]),
    row("direct_write_count", ARC_REQUESTS, &[("direction", "write"), ("way", "direct")]),
    row("arc_read_bytes", ARC_REQUEST_BYTES, &[("direction", "read"), ("way", "arc")]),
    row("arc_write_bytes", ARC_REQUEST_BYTES, &[("direction", "write"), ("way", "arc")]),
    row("direct_read_bytes", ARC_REQUEST_BYTES, &[("direction", "read"), ("way", "direct")]),
    row("direct_write_bytes", ARC_REQUEST_BYTES, &[("direction", "write"), ("way", "direct")]),
];

/// Adds pools that are in use; `sample` is the last reading.
pub(crate) fn add(families: &mut Families, pools: &[Pool], sample: Option<&Sample>) {
    for pool in pools.iter().filter(|pool| pool.offer.is_none()) {
        let of_kstat = sample.and_then(|sample| sample.pool_states.get(&pool.name));
        if let Some(state) = of_kstat.or(pool.state.as_ref()) {
            add_state(families, &pool.name, state);
        }
        add_space(families, pool);
        add_layout(families, pool);
    }
    if let Some(sample) = sample {
        add_txgs(families, &sample.txgs);
        add_iostats(families, &sample.kstats);
    }
}

/// A state of its own, should a later release have one, stands beside those that are known.
fn add_state(families: &mut Families, pool: &str, state: &str) {
    let state = state.trim().to_ascii_lowercase();
    for known in STATES {
        let is_it = Number::of_fact(known == state);
        families.add(&STATE, &[("pool", pool), ("state", known)], is_it);
    }
    families.add(&STATE, &[("pool", pool), ("state", &state)], Number::ONE);
}

fn add_space(families: &mut Families, pool: &Pool) {
    let own = [("pool", pool.name.as_str())];
    for (property, family) in [("size", SIZE), ("allocated", ALLOCATED), ("free", FREE)] {
        families.add_some(&family, &own, pool.number(property).map(Number::count));
    }
    let fragmentation = pool.number("fragmentation").map(Number::percent);
    families.add_some(&FRAGMENTATION, &own, fragmentation);
    families.add_some(&DATA_ERRORS, &own, pool.data_errors.map(Number::count));
}

/// A layout that is in doubt says nothing of what is not there.
fn add_layout(families: &mut Families, pool: &Pool) {
    if pool.vdevs.is_empty() || !pool.strays.is_empty() {
        return;
    }
    for class in CLASSES {
        let labels = [("class", class.name()), ("pool", pool.name.as_str())];
        families.add(&VDEVS, &labels, Number::size(pool.of_class(class).count()));
    }
}

fn add_txgs(families: &mut Families, txgs: &BTreeMap<String, Vec<Txg>>) {
    for (pool, groups) in txgs {
        let written = groups.iter().filter(|group| group.state == 'C');
        let Some(last) = written.max_by_key(|group| group.txg) else { continue };
        let own = [("pool", pool.as_str())];
        families.add(&TXG, &own, Number::count(last.txg));
        families.add_some(&TXG_DIRTY, &own, last.dirty.map(|dirty| Number::count(dirty.0)));
        families.add(&TXG_WRITTEN, &own, Number::count(last.written.0));
        let times = [
            ("open", Some(last.open)),
            ("quiesce", Some(last.quiescing)),
            ("wait", last.waiting),
            ("sync", Some(last.syncing)),
        ];
        for (phase, time) in times {
            let labels = [("phase", phase), ("pool", pool.as_str())];
            families.add_some(&TXG_TIME, &labels, time.map(|time| Number::nanos(time.0)));
        }
    }
}

fn add_iostats(families: &mut Families, kstats: &Snapshot) {
    for kstat in kstats.kstats.values().filter(|kstat| kstat.name == "iostats") {
        if let Some(pool) = kstat.module.strip_prefix("zfs/") {
            families.add_kstat(kstat, &IOSTATS, &[("pool", pool)]);
        }
    }
}
