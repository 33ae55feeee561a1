//! Cases in which the processor is what there is too little of: many readers, a fast disk, few cores.

use super::cases::repeated;
use super::parts::{PLAIN, Parts, text};

const ARMS: [(&str, &str); 2] =
    [("small ARC", ""), ("large ARC", "memory = \"8GiB\"\ntunables = { zfs_arc_max = \"4GiB\" }")];
const STREAMS: [(&str, u64); 4] = [("f0", 512), ("f1", 512), ("f2", 512), ("f3", 512)];
const RANDOM_READERS: usize = 6;

/// Returns the cases of a version.
pub(super) fn named(version: &str) -> Vec<(String, String)> {
    let streams = STREAMS.map(|(file, _)| format!("{{ read = \"{file}\", io = \"128KiB\" }}"));
    let random = "{ read = \"f0\", io = \"128KiB\", pattern = \"random\", amount = \"512MiB\" }";
    let random = [random; RANDOM_READERS].join(", ");
    let build = |cpu, files: &[(&str, u64)], clients: &str| {
        let parts = Parts {
            cpu,
            pool: "data = [{ disk = \"nvme-plp\" }]",
            arc_mib: 512,
            arms: &ARMS,
            files,
            phases: &repeated(clients, 2),
            ..PLAIN
        };
        text(version, &parts)
    };
    let streams = streams.join(", ");
    vec![
        ("crowd-streams-dual".to_owned(), build("nas-dual", &STREAMS, &streams)),
        ("crowd-streams-quad".to_owned(), build("nas-quad", &STREAMS, &streams)),
        ("crowd-random-dual".to_owned(), build("nas-dual", &[("f0", 2048)], &random)),
    ]
}
