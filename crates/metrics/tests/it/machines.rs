//! Laws over every machine of `fixtures/`.

use std::collections::BTreeSet;

use arcwright_advice::{Estimate, advise};
use arcwright_machine::Machine;
use arcwright_metrics::{Collection, DatasetSeries, Families, PoolLogs, TextFormat};
use arcwright_units::Nanos;

use crate::exposition::{self, Series};

/// Returns all machines of `fixtures/machines`.
pub(crate) fn machines() -> Vec<(String, Machine)> {
    let all = arcwright_fixtures::machines().unwrap().into_iter();
    all.map(|(name, sources)| (name, Machine::read(&sources))).collect()
}

/// Returns all that the program says of a machine.
pub(crate) fn families(machine: &Machine) -> Families {
    let mut families = Families::default();
    families.add_machine(machine, DatasetSeries::On);
    let mut logs = PoolLogs::default();
    machine.samples.iter().for_each(|sample| logs.take(&sample.kstats));
    logs.add(&mut families);
    let advice = advise(machine, Estimate::CountersOnly);
    families.add_findings(&advice, advice.is_verdict());
    let second = Some(Nanos::SECOND);
    let collection =
        Collection { read_at: second, read_in: second, judged_at: second, judged_in: second };
    families.add_collection(&collection, "0.1.0");
    families
}

/// Returns a machine with its last reading and nothing that makes no series, so that copies are quick.
fn lean(machine: Machine) -> Machine {
    let Machine { pools, mut samples, memory, .. } = machine;
    let samples = samples.pop().into_iter().collect();
    Machine { pools, samples, memory, ..Machine::default() }
}

/// Returns what is said of the counters alone.
fn counters(machine: &Machine) -> Series {
    let mut families = Families::default();
    families.add_machine(machine, DatasetSeries::On);
    exposition::read(&families.text(TextFormat::OpenMetrics)).unwrap()
}

#[test]
fn every_machine_makes_a_valid_text() {
    for (name, machine) in machines() {
        let text = families(&machine).text(TextFormat::OpenMetrics);
        let series = exposition::read(&text).unwrap_or_else(|why| panic!("{name}: {why}\n{text}"));
        assert!(series.len() > 20, "{name}: {text}");
    }
}

#[test]
fn the_older_format_has_the_same_series() {
    for (name, machine) in machines() {
        let families = families(&machine);
        let samples = |format: TextFormat| -> Vec<String> {
            let text = families.text(format);
            let lines = text.lines().filter(|line| !line.starts_with('#'));
            lines.map(str::to_owned).collect()
        };
        assert_eq!(samples(TextFormat::Plain), samples(TextFormat::OpenMetrics), "{name}");
    }
}

#[test]
fn a_row_that_is_absent_takes_its_series_along_and_no_other() {
    for (name, machine) in machines() {
        let machine = lean(machine);
        let whole = counters(&machine);
        let Some(sample) = machine.samples.last() else { continue };
        for (path, kstat) in &sample.kstats.kstats {
            for (row, _) in kstat.rows.iter().filter(|(row, _)| row != "dataset_name") {
                let mut without = machine.clone();
                let last = without.samples.last_mut().unwrap();
                let rows = &mut last.kstats.kstats.get_mut(path).unwrap().rows;
                rows.retain(|(name, _)| name != row);
                let left = counters(&without);
                let place = format!("{name} {path} {row}");
                for (key, value) in &left {
                    assert_eq!(whole.get(key), Some(value), "{place}: {key} is new or another");
                }
                // Headers of the L2ARC are a part of the ARC, too.
                let most = if row == "l2_hdr_size" { 2 } else { 1 };
                assert!(whole.len() - left.len() <= most, "{place} takes several series along");
            }
        }
    }
}

#[test]
fn rows_of_the_caches_and_the_log_are_all_shown() {
    // Parts of what is shown, maxima of what Prometheus keeps anyway, and what tells nobody anything.
    const LEFT_OUT: [&str; 28] = [
        "anon_",
        "_ghost_evictable_",
        "mru_data",
        "mru_metadata",
        "mfu_data",
        "mfu_metadata",
        "mru_ghost_data",
        "mru_ghost_metadata",
        "mfu_ghost_data",
        "mfu_ghost_metadata",
        "uncached_data",
        "uncached_metadata",
        "uncached_evictable_",
        "evict_l2_eligible_",
        "hash_chain",
        "hash_elements_max",
        "l2_log_blk_avg_asize",
        "l2_log_blk_count",
        "l2_data_to_meta_ratio",
        "l2_rebuild_asize",
        "l2_rebuild_bufs_precached",
        "l2_rebuild_log_blks",
        "arc_meta_max",
        "arc_meta_min",
        "arc_tempreserve",
        "arc_loaned_bytes",
        "arc_raw_size",
        "cached_only_in_progress",
    ];
    for (name, machine) in machines().into_iter().filter(|(name, _)| name.starts_with("guest")) {
        let machine = lean(machine);
        let whole = counters(&machine);
        for path in ["zfs/arcstats", "zfs/zil", "zfs/dmu_tx"] {
            let rows = machine.now().unwrap().kstats[path].rows.clone();
            for (row, _) in rows.iter().filter(|(row, _)| !LEFT_OUT.iter().any(|l| row.contains(l)))
            {
                let mut without = machine.clone();
                let last = without.samples.last_mut().unwrap();
                last.kstats.kstats.get_mut(path).unwrap().rows.retain(|(name, _)| name != row);
                assert!(counters(&without).len() < whole.len(), "{name} {path} {row} is not shown");
            }
        }
    }
}

#[test]
fn a_machine_of_which_nothing_is_known_has_no_counters() {
    let series = counters(&Machine::default());
    let names: BTreeSet<&str> = series.keys().map(String::as_str).collect();
    assert_eq!(names, BTreeSet::from(["arcwright_sources_unread"]));
}

#[test]
fn values_are_those_of_the_machine_in_base_units() {
    let machine = Machine::read(&arcwright_fixtures::machine("guest-2.3.2-l2arc-filled").unwrap());
    let series = exposition::read(&families(&machine).text(TextFormat::OpenMetrics)).unwrap();
    let check = |key: &str, expected: &str| {
        assert_eq!(series.get(key).map(String::as_str), Some(expected), "{key}");
    };
    let sum = |name: &str| -> f64 {
        let of_name = series.iter().filter(|(key, _)| key.starts_with(&format!("{name}{{")));
        of_name.map(|(_, value)| value.parse::<f64>().unwrap()).sum()
    };
    check("arcwright_arc_target_max_bytes", "100663296");
    check("arcwright_pool_size_bytes{pool=\"tank\"}", "5905580032");
    check("arcwright_pool_state{pool=\"tank\",state=\"online\"}", "1");
    check("arcwright_pool_state{pool=\"tank\",state=\"degraded\"}", "0");
    check("arcwright_pool_vdevs{class=\"cache\",pool=\"tank\"}", "1");
    check("arcwright_pool_vdevs{class=\"log\",pool=\"tank\"}", "0");
    check(
        "arcwright_pool_wait_seconds{direction=\"read\",pool=\"tank\",queue=\"disk\"}",
        "0.019322249",
    );
    // There was no write in the window, so that it has no mean wait.
    let write = "arcwright_pool_wait_seconds{direction=\"write\",pool=\"tank\",queue=\"disk\"}";
    assert_eq!(series.get(write), None);
    let ssd = "class=\"cache\",pool=\"tank\",vdev=\"/dev/disk/by-id/virtio-ssd0-part1\"";
    check(&format!("arcwright_vdev_allocated_bytes{{{ssd}}}"), "264474112");
    check(&format!("arcwright_vdev_online{{{ssd}}}"), "1");
    // The ARC's parts are its size, and its accesses by class are all of them.
    let size: f64 = series["arcwright_arc_size_bytes"].parse().unwrap();
    assert!((sum("arcwright_arc_part_bytes") - size).abs() <= size / 100.0);
    let all = sum("arcwright_arc_accesses_total");
    assert!((sum("arcwright_arc_class_accesses_total") - all).abs() <= all / 1000.0);
}
