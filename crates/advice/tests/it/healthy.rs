//! Healthy machines of several versions, and how to break one thing of them.

use std::collections::BTreeMap;

use arcwright_advice::{Advice, Estimate, Finding, Severity, advise};
use arcwright_kstat::{NamedKstat, Snapshot, Value};
use arcwright_machine::{
    Class, ConfigFile, Dataset, Drive, DriveKind, Layout, LeafIo, Machine, Memory, Parameter,
    Platform, Pool, Sample, Vdev, Waits,
};
use arcwright_tunables::{Kernel, Version, entries};
use arcwright_units::{Bytes, Nanos};

/// The length of the window.
pub(crate) const WINDOW: Nanos = Nanos::secs(60);
/// The machine's memory.
pub(crate) const MEMORY: Bytes = Bytes::gib(16);

/// A machine under construction: rows before and after the window.
pub(crate) struct Bed {
    pub(crate) machine: Machine,
    rows: BTreeMap<(String, String), (Value, Value)>,
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
                swap_used: None,
            }),
            parameters: parameters(zfs, os),
            config: vec![ConfigFile {
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
            drives: ["sda", "sdb"].map(hdd).to_vec(),
            ..Machine::default()
        };
        let mut bed = Self { machine, rows: BTreeMap::new() };
        bed.fill(zfs, most);
        bed.io("tank", (22.0, 131_072.0), 6_000_000);
        for disk in ["mirror-0", "sda", "sdb"] {
            bed.io(disk, (11.0, 131_072.0), 6_000_000);
        }
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
            self.counted("iohits", 40);
            self.counted("predictive_prefetch", 5_000);
            self.counted("demand_iohit_predictive_prefetch", 100);
        } else {
            self.gauge("p", most.0 / 2);
            self.gauge("arc_meta_used", 1300 << 20);
            self.gauge("arc_meta_limit", most.0 / 4 * 3);
        }
        self.fill_writes(is_new);
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
            ("dmu_tx_memory_reserve", 0),
        ] {
            self.row("zfs/dmu_tx", row, count);
        }
    }

    /// Sets what a row of `arcstats` counted in the window.
    pub(crate) fn counted(&mut self, row: &str, count: u64) {
        self.row("zfs/arcstats", row, count);
    }

    /// Sets what a row counted in the window, whatever it was before.
    pub(crate) fn row(&mut self, kstat: &str, row: &str, count: u64) {
        const BEFORE: u64 = 1_000_000_000;
        let pair = (Value::U64(BEFORE), Value::U64(BEFORE + count));
        self.rows.insert((kstat.to_owned(), row.to_owned()), pair);
    }

    /// Sets a level of `arcstats`.
    pub(crate) fn gauge(&mut self, row: &str, value: u64) {
        let pair = (Value::U64(value), Value::U64(value));
        self.rows.insert(("zfs/arcstats".to_owned(), row.to_owned()), pair);
    }

    fn text(&mut self, kstat: &str, row: &str, text: &str) {
        let value = Value::Text(text.to_owned());
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
            waits: Waits {
                disk_read_ns: Some(wait_ns),
                disk_write_ns: Some(3_000_000),
                ..Waits::default()
            },
            ..LeafIo::default()
        };
        let pool = self.machine.pools[0].name.clone();
        self.machine.samples[1].vdevs.entry(pool).or_default().insert(name.to_owned(), io);
    }

    /// Returns what one vdev did, to be changed.
    pub(crate) fn leaf(&mut self, name: &str) -> &mut LeafIo {
        self.machine.samples[1].vdevs.get_mut("tank").unwrap().get_mut(name).unwrap()
    }

    /// Adds a cache device that is asked for every miss and has `hits` of them.
    pub(crate) fn with_cache(&mut self, hits: u64) {
        self.add(Class::Cache, "nvme0n1p2");
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
        let mut sides: [BTreeMap<String, Vec<(String, Value)>>; 2] = Default::default();
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

/// Returns all parameters of a version at their defaults.
fn parameters(zfs: Version, os: Kernel) -> BTreeMap<String, Parameter> {
    let held = entries().iter().filter_map(|entry| {
        entry.default_for(zfs)?;
        let value = entry.shown_by_default(os, zfs).unwrap_or(0);
        let name = match os {
            Kernel::Linux => Some(&entry.name),
            Kernel::Freebsd if zfs.is_legacy_freebsd() => entry.freebsd_legacy.as_ref(),
            Kernel::Freebsd => entry.freebsd.as_ref(),
        }?;
        let parameter =
            Parameter { name: name.clone(), value: value.to_string(), writable: Some(true) };
        Some((entry.name.clone(), parameter))
    });
    held.collect()
}

fn pool(name: &str) -> Pool {
    let properties =
        [("capacity", "45"), ("fragmentation", "12"), ("ashift", "12"), ("dedupratio", "1.00x")];
    let disks = ["sda", "sdb"].map(|disk| Vdev {
        name: disk.to_owned(),
        state: Some("ONLINE".to_owned()),
        errors: Some([0, 0, 0]),
        slow_ios: Some(0),
        ..Vdev::default()
    });
    Pool {
        name: name.to_owned(),
        state: Some("ONLINE".to_owned()),
        scan: Some("scrub repaired 0B in 05:12:09 with 0 errors".to_owned()),
        errors: Some("No known data errors".to_owned()),
        data_errors: Some(0),
        properties: properties
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        vdevs: vec![Vdev {
            name: "mirror-0".to_owned(),
            layout: Layout::Mirror,
            state: Some("ONLINE".to_owned()),
            errors: Some([0, 0, 0]),
            children: disks.to_vec(),
            ..Vdev::default()
        }],
        ..Pool::default()
    }
}

fn dataset(name: &str, source: &str) -> Dataset {
    let properties = [
        ("recordsize", "131072"),
        ("compression", "lz4"),
        ("atime", "off"),
        ("relatime", "off"),
        ("sync", "standard"),
        ("primarycache", "all"),
        ("secondarycache", "all"),
        ("dedup", "off"),
    ];
    let properties = properties
        .iter()
        .map(|(name, value)| ((*name).to_owned(), ((*value).to_owned(), source.to_owned())));
    Dataset { name: name.to_owned(), properties: properties.collect() }
}

fn hdd(name: &str) -> Drive {
    Drive {
        name: name.to_owned(),
        kind: Some(DriveKind::Hdd),
        size: Some(Bytes::gib(3726)),
        smart_passed: Some(true),
        reallocated: Some(0),
        pending: Some(0),
        uncorrectable: Some(0),
        link_errors: Some(0),
        sector_logical: Some(Bytes(512)),
        sector_physical: Some(Bytes(4096)),
        ..Drive::default()
    }
}

/// Returns what is said of a machine, by counters alone.
pub(crate) fn advice(bed: Bed) -> Advice {
    advise(&bed.built(), Estimate::CountersOnly)
}

/// Returns the names of findings that call for a change.
pub(crate) fn changes(advice: &Advice) -> Vec<&'static str> {
    let calls = |finding: &&Finding| finding.severity <= Severity::WorthALook;
    advice.findings.iter().filter(calls).map(|finding| finding.id).collect()
}

/// Breaks one thing of a machine and expects exactly these findings that call for a change.
pub(crate) fn check(mut bed: Bed, damage: impl FnOnce(&mut Bed), expected: &[&str]) -> Advice {
    damage(&mut bed);
    let advice = advice(bed);
    assert_eq!(changes(&advice), expected, "{:#?}", advice.findings);
    advice
}

/// Breaks one thing and expects a note of this name, and no change called for.
pub(crate) fn check_note(mut bed: Bed, damage: impl FnOnce(&mut Bed), expected: &str) -> Advice {
    damage(&mut bed);
    let advice = advice(bed);
    assert_eq!(changes(&advice), Vec::<&str>::new(), "{:#?}", advice.findings);
    let ids: Vec<&str> = advice.findings.iter().map(|finding| finding.id).collect();
    assert!(ids.contains(&expected), "{ids:?} lacks {expected}");
    assert!(ids.contains(&"nothing-to-change"), "{ids:?}");
    advice
}

/// Expects that a rule could not judge for lack of what `words` name.
pub(crate) fn check_unjudged(
    mut bed: Bed,
    damage: impl FnOnce(&mut Bed),
    about: &str,
    words: &str,
) {
    damage(&mut bed);
    let advice = advice(bed);
    let found = advice.unjudged.iter().any(|unjudged| {
        unjudged.what.iter().any(|what| what == about) && unjudged.why.contains(words)
    });
    assert!(found, "{about}: {:#?}", advice.unjudged);
}

/// Returns the finding of this name.
pub(crate) fn found<'a>(advice: &'a Advice, id: &str) -> &'a Finding {
    advice.findings.iter().find(|finding| finding.id == id).unwrap()
}
