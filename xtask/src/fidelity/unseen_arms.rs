//! What the second arm of a drawn case changes.

use super::unseen::{Draw, Drawn, Kind};

/// Log devices, none among them.
pub(super) const LOGS: [&str; 5] = [
    "",
    "",
    "log = [{ device = \"ssd-sata-consumer\", size = \"8GiB\" }]",
    "log = [{ device = \"nvme-plp\", size = \"8GiB\" }]",
    "log = [{ device = \"nvme-consumer\", size = \"512MiB\" }]",
];

/// Parameters of reads, as the body of a table.
const READS: [&str; 10] = [
    "zfs_prefetch_disable = 1",
    "zfetch_max_distance = \"8MiB\"",
    "zfetch_max_distance = \"256MiB\"",
    "zfs_vdev_read_gap_limit = 0",
    "zfs_vdev_aggregation_limit = 131072",
    "zfs_vdev_sync_read_max_active = 3",
    "zfs_vdev_async_read_max_active = 10",
    "dbuf_cache_shift = 3",
    "zfetch_max_streams = 2",
    "zfs_arc_min_prefetch_ms = 100",
];
const CACHES: [&str; 9] = [
    "l2arc_noprefetch = 0",
    "l2arc_noprefetch = 0, l2arc_write_max = \"256MiB\"",
    "l2arc_write_max = \"64MiB\"",
    "l2arc_headroom = 1",
    "l2arc_headroom = 16",
    "l2arc_mfuonly = 1",
    "l2arc_feed_again = 0",
    "l2arc_norw = 1",
    "l2arc_write_boost = \"64MiB\"",
];
const WRITES: [&str; 10] = [
    "zfs_dirty_data_max = \"64MiB\"",
    "zfs_dirty_data_max = \"512MiB\"",
    "zfs_txg_timeout = 1",
    "zfs_txg_timeout = 30",
    "zfs_vdev_async_write_max_active = 3",
    "zfs_delay_min_dirty_percent = 90",
    "zfs_dirty_data_sync_percent = 50",
    "zfs_vdev_aggregation_limit = 131072",
    "zfs_vdev_write_gap_limit = 0",
    "zfs_vdev_async_write_active_max_dirty_percent = 90",
];
const SYNCHRONOUS: [&str; 5] = [
    "zil_nocacheflush = 1",
    "zfs_nocacheflush = 1",
    "zfs_immediate_write_sz = 131072",
    "zfs_commit_timeout_pct = 50",
    "zfs_vdev_sync_write_max_active = 2",
];

/// Draws what the second arm changes.
pub(super) fn other(draw: &mut Draw, drawn: &Drawn) -> String {
    let tunables = |body: &str| format!("tunables = {{ {body} }}");
    let (often, record_kib) = (draw.chance.below(3), other_record(draw, drawn));
    match (draw.kind, often) {
        (_, 0) if drawn.has_cache => {
            draw.one(&["cache = []", "secondarycache = \"metadata\""]).to_owned()
        }
        (_, _) if drawn.has_cache => tunables(draw.one(&CACHES)),
        (Kind::Synchronous, 0) => {
            draw.one(&["sync = \"disabled\"", "logbias = \"throughput\""]).to_owned()
        }
        (Kind::Synchronous, 1) => tunables(draw.one(&SYNCHRONOUS)),
        (Kind::Synchronous, _) => draw.one(&OTHER_LOGS).to_owned(),
        (Kind::Trees, 0) => special(draw),
        (Kind::Trees, 1) => "primarycache = \"metadata\"".to_owned(),
        (_, 0) => {
            let memory = (drawn.arc_mib * 4).max(1024);
            let arc = drawn.arc_mib * 2;
            format!(
                "memory = \"{memory}MiB\"\n{}",
                tunables(&format!("zfs_arc_max = \"{arc}MiB\""))
            )
        }
        (Kind::Writes | Kind::Mixed, 1) => tunables(draw.one(&WRITES)),
        (Kind::Reads, 1) => tunables(draw.one(&READS)),
        (_, _) => format!("recordsize = \"{record_kib}KiB\""),
    }
}

const OTHER_LOGS: [&str; 3] = [
    "log = []",
    "log = [{ mirror = [\"nvme-plp\", \"nvme-plp\"] }]",
    "log = [{ device = \"ssd-sata-plp\", size = \"2GiB\" }]",
];

fn special(draw: &mut Draw) -> String {
    let disk = draw.one(&["ssd-sata-consumer", "nvme-consumer"]);
    format!("special = [{{ mirror = [\"{disk}\", \"{disk}\"] }}]")
}

/// Draws a record size that is not the one of the first arm.
fn other_record(draw: &mut Draw, drawn: &Drawn) -> u64 {
    let sizes: Vec<u64> =
        [16, 32, 128, 1024].into_iter().filter(|size| *size != drawn.record_kib).collect();
    draw.one(&sizes)
}
