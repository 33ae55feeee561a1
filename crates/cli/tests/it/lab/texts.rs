//! Texts of small experiments, put together from what differs between them.

/// An experiment on a machine with so much memory, of OpenZFS 2.1.11 on Linux; `rest` begins within the table
/// `[system.pool]`.
pub(crate) fn on_linux(memory: &str, rest: &str) -> String {
    experiment(&format!("zfs = \"2.1.11\"\nos = \"linux\"\nmemory = \"{memory}\""), rest)
}

/// The same on FreeBSD 8, with an ARC of 96 MiB.
pub(crate) fn on_freebsd_8(memory: &str, rest: &str) -> String {
    let system = format!("zfs = \"freebsd-8\"\nos = \"freebsd\"\nmemory = \"{memory}\"");
    experiment(&format!("{system}\n[system.tunables]\nzfs_arc_max = \"96MiB\""), rest)
}

fn experiment(system: &str, rest: &str) -> String {
    format!("\ntitle = \"test\"\nquestion = \"test\"\n[system]\n{system}\n[system.pool]\n{rest}\n")
}

/// A file of 192 MiB, and phases that each read all of it.
pub(crate) fn readings(io: &str, phases: &[&str]) -> String {
    let phase = |phase: &&str| {
        format!("[[phase]]\nname = \"{phase}\"\nclients = [{{ read = \"f\", io = \"{io}\" }}]\n")
    };
    let phases: String = phases.iter().map(phase).collect();
    format!("[[file]]\nname = \"f\"\nsize = \"192MiB\"\n{phases}")
}
