//! Cases drawn over the whole language of scenarios, never looked at before they are recorded.
//!
//! A release adds a block with a seed of its own: the lab runs it once, and the newest block is what the board calls
//! never seen. Earlier ones have been looked at: what they showed was mended. Every version and every kind of load is
//! drawn equally often; everything else is left to chance. Nothing is fitted on any of them, and no case is left out
//! afterwards; what the lab rejects, as a library does not let a parameter be set, has no record.

use std::fmt::Write as _;

use arcwright_workload::Stream;

use super::cases::{Case, Group, pick};
use super::{unseen_arms as arms, unseen_words as words};

/// The blocks so far.
const BLOCKS: [Block; 9] = [
    Block { name: "a", seed: 20_261_123, of_each: 4, words: Words::None },
    Block { name: "b", seed: 20_261_124, of_each: 2, words: Words::None },
    Block { name: "c", seed: 20_261_125, of_each: 1, words: Words::WithoutFill },
    Block { name: "d", seed: 20_261_126, of_each: 1, words: Words::All },
    Block { name: "e", seed: 20_261_128, of_each: 1, words: Words::All },
    Block { name: "f", seed: 20_261_130, of_each: 1, words: Words::Latest },
    Block { name: "g", seed: 20_261_131, of_each: 1, words: Words::Latest },
    Block { name: "h", seed: 20_261_132, of_each: 1, words: Words::Latest },
    Block { name: "i", seed: 20_261_133, of_each: 1, words: Words::Latest },
];

/// Cases that are drawn together.
#[derive(Clone, Copy)]
struct Block {
    name: &'static str,
    /// The day it was drawn on, or the next that no block has.
    seed: u64,
    /// Cases of every version and kind of load.
    of_each: usize,
    /// Which of the words that came later each has one or two of.
    words: Words,
}

/// Which words of the language there were when a block was drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    /// None of those that came later.
    None,
    /// All but `fill`.
    WithoutFill,
    /// All but encryption, shingled disks and dRAID.
    All,
    /// Those three too.
    Latest,
}

impl Block {
    const fn cases(self) -> usize {
        VERSIONS.len() * KINDS.len() * self.of_each
    }
}

pub(super) const VERSIONS: [&str; 5] = ["2.0.3", "2.1.11", "2.3.2", "2.3.9", "2.4.4"];
const KINDS: [Kind; 10] = [
    Kind::Reads,
    Kind::Writes,
    Kind::Synchronous,
    Kind::Trees,
    Kind::Mixed,
    Kind::Reads,
    Kind::Writes,
    Kind::Synchronous,
    Kind::Trees,
    Kind::Reads,
];

/// What a case is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Reads,
    Writes,
    Synchronous,
    Trees,
    Mixed,
}

impl Kind {
    pub(super) const ALL: [Self; 5] =
        [Self::Reads, Self::Writes, Self::Mixed, Self::Synchronous, Self::Trees];

    /// Returns its name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Writes => "writes",
            Self::Mixed => "reads and writes of one file",
            Self::Synchronous => "synchronous writes",
            Self::Trees => "trees",
        }
    }
}

const DISKS: [&str; 6] = [
    "hdd-nas-5400",
    "hdd-nas-7200",
    "hdd-nas-7200",
    "hdd-enterprise-7200",
    "ssd-sata-consumer",
    "nvme-consumer",
];
/// Kind of a vdev, its disks, and how many vdevs there are.
const LAYOUTS: [(&str, usize, usize); 12] = [
    ("disk", 1, 1),
    ("disk", 1, 2),
    ("disk", 1, 4),
    ("mirror", 2, 1),
    ("mirror", 2, 2),
    ("mirror", 2, 3),
    ("mirror", 3, 1),
    ("raidz1", 3, 1),
    ("raidz1", 4, 2),
    ("raidz2", 4, 1),
    ("raidz2", 6, 1),
    ("raidz3", 7, 1),
];
const RECORDS_KIB: [u64; 9] = [8, 16, 32, 64, 128, 128, 128, 512, 1024];
/// Requests that one client makes at most where it picks places, at full scale.
const REQUESTS_MAX: u64 = 8_000;

/// Returns the cases of every block.
pub(super) fn all() -> Vec<Case> {
    let cases = BLOCKS.into_iter().flat_map(|block| {
        let kinds = KINDS.into_iter().cycle();
        (0..block.cases()).zip(kinds).map(move |(number, kind)| case(block, number, kind))
    });
    cases.collect()
}

fn case(block: Block, number: usize, kind: Kind) -> Case {
    let Block { name: block, seed, words, .. } = block;
    let version = VERSIONS.get(number / KINDS.len() % VERSIONS.len()).copied().unwrap_or("2.3.2");
    let mut draw = Draw { kind, version, chance: Stream::new(seed, &format!("unseen {number}")) };
    let name = format!("unseen-{block}{number:03}-{version}");
    let group = if is_newest(&name) { Group::Unseen } else { Group::Seen };
    let text = draw.scenario();
    let text = match words {
        Words::None => text,
        words => words::added(&mut draw, text, words),
    };
    Case { name, version: version.to_owned(), group, text }
}

/// Returns what a drawn case is about, by its name.
pub(super) fn kind_of(name: &str) -> Option<Kind> {
    let number = name.strip_prefix("unseen-")?.get(1..4)?.parse::<usize>().ok()?;
    KINDS.get(number % KINDS.len()).copied()
}

/// Returns whether a case is of the block that was drawn last.
fn is_newest(name: &str) -> bool {
    let newest = BLOCKS.last().map_or("", |block| block.name);
    name.strip_prefix("unseen-").is_some_and(|rest| rest.starts_with(newest))
}

/// One case while it is drawn.
pub(super) struct Draw {
    pub(super) kind: Kind,
    pub(super) version: &'static str,
    pub(super) chance: Stream,
}

/// What other draws rest on.
pub(super) struct Drawn {
    pub(super) arc_mib: u64,
    pub(super) record_kib: u64,
    pub(super) has_cache: bool,
}

impl Draw {
    pub(super) fn one<T: Copy>(&mut self, from: &[T]) -> T {
        *pick(&mut self.chance, from)
    }

    /// Returns whether something happens that happens once in `times`.
    fn once_in(&mut self, times: u64) -> bool {
        self.chance.below(times) == 0
    }

    fn scenario(&mut self) -> String {
        let is_small = matches!(self.kind, Kind::Trees | Kind::Synchronous);
        let arc_mib = match is_small {
            true => self.one(&[96, 128, 192, 256]),
            false => self.one(&[512, 768, 1024, 1536]),
        };
        let cache_once_in = match self.kind {
            Kind::Reads => 2,
            Kind::Mixed => 3,
            Kind::Writes | Kind::Trees => 5,
            Kind::Synchronous => 12,
        };
        let has_cache = self.once_in(cache_once_in);
        let drawn = Drawn { arc_mib, record_kib: self.one(&RECORDS_KIB), has_cache };
        let mut text = self.system(&drawn);
        for (name, settings) in [("as is", String::new()), ("other", arms::other(self, &drawn))] {
            // Writing into a string cannot fail.
            let _ = write!(text, "[[arm]]\nname = \"{name}\"\n{settings}\n");
        }
        let phases = match self.kind {
            Kind::Trees => self.tree(&mut text),
            _ => self.file(&drawn, &mut text),
        };
        for (name, clients) in phases {
            let _ = write!(text, "[[phase]]\nname = \"{name}\"\nclients = [{clients}]\n");
        }
        let _ = write!(text, "[lab]\nscale = {}\n", if is_small { 1 } else { 4 });
        text
    }

    fn system(&mut self, drawn: &Drawn) -> String {
        let cpu = self.one(&["nas-quad", "nas-quad", "desktop", "nas-dual"]);
        let (disk, (kind, width, count)) = (self.one(&DISKS), self.one(&LAYOUTS));
        let list = vec![format!("\"{disk}\""); width].join(", ");
        let vdev = match kind {
            "disk" => format!("{{ disk = \"{disk}\" }}"),
            kind => format!("{{ {kind} = [{list}] }}"),
        };
        let data = vec![vdev; count].join(", ");
        let size = self.one(&["1GiB", "4GiB", "32GiB"]);
        let device = self.one(&["nvme-consumer", "ssd-sata-consumer"]);
        let cache = match drawn.has_cache {
            true => format!("cache = [{{ device = \"{device}\", size = \"{size}\" }}]\n"),
            false => String::new(),
        };
        let log = match self.kind {
            Kind::Synchronous => self.one(&arms::LOGS),
            _ => "",
        };
        let is_biased = self.kind == Kind::Synchronous && self.once_in(6);
        let bias = if is_biased { "logbias = \"throughput\"\n" } else { "" };
        format!(
            "title = \"fidelity\"\nquestion = \"Is the model right?\"\n[system]\nzfs = \"{}\"\nos = \"linux\"\n\
             memory = \"{}MiB\"\ncpu = \"{cpu}\"\n[system.pool]\ndata = [{data}]\n{cache}{log}\n{bias}\
             recordsize = \"{}KiB\"\n[system.tunables]\nzfs_arc_max = \"{}MiB\"\n",
            self.version,
            (drawn.arc_mib * 2).max(512),
            drawn.record_kib,
            drawn.arc_mib,
        )
    }

    /// Draws a file and what is done to it.
    fn file(&mut self, drawn: &Drawn, text: &mut String) -> Vec<(&'static str, String)> {
        let percent: u64 = self.one(&[25, 60, 80, 95, 120, 150, 200, 300]);
        let mib = match self.kind {
            Kind::Synchronous => 512,
            _ => (drawn.arc_mib * percent / 100).max(64),
        };
        let _ = write!(text, "[[file]]\nname = \"f\"\nsize = \"{mib}MiB\"\n");
        let clients = match self.kind {
            Kind::Synchronous => self.one(&[1, 1, 1, 2, 4]),
            _ => self.one(&[1, 1, 2, 3]),
        };
        let clients: Vec<String> = (0..clients).map(|_| self.client(mib)).collect();
        let clients = clients.join(", ");
        let then_read = "{ read = \"f\", io = \"128KiB\" }".to_owned();
        let is_read_then = matches!(self.kind, Kind::Writes | Kind::Mixed) && self.once_in(2);
        match is_read_then {
            true => vec![("first", clients), ("read", then_read)],
            false => vec![("first", clients.clone()), ("second", clients)],
        }
    }

    fn client(&mut self, file_mib: u64) -> String {
        let io_kib: u64 = match self.kind {
            Kind::Synchronous => self.one(&[4, 4, 8, 16, 32, 64, 128]),
            Kind::Mixed => self.one(&[4, 8, 16, 64]),
            Kind::Writes => self.one(&[8, 16, 64, 128, 128, 1024]),
            _ => self.one(&[4, 16, 64, 128, 128, 1024]),
        };
        let action = match self.kind {
            Kind::Synchronous => self.one(&[
                "sync-write = \"f\"",
                "sync-write = \"f\"",
                "write = \"f\", fsync = 8",
                "write = \"f\", fsync = 64",
            ]),
            Kind::Mixed => {
                self.one(&["mixed = \"f\", read_pct = 70", "mixed = \"f\", read_pct = 30"])
            }
            Kind::Writes => {
                self.one(&["write = \"f\"", "write = \"f\"", "write = \"f\"", "read = \"f\""])
            }
            _ => "read = \"f\"",
        };
        let pattern = match self.kind {
            Kind::Mixed => self.one(&["random", "zipf"]),
            _ => self.one(&["sequential", "sequential", "random", "zipf", "shuffled"]),
        };
        let requests = match self.kind {
            Kind::Synchronous => 1_000,
            _ => REQUESTS_MAX,
        };
        let most_kib = (requests * io_kib).min(file_mib << 10).max(io_kib);
        let amount = match (self.kind, pattern) {
            (Kind::Reads | Kind::Writes, "sequential") => String::new(),
            _ => format!(", amount = \"{most_kib}KiB\""),
        };
        let zipf = if pattern == "zipf" { ", zipf = 0.9" } else { "" };
        let depth: u64 = self.one(&[1, 1, 1, 2, 4, 8, 16]);
        let start = self.one(&[0, 0, 1, 3]);
        let extra = match self.chance.below(12) {
            0 => ", think = \"2ms\"",
            1 => ", rate = \"40MiB/s\"",
            2 => ", link = { rate = \"1Gbit/s\", round_trip = \"300us\" }",
            _ => "",
        };
        format!(
            "{{ {action}, io = \"{io_kib}KiB\", pattern = \"{pattern}\"{zipf}{amount}, depth = {depth}, \
             start = \"{start}s\"{extra} }}"
        )
    }

    /// Draws a tree and what is done to it.
    fn tree(&mut self, text: &mut String) -> Vec<(&'static str, String)> {
        let (files, least, most): (u64, u64, u64) =
            self.one(&[(40_000, 1, 4), (15_000, 4, 32), (3_000, 50, 200), (300, 1_000, 3_000)]);
        let per_directory = self.one(&[100, 1_000, 5_000]).min(files);
        let _ = write!(
            text,
            "[[tree]]\nname = \"t\"\nfiles = {files}\nfiles_per_directory = {per_directory}\n\
             size_min = \"{least}KiB\"\nsize_max = \"{most}KiB\"\n"
        );
        let all = [
            "{ tree-stat = \"t\" }",
            "{ tree-stat = \"t\", pattern = \"random\" }",
            "{ tree-read = \"t\" }",
            "{ tree-copy = \"t\" }",
            "{ tree-copy = \"t\", scan_first = true }",
        ];
        let (first, second) = (self.one(&all), self.one(&all));
        match self.once_in(2) {
            true => vec![("first", first.to_owned()), ("second", first.to_owned())],
            false => vec![("first", first.to_owned()), ("second", second.to_owned())],
        }
    }
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::Scenario;

    use super::{BLOCKS, all};

    #[test]
    fn blocks_have_their_cases_and_each_is_a_scenario() {
        let cases = all();
        assert_eq!(BLOCKS.map(|block| block.cases()), [200, 100, 50, 50, 50, 50, 50, 50, 50]);
        assert_eq!(cases.len(), 650);
        for case in &cases {
            let parsed = Scenario::parse(&case.text, &case.name);
            assert!(parsed.is_ok(), "{}\n{}\n{:?}", case.name, case.text, parsed.err());
        }
    }
}
