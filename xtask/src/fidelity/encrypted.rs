//! Cases on encrypted datasets: processors encrypt what is written, decrypt what is read, and encrypt for cache devices again.

use super::parts::{PLAIN, Parts, phases, text};

const NVME: &str = "data = [{ disk = \"nvme-consumer\" }]";
const RAIDZ: &str = "data = [{ raidz1 = [\"3 x hdd-nas-7200\"] }]\n\
                     cache = [{ device = \"nvme-consumer\", size = \"4GiB\" }]";
const ARMS: [(&str, &str); 2] = [("in the clear", ""), ("encrypted", "encryption = \"on\"")];

/// Returns the cases of a version.
pub(super) fn named(version: &str) -> Vec<(String, String)> {
    let build = |pool: &str, cpu, files, list: &[(&str, &str)]| {
        let phases = phases(list);
        let parts = Parts { pool, cpu, arc_mib: 512, arms: &ARMS, files, phases: &phases, ..PLAIN };
        text(version, &parts)
    };
    let film = "{ read = \"film\", io = \"1MiB\" }";
    let random =
        "{ read = \"film\", io = \"128KiB\", pattern = \"random\", amount = \"1GiB\", depth = 4 }";
    let write = "{ write = \"copy\", io = \"1MiB\" }";
    let sync =
        "{ sync-write = \"copy\", io = \"16KiB\", pattern = \"random\", amount = \"32MiB\" }";
    vec![
        (
            "encrypted-nvme".to_owned(),
            build(
                NVME,
                "nas-quad",
                &[("film", 2048), ("copy", 1024)],
                &[("read", film), ("random", random), ("write", write), ("sync", sync)],
            ),
        ),
        (
            "encrypted-raidz-l2".to_owned(),
            build(
                RAIDZ,
                "nas-dual",
                &[("film", 1536), ("copy", 512)],
                &[("first", film), ("second", film), ("third", film), ("write", write)],
            ),
        ),
    ]
}
