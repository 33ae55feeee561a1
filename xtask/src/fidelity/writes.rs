//! Cases that write: transaction groups, the intent log, and what reads find afterwards.

use std::fmt::Write as _;

use super::cases::{RAIDZ, SSD, STRIPE};

/// A scenario of this kind; everything else is alike.
struct Parts<'a> {
    pool: &'a str,
    memory_mib: u64,
    /// Tunables of every arm.
    tunables: &'a str,
    scale: u64,
    arms: &'a [(&'a str, &'a str)],
    /// MiB of the file, and of another one where clients ask for it.
    file_mib: u64,
    phases: &'a [(&'a str, &'a str)],
}

/// An ARC of half the file: one as large as the file would let chance decide what is read back.
const HALF: &str = "tunables = { zfs_arc_max = \"1536MiB\" }\n";
pub(super) const MIRROR: &str = "data = [{ mirror = [\"hdd-nas-7200\", \"hdd-nas-7200\"] }]";
const SIX: &str = "data = [{ raidz2 = [\"6 x hdd-nas-7200\"] }]";
const CACHE: &str = "cache = [{ device = \"nvme-consumer\", size = \"16GiB\" }]";
const LOGS: [(&str, &str); 4] = [
    ("no log", "log = []"),
    ("consumer SSD", "log = [{ device = \"ssd-sata-consumer\", size = \"8GiB\" }]"),
    ("protected NVMe", "log = [{ device = \"nvme-plp\", size = \"8GiB\" }]"),
    ("mirrored", "log = [{ mirror = [\"nvme-plp\", \"nvme-plp\"] }]"),
];

fn text(version: &str, parts: &Parts<'_>) -> String {
    let mut text = format!(
        "title = \"fidelity\"\nquestion = \"Is the model right?\"\n[system]\nzfs = \"{version}\"\n\
         os = \"linux\"\nmemory = \"{}MiB\"\ncpu = \"nas-quad\"\n{}[system.pool]\n{}\n",
        parts.memory_mib, parts.tunables, parts.pool,
    );
    for (name, settings) in parts.arms {
        // Writing into a string cannot fail.
        let _ = write!(text, "[[arm]]\nname = \"{name}\"\n{settings}\n");
    }
    let names = ["f", "g"].into_iter().filter(|name| {
        *name == "f" || parts.phases.iter().any(|(_, clients)| clients.contains("\"g\""))
    });
    for name in names {
        let size = parts.file_mib;
        let _ = write!(text, "[[file]]\nname = \"{name}\"\nsize = \"{size}MiB\"\n");
    }
    for (name, clients) in parts.phases {
        let _ = write!(text, "[[phase]]\nname = \"{name}\"\nclients = [{clients}]\n");
    }
    let _ = write!(text, "[lab]\nscale = {}\n", parts.scale);
    text
}

/// Returns the cases of a version.
pub(super) fn named(version: &str) -> Vec<(String, String)> {
    let cases = stream(version).into_iter().chain(random(version)).chain(synchronous(version));
    cases.map(|(name, text)| (name.to_owned(), text)).collect()
}

/// Whole records in order: the throttle, the disks, and what a later read finds.
fn stream(version: &str) -> Vec<(&'static str, String)> {
    let write = "{ write = \"f\", io = \"128KiB\" }";
    let read = "{ read = \"f\", io = \"128KiB\" }";
    let phases = [("write", write), ("again", write), ("read", read)];
    let three = "{ write = \"f\", io = \"1MiB\" }, { write = \"f\", io = \"1MiB\", start = \"2s\" }, \
                 { write = \"f\", io = \"128KiB\", start = \"4s\" }";
    let beside = "{ write = \"g\", io = \"128KiB\" }, { read = \"f\", io = \"128KiB\" }";
    let base = Parts {
        pool: RAIDZ,
        memory_mib: 4096,
        tunables: HALF,
        scale: 4,
        arms: &[("as is", "")],
        file_mib: 3072,
        phases: &phases,
    };
    let slow = [("as is", ""), ("less dirty", "tunables = { zfs_dirty_data_max = \"128MiB\" }")];
    let scattered = [
        ("write", write),
        ("random", "{ write = \"f\", io = \"128KiB\", pattern = \"random\", depth = 4 }"),
    ];
    // Half of the ARC is less than what may be dirty, and far more.
    let small = [("1 GiB", ""), ("4 GiB", "tunables = { zfs_arc_max = \"4GiB\" }")];
    let with_cache = format!("{MIRROR}\n{CACHE}");
    let cached = [("as is", ""), ("open", "tunables = { l2arc_write_max = \"256MiB\" }")];
    vec![
        ("write-raidz", text(version, &base)),
        ("write-mirror", text(version, &Parts { pool: MIRROR, arms: &slow, ..base })),
        ("write-stripe", text(version, &Parts { pool: STRIPE, ..base })),
        ("write-ssd", text(version, &Parts { pool: SSD, ..base })),
        ("write-cache", text(version, &Parts { pool: &with_cache, arms: &cached, ..base })),
        ("three-writers", text(version, &Parts { phases: &[("write", three)], ..base })),
        ("write-beside-read", text(version, &Parts { phases: &[("both", beside)], ..base })),
        (
            "write-small-arc",
            text(
                version,
                &Parts {
                    pool: SIX,
                    memory_mib: 8192,
                    tunables: "tunables = { zfs_arc_max = \"1GiB\" }\n",
                    arms: &small,
                    phases: &scattered,
                    ..base
                },
            ),
        ),
    ]
}

/// Parts of records and small records anywhere: reading before writing, copies on write, scattered
/// places.
fn random(version: &str) -> Vec<(&'static str, String)> {
    let part = "{ write = \"f\", io = \"16KiB\", pattern = \"random\", amount = \"256MiB\" }";
    let mixed = "{ mixed = \"f\", read_pct = 70, io = \"16KiB\", pattern = \"zipf\", zipf = 0.9, amount = \
                 \"256MiB\" }";
    let read = "{ read = \"f\", io = \"128KiB\" }";
    let phases = [("random", part), ("read", read)];
    let base = Parts {
        pool: MIRROR,
        memory_mib: 4096,
        tunables: HALF,
        scale: 4,
        arms: &[("128K records", ""), ("16K records", "recordsize = \"16KiB\"")],
        file_mib: 3072,
        phases: &phases,
    };
    let mix = [("first", mixed), ("second", mixed)];
    let ssd_cache = format!("{SSD}\n{CACHE}");
    let secondary = [("as is", ""), ("metadata", "secondarycache = \"metadata\"")];
    vec![
        ("rewrite-mirror", text(version, &base)),
        ("rewrite-ssd", text(version, &Parts { pool: SSD, ..base })),
        ("mixed-mirror", text(version, &Parts { phases: &mix, ..base })),
        (
            "mixed-cache",
            text(version, &Parts { pool: &ssd_cache, arms: &secondary, phases: &mix, ..base }),
        ),
    ]
}

/// Writes that wait for stable storage, at full scale: their latencies are the point.
fn synchronous(version: &str) -> Vec<(&'static str, String)> {
    let small = "{ sync-write = \"f\", io = \"4KiB\", pattern = \"random\", amount = \"24MiB\" }";
    let deep = "{ sync-write = \"f\", io = \"16KiB\", pattern = \"random\", depth = 4, amount = \"96MiB\" }";
    let large = "{ sync-write = \"f\", io = \"128KiB\", amount = \"384MiB\" }";
    let fsync = "{ write = \"f\", io = \"16KiB\", fsync = 16, amount = \"192MiB\" }";
    let samba = "{ sync-write = \"f\", io = \"64KiB\", amount = \"384MiB\", link = { rate = \"1Gbit/s\", \
                 round_trip = \"300us\" } }";
    let plain = "{ write = \"f\", io = \"16KiB\", amount = \"192MiB\" }";
    let two = |one: &'static str| [("first", one), ("second", one)];
    let base = Parts {
        pool: MIRROR,
        memory_mib: 4096,
        tunables: "",
        scale: 1,
        arms: &LOGS,
        file_mib: 1024,
        phases: &[],
    };
    let small_records = format!("{MIRROR}\nrecordsize = \"16KiB\"");
    let bias = [
        ("no log", "log = []"),
        ("log", "log = [{ device = \"nvme-plp\", size = \"8GiB\" }]"),
        (
            "throughput",
            "log = [{ device = \"nvme-plp\", size = \"8GiB\" }]\nlogbias = \"throughput\"",
        ),
    ];
    let modes =
        [("standard", ""), ("always", "sync = \"always\""), ("disabled", "sync = \"disabled\"")];
    vec![
        ("sync-4k", text(version, &Parts { phases: &two(small), ..base })),
        (
            "sync-16k-deep",
            text(version, &Parts { pool: &small_records, phases: &two(deep), ..base }),
        ),
        ("sync-128k", text(version, &Parts { arms: &bias, phases: &two(large), ..base })),
        ("fsync-16", text(version, &Parts { phases: &two(fsync), ..base })),
        ("sync-over-samba", text(version, &Parts { phases: &two(samba), ..base })),
        (
            "sync-modes-ssd",
            text(version, &Parts { pool: SSD, arms: &modes, phases: &two(plain), ..base }),
        ),
    ]
}
