//! A machine whose counters are known.

use std::collections::BTreeMap;

use arcwright_kstat::{KstatValue, NamedKstat, Snapshot, Txg};
use arcwright_machine::DeviceCount;
use arcwright_units::{Bytes, Nanos};

use crate::dashboard::Dashboard;
use crate::palette::Palette;
use crate::sample::{DashboardSample, PoolSample, Update};

fn kstat(name: &str, rows: &[(&str, u64)]) -> NamedKstat {
    let rows = rows.iter().map(|(row, value)| ((*row).to_owned(), KstatValue::U64(*value)));
    NamedKstat::of_rows(&format!("zfs/{name}"), rows.collect())
}

/// A machine after `n` busy seconds.
pub(super) fn moment(n: u64) -> DashboardSample {
    let arc = [
        ("demand_data_hits", 1800 * n),
        ("demand_data_misses", 200 * n),
        ("demand_metadata_hits", 990 * n),
        ("demand_metadata_misses", 10 * n),
        ("prefetch_data_hits", 5 * n),
        ("prefetch_data_misses", 95 * n),
        ("mru_ghost_hits", 30 * n),
        ("mfu_ghost_hits", 0),
        ("size", 3 << 30),
        ("c", 4 << 30),
        ("c_max", 4 << 30),
        ("memory_all_bytes", 16 << 30),
        ("memory_free_bytes", 8 << 30),
        ("l2_hits", 100 * n),
        ("l2_misses", 105 * n),
        ("l2_read_bytes", (12 << 20) * n),
        ("l2_write_bytes", (8 << 20) * n),
        ("l2_size", 50 << 30),
        ("l2_asize", 40 << 30),
        ("l2_hdr_size", 38 << 20),
    ];
    let zil = [
        ("zil_commit_count", 40 * n),
        ("zil_itx_metaslab_normal_bytes", 0),
        ("zil_itx_metaslab_slog_bytes", (1 << 20) * n),
    ];
    let mut kstats = vec![kstat("arcstats", &arc), kstat("zil", &zil)];
    kstats.extend((0..5).map(|number| dataset(number, n)));
    let disk = |name: &str, role: &str, each_ns: u64| DeviceCount {
        name: name.to_owned(),
        role: role.to_owned(),
        detail: String::new(),
        reads: 100 * n,
        writes: 10 * n,
        read_bytes: (13 << 20) * n,
        write_bytes: (1 << 20) * n,
        request_ns: Some(110 * each_ns * n),
        busy_ns: Some(600_000_000 * n),
    };
    DashboardSample {
        kstats: Snapshot::from_kstats(Nanos::secs(100 + n), kstats),
        devices: vec![
            disk("sda", "data", 8_000_000),
            disk("sdb", "data", 9_000_000),
            disk("sdc", "data", 42_000_000),
            disk("nvme0n1p2", "cache", 90_000),
        ],
        read_bytes: Some((250 << 20) * n),
        written_bytes: Some((20 << 20) * n),
        txgs: BTreeMap::from([("tank".to_owned(), vec![group(n, 'C'), group(n + 1, 'O')])]),
        dirty_bytes_max: Some(4 << 30),
        pools: vec![PoolSample {
            name: "tank".to_owned(),
            state: Some("ONLINE".to_owned()),
            devices: ["sda", "sdb", "sdc", "nvme0n1p2"].map(str::to_owned).to_vec(),
        }],
        ..DashboardSample::default()
    }
}

/// The dataset of a number reads so many MiB/s; the last one has a name that would steer a terminal.
fn dataset(number: u64, n: u64) -> NamedKstat {
    let name = if number == 4 { "tank/\u{1b}[2J\u{202e}" } else { "tank/media" };
    let rows =
        [("nread", (number << 20) * n), ("nwritten", n << 20), ("reads", 8 * n), ("writes", n)];
    let name = ("dataset_name".to_owned(), KstatValue::Text(format!("{name}{number}")));
    let mut kstat = kstat(&format!("tank/objset-0x{number:x}"), &rows);
    kstat.rows.push(name);
    kstat
}

fn group(txg: u64, state: char) -> Txg {
    let is_over = state == 'C';
    Txg {
        txg,
        birth: Nanos::secs(txg),
        state,
        dirty: Some(Bytes(if is_over { 400 << 20 } else { 0 })),
        open: Nanos(if is_over { 5_120_000_000 } else { 0 }),
        syncing: Nanos(if is_over { 182_000_000 } else { 0 }),
        ..Txg::default()
    }
}

pub(super) fn board(readings: u64) -> Dashboard {
    let mut board = Dashboard::new("nas, OpenZFS 2.3.2".to_owned(), Palette::new(false));
    (1..=readings).for_each(|n| board.take(Update::Sample(Box::new(moment(n)))));
    board
}
