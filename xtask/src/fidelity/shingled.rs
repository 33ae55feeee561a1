//! Cases on shingled disks: writes in a row go to their bands, others to the cache on the platters.

use super::parts::{PLAIN, Parts, phases, text};

const RAIDZ: &str = "data = [{ raidz1 = [\"3 x hdd-smr-8tb\"] }]";
const MIRROR: &str = "data = [{ mirror = [\"2 x hdd-smr-4tb\"] }]";

/// Returns the cases of a version.
pub(super) fn named(version: &str) -> Vec<(String, String)> {
    let build = |pool: &str, recordsize, files, list: &[(&str, &str)]| {
        let phases = phases(list);
        text(version, &Parts { pool, arc_mib: 512, recordsize, files, phases: &phases, ..PLAIN })
    };
    let film = "{ read = \"film\", io = \"1MiB\" }";
    let copy = "{ read = \"film\", io = \"1MiB\" }, { write = \"copy\", io = \"1MiB\" }";
    let work = "{ mixed = \"vm\", read_pct = 70, io = \"16KiB\", pattern = \"zipf\", zipf = 0.9, depth = 4, \
                amount = \"256MiB\" }";
    let sync = "{ sync-write = \"vm\", io = \"16KiB\", pattern = \"random\", amount = \"16MiB\" }";
    let again = "{ read = \"vm\", io = \"128KiB\" }";
    vec![
        (
            "shingled-raidz".to_owned(),
            build(
                RAIDZ,
                "128KiB",
                &[("film", 2048), ("copy", 2048)],
                &[("film", film), ("copy", copy), ("again", film)],
            ),
        ),
        (
            "shingled-mirror".to_owned(),
            build(
                MIRROR,
                "16KiB",
                &[("vm", 1024)],
                &[("work", work), ("sync", sync), ("again", again)],
            ),
        ),
    ]
}
