//! The catalogue against the parameters of real kernel modules, as a guest listed them: nothing of its
//! families is missing. That nothing is made up, and the defaults, are held in `tests/it/modules.rs`.

use super::lookup;
use crate::Version;

const MODULES: [(&str, &str); 2] = [
    ("2.1.11", include_str!("../../../../fixtures/parameters-2.1.11.txt")),
    ("2.3.2", include_str!("../../../../fixtures/parameters-2.3.2.txt")),
];

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

#[test]
fn every_parameter_of_a_family_is_in_the_catalogue() {
    for (version, list) in MODULES {
        let parsed = Version::parse(version).unwrap();
        let names = list.lines().filter_map(|line| line.split(' ').next()?.split_once('.'));
        let mut of_family = 0;
        for (module, name) in names {
            if FAMILIES.iter().any(|family| name.starts_with(family)) {
                let entry = lookup(name).filter(|entry| entry.exists_in(parsed));
                let entry = entry.unwrap_or_else(|| panic!("{version} has {name}"));
                assert_eq!(entry.module.name(), module, "{name}");
                of_family += 1;
            }
        }
        assert!(of_family > 150, "{version}: {of_family}");
    }
}
