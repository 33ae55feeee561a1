//! The targets: what each reads, how long its inputs are, and where its first inputs and words are from.

/// A target, of the name of its program in `fuzz/src/bin`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target {
    /// Its name.
    pub(super) name: &'static str,
    /// What it reads, for the page.
    pub(super) reads: &'static str,
    /// Longer inputs make each run slow and find nothing that these do not.
    pub(super) bytes_max: usize,
    /// What its first inputs are.
    pub(super) seeds: Seeds,
    /// Folders of crates whose words its reader knows: they go into its dictionary.
    pub(super) words: &'static [&'static str],
}

/// Where first inputs are from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Seeds {
    /// Nowhere: what was kept, and what libFuzzer makes of nothing.
    None,
    /// Texts of the fixtures whose name holds one of these parts.
    Texts(&'static [&'static str]),
    /// The same, below a line with the text's name.
    Named(&'static [&'static str]),
    /// Every text of the fixtures, the pastes too.
    Pastes,
    /// The same, after captures in their text form.
    Captures,
    /// Every text of the fixtures below its name, and all texts of pools of a machine together.
    Bundles,
    /// A byte each, which picks a machine of the fixtures.
    Machines,
    /// Files below a folder, of one ending.
    Files(&'static str, &'static str),
    /// Files below a folder, of one ending, after a change of a key.
    Changes(&'static str, &'static str),
    /// A journal of some entries.
    Journal,
    /// Frames of a recording, a table of a machine each.
    Recordings,
}

const fn target(
    name: &'static str,
    reads: &'static str,
    bytes_max: usize,
    seeds: Seeds,
    words: &'static [&'static str],
) -> Target {
    Target { name, reads, bytes_max, seeds, words }
}

const KSTAT: &[&str] = &["kstat"];
const MACHINE: &[&str] = &["machine"];
const TUNABLES: &[&str] = &["tunables"];
const SCENARIO: &[&str] = &["scenario"];
const LISTS: Seeds = Seeds::Files("crates/kstat/tests/lists", "txt");
const IOSTAT: &[&str] = &["zpool-iostat"];
const SUMMARY: &[&str] = &["arc-summary", "arcstat"];
const JSON: &[&str] = &["-json", "lsblk", "smartctl", "midclt"];
const SETTINGS: &[&str] = &["modprobe.d/", "loader.conf", "sysctl.conf"];
const COMMANDS: &[&str] = &[
    "commands/",
    "proc/m",
    "proc/swaps",
    "proc/cmdline",
    "links",
    "markers",
    "etc/",
    "boot/",
    "/txgs",
    "/objset-",
    "/at",
];

pub(super) const TARGETS: [Target; 36] = [
    target("kstat", "a kstat, named or of I/O", 2048, Seeds::Texts(&["kstat/zfs"]), KSTAT),
    target("delta", "two kstats of one name", 2048, Seeds::None, KSTAT),
    target("txgs", "a list of transaction groups", 1024, Seeds::Texts(&["/txgs"]), KSTAT),
    target("sysctl", "sysctls of FreeBSD", 1024, Seeds::Texts(&["commands/sysctl"]), KSTAT),
    target("status", "zpool status", 2048, Seeds::Texts(&["zpool-status"]), MACHINE),
    target("iostat", "zpool iostat, all its forms", 2048, Seeds::Named(IOSTAT), MACHINE),
    target("summary", "arc_summary, arcstat", 4096, Seeds::Named(SUMMARY), MACHINE),
    target("smart", "smartctl", 2048, Seeds::Texts(&["smartctl"]), MACHINE),
    target("json", "JSON of zpool, zfs, lsblk, smartctl", 2048, Seeds::Named(JSON), MACHINE),
    target("commands", "all other commands and files", 2048, Seeds::Named(COMMANDS), MACHINE),
    target("paste", "pasted text, to all reports", 2048, Seeds::Pastes, MACHINE),
    target("sources", "texts by name, to all reports", 2048, Seeds::Bundles, MACHINE),
    target("machine", "a changed machine, to all reports", 256, Seeds::Machines, MACHINE),
    target("redact", "a changed machine, made anonymous", 256, Seeds::Machines, MACHINE),
    target("capture", "any bytes as a capture", 4096, Seeds::Captures, MACHINE),
    target("packed", "bytes packed with gzip", 4096, Seeds::None, MACHINE),
    target("archive", "an archive built of the input", 1024, Seeds::None, &["host"]),
    target("scenario", "a scenario's text", 4096, Seeds::Files("scenarios", "toml"), SCENARIO),
    target("experiment", "a scenario built of its words", 512, Seeds::None, SCENARIO),
    target("set", "--set KEY=VALUE", 2048, Seeds::Changes("scenarios", "toml"), SCENARIO),
    target("blocks", "`zdb -Lbbbs`", 8192, Seeds::Files("crates/ssd/tests/zdb", "txt"), &["ssd"]),
    target("fio", "a job file of fio", 1024, Seeds::Files("scenarios/jobs", "fio"), &["workload"]),
    target("trace", "traces: lis, pages, words", 256, Seeds::None, &[]),
    target("result", "a saved result", 8192, Seeds::Files("fuzz/src", "json"), SCENARIO),
    target("changed", "a saved result, changed", 256, Seeds::None, SCENARIO),
    target("journal", "the journal of tune", 2048, Seeds::Journal, TUNABLES),
    target("entries", "a journal built of entries", 512, Seeds::None, TUNABLES),
    target("persist", "edits of modprobe.d, sysctl.conf, …", 512, Seeds::Texts(SETTINGS), TUNABLES),
    target("recording", "parts and frames of recordings", 4096, Seeds::Recordings, &[]),
    target("records", "records of TrueNAS' middleware", 1024, Seeds::None, TUNABLES),
    target("requested", "NAME=VALUE, planned and undone", 256, Seeds::None, TUNABLES),
    target("quantity", "sizes, times, rates, versions", 32, Seeds::None, &["units"]),
    target("usage", "lists of reads and of blocks", 4096, LISTS, MACHINE),
    target("value", "values of parameters", 64, Seeds::None, TUNABLES),
    target("name", "names of parameters", 64, Seeds::None, TUNABLES),
    target("terminal", "what a terminal is shown", 128, Seeds::None, &["units"]),
];

/// Returns the target of a name.
pub(super) fn named(name: &str) -> anyhow::Result<Target> {
    let found = TARGETS.iter().find(|target| target.name == name).copied();
    found.ok_or_else(|| {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        anyhow::anyhow!("there is no target “{name}”; there are {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::TARGETS;

    #[test]
    fn every_program_is_a_target_and_every_target_a_program() {
        let folder = crate::root().join("fuzz/src/bin");
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let programs: BTreeSet<String> =
            names.map(|name| name.to_string_lossy().trim_end_matches(".rs").to_owned()).collect();
        let targets: BTreeSet<String> =
            TARGETS.iter().map(|target| target.name.to_owned()).collect();
        assert_eq!(targets.len(), TARGETS.len());
        assert_eq!(targets, programs);
    }
}
