//! Cases with disks behind one link: a controller that carries less than they can, a bridge that takes one request at a time.

use super::parts::{PLAIN, Parts, phases, text};

const RAIDZ2: &str = "data = [{ raidz2 = [\"8 x disk\"] }]";
const MIRRORS: &str = "data = [{ mirror = [\"2 x disk\"], count = 2 }]";

/// Returns the cases of a version.
pub(super) fn named(version: &str) -> Vec<(String, String)> {
    let build = |pool: &str, link: &str, files, list: &[(&str, &str)]| {
        let parts = Parts { pool, arc_mib: 512, files, phases: &phases(list), ..PLAIN };
        let links = format!(
            "[links]\nlink = {link}\n[devices]\ndisk = {{ device = \"hdd-nas-7200\", link = \"link\" }}\n"
        );
        text(version, &parts) + &links
    };
    let film = "{ read = \"film\", io = \"1MiB\" }";
    let copy = "{ read = \"film\", io = \"1MiB\" }, { write = \"copy\", io = \"1MiB\" }";
    let random =
        "{ read = \"vm\", io = \"128KiB\", pattern = \"random\", amount = \"512MiB\", depth = 16 }";
    let write = "{ write = \"vm\", io = \"1MiB\" }";
    vec![
        (
            "link-controller".to_owned(),
            build(
                RAIDZ2,
                "{ rate = \"500MB/s\" }",
                &[("film", 2048), ("copy", 1024)],
                &[("film", film), ("copy", copy), ("again", film)],
            ),
        ),
        (
            "link-bridge".to_owned(),
            build(
                MIRRORS,
                "{ rate = \"350MB/s\", one_way = true, requests_max = 1 }",
                &[("film", 1024), ("vm", 1024)],
                &[("film", film), ("random", random), ("write", write)],
            ),
        ),
    ]
}
