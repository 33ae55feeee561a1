//! The catalogue against the parameters of real kernel modules: nothing of its families is missing,
//! nothing is made up, and what a machine shows is the default.

use super::{entries, lookup};
use crate::{Default, Entry, Kernel, Version, Width};

const MODULES: [(&str, &str); 2] =
    [("2.1.11", include_str!("modules/2.1.11.txt")), ("2.3.2", include_str!("modules/2.3.2.txt"))];

/// Beginnings of the names of the catalogue's families.
const FAMILIES: [&str; 50] = [
    "zfs_arc_",
    "zfs_compressed_arc_",
    "zfs_multilist_",
    "l2arc_",
    "dbuf_",
    "zfs_dbuf_",
    "zfetch_",
    "zfs_prefetch_",
    "dmu_prefetch_",
    "zap_iterate_",
    "zfs_traverse_",
    "zfs_read_history",
    "zfs_no_scrub_prefetch",
    "zfs_dedup_prefetch",
    "zvol_prefetch_",
    "zfs_brt_prefetch",
    "brt_zap_prefetch",
    "zfs_vnops_read_",
    "zfs_read_chunk",
    "zfs_dio_",
    "zil_",
    "zfs_commit_timeout",
    "zfs_immediate_",
    "zfs_nocacheflush",
    "zfs_zil_",
    "zfs_txg_",
    "zfs_dirty_data_",
    "zfs_delay_",
    "zfs_sync_",
    "zfs_wrlog_",
    "zfs_per_txg_",
    "zfs_dmu_offset_",
    "zfs_bclone_wait_",
    "zfs_vdev_",
    "zio_",
    "metaslab_",
    "zfs_metaslab_",
    "zfs_mg_",
    "spa_slop_",
    "spa_asize_",
    "spa_num_allocators",
    "spa_cpus_per_",
    "zfs_active_allocator",
    "zfs_ddt_data_is_",
    "zfs_user_indirect_",
    "zfs_special_class_",
    "zfs_embedded_slog_",
    "zfs_abd_",
    "spl_kmem_alloc",
    "spl_kmem_cache",
];

/// A line of a module's list.
struct Parameter {
    module: &'static str,
    name: &'static str,
    kind: &'static str,
    value: Option<&'static str>,
}

fn parameters(list: &'static str) -> Vec<Parameter> {
    let line = |line: &'static str| {
        let [module, name, kind, value] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        Parameter { module, name, kind, value: Some(value).filter(|value| *value != "-") }
    };
    list.lines().filter(|line| !line.starts_with('#')).map(line).collect()
}

#[test]
fn every_parameter_of_a_family_is_in_the_catalogue() {
    for (version, list) in MODULES {
        let parsed = Version::parse(version).unwrap();
        for Parameter { name, module, .. } in parameters(list) {
            if FAMILIES.iter().any(|family| name.starts_with(family)) {
                let entry = lookup(name).filter(|entry| entry.exists_in(parsed));
                let entry = entry.unwrap_or_else(|| panic!("{version} has {name}"));
                assert_eq!(entry.module.name(), module, "{name}");
            }
        }
    }
}

#[test]
fn the_catalogue_has_nothing_that_a_module_lacks() {
    for (version, list) in MODULES {
        let parsed = Version::parse(version).unwrap();
        let there = parameters(list);
        let on_linux = entries().iter().filter(|entry| entry.on != Some(Kernel::Freebsd));
        for entry in on_linux.filter(|entry| entry.exists_in(parsed)) {
            assert!(there.iter().any(|parameter| parameter.name == entry.name), "{}", entry.name);
        }
    }
}

#[test]
fn what_a_machine_shows_is_the_default() {
    let mut compared = 0;
    for (version, list) in MODULES {
        let parsed = Version::parse(version).unwrap();
        for parameter in parameters(list) {
            let (Some(entry), Some(value)) = (lookup(parameter.name), parameter.value) else {
                continue;
            };
            match (entry.shown_by_default(Kernel::Linux, parsed), entry.default_for(parsed)) {
                (Some(number), _) => assert_eq!(value, number.to_string(), "{}", entry.name),
                (None, Some(Default::Word(word))) => assert_eq!(value, word, "{}", entry.name),
                (None, default) => {
                    assert!(matches!(default, Some(Default::Derived(_))), "{}", entry.name);
                    continue;
                }
            }
            compared += 1;
        }
    }
    assert!(compared > 180, "{compared}");
}

#[test]
fn no_bound_is_above_what_the_module_keeps() {
    let most = |kind: &str| match kind {
        "int" => Some(Width::Int.most()),
        "uint" => Some(Width::Uint.most()),
        _ => None,
    };
    // The widths are those of the newest version.
    let (_, list) = MODULES[1];
    for parameter in parameters(list) {
        let Some(entry) = lookup(parameter.name) else { continue };
        let bound = |entry: &Entry| entry.max.unwrap_or(entry.width.most());
        if let Some(most) = most(parameter.kind) {
            assert!(bound(entry) <= most, "{} is {}", entry.name, parameter.kind);
        }
    }
}
