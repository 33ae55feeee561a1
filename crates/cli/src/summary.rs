//! What a scenario would run, on one screen.

mod phases;

use arcwright_scenario::{
    CacheContent, Compression, DatasetKind, DatasetSpec, FileSpec, LinkSpec, Logbias, PoolSpec,
    Properties, Scenario, Setting, SyncMode,
};
use arcwright_units::Bytes;

use crate::differences;
use crate::labels::{counted, disk, link, vdev, word};
use phases::{phase, played};

/// How a scenario would run.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The version of OpenZFS, which may be another than the scenario's.
    pub(crate) version: String,
    pub(crate) repeats: u32,
    /// What it would take.
    pub(crate) takes: Vec<String>,
}

/// Returns the summary that `--check` prints, in lines of at most `width` columns where they can be broken.
pub(crate) fn of(scenario: &Scenario, plan: Plan, width: usize) -> String {
    let mut sheet = Sheet { text: String::new(), width };
    let Plan { version, repeats, takes } = plan;
    for paragraph in [&scenario.title, &scenario.question] {
        if !paragraph.is_empty() {
            sheet.line("", paragraph);
        }
    }
    sheet.text.push('\n');
    system(&mut sheet, scenario, &version);
    sheet.add("arms", arms(scenario));
    let volumes = scenario.system.pool.datasets.iter().filter(|it| !it.kind.is_files());
    let volumes: Vec<&str> = volumes.map(|it| it.name.as_str()).collect();
    let played = played(scenario);
    let of_traces = |name: &String| played.iter().any(|(_, files)| files.contains(name));
    let files = scenario.files.iter().filter(|it| !of_traces(&it.name));
    let files = files.map(|it| file(it, &volumes));
    let replays = played.iter().map(|(path, names)| {
        let sizes = scenario.files.iter().filter(|it| names.contains(&it.name));
        let size: Bytes = sizes.map(|it| it.size).sum();
        format!("what {path} touches: {} files, {size} in all", names.len())
    });
    let trees = scenario.trees.iter().map(|tree| {
        format!("{}, {} files of {} to {}", tree.name, tree.files, tree.size_min, tree.size_max)
    });
    sheet.add("files", files.chain(replays).chain(trees));
    sheet.add("phases", scenario.phases.iter().flat_map(phase));
    let scale = match scenario.lab.scale {
        0 | 1 => "full scale".to_owned(),
        scale => format!("scale 1/{scale}"),
    };
    sheet.add("lab", [format!("{scale}, seed {}", scenario.seed)]);
    let arms = scenario.arms.len();
    let runs = arms.saturating_mul(usize::try_from(repeats).unwrap_or(usize::MAX));
    sheet.add("runs", [format!("{runs} (arms: {arms}, repeats: {repeats})")]);
    let is_repeated = scenario.phases.iter().any(|phase| phase.until_warm.is_some());
    let once = "what is repeated until the caches are warm is counted once".to_owned();
    sheet.add("takes", takes.into_iter().chain(is_repeated.then_some(once)));
    sheet.add("notes", scenario.notes.iter().cloned().chain(scenario.without_effect()));
    sheet.text.push_str("\nThe scenario is valid; nothing was run.\n");
    sheet.text
}

struct Sheet {
    text: String,
    width: usize,
}

impl Sheet {
    /// Adds lines under one label; none when there are no lines.
    fn add(&mut self, label: &str, lines: impl IntoIterator<Item = String>) {
        for (index, line) in lines.into_iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            self.line(&format!("{label:<8} "), &line);
        }
    }

    /// Adds a line; what does not fit goes on below, further in than its beginning.
    fn line(&mut self, label: &str, line: &str) {
        let further = " ".repeat(if label.is_empty() { 0 } else { label.len() + 2 });
        let options = textwrap::Options::new(self.width)
            .initial_indent(label)
            .subsequent_indent(&further)
            .break_words(false)
            .word_separator(textwrap::WordSeparator::AsciiSpace)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        self.text.push_str(&textwrap::fill(line, options));
        self.text.push('\n');
    }
}

fn system(sheet: &mut Sheet, scenario: &Scenario, version: &str) {
    let system = &scenario.system;
    let os = match system.os {
        arcwright_scenario::Kernel::Linux => "Linux",
        arcwright_scenario::Kernel::Freebsd => "FreeBSD",
    };
    let memory = system.memory;
    let told = match version == system.zfs {
        true => String::new(),
        false => format!(" (the scenario says {})", system.zfs),
    };
    sheet.add(
        "system",
        [format!("OpenZFS {version}{told} on {os}, {memory} memory, {}", system.cpu)],
    );
    pool(sheet, &system.pool);
    sheet.add("devices", scenario.unverified_values());
    sheet.add("tunables", system.tunables.iter().map(setting));
}

/// Adds the vdevs, and the properties of the dataset: `recordsize`, and those that are not as ZFS has them.
fn pool(sheet: &mut Sheet, pool: &PoolSpec) {
    let PoolSpec { data, cache, log, special, .. } = pool;
    sheet.add("data", counted(data.iter().map(vdev)));
    sheet.add("special", counted(special.iter().map(vdev)));
    sheet.add("cache", counted(cache.iter().map(disk)));
    sheet.add("log", counted(log.iter().map(vdev)));
    sheet.add("links", LinkSpec::of(pool.disks()).into_iter().map(link));
    let PoolSpec {
        recordsize,
        compression,
        encryption,
        primarycache,
        secondarycache,
        sync,
        logbias,
        special_small_blocks,
        ashift,
        ..
    } = pool;
    let mut properties = vec![format!("recordsize {recordsize}")];
    let mut unusual = |name: &str, is_unusual: bool, value: String| {
        properties.extend(is_unusual.then(|| format!("{name}={value}")));
    };
    unusual("compression", *compression != Compression::Off, word(compression));
    unusual("encryption", !encryption.is_off(), word(encryption));
    unusual("primarycache", *primarycache != CacheContent::All, word(primarycache));
    unusual("secondarycache", *secondarycache != CacheContent::All, word(secondarycache));
    unusual("sync", *sync != SyncMode::Standard, word(sync));
    unusual("logbias", *logbias != Logbias::Latency, word(logbias));
    let is_small = *special_small_blocks != Bytes::ZERO;
    unusual("special_small_blocks", is_small, special_small_blocks.to_string());
    unusual("ashift", *ashift != ASHIFT, ashift.to_string());
    let own = std::iter::once(properties.join(", "));
    sheet.add("dataset", own.chain(pool.datasets.iter().map(dataset)));
}

/// Returns a dataset beside the pool's own: what it sets itself.
fn dataset(dataset: &DatasetSpec) -> String {
    let Properties {
        recordsize,
        compression,
        encryption,
        primarycache,
        secondarycache,
        sync,
        logbias,
        special_small_blocks,
    } = &dataset.properties;
    let own = [
        recordsize.map(|size| match dataset.kind {
            DatasetKind::Files => format!("recordsize {size}"),
            DatasetKind::Volume => format!("volblocksize {size}"),
        }),
        compression.map(|it| format!("compression={}", word(&it))),
        encryption.map(|it| format!("encryption={}", word(&it))),
        primarycache.map(|it| format!("primarycache={}", word(&it))),
        secondarycache.map(|it| format!("secondarycache={}", word(&it))),
        sync.map(|it| format!("sync={}", word(&it))),
        logbias.map(|it| format!("logbias={}", word(&it))),
        special_small_blocks.map(|size| format!("special_small_blocks {size}")),
    ];
    let own: Vec<String> = own.into_iter().flatten().collect();
    match own.is_empty() {
        true => format!("{}: inherits everything", dataset.name),
        false => format!("{}: {}", dataset.name, own.join(", ")),
    }
}

/// Returns a file: its size, its dataset, and its record size where it has one of its own.
fn file(file: &FileSpec, volumes: &[&str]) -> String {
    let dataset = file.dataset.iter().map(|dataset| match volumes.contains(&dataset.as_str()) {
        true => ", a volume".to_owned(),
        false => format!(", in {dataset}"),
    });
    let record = file.recordsize.iter().map(|size| format!(", recordsize {size}"));
    let ratio = file.compressratio_percent.iter().map(|percent| compressible(*percent));
    format!("{}, {}", file.name, file.size)
        + &dataset.chain(record).chain(ratio).collect::<String>()
}

/// Returns how well LZ4 compresses what is stored.
fn compressible(percent: u32) -> String {
    format!(", compressratio {}.{:02}x", percent / 100, percent % 100)
}

/// log2 of the sector size that a pool has where the scenario says nothing.
const ASHIFT: u8 = 12;

/// Returns the arms: the first with what it sets, the others with what differs from it.
fn arms(scenario: &Scenario) -> Vec<String> {
    let Some((first, others)) = scenario.arms.split_first() else { return Vec::new() };
    let base = scenario.system_of(first);
    let line = |name: &str, differences: Vec<String>| match differences.is_empty() {
        true => name.to_owned(),
        false => format!("{name}: {}", differences.join(", ")),
    };
    let own = differences::between(&scenario.system, &base);
    let others = others.iter().map(|arm| {
        let differences = differences::between(&base, &scenario.system_of(arm));
        match differences.is_empty() {
            true => format!("{}: no difference", arm.name),
            false => line(&arm.name, differences),
        }
    });
    std::iter::once(line(&first.name, own)).chain(others).collect()
}

fn setting(setting: &Setting) -> String {
    format!("{}={}", setting.name, setting.value)
}

#[cfg(test)]
mod tests {
    use super::{Plan, of};

    fn plan(version: &str, repeats: u32, takes: &[&str]) -> Plan {
        let takes = takes.iter().map(|line| (*line).to_owned()).collect();
        Plan { version: version.to_owned(), repeats, takes }
    }

    #[test]
    fn a_scenario_fits_one_screen() {
        let text = include_str!("../tests/it/fixtures/steam.json");
        let scenario = arcwright_report::from_json(text).unwrap().scenario;
        assert_eq!(
            of(&scenario, plan("2.1.5", 3, &["11 to 21 MiB", "4 in parallel"]), 100),
            "\
Steam library: raidz1 with an SSD read cache
Why is the second read no faster, and which settings change that?

system   OpenZFS 2.1.5 on Linux, 16 GiB memory, nas-quad
data     raidz1 of 3 × hdd-nas-7200
cache    nvme-consumer
dataset  recordsize 128 KiB
devices  unverified: 15 of 21 values of hdd-nas-7200, 6 of 16 values of nvme-consumer
arms     as installed
         dumb LRU: no difference
files    test.dat, 20 GiB
phases   first read: read test.dat in 128 KiB
         second read: read test.dat in 128 KiB
lab      scale 1/32, seed 1
runs     6 (arms: 2, repeats: 3)
takes    11 to 21 MiB
         4 in parallel
notes    “dumb LRU” and “as installed” differ in nothing

The scenario is valid; nothing was run.
"
        );
    }

    #[test]
    fn another_version_than_the_scenario_s_is_said() {
        let text = include_str!("../tests/it/fixtures/steam.json");
        let scenario = arcwright_report::from_json(text).unwrap().scenario;
        let line =
            "system   OpenZFS 2.3.2 (the scenario says 2.1.5) on Linux, 16 GiB memory, nas-quad\n";
        let summary = of(&scenario, plan("2.3.2", 1, &[]), 100);
        assert!(summary.contains(line), "{summary}");
    }

    #[test]
    fn whatever_a_scenario_sets_is_there() {
        let text = r#"
title = "All of it"
question = "Is it there?"
[system]
zfs = "2.3.2"
os = "linux"
memory = "8GiB"
[system.pool]
data = [{ mirror = ["hdd-nas-7200", "hdd-nas-7200"] }]
special = ["nvme-plp"]
compression = "lz4"
secondarycache = "metadata"
sync = "always"
ashift = 13
[[dataset]]
name = "vms"
recordsize = "16KiB"
primarycache = "metadata"
[[arm]]
name = "as is"
[[arm]]
name = "other"
special = []
recordsize = "16KiB"
logbias = "throughput"
datasets = { vms = { sync = "disabled" } }
[[file]]
name = "f"
size = "1GiB"
[[file]]
name = "vm"
size = "1GiB"
dataset = "vms"
recordsize = "4KiB"
[[phase]]
name = "one"
clients = [{ write = "f", io = "16KiB", pattern = "random", amount = "1MiB", depth = 4, fsync = 8 }]
[[phase]]
name = "two"
limit = "10s"
clients = [
  { read = "f", io = "1MiB", rate = "5MiB/s", start = "1s" },
  { read = "f", io = "4KiB", pattern = "zipf", zipf = 0.9, think = "1ms", link = { rate = "1Gbit/s", round_trip = "300us" } },
]
"#;
        let scenario = arcwright_scenario::Scenario::parse(text, "all.toml").unwrap();
        let summary = of(&scenario, plan("2.3.2", 1, &[]), 1000);
        let expected = "\
system   OpenZFS 2.3.2 on Linux, 8 GiB memory, nas-quad
data     mirror of 2 × hdd-nas-7200
special  nvme-plp
dataset  recordsize 128 KiB, compression=lz4, secondarycache=metadata, sync=always, ashift=13
         vms: recordsize 16 KiB, primarycache=metadata
devices  unverified: 15 of 21 values of hdd-nas-7200, 8 of 16 values of nvme-plp
arms     as is
         other: special none instead of nvme-plp, recordsize 16 KiB instead of 128 KiB, logbias=throughput instead of latency, vms: sync=disabled instead of always, vms: logbias=throughput instead of latency
files    f, 1 GiB
         vm, 1 GiB, in vms, recordsize 4 KiB
phases   one: write f in 16 KiB, random, 1 MiB in all, 4 in flight, fsync after every 8
         two, at most 10.0 s:
           read f in 1 MiB, begins after 1.00 s, at most 5 MiB/s
           read f in 4 KiB, Zipf 0.9, thinks for 1.00 ms, over a link of 119 MiB/s, round trip 300 µs
";
        assert!(summary.contains(expected), "{summary}");
    }
}
