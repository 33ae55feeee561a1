//! Cases in which the processor is what there is too little of: many readers, a fast disk, few cores.

use std::fmt::Write as _;

const ARMS: [(&str, &str); 2] =
    [("small ARC", ""), ("large ARC", "memory = \"8GiB\"\ntunables = { zfs_arc_max = \"4GiB\" }")];
const STREAM_FILES: u32 = 4;
const RANDOM_READERS: u32 = 6;

/// Returns the cases of a version.
pub(super) fn named(version: &str) -> Vec<(String, String)> {
    let streams = |cpu| text(version, cpu, STREAM_FILES, &streams());
    vec![
        ("crowd-streams-dual".to_owned(), streams("nas-dual")),
        ("crowd-streams-quad".to_owned(), streams("nas-quad")),
        ("crowd-random-dual".to_owned(), text(version, "nas-dual", 1, &random())),
    ]
}

fn streams() -> String {
    clients(STREAM_FILES, |number| format!("{{ read = \"f{number}\", io = \"128KiB\" }}"))
}

fn random() -> String {
    clients(RANDOM_READERS, |_| {
        "{ read = \"f0\", io = \"128KiB\", pattern = \"random\", amount = \"512MiB\" }".to_owned()
    })
}

fn clients(count: u32, client: impl Fn(u32) -> String) -> String {
    let all: Vec<String> = (0..count).map(client).collect();
    all.join(", ")
}

fn text(version: &str, cpu: &str, files: u32, clients: &str) -> String {
    let mut text = format!(
        "title = \"fidelity\"\nquestion = \"Is the model right?\"\n[system]\nzfs = \"{version}\"\n\
         os = \"linux\"\nmemory = \"1GiB\"\ncpu = \"{cpu}\"\n[system.pool]\n\
         data = [{{ disk = \"nvme-plp\" }}]\n[system.tunables]\nzfs_arc_max = \"512MiB\"\n"
    );
    for (name, settings) in ARMS {
        // Writing into a string cannot fail.
        let _ = write!(text, "[[arm]]\nname = \"{name}\"\n{settings}\n");
    }
    for number in 0..files {
        let size = 2048 / files;
        let _ = write!(text, "[[file]]\nname = \"f{number}\"\nsize = \"{size}MiB\"\n");
    }
    for name in ["first", "second"] {
        let _ = write!(text, "[[phase]]\nname = \"{name}\"\nclients = [{clients}]\n");
    }
    text.push_str("[lab]\nscale = 4\n");
    text
}
