//! Healthy machines of several versions, and how to break one thing of them.

use std::collections::BTreeMap;

use arcwright_kstat::{KstatValue, NamedKstat, Snapshot, Txg};
use arcwright_machine::{
    Class, ConfigText, Drive, DriveKind, LeafIo, Machine, Memory, Platform, QueueWaits, Sample,
    Space, Vdev,
};
use arcwright_tunables::{Kernel, Version};
use arcwright_units::{Bytes, Nanos};

use crate::parts::{dataset, hdd, mount, parameters, pool};

pub(crate) use crate::checks::{advice, changes, check, check_note, check_unjudged, found};

/// The length of the window.
pub(crate) const WINDOW: Nanos = Nanos::secs(60);
/// The machine's memory.
pub(crate) const MEMORY: Bytes = Bytes::gib(16);

/// A machine under construction: rows before and after the window.
pub(crate) struct Bed {
    pub(crate) machine: Machine,
    rows: BTreeMap<(String, String), (KstatValue, KstatValue)>,
}

/// Returns healthy machines by name: Linux of three versions, `FreeBSD` with OpenZFS and before.
pub(crate) fn all() -> Vec<(&'static str, Bed)> {
    vec![
        ("2.1.11", Bed::new("2.1.11", Kernel::Linux, Platform::Debian)),
        ("2.2.4", Bed::new("2.2.4", Kernel::Linux, Platform::Proxmox)),
        ("2.3.2", Bed::new("2.3.2", Kernel::Linux, Platform::TruenasScale)),
        ("FreeBSD 14", Bed::new("2.2.4", Kernel::Freebsd, Platform::Freebsd)),
        ("FreeBSD 11", Bed::new("freebsd-11", Kernel::Freebsd, Platform::Xigmanas)),
    ]
}

/// Returns a healthy Linux machine of a version.
pub(crate) fn linux(version: &str) -> Bed {
    Bed::new(version, Kernel::Linux, Platform::Debian)
}

impl Bed {
    fn new(version: &str, os: Kernel, platform: Platform) -> Self {
        let zfs = Version::parse(version).unwrap();
        let roomy = os == Kernel::Freebsd || zfs >= Version::parse("2.3.0").unwrap();
        let most = if roomy { Bytes::gib(15) } else { Bytes::gib(8) };
        let machine = Machine {
            os: Some(os),
            platform: Some(platform),
            platform_name: Some("Testix 1".to_owned()),
            zfs_text: Some(format!("{version}-1")),
            zfs: Some(zfs),
            memory: Some(Memory {
                total: MEMORY,
                available: Some(Bytes(MEMORY.0 - most.0 + Bytes::mib(200).0)),
                free: Some(Bytes(MEMORY.0 - most.0)),
                swap_used: Some(Bytes(0)),
                ..Memory::default()
            }),
            parameters: parameters(zfs, os),
            config: vec![ConfigText {
                path: if os == Kernel::Linux {
                    "/etc/modprobe.d/zfs.conf"
                } else {
                    "/boot/loader.conf"
                }
                .to_owned(),
                text: "# nothing is set here\n".to_owned(),
            }],
            pools: vec![pool("tank")],
            datasets: vec![dataset("tank", "default"), dataset("tank/home", "inherited from tank")],
            mounts: vec![mount("tank/home")],
            drives: ["sda", "sdb"].map(hdd).to_vec(),
            ..Machine::default()
        };
        let mut bed = Self { machine, rows: BTreeMap::new() };
        bed.fill(zfs, most);
        bed.io("tank", (22.0, 131_072.0), 6_000_000);
        for disk in ["mirror-0", "sda", "sdb"] {
            bed.io(disk, (11.0, 131_072.0), 6_000_000);
        }
        bed.txgs(&[Nanos::millis(600); 12]);
        bed
    }

    fn fill(&mut self, zfs: Version, most: Bytes) {
        let is_new = zfs >= Version::parse("2.2.0").unwrap();
        let size = most.0 / 100 * 97;
        for (row, count) in [
            ("demand_data_hits", 60_000),
            ("demand_data_misses", 300),
            ("demand_metadata_hits", 200_000),
            ("demand_metadata_misses", 60),
            ("prefetch_data_hits", 2_000),
            ("prefetch_data_misses", 3_000),
            ("prefetch_metadata_hits", 50),
            ("prefetch_metadata_misses", 20),
            ("mru_ghost_hits", 5),
            ("mfu_ghost_hits", 5),
            ("demand_hit_predictive_prefetch", 2_700),
            ("deleted", 4_000),
            ("evict_l2_eligible", 400 << 20),
            ("evict_l2_ineligible", 40 << 20),
            ("evict_l2_cached", 0),
            ("l2_hits", 0),
            ("l2_misses", 0),
            ("l2_feeds", 0),
            ("l2_write_bytes", 0),
            ("l2_read_bytes", 0),
            ("memory_throttle_count", 0),
            ("memory_direct_count", 0),
            ("memory_indirect_count", 0),
        ] {
            self.counted(row, count);
        }
        self.sum_up();
        for (row, value) in [
            ("size", size),
            ("c", most.0),
            ("c_max", most.0),
            ("c_min", MEMORY.0 / 32),
            ("metadata_size", 1 << 30),
            ("dnode_size", 100 << 20),
            ("arc_dnode_limit", 614 << 20),
            ("compressed_size", size / 10 * 9),
            ("uncompressed_size", size / 10 * 11),
            ("arc_no_grow", 0),
            ("arc_need_free", 0),
            ("l2_size", 0),
            ("l2_asize", 0),
            ("l2_hdr_size", 0),
            ("l2_cksum_bad", 0),
            ("l2_io_error", 0),
        ] {
            self.gauge(row, value);
        }
        if is_new {
            for (row, count) in [
                ("iohits", 40),
                ("demand_data_iohits", 30),
                ("demand_metadata_iohits", 6),
                ("prefetch_data_iohits", 4),
                ("prefetch_metadata_iohits", 0),
            ] {
                self.counted(row, count);
            }
            self.counted("predictive_prefetch", 5_000);
            self.counted("demand_iohit_predictive_prefetch", 100);
        } else {
            self.gauge("p", most.0 / 2);
            self.gauge("arc_meta_used", 1300 << 20);
            self.gauge("arc_meta_limit", most.0 / 4 * 3);
        }
        self.fill_eviction(most);
        self.fill_writes(is_new);
    }

    fn fill_eviction(&mut self, most: Bytes) {
        for (row, count) in
            [("evict_skip", 50), ("mutex_miss", 3), ("evict_not_enough", 0), ("arc_prune", 0)]
        {
            self.counted(row, count);
        }
        for (row, value) in [
            ("memory_available_bytes", MEMORY.0 - most.0),
            ("dbuf_size", 300 << 20),
            ("bonus_size", 30 << 20),
            ("hdr_size", 60 << 20),
            ("mru_evictable_data", most.0 / 3),
            ("mru_evictable_metadata", most.0 / 20),
            ("mfu_evictable_data", most.0 / 3),
            ("mfu_evictable_metadata", most.0 / 20),
            ("l2_writes_error", 0),
        ] {
            self.gauge(row, value);
        }
    }

    fn fill_writes(&mut self, is_new: bool) {
        for (row, count) in [
            ("zil_commit_count", 30),
            ("zil_itx_copied_bytes", 100 << 10),
            ("zil_itx_needcopy_bytes", 0),
            ("zil_itx_indirect_bytes", 0),
        ] {
            self.row("zfs/zil", row, count);
            if is_new {
                self.row("zfs/tank/objset-0x36", row, count);
            }
        }
        for (row, count) in
            [("reads", 20_000), ("nread", 1_200 << 20), ("writes", 2_000), ("nwritten", 250 << 20)]
        {
            self.row("zfs/tank/objset-0x36", row, count);
        }
        self.text("zfs/tank/objset-0x36", "dataset_name", "tank/home");
        for (row, count) in [
            ("dmu_tx_assigned", 9_000),
            ("dmu_tx_dirty_delay", 0),
            ("dmu_tx_dirty_over_max", 0),
            ("dmu_tx_wrlog_delay", 0),
            ("dmu_tx_memory_reserve", 0),
            ("dmu_tx_memory_reclaim", 0),
            ("dmu_tx_delay", 0),
            ("dmu_tx_dirty_throttle", 0),
        ] {
            self.row("zfs/dmu_tx", row, count);
        }
        for row in ["zil_commit_error_count", "zil_commit_stall_count"] {
            self.level("zfs/zil", row, KstatValue::U64(0));
        }
        for row in ["direct_read", "direct_write", "arc_read", "arc_write"] {
            self.row("zfs/tank/iostats", &format!("{row}_count"), 0);
            self.row("zfs/tank/iostats", &format!("{row}_bytes"), 0);
        }
        for (row, count) in
            [("hash_hits", 900_000), ("hash_misses", 40_000), ("cache_total_evicts", 30_000)]
        {
            self.row("zfs/dbufstats", row, count);
        }
    }

    /// Sets what a row of `arcstats` counted in the window.
    pub(crate) fn counted(&mut self, row: &str, count: u64) {
        self.row("zfs/arcstats", row, count);
    }

    /// Sets what a row counted in the window, whatever it was before.
    pub(crate) fn row(&mut self, kstat: &str, row: &str, count: u64) {
        const BEFORE: u64 = 1_000_000_000;
        let pair = (KstatValue::U64(BEFORE), KstatValue::U64(BEFORE + count));
        self.rows.insert((kstat.to_owned(), row.to_owned()), pair);
    }

    /// Sets what prefetch read, and what readers asked for of it.
    pub(crate) fn prefetched(&mut self, read: u64, used: u64) {
        self.counted("prefetch_data_misses", read);
        self.counted("demand_hit_predictive_prefetch", used);
        let row = ("zfs/arcstats".to_owned(), "predictive_prefetch".to_owned());
        if self.rows.contains_key(&row) {
            self.counted("predictive_prefetch", read);
        }
    }

    /// Sets a level of `arcstats`.
    pub(crate) fn gauge(&mut self, row: &str, value: u64) {
        self.level("zfs/arcstats", row, KstatValue::U64(value));
    }

    /// Sets a level of any kstat.
    pub(crate) fn level(&mut self, kstat: &str, row: &str, value: KstatValue) {
        self.rows.insert((kstat.to_owned(), row.to_owned()), (value.clone(), value));
    }

    /// Takes a row away, as if it had not been read.
    pub(crate) fn unread(&mut self, kstat: &str, row: &str) {
        let was = self.rows.remove(&(kstat.to_owned(), row.to_owned()));
        assert!(was.is_some(), "{kstat}.{row} was not there");
    }

    fn text(&mut self, kstat: &str, row: &str, text: &str) {
        let value = KstatValue::Text(text.to_owned());
        self.rows.insert((kstat.to_owned(), row.to_owned()), (value.clone(), value));
    }

    /// Makes `hits` and `misses` the sums that they are.
    pub(crate) fn sum_up(&mut self) {
        for what in ["hits", "misses"] {
            let classes = ["demand_data", "demand_metadata", "prefetch_data", "prefetch_metadata"];
            let rows = classes.map(|class| format!("{class}_{what}"));
            let sum = rows.iter().map(|row| self.count_of(row)).sum();
            self.counted(what, sum);
        }
    }

    fn count_of(&self, row: &str) -> u64 {
        let (before, after) = &self.rows[&("zfs/arcstats".to_owned(), row.to_owned())];
        after.as_u64().unwrap() - before.as_u64().unwrap()
    }

    /// Sets what a disk, group or pool did: reads per second and their size, and its wait.
    pub(crate) fn io(&mut self, name: &str, (reads, size): (f64, f64), wait_ns: u64) {
        if self.machine.samples.is_empty() {
            self.machine.samples = vec![Sample::default(); 2];
        }
        let io = LeafIo {
            read_ops_per_s: Some(reads),
            write_ops_per_s: Some(33.0),
            read_bytes_per_s: Some(reads * size),
            write_bytes_per_s: Some(33.0 * 131_072.0),
            waits: QueueWaits {
                disk_read_ns: Some(wait_ns),
                disk_write_ns: Some(3_000_000),
                ..QueueWaits::default()
            },
            ..LeafIo::default()
        };
        let pool = self.machine.pools[0].name.clone();
        self.machine.samples[1].vdevs.entry(pool).or_default().insert(name.to_owned(), io);
    }

    /// Sets the transaction groups that were seen, by how long each was synced.
    pub(crate) fn txgs(&mut self, syncing: &[Nanos]) {
        let group = |(number, syncing): (usize, &Nanos)| Txg {
            txg: 100 + number as u64,
            state: 'C',
            written: Bytes::mib(300),
            writes: 2_000,
            open: Nanos::secs(5),
            syncing: *syncing,
            ..Txg::default()
        };
        let list: Vec<Txg> = syncing.iter().enumerate().map(group).collect();
        self.machine.samples[1].txgs.insert("tank".to_owned(), list);
    }

    /// Returns what one vdev did, to be changed.
    pub(crate) fn leaf(&mut self, name: &str) -> &mut LeafIo {
        self.machine.samples[1].vdevs.get_mut("tank").unwrap().get_mut(name).unwrap()
    }

    /// Adds a cache device that is asked for every miss and has `hits` of them.
    pub(crate) fn with_cache(&mut self, hits: u64) {
        self.add(Class::Cache, "nvme0n1p2");
        let device = self.machine.pools[0].vdevs.last_mut().unwrap();
        device.space = Some(Space { size: Some(Bytes::gib(120)), ..Space::default() });
        self.machine.drives.push(Drive {
            name: "nvme0n1".to_owned(),
            kind: Some(DriveKind::Nvme),
            size: Some(Bytes::gib(120)),
            power_loss_protection: Some(true),
            ..Drive::default()
        });
        let misses = self.count_of("misses");
        self.counted("l2_hits", hits);
        self.counted("l2_misses", misses.saturating_sub(hits));
        self.counted("l2_feeds", 60);
        self.counted("l2_read_bytes", hits << 17);
        self.counted("l2_write_bytes", 30 << 20);
        self.gauge("l2_size", 110 << 30);
        self.gauge("l2_asize", 100 << 30);
        self.gauge("l2_hdr_size", 75 << 20);
    }

    /// Adds a top-level vdev of one device.
    pub(crate) fn add(&mut self, class: Class, name: &str) {
        let vdev = Vdev { name: name.to_owned(), class, ..Vdev::default() };
        self.machine.pools[0].vdevs.push(vdev);
    }

    /// Sets a parameter that the module has.
    pub(crate) fn parameter(&mut self, name: &str, value: u64) {
        let known = self.machine.parameters.get_mut(name);
        let known = known.unwrap_or_else(|| panic!("{name} is no parameter of this module"));
        known.value = value.to_string();
    }

    /// Sets a property of a dataset, locally.
    pub(crate) fn property(&mut self, dataset: &str, name: &str, value: &str) {
        let found = self.machine.datasets.iter_mut().find(|found| found.name == dataset).unwrap();
        found.properties.insert(name.to_owned(), (value.to_owned(), "local".to_owned()));
    }

    /// Returns the machine, with two samples.
    pub(crate) fn built(mut self) -> Machine {
        let mut sides: [BTreeMap<String, Vec<(String, KstatValue)>>; 2] = Default::default();
        for ((kstat, row), (before, after)) in self.rows {
            sides[0].entry(kstat.clone()).or_default().push((row.clone(), before));
            sides[1].entry(kstat).or_default().push((row, after));
        }
        for (number, side) in sides.into_iter().enumerate() {
            let at = Nanos(Nanos::secs(1_000_000).0 + number as u64 * WINDOW.0);
            let kstats = side.into_iter().map(|(path, rows)| NamedKstat {
                snaptime: at,
                crtime: Nanos::SECOND,
                ..NamedKstat::of_rows(&path, rows)
            });
            self.machine.samples[number].kstats = Snapshot::from_kstats(at, kstats.collect());
        }
        self.machine
    }
}
