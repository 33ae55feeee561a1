//! Cases on dRAID: groups over all disks, small blocks that take whole rows of a group, metadata that is packed less.

use super::parts::{PLAIN, Parts, phases, text};

const SIX: &str = "data = [{ draid1 = [\"6 x hdd-nas-7200\"], data = 2, spares = 1 }]";
const ELEVEN: &str = "data = [{ draid2 = [\"11 x hdd-nas-5400\"], data = 4, spares = 1 }]";
/// The last library without it.
const WITHOUT: &str = "2.0.3";

/// Returns the cases of a version.
pub(super) fn named(version: &str) -> Vec<(String, String)> {
    if version == WITHOUT {
        return Vec::new();
    }
    let build = |pool: &str, recordsize, files, list: &[(&str, &str)]| {
        let phases = phases(list);
        text(version, &Parts { pool, arc_mib: 512, recordsize, files, phases: &phases, ..PLAIN })
    };
    let film = "{ read = \"film\", io = \"1MiB\" }";
    let random = "{ read = \"film\", io = \"128KiB\", pattern = \"random\", amount = \"512MiB\", depth = 8 }";
    let copy = "{ read = \"film\", io = \"1MiB\" }, { write = \"copy\", io = \"1MiB\" }";
    let work = "{ mixed = \"vm\", read_pct = 70, io = \"16KiB\", pattern = \"zipf\", zipf = 0.9, depth = 4, \
                amount = \"256MiB\" }";
    let sync = "{ sync-write = \"vm\", io = \"16KiB\", pattern = \"random\", amount = \"16MiB\" }";
    let again = "{ read = \"vm\", io = \"128KiB\" }";
    vec![
        (
            "draid1-films".to_owned(),
            build(
                SIX,
                "128KiB",
                &[("film", 2048), ("copy", 1024)],
                &[("film", film), ("random", random), ("copy", copy)],
            ),
        ),
        (
            "draid2-vm".to_owned(),
            build(
                ELEVEN,
                "16KiB",
                &[("vm", 1024)],
                &[("work", work), ("sync", sync), ("again", again)],
            ),
        ),
    ]
}
