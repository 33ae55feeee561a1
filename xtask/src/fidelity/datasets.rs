//! Cases with several datasets in a pool: what each lets into the caches, and a log for each.

use super::parts::{PLAIN, Parts, text};
use super::writes::MIRROR;

const CACHE: &str = "cache = [{ device = \"nvme-consumer\", size = \"32GiB\" }]";
const LOG: &str = "log = [{ device = \"ssd-sata-consumer\", size = \"8GiB\" }]";
/// Films in large records, and the file of them.
const FILMS: &str = r#"[[dataset]]
name = "films"
recordsize = "1MiB"
[[file]]
name = "film"
size = "1GiB"
dataset = "films"
"#;

/// Returns virtual machines in small records, and their file of so many MiB.
fn machines(mib: u64) -> String {
    format!(
        "[[dataset]]\nname = \"vms\"\nrecordsize = \"16KiB\"\n[[file]]\nname = \"vm\"\n\
         size = \"{mib}MiB\"\ndataset = \"vms\"\n"
    )
}

/// Returns the cases of a version.
pub(super) fn named(version: &str) -> Vec<(String, String)> {
    let build = |pool: &str, arms: &[(&str, &str)], files, phases: &[(&str, String)]| {
        let pool = format!("{MIRROR}\n{pool}");
        text(version, &Parts { pool: &pool, arc_mib: 512, arms, files, phases, ..PLAIN })
    };
    let with_films = |pool: &str, arms: &[(&str, &str)], phases: &[(&str, String)]| {
        build(pool, arms, &[], phases) + FILMS + &machines(384)
    };
    let film = "{ read = \"film\", io = \"1MiB\", rate = \"160MiB/s\" }";
    let vm = "{ read = \"vm\", io = \"16KiB\" }";
    let random =
        "{ read = \"vm\", io = \"16KiB\", pattern = \"random\", amount = \"256MiB\", depth = 2 }";
    let evening = format!("{film}, {random}");
    let phases = |last: [(&'static str, &str); 2]| {
        let first = [("warm", vm)].into_iter().chain(last);
        first.map(|(name, clients)| (name, clients.to_owned())).collect::<Vec<_>>()
    };
    let caches = [
        ("as is", ""),
        ("films not in the ARC", "datasets = { films = { primarycache = \"metadata\" } }"),
        ("films not in the L2ARC", "datasets = { films = { secondarycache = \"none\" } }"),
    ];
    let write = |file: &str, amount: &str| {
        format!(
            "{{ write = \"{file}\", io = \"16KiB\", pattern = \"random\", amount = \"{amount}\", depth = 2 }}"
        )
    };
    let both = format!("{}, {}", write("own", "16MiB"), write("vm", "32MiB"));
    let waits = [
        ("both wait", "sync = \"always\""),
        ("machines wait", "datasets = { vms = { sync = \"always\" } }"),
        (
            "machines wait for their place",
            "datasets = { vms = { sync = \"always\", logbias = \"throughput\" } }",
        ),
    ];
    let mixed = "{ mixed = \"vm\", read_pct = 70, io = \"16KiB\", pattern = \"random\", amount = \"128MiB\" }";
    let records = [
        ("16 KiB", ""),
        ("64 KiB", "datasets = { vms = { recordsize = \"64KiB\" } }"),
        ("128 KiB", "datasets = { vms = { recordsize = \"128KiB\" } }"),
    ];
    let mixed_with_film = format!("{film}, {mixed}");
    let logs = build(
        LOG,
        &waits,
        &[("own", 128)],
        &phases([("own", "{ read = \"own\" }"), ("writes", &both)]),
    );
    // Latencies are the point.
    let logs = logs.replace("scale = 4", "scale = 1") + &machines(256);
    let evenings = phases([("evening", &evening), ("again", &evening)]);
    let rewrites = phases([("mixed", &mixed_with_film), ("read", vm)]);
    vec![
        ("datasets-caches".to_owned(), with_films(CACHE, &caches, &evenings)),
        ("datasets-logs".to_owned(), logs),
        ("datasets-records".to_owned(), with_films("", &records, &rewrites)),
    ]
}
