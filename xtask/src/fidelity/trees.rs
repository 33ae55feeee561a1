//! Cases with directories and small files: metadata that fits the ARC, and metadata that does not.

use std::fmt::Write as _;

use super::cases::{RAIDZ, SSD};
use super::writes::MIRROR;

/// A scenario of this kind; everything else is alike.
struct Parts<'a> {
    pool: &'a str,
    arc_mib: u64,
    arms: &'a [(&'a str, &'a str)],
    /// Files, files of a directory, and KiB of the smallest and the largest.
    tree: (u64, u64, u64, u64),
    phases: &'a [(&'a str, &'a str)],
}

const THREE: &str = "data = [{ mirror = [\"hdd-nas-5400\", \"hdd-nas-5400\"] }, { mirror = \
                     [\"hdd-nas-5400\", \"hdd-nas-5400\"] }, { mirror = [\"hdd-nas-5400\", \"hdd-nas-5400\"] }]";

fn text(version: &str, parts: &Parts<'_>) -> String {
    let (files, per_directory, least, most) = parts.tree;
    let mut text = format!(
        "title = \"fidelity\"\nquestion = \"Is the model right?\"\n[system]\nzfs = \"{version}\"\n\
         os = \"linux\"\nmemory = \"{}MiB\"\ncpu = \"nas-quad\"\n[system.pool]\n{}\n\
         [system.tunables]\nzfs_arc_max = \"{}MiB\"\n",
        parts.arc_mib * 2,
        parts.pool,
        parts.arc_mib,
    );
    for (name, settings) in parts.arms {
        // Writing into a string cannot fail.
        let _ = write!(text, "[[arm]]\nname = \"{name}\"\n{settings}\n");
    }
    let _ = write!(
        text,
        "[[tree]]\nname = \"t\"\nfiles = {files}\nfiles_per_directory = {per_directory}\n\
         size_min = \"{least}KiB\"\nsize_max = \"{most}KiB\"\n"
    );
    for (name, clients) in parts.phases {
        let _ = write!(text, "[[phase]]\nname = \"{name}\"\nclients = [{clients}]\n");
    }
    let _ = write!(text, "[lab]\nscale = 1\n");
    text
}

/// Returns the cases of a version.
pub(super) fn named(version: &str) -> Vec<(String, String)> {
    let stat = "{ tree-stat = \"t\" }";
    let random = "{ tree-stat = \"t\", pattern = \"random\" }";
    let read = "{ tree-read = \"t\" }";
    let copy = "{ tree-copy = \"t\" }";
    let rsync = "{ tree-copy = \"t\", scan_first = true }";
    let two = |one: &'static str| [("first", one), ("second", one)];
    let limit = if version.starts_with("2.1") {
        "tunables = { zfs_arc_meta_limit = \"16MiB\" }"
    } else {
        "tunables = { zfs_arc_max = \"96MiB\" }"
    };
    let memory = [
        ("as is", ""),
        ("other limit", limit),
        ("more ARC", "memory = \"1GiB\"\ntunables = { zfs_arc_max = \"512MiB\" }"),
    ];
    let one = [("as is", "")];
    let caches = [("as is", ""), ("metadata", "primarycache = \"metadata\"")];
    let special = [
        ("as is", ""),
        ("special", "special = [{ mirror = [\"ssd-sata-consumer\", \"ssd-sata-consumer\"] }]"),
    ];
    let base = Parts {
        pool: MIRROR,
        arc_mib: 128,
        arms: &memory,
        tree: (20_000, 2_000, 4, 32),
        phases: &[],
    };
    let pictures = (4_000, 1_000, 50, 200);
    let scan = [("stat", stat), ("read", read), ("stat again", stat)];
    let cases = vec![
        (
            "stat-mirror",
            text(version, &Parts { tree: (60_000, 5_000, 1, 4), phases: &two(stat), ..base }),
        ),
        (
            "stat-random",
            text(version, &Parts { tree: (30_000, 5_000, 1, 4), phases: &two(random), ..base }),
        ),
        ("read-small-files", text(version, &Parts { phases: &two(read), ..base })),
        (
            "read-after-scan",
            text(version, &Parts { pool: THREE, tree: pictures, phases: &scan, ..base }),
        ),
        (
            "copy-pictures",
            text(version, &Parts { pool: THREE, tree: pictures, phases: &two(copy), ..base }),
        ),
        ("rsync-small-files", text(version, &Parts { arms: &one, phases: &two(rsync), ..base })),
        ("copy-ssd", text(version, &Parts { pool: SSD, arms: &one, phases: &two(copy), ..base })),
        ("tree-primarycache", text(version, &Parts { arms: &caches, phases: &scan, ..base })),
        (
            "tree-special",
            text(version, &Parts { pool: RAIDZ, arms: &special, phases: &scan, ..base }),
        ),
    ];
    cases.into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
}
