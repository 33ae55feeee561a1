//! Cases on pools that other files fill: what the experiment moves lies on the inner zones of the disks.

use super::parts::{PLAIN, Parts, phases, text};

const RAIDZ: &str = "data = [{ raidz1 = [\"3 x hdd-nas-7200\"] }]\nfill = \"80%\"";
const MIRRORS: &str = "data = [{ mirror = [\"2 x hdd-nas-5400\"], count = 2 }]\nfill = \"50%\"";

/// Returns the cases of a version.
pub(super) fn named(version: &str) -> Vec<(String, String)> {
    let build = |pool: &str, files, list: &[(&str, &str)]| {
        text(version, &Parts { pool, arc_mib: 512, files, phases: &phases(list), ..PLAIN })
    };
    let film = "{ read = \"film\", io = \"1MiB\" }";
    let copy = "{ read = \"film\", io = \"1MiB\" }, { write = \"copy\", io = \"1MiB\" }";
    let random =
        "{ read = \"vm\", io = \"128KiB\", pattern = \"random\", amount = \"512MiB\", depth = 8 }";
    let work = "{ mixed = \"vm\", read_pct = 70, io = \"128KiB\", pattern = \"zipf\", zipf = 0.9, depth = 4, \
                amount = \"512MiB\" }";
    let sync = "{ sync-write = \"vm\", io = \"128KiB\", pattern = \"random\", amount = \"64MiB\" }";
    vec![
        (
            "fill-raidz".to_owned(),
            build(
                RAIDZ,
                &[("film", 2048), ("copy", 1024)],
                &[("film", film), ("copy", copy), ("again", film)],
            ),
        ),
        (
            "fill-mirrors".to_owned(),
            build(MIRRORS, &[("vm", 1024)], &[("random", random), ("work", work), ("sync", sync)]),
        ),
    ]
}
