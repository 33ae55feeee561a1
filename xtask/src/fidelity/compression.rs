//! Cases with what compresses: in caches, on disks, and written.

use super::cases::RAIDZ;
use super::parts::{PLAIN, Parts, phases, text};
use super::writes::MIRROR;

const OFF_AND_LZ4: [(&str, &str); 2] = [("off", ""), ("lz4", "compression = \"lz4\"")];

/// A file of so many MiB.
fn file(mib: u64, ratio: &str) -> String {
    format!("[[file]]\nname = \"f\"\nsize = \"{mib}MiB\"\ncompressratio = {ratio}\n")
}

/// Returns the cases of a version.
pub(super) fn named(version: &str) -> Vec<(String, String)> {
    let build = |parts: Parts<'_>, list: &[(&str, &str)]| {
        text(version, &Parts { arms: &OFF_AND_LZ4, phases: &phases(list), ..parts })
    };
    let cached = format!("{MIRROR}\ncache = [{{ device = \"nvme-consumer\", size = \"2GiB\" }}]");
    let random = "{ read = \"f\", io = \"128KiB\", pattern = \"zipf\", zipf = 0.8, amount = \"2GiB\", depth = 2 }";
    let film = "{ read = \"f\", io = \"1MiB\" }";
    let reads = build(
        Parts { pool: &cached, arc_mib: 512, ..PLAIN },
        &[("first", random), ("second", random), ("film", film)],
    );
    let mixed = "{ mixed = \"f\", read_pct = 50, io = \"16KiB\", pattern = \"random\", amount = \"96MiB\", depth = 4 }";
    let write = "{ write = \"f\", io = \"1MiB\" }";
    let writes = build(
        Parts { pool: RAIDZ, arc_mib: 512, recordsize: "32KiB", ..PLAIN },
        &[("write", write), ("mixed", mixed), ("read", film)],
    );
    let tree = "[[tree]]\nname = \"src\"\nfiles = 20000\nfiles_per_directory = 500\nsize_min = \"2KiB\"\nsize_max = \"96KiB\"\n\
                compressratio = 2.5\n";
    let scan = "{ tree-read = \"src\" }";
    let copy = "{ tree-copy = \"src\" }";
    let trees =
        build(Parts { pool: MIRROR, arc_mib: 512, ..PLAIN }, &[("scan", scan), ("copy", copy)]);
    vec![
        ("compress-reads".to_owned(), reads + &file(1536, "1.8")),
        ("compress-writes".to_owned(), writes + &file(768, "2.2")),
        ("compress-tree".to_owned(), trees + tree),
    ]
}
