//! Cases with volumes: what their blocks and their log cost; and small blocks of files on a special vdev.

use super::parts::{PLAIN, Parts, phases, text};
use super::writes::MIRROR;

const LOG: &str = "log = [{ device = \"ssd-sata-plp\", size = \"8GiB\" }]";

/// A volume of so many MiB.
fn volume(mib: u64, keys: &str) -> String {
    format!("[[zvol]]\nname = \"vm\"\nsize = \"{mib}MiB\"\n{keys}\n")
}

/// Returns the cases of a version.
pub(super) fn named(version: &str) -> Vec<(String, String)> {
    let build = |parts: Parts<'_>, list: &[(&str, &str)]| {
        let parts = Parts { phases: &phases(list), ..parts };
        // Latencies are the point: full scale.
        text(version, &parts).replace("scale = 4", "scale = 1")
    };
    let arms = [
        ("16 KiB", ""),
        ("64 KiB", "datasets = { vm = { volblocksize = \"64KiB\" } }"),
        ("16 KiB with a log", LOG),
    ];
    let small =
        "{ write = \"vm\", io = \"16KiB\", pattern = \"random\", amount = \"16MiB\", depth = 4 }";
    let large =
        "{ write = \"vm\", io = \"64KiB\", pattern = \"random\", amount = \"32MiB\", depth = 2 }";
    let of_volume = Parts { pool: MIRROR, arc_mib: 256, arms: &arms, ..PLAIN };
    let sync = build(of_volume, &[("small", small), ("large", large)]);
    let blocks = [
        ("8 KiB", "datasets = { vm = { volblocksize = \"8KiB\" } }"),
        ("16 KiB", ""),
        ("64 KiB", "datasets = { vm = { volblocksize = \"64KiB\" } }"),
    ];
    let mixed = "{ mixed = \"vm\", read_pct = 70, io = \"16KiB\", pattern = \"zipf\", zipf = 0.9, depth = 8, amount = \"96MiB\", fsync = 16 }";
    let backup = "{ read = \"vm\", io = \"1MiB\" }";
    let work = Parts { arc_mib: 128, arms: &blocks, ..of_volume };
    let work = build(work, &[("work", mixed), ("backup", backup)]);
    let special = format!("{MIRROR}\nspecial = [{{ mirror = [\"2 x ssd-sata-plp\"] }}]");
    let limits = [
        ("metadata alone", ""),
        ("up to 16 KiB", "special_small_blocks = \"16KiB\""),
        ("all records", "special_small_blocks = \"32KiB\""),
    ];
    let tree = "[[tree]]\nname = \"mail\"\nfiles = 6000\nfiles_per_directory = 500\nsize_min = \"4KiB\"\nsize_max = \"64KiB\"\n";
    let scan = "{ tree-read = \"mail\", pattern = \"random\" }";
    let copy = "{ tree-copy = \"mail\" }";
    let of_tree =
        Parts { pool: &special, arc_mib: 128, recordsize: "32KiB", arms: &limits, ..PLAIN };
    let small = build(of_tree, &[("scan", scan), ("copy", copy)]);
    vec![
        (
            "zvol-sync".to_owned(),
            sync + &volume(256, "volblocksize = \"16KiB\"\nsync = \"always\""),
        ),
        ("zvol-work".to_owned(), work + &volume(256, "volblocksize = \"16KiB\"")),
        ("special-small".to_owned(), small + tree),
    ]
}
