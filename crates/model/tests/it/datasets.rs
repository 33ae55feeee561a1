//! Datasets beside the pool's own: each has its own properties, and its own intent log.

use super::{machine, numbered, phases, run};

const VERSIONS: [&str; 4] = ["2.1.11", "2.2.7", "2.3.2", "2.4.4"];

/// Two files; `dataset` describes the one that holds the second, `pool` and `arms` the rest.
fn text(version: &str, pool: &str, dataset: &str, phases: &[&str]) -> String {
    let keys: Vec<String> = phases.iter().map(|clients| format!("clients = [{clients}]")).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    machine(version, "")
        + &format!(
            r#"
[system.pool]
data = [{{ mirror = ["2 x hdd-nas-7200"] }}]
cache = [{{ device = "nvme-consumer", size = "4GiB" }}]
{pool}
[system.tunables]
l2arc_noprefetch = 0
[[dataset]]
name = "other"
{dataset}
[[file]]
name = "own"
size = "96MiB"
[[file]]
name = "other"
size = "96MiB"
dataset = "other"
{}"#,
            numbered(&keys)
        )
}

const OWN: &str = "{ read = \"own\" }";
const OTHER: &str = "{ read = \"other\" }";

#[test]
fn a_file_stays_in_memory_as_its_dataset_says() {
    let clients = [OWN, OTHER, OWN, OTHER];
    for version in VERSIONS {
        for (pool, dataset, own, other) in [
            ("", "", 0, 0),
            ("", "primarycache = \"metadata\"", 0, 96),
            ("primarycache = \"metadata\"", "", 96, 96),
            ("primarycache = \"metadata\"", "primarycache = \"all\"", 96, 0),
        ] {
            let outcome = run(&text(version, pool, dataset, &clients)).unwrap();
            let again = [2, 3].map(|at: usize| phases(&outcome)[at].device_read_bytes.0 >> 20);
            assert_eq!(again, [own, other], "{version} {pool} {dataset}");
        }
    }
}

#[test]
fn the_feed_takes_what_the_dataset_lets_it() {
    let clients = [OWN, OTHER, "{ read = \"own\", amount = \"96MiB\", rate = \"4MiB/s\" }"];
    for version in VERSIONS {
        let fed = |pool: &str, dataset: &str| -> u64 {
            let outcome = run(&text(version, pool, dataset, &clients)).unwrap();
            let written = phases(&outcome).iter().map(|phase| phase.l2arc_write_bytes.0);
            written.sum::<u64>() >> 20
        };
        let both = fed("", "");
        let one = [
            fed("", "secondarycache = \"none\""),
            fed("secondarycache = \"none\"", "secondarycache = \"all\""),
        ];
        assert!(both > 150, "{version}: {both}");
        one.iter().for_each(|one| assert!((70..110).contains(one), "{version}: {one}"));
    }
}

/// Whether the pool's own dataset says it or another is the same to the files in it.
#[test]
fn a_dataset_that_says_it_all_is_what_the_pool_says() {
    let properties = "recordsize = \"16KiB\"\nprimarycache = \"metadata\"\nsync = \"always\"\n\
                      logbias = \"throughput\"";
    let work = "{ mixed = \"other\", io = \"16KiB\", read_pct = 50, pattern = \"random\", amount = \"8MiB\" }";
    for version in VERSIONS {
        let by = |pool, dataset| {
            let text = text(version, pool, dataset, &[work]).replace("dataset = \"other\"", "");
            run(&text).unwrap()
        };
        let of_pool = by(properties, "");
        let of_dataset =
            run(&text(version, "recordsize = \"16KiB\"", properties, &[work])).unwrap();
        assert_eq!(phases(&of_pool), phases(&of_dataset), "{version}");
    }
}

#[test]
fn a_write_waits_as_its_dataset_says() {
    let write = |file: &str| {
        format!("{{ write = \"{file}\", io = \"16KiB\", pattern = \"random\", amount = \"2MiB\" }}")
    };
    let both = format!("{}, {}", write("own"), write("other"));
    for version in VERSIONS {
        let waits = |pool: &str, dataset: &str| {
            let outcome = run(&text(version, pool, dataset, &[&both])).unwrap();
            phases(&outcome)[0].sync_latency.as_ref().map_or(0, |latency| latency.count)
        };
        assert_eq!(waits("", ""), 0, "{version}");
        assert_eq!(waits("", "sync = \"always\""), 128, "{version}");
        assert_eq!(waits("sync = \"always\"", "sync = \"disabled\""), 128, "{version}");
        assert_eq!(waits("sync = \"always\"", ""), 256, "{version}");
    }
}

/// Each log waits for a group that makes it known, and has a block under way of its own.
#[test]
fn writers_of_two_datasets_do_not_share_a_log() {
    let clients = "{ sync-write = \"own\", io = \"4KiB\", pattern = \"random\", amount = \"2MiB\" }, \
                   { sync-write = \"FILE\", io = \"4KiB\", pattern = \"random\", amount = \"2MiB\" }";
    for version in VERSIONS {
        let of = |file: &str| {
            let pool = "log = [{ device = \"nvme-plp\", size = \"4GiB\" }]";
            let outcome = run(&text(version, pool, "", &[&clients.replace("FILE", file)])).unwrap();
            let rows = &phases(&outcome)[0].kstats["zil"];
            ["zil_commit_count", "zil_itx_metaslab_slog_count"].map(|row| rows[row])
        };
        let ([commits, shared], [commits_too, apart]) = (of("own"), of("other"));
        assert_eq!([commits, commits_too], [1024; 2], "{version}");
        assert!(apart >= shared && apart >= 1024, "{version}: {apart} {shared}");
    }
}
